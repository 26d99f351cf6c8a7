//! What has been decided about pairs of rows: a settled list meets most pairs again in each of its rounds, and compares those again of which
//! another round may decide otherwise.
//!
//! A verdict knows two texts, lines and words of rows spread over the table, and rows that share keys with the two. What was decided without the
//! last holds in all rounds, what was decided by the second as long as the same rows are spread over the table, and what was decided by the
//! third as long as the same rows are around the pair.

use ahash::AHashMap;
use neardup_core::candidates::Judged;
use neardup_verdict::{Asked, Outline, RowsAround};

use super::outlines::Outlines;

/// What a pair takes in memory, in bytes.
const BYTES_OF_EACH: usize = 40;

/// How many bytes are kept at least of outlines: a text without one is read again for each row that it is compared with.
const LEAST_OF_OUTLINES: usize = 8 << 20;

/// What of the table was asked before a pair was ruled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Nothing.
    Texts,
    /// The rows spread over it.
    Background,
}

/// A verdict that knew the rows around a pair.
struct Decided {
    around: RowsAround,
    judged: Option<Judged>,
}

/// Pairs by the numbers of their rows.
pub struct RuledOut {
    outlines: Outlines,
    /// Those that are no duplicates whatever is around them, the lesser number first.
    pairs: AHashMap<[u64; 2], By>,
    /// How many of these may be kept.
    most: usize,
    /// Those that are, or are not, with what is around them; the kept row first.
    decided: AHashMap<[u64; 2], Decided>,
    /// How many bytes these may yet take.
    room: usize,
    /// What tells the rows spread over the table from others.
    background: u64,
}

impl RuledOut {
    /// Begins with room for outlines, for pairs that nothing around them makes duplicates, and for as many bytes of others.
    pub fn new(of_outlines: usize, of_pairs: usize) -> Self {
        Self {
            outlines: Outlines::new(of_outlines.max(LEAST_OF_OUTLINES)),
            pairs: AHashMap::new(),
            most: of_pairs / BYTES_OF_EACH,
            decided: AHashMap::new(),
            room: of_pairs,
            background: 0,
        }
    }

    /// Begins a round, in which these rows are spread over the table.
    pub fn begin(&mut self, background: u64) {
        if self.background != background {
            self.pairs.retain(|_, by| *by == By::Texts);
            self.room += self.decided.drain().map(|(_, decided)| bytes_of(&decided.around)).sum::<usize>();
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

    /// Returns what was around a kept row and another one when they were compared, and the verdict.
    pub fn decided(&self, kept: u64, duplicate: u64) -> Option<(&RowsAround, Option<Judged>)> {
        self.decided.get(&[kept, duplicate]).map(|decided| (&decided.around, decided.judged))
    }

    /// Adds a verdict on a kept row and another one, if there is room.
    pub fn decide(&mut self, kept: u64, duplicate: u64, around: RowsAround, judged: Option<Judged>) {
        let bytes = bytes_of(&around);
        if bytes <= self.room {
            self.room -= bytes;
            let before = self.decided.insert([kept, duplicate], Decided { around, judged });
            self.room += before.map_or(0, |before| bytes_of(&before.around));
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

/// Returns what a verdict takes in memory, in bytes.
fn bytes_of(around: &RowsAround) -> usize {
    2 * size_of::<([u64; 2], Decided)>() + around.bytes()
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
    fn what_was_decided_with_other_rows_holds_while_the_same_ones_are_spread_over_the_table() {
        let judged = Judged { verdict: 1, score: 0.9, loses: true, kept_hash: 7 };
        let mut known = RuledOut::new(0, 1 << 10);
        known.begin(1);
        known.decide(1, 2, RowsAround::default(), Some(judged));
        known.decide(3, 4, RowsAround::default(), None);
        let found = |known: &RuledOut, kept, duplicate| known.decided(kept, duplicate).map(|(_, judged)| judged);
        known.begin(1);
        assert_eq!(found(&known, 1, 2), Some(Some(judged)));
        assert_eq!((found(&known, 3, 4), found(&known, 2, 1)), (Some(None), None));
        known.begin(2);
        assert_eq!(found(&known, 1, 2), None);
        let room = known.room;
        (0..100).for_each(|row| known.decide(row, row + 1, RowsAround::default(), None));
        assert!(known.decided.len() < 20 && room == 1 << 10, "there is room for a few");
    }

    #[test]
    fn no_more_pairs_are_kept_than_there_is_room_for() {
        let mut known = RuledOut::new(0, 10 * BYTES_OF_EACH);
        (0..100).for_each(|row| known.add(row, row + 1, Asked::default()));
        assert_eq!(known.pairs.len(), 10);
    }
}
