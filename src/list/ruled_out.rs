//! What has been decided about pairs of rows: a settled list meets most pairs again in each of its rounds, and compares those again of which
//! another round may decide otherwise.
//!
//! A verdict knows two texts, lines and words of rows spread over the table, and rows that share keys with the two. What was decided without the
//! last holds in all rounds, what was decided by the second as long as the same rows are spread over the table, and what was decided by the
//! third as long as the same rows are around the pair.

use ahash::AHashMap;
use neardup_core::candidates::Judged;
use neardup_verdict::{Asked, Likeness, Outline, RowsAround};

use super::outlines::Outlines;

/// What a pair takes in memory, in bytes.
const BYTES_OF_EACH: usize = 56;

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
pub struct Decided {
    /// The rows around it.
    pub around: RowsAround,
    /// The verdict, if either row may be removed.
    pub judged: Option<Judged>,
    /// What the two have in common.
    pub likeness: Likeness,
}

/// Pairs by the numbers of their rows.
pub struct RuledOut {
    outlines: Outlines,
    /// Those that are no duplicates whatever is around them, the lesser number first.
    pairs: AHashMap<[u64; 2], (By, Likeness)>,
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
            self.pairs.retain(|_, (by, _)| *by == By::Texts);
            self.room += self.decided.drain().map(|(_, decided)| bytes_of(&decided.around)).sum::<usize>();
        }
        self.background = background;
    }

    /// Returns what two rows have in common that are known to be no duplicates; nothing if it is too little for any verdict.
    pub fn find(&self, a: u64, b: u64) -> Option<Likeness> {
        let known = self.pairs.get(&key(a, b)).map(|(_, likeness)| *likeness);
        known.or_else(|| self.outlines.rule_out(a, b).then(Likeness::default))
    }

    /// Returns the most that two rows may have in common, if that is known.
    pub fn likeness_at_most(&self, a: u64, b: u64) -> Option<Likeness> {
        self.outlines.at_most(a, b)
    }

    /// Adds two rows that are no duplicates, if nothing was asked that may change.
    pub fn add(&mut self, [a, b]: [u64; 2], likeness: Likeness, asked: Asked) {
        if self.pairs.len() < self.most && !asked.rows {
            self.pairs.insert(key(a, b), (if asked.background { By::Background } else { By::Texts }, likeness));
        }
    }

    /// Returns what was found when a kept row and another one were compared.
    pub fn decided(&self, kept: u64, duplicate: u64) -> Option<&Decided> {
        self.decided.get(&[kept, duplicate])
    }

    /// Adds a verdict on a kept row and another one, if there is room.
    pub fn decide(&mut self, rows: [u64; 2], around: RowsAround, likeness: Likeness, judged: Option<Judged>) {
        let bytes = bytes_of(&around);
        if bytes <= self.room {
            self.room -= bytes;
            let before = self.decided.insert(rows, Decided { around, judged, likeness });
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
        let likeness = Likeness::of_number(7);
        known.add([1, 2], likeness, Asked { background: false, rows: false });
        known.add([4, 3], likeness, Asked { background: true, rows: false });
        known.add([5, 6], likeness, Asked { background: true, rows: true });
        let found = |known: &RuledOut| [(2, 1), (3, 4), (5, 6)].map(|(a, b)| known.find(a, b) == Some(likeness));
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
        let likeness = Likeness::of_number(7);
        known.decide([1, 2], RowsAround::default(), likeness, Some(judged));
        known.decide([3, 4], RowsAround::default(), likeness, None);
        let found = |known: &RuledOut, kept, duplicate| known.decided(kept, duplicate).map(|of| of.judged);
        known.begin(1);
        assert_eq!(found(&known, 1, 2), Some(Some(judged)));
        assert_eq!((found(&known, 3, 4), found(&known, 2, 1)), (Some(None), None));
        known.begin(2);
        assert_eq!(found(&known, 1, 2), None);
        let room = known.room;
        (0..100).for_each(|row| known.decide([row, row + 1], RowsAround::default(), likeness, None));
        assert!(known.decided.len() < 20 && room == 1 << 10, "there is room for a few");
    }

    #[test]
    fn no_more_pairs_are_kept_than_there_is_room_for() {
        let mut known = RuledOut::new(0, 10 * BYTES_OF_EACH);
        (0..100).for_each(|row| known.add([row, row + 1], Likeness::default(), Asked::default()));
        assert_eq!(known.pairs.len(), 10);
    }
}
