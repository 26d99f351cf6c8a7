//! Decides which earlier rows a row is compared with, among those that share a key with it.
//!
//! The rows of a whole table come sorted by key, and within a key in the order of preference, which decides the row that stays. If
//! a key has few rows, each row is compared with all before it. A template or a repost puts thousands of rows under one key. There,
//! a row is compared with the first rows of the key, which are the likeliest to stay, and with those just before it. So the cost
//! stays linear, and a text that occurs ten thousand times is still one group.
//!
//! If only rows of near times are compared, a row has no use for the first rows of the key when they are far away in time. Anchors
//! take their place: an anchor is a row with no anchor within the time before it. So each row is compared with the row that started
//! its period.
//!
//! Where rows that are copies stay, each row is an anchor: it is compared with the last row near it.
//!
//! Promised: partners come earlier in the order and are within the time. If a key has at most [`Bounds::all`] rows and there is no
//! time limit, each row is compared with all before it.

use std::collections::{BTreeMap, VecDeque};

/// With how many rows of a key a row is compared.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// In a key of up to so many rows, each row is compared with all others.
    pub all: usize,
    /// In a key of more rows, with so many of the first rows,
    pub first: usize,
    /// and with so many of the rows just before it.
    pub last: usize,
}

impl Bounds {
    /// For a whole table against itself. Of 1,000,000 titles (5 units, 10 keys), one key in 1,000 has more than 16 rows, and
    /// these keys have half of all pairs.
    pub const TABLE: Self = Self { all: 16, first: 4, last: 12 };
    /// For new rows, as a guard would compare them: with all rows of a key that is not hot. For a hot key, a guard considers
    /// the last 2,048 rows and reads at most 64 texts. Here these are the last rows, and the first ones: if all of the last
    /// rows are copies of one row, that row is nearly always among the first.
    pub const GUARD: Self = Self { all: HOT, first: 4, last: 60 };
}

/// A key of more rows is hot: rows that share only one such key are not candidates (docs/candidates.md).
const HOT: usize = 300;

/// A row under a key.
#[derive(Clone, Copy, Debug)]
pub struct Row<I> {
    /// Its identifier, ascending in the order of preference.
    pub number: I,
    /// Its time, if it has one; a row without a time is near all others.
    pub time: Option<i64>,
}

/// The rows of the current key.
#[derive(Debug)]
pub struct Partners<I> {
    bounds: Bounds,
    chains: bool,
    key: Option<i64>,
    /// The first rows, up to one more than `all`.
    first: Vec<Row<I>>,
    /// The last rows.
    last: VecDeque<Row<I>>,
    count: usize,
    anchors: BTreeMap<i64, I>,
    /// The first row without a time.
    timeless: Option<I>,
}

impl<I> Partners<I> {
    /// Begins without a key; `chains` says whether copies stay and have copies in turn.
    #[must_use]
    pub const fn new(bounds: Bounds, chains: bool) -> Self {
        Self {
            bounds,
            chains,
            key: None,
            first: Vec::new(),
            last: VecDeque::new(),
            count: 0,
            anchors: BTreeMap::new(),
            timeless: None,
        }
    }
}

impl<I: Copy + Ord> Partners<I> {
    /// Begins another key, if it is a different one.
    fn enter(&mut self, key: i64) {
        if self.key != Some(key) {
            self.key = Some(key);
            self.first.clear();
            self.last.clear();
            self.count = 0;
            if !self.anchors.is_empty() {
                self.anchors.clear();
            }
            self.timeless = None;
        }
    }

    /// Adds the next row, and sets `partners` to the numbers of its partners, ascending. A row that does not answer is not a
    /// partner of later ones.
    pub fn of(&mut self, key: i64, row: Row<I>, answers: bool, within: Option<u64>, partners: &mut Vec<I>) {
        self.enter(key);
        partners.clear();
        let near = |other: &Row<I>| match (within, row.time, other.time) {
            (Some(within), Some(a), Some(b)) => a.abs_diff(b) <= within,
            _ => true,
        };
        let numbers = |row: &Row<I>| row.number;
        if self.count <= self.bounds.all {
            partners.extend(self.first.iter().filter(|row| near(row)).map(numbers));
        } else {
            partners.extend(self.first.iter().take(self.bounds.first).filter(|row| near(row)).map(numbers));
            partners.extend(self.last.iter().filter(|row| near(row)).map(numbers));
        }
        if let Some(within) = within
            && let Some(anchor) = self.anchor(row, answers, false, within)
            && let Err(at) = partners.binary_search(&anchor)
        {
            partners.insert(at, anchor);
        }
        if !answers {
            return;
        }
        self.count += 1;
        if self.first.len() <= self.bounds.all {
            self.first.push(row);
        }
        if self.last.len() == self.bounds.last {
            self.last.pop_front();
        }
        self.last.push_back(row);
    }

