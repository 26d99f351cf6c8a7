//! Pairs of rows that are no duplicates, whatever else is in the table: a settled list compares most pairs again in each of its rounds, and these it
//! does not.
//!
//! A verdict knows two texts, lines and words of rows spread over the table, and rows that share keys with the two. Only what was decided without the
//! last holds in another round, and what was decided by the second as long as the same rows are spread over the table.

use ahash::AHashMap;
use neardup_verdict::{Asked, Outline};

use super::outlines::Outlines;

/// What a pair takes in memory, in bytes.
const BYTES_OF_EACH: usize = 40;

/// What of the table was asked before a pair was ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Nothing.
    Texts,
    /// The rows spread over it.
    Background,
}

/// Pairs by the numbers of their rows, the lesser one first.
pub struct RuledOut {
    outlines: Outlines,
    pairs: AHashMap<[u64; 2], By>,
    /// How many pairs may be kept.
    most: usize,
    /// What tells the rows spread over the table from others.
    background: u64,
}

impl RuledOut {
    /// Begins with room for outlines, and for pairs, in bytes.
    pub fn new(of_outlines: usize, of_pairs: usize) -> Self {
        let outlines = Outlines::new(of_outlines);
        Self { outlines, pairs: AHashMap::new(), most: of_pairs / BYTES_OF_EACH, background: 0 }
    }

    /// Begins a round, in which these rows are spread over the table.
    pub fn begin(&mut self, background: u64) {
        if self.background != background {
            self.pairs.retain(|_, by| *by == By::Texts);
        }
        self.background = background;
    }

    /// Says whether two rows are known to be no duplicates.
    pub fn has(&self, a: u64, b: u64) -> bool {
        self.pairs.contains_key(&key(a, b)) || self.outlines.rule_out(a, b)
    }

    /// Adds two rows that are no duplicates, if nothing was asked that may change.
    pub fn add(&mut self, a: u64, b: u64, asked: Asked) {
        if self.pairs.len() < self.most && !asked.rows {
            self.pairs.insert(key(a, b), if asked.background { By::Background } else { By::Texts });
        }
    }

    /// Says whether a row's outline is known.
    pub fn has_outline(&self, row: u64) -> bool {
        self.outlines.has(row)
    }

    /// Adds a row's outline.
    pub fn add_outline(&mut self, row: u64, outline: Outline) {
        self.outlines.add(row, outline);
    }
}

fn key(a: u64, b: u64) -> [u64; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_table_may_decide_otherwise_is_forgotten() {
        let mut known = RuledOut::new(0, 1 << 10);
        known.begin(1);
        known.add(1, 2, Asked { background: false, rows: false });
        known.add(4, 3, Asked { background: true, rows: false });
        known.add(5, 6, Asked { background: true, rows: true });
        let found = |known: &RuledOut| [known.has(2, 1), known.has(3, 4), known.has(5, 6)];
        known.begin(1);
        assert_eq!(found(&known), [true, true, false]);
        known.begin(2);
        assert_eq!(found(&known), [true, false, false]);
    }

    #[test]
    fn no_more_pairs_are_kept_than_there_is_room_for() {
        let mut known = RuledOut::new(0, 10 * BYTES_OF_EACH);
        (0..100).for_each(|row| known.add(row, row + 1, Asked::default()));
        assert_eq!(known.pairs.len(), 10);
    }
}