    /// Says whether the key of the last row is hot.
    #[must_use]
    pub const fn is_hot(&self) -> bool {
        self.count > HOT
    }

    /// Adds the next row of a key whose rows are all alike, and gives the row that it belongs to: the first, or the first near
    /// in time. A row that `stays` even if it belongs to another one is an anchor in any case.
    pub fn first_of(&mut self, key: i64, row: Row<I>, answers: bool, stays: bool, within: Option<u64>) -> Option<I> {
        self.enter(key);
        if let Some(within) = within {
            return self.anchor(row, answers, stays, within);
        }
        let first = self.timeless;
        self.timeless = first.or(answers.then_some(row.number));
        first
    }

    /// Gives the earliest anchor near a row. A row without one becomes an anchor itself, if it answers, and so does one that stays.
    fn anchor(&mut self, row: Row<I>, answers: bool, stays: bool, within: u64) -> Option<I> {
        let stays = stays || self.chains;
        let Some(time) = row.time else {
            let first = if self.chains {
                self.timeless.or_else(|| self.anchors.values().next().copied())
            } else {
                self.anchors.values().copied().chain(self.timeless).min()
            };
            let is_anchor = answers && (stays || first.is_none());
            self.timeless = self.timeless.or(is_anchor.then_some(row.number));
            return first;
        };
        let range = time.saturating_sub_unsigned(within)..=time.saturating_add_unsigned(within);
        let mut near = self.anchors.range(range).map(|(_, &number)| number);
        let near = if self.chains { near.next_back().or(self.timeless) } else { near.chain(self.timeless).min() };
        if answers && (stays || near.is_none()) {
            self.anchors.insert(time, row.number);
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: usize = Bounds::TABLE.all;
    const FIRST: usize = Bounds::TABLE.first;
    const LAST: usize = Bounds::TABLE.last;

    fn row(number: i64) -> Row<i64> {
        Row { number, time: None }
    }

    fn all(rows: &[(i64, Row<i64>)], within: Option<u64>) -> Vec<Vec<i64>> {
        let mut partners = Partners::new(Bounds::TABLE, false);
        let mut found = Vec::new();
        rows.iter()
            .map(|&(key, row)| {
                partners.of(key, row, true, within, &mut found);
                found.clone()
            })
            .collect()
    }

    #[test]
    fn few_rows_all_meet() {
        let rows: Vec<_> = (0..=ALL as i64).map(|number| (7, row(number))).collect();
        for (number, partners) in all(&rows, None).into_iter().enumerate() {
            assert_eq!(partners, (0..number as i64).collect::<Vec<_>>());
        }
        assert_eq!(all(&[(1, row(0)), (2, row(1)), (2, row(2)), (1, row(3))], None), [vec![], vec![], vec![1], vec![]]);
    }

    #[test]
    fn of_many_rows_each_meets_the_first_and_the_last() {
        let rows: Vec<_> = (0..10_000).map(|number| (7, row(number))).collect();
        let found = all(&rows, None);
        let expected: Vec<i64> = (0..FIRST as i64).chain(5000 - LAST as i64..5000).collect();
        assert_eq!(found[5000], expected);
        assert!(found.iter().all(|partners| partners.is_sorted() && partners.len() <= ALL));
    }

    #[test]
    fn a_key_of_many_rows_is_hot() {
        let mut partners = Partners::new(Bounds::TABLE, false);
        let mut add = |key, number| {
            partners.of(key, row(number), true, None, &mut Vec::new());
            partners.is_hot()
        };
        assert!((0..HOT as i64).all(|number| !add(7, number)));
        assert!(add(7, HOT as i64) && !add(8, 0));
    }

    #[test]
    fn a_row_that_does_not_answer_is_no_partner() {
        let mut partners = Partners::new(Bounds::TABLE, false);
        let mut found = Vec::new();
        let mut rows = Vec::new();
        for number in 0..100 {
            partners.of(7, row(number), number < 50, None, &mut found);
            rows.push(found.clone());
        }
        assert!(rows.iter().skip(50).all(|found| *found == [0, 1, 2, 3].into_iter().chain(38..50).collect::<Vec<_>>()));
        let mut first =
            |number, time, answers, within| partners.first_of(8, Row { number, time }, answers, false, within);
        assert_eq!(
            [first(0, None, false, None), first(1, None, true, None), first(2, None, false, None)],
            [None, None, Some(1)]
        );
        let mut first =
            |number, time, answers| partners.first_of(9, Row { number, time: Some(time) }, answers, false, Some(5));
        assert_eq!(
            [first(0, 0, false), first(1, 3, true), first(2, 8, false), first(3, 9, false)],
            [None, None, Some(1), None]
        );
    }

    #[test]
    fn rows_far_in_time_do_not_meet() {
        let at = |number, time| (7, Row { number, time });
        let rows = [at(0, Some(0)), at(1, Some(10)), at(2, Some(11)), at(3, None), at(4, Some(30)), at(5, Some(-1))];
        assert_eq!(all(&rows, Some(2)), [vec![], vec![], vec![1], vec![0, 1, 2], vec![3], vec![0, 3]]);
    }

    #[test]
    fn a_hot_key_keeps_its_anchors() {
        // A repost each second, for an hour; who is compared within a minute meets the one that started the minute.
        let rows: Vec<_> = (0..3600).map(|second| (7, Row { number: second, time: Some(second) })).collect();
        let found = all(&rows, Some(60));
        for (second, partners) in (0..).zip(&found) {
            assert!(partners.iter().all(|&other| second - other <= 60), "{second}: {partners:?}");
            assert!(second % 61 == 0 || partners.contains(&(second / 61 * 61)), "{second}: {partners:?}");
        }
    }

    #[test]
    fn where_copies_stay_each_row_meets_the_last_one_near() {
        let mut partners = Partners::new(Bounds::TABLE, true);
        let mut first = |number, time| partners.first_of(7, Row { number, time }, true, false, Some(5));
        assert_eq!(
            [first(0, Some(0)), first(1, Some(4)), first(2, Some(8)), first(3, Some(20))],
            [None, Some(0), Some(1), None]
        );
        assert_eq!([first(4, None), first(5, Some(21)), first(6, Some(99))], [Some(0), Some(3), Some(4)]);
        let mut found = Vec::new();
        for number in 0..1000 {
            partners.of(8, Row { number, time: Some(number * 3) }, true, Some(5), &mut found);
            assert_eq!(found.last().copied(), number.checked_sub(1).filter(|&last| last >= 0));
        }
    }

    #[test]
    fn rows_that_are_alike_belong_to_the_first() {
        let mut partners = Partners::new(Bounds::TABLE, false);
        let mut first = |key, number, time, within| partners.first_of(key, Row { number, time }, true, false, within);
        assert_eq!([first(1, 0, None, None), first(1, 1, None, None), first(2, 2, None, None)], [None, Some(0), None]);
        // In time: 3 and 4 start a stretch each, 5 belongs to the first of them, 6 has no time.
        assert_eq!([first(3, 3, Some(0), Some(5)), first(3, 4, Some(9), Some(5))], [None, None]);
        assert_eq!([first(3, 5, Some(5), Some(5)), first(3, 6, None, Some(5))], [Some(3), Some(3)]);
        // 6 belongs to 3, so nothing belongs to 6.
        assert_eq!([first(3, 7, Some(99), Some(5)), first(3, 8, Some(i64::MIN), Some(u64::MAX))], [None, Some(3)]);
    }

    #[test]
    fn a_row_that_stays_has_copies_of_its_own() {
        let mut partners = Partners::new(Bounds::TABLE, false);
        let mut first = |number, time, stays| partners.first_of(7, Row { number, time }, true, stays, Some(5));
        assert_eq!(
            [first(0, Some(0), true), first(1, Some(4), true), first(2, Some(8), false)],
            [None, Some(0), Some(1)]
        );
        assert_eq!([first(3, None, true), first(4, Some(99), false)], [Some(0), Some(3)]);
    }
}
