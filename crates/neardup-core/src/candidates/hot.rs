//! Hot keys: for each, the last rows that have it, in order of position.
//!
//! A pair of rows that shares several hot keys cannot be found by sorting pairs, because a template with n rows has n² of them. So the
//! rows are taken in order of position, and for each hot key the last rows are at hand. Those that share several are found by counting,
//! from the ends of the lists of the row's keys, one stretch of positions after another, until no better ones can come.

use std::collections::VecDeque;

use ahash::AHashMap;

use super::rule::weight;

/// A row in the list of a hot key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed {
    pub position: u32,
    pub id: u64,
    pub time: Option<i64>,
}

/// The last rows of each hot key, within its scope.
#[derive(Debug)]
pub(super) struct HotKeys {
    lists: AHashMap<u64, VecDeque<Listed>>,
    /// How many rows a list may have.
    most: usize,
    /// How many rows all lists may have.
    room: usize,
    count: usize,
}

/// Of this number of rows at least, the lists of a key are kept, however little memory there is.
const LEAST: usize = 64;

impl HotKeys {
    /// Begins with room for `memory` bytes.
    pub(super) fn new(most: usize, memory: usize) -> Self {
        Self { lists: AHashMap::new(), most, room: memory / size_of::<Listed>(), count: 0 }
    }

    /// The number of rows that are kept of each key: less than the rule's where memory does not allow more.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// Adds a row, which must come after all others.
    pub(super) fn add(&mut self, key: u64, row: Listed) {
        let list = self.lists.entry(key).or_default();
        if list.len() >= self.most {
            list.pop_front();
        } else {
            self.count += 1;
        }
        list.push_back(row);
        while self.count > self.room && self.most > LEAST {
            self.most = (self.most / 2).max(LEAST);
            self.count = 0;
            for list in self.lists.values_mut() {
                list.drain(..list.len().saturating_sub(self.most));
                list.shrink_to_fit();
                self.count += list.len();
            }
        }
    }

    /// Returns how many of these keys a row at an earlier position has.
    pub(super) fn count_of(&self, keys: &[u64], position: u32) -> u32 {
        let has = |key: &&u64| {
            self.lists.get(key).is_some_and(|list| list.binary_search_by_key(&position, |row| row.position).is_ok())
        };
        keys.iter().filter(has).count() as u32
    }

    /// Passes rows that have at least `least` of these keys to `found`, with the weight of these, later ones first; `found` says
    /// whether it takes a row. Once it has taken `enough` rows, those that have no more keys than all of these are left out.
    pub(super) fn shared(&self, keys: &[u64], least: u32, enough: usize, mut found: impl FnMut(&Listed, u32) -> bool) {
        let lists: Vec<&VecDeque<Listed>> = keys.iter().filter_map(|key| self.lists.get(key)).collect();
        let mut rest: Vec<_> = lists.iter().map(|list| list.iter().rev().peekable()).collect();
        let mut wanted = Wanted { least: least as usize, enough, taken: vec![0; lists.len() + 1], count: 0 };
        let mut counts = Vec::new();
        let mut hits: Vec<u32> = Vec::new();
        let mut width = FIRST_STRETCH;
        while wanted.least <= rest.len() && enough > 0 {
            let Some(top) = rest.iter_mut().filter_map(|list| list.peek().map(|row| row.position)).max() else {
                return;
            };
            let base = top.saturating_add(1).saturating_sub(width);
            counts.clear();
            counts.resize(width as usize, 0_u32);
            for list in &mut rest {
                while let Some(row) = list.next_if(|row| row.position >= base) {
                    let count = &mut counts[(row.position - base) as usize];
                    *count += 1;
                    if *count as usize == wanted.least {
                        hits.push(row.position);
                    }
                }
            }
            rest.retain_mut(|list| list.peek().is_some());
            hits.sort_unstable_by(|a, b| b.cmp(a));
            for position in hits.drain(..) {
                let count = counts[(position - base) as usize];
                let has = |list: &&VecDeque<Listed>| {
                    list.binary_search_by_key(&position, |row| row.position).ok().and_then(|at| list.get(at).copied())
                };
                if count as usize >= wanted.least
                    && let Some(row) = lists.iter().find_map(has)
                    && found(&row, count * weight(true))
                {
                    wanted.take(count as usize);
                }
            }
            width = (width * 4).min(LAST_STRETCH);
        }
    }
}

/// How many positions are counted together: few at first, since the rows of a template are found among the last ones; later as many as
/// fit into the L1 cache.
const FIRST_STRETCH: u32 = 128;
const LAST_STRETCH: u32 = 8192;

/// How many keys a row must share to be wanted, as rows are taken.
struct Wanted {
    least: usize,
    enough: usize,
    /// How many rows were taken, by the number of keys that they share.
    taken: Vec<usize>,
    /// How many of these share at least `least`.
    count: usize,
}

impl Wanted {
    fn take(&mut self, keys: usize) {
        self.taken[keys] += 1;
        self.count += 1;
        while self.count >= self.enough && self.least < self.taken.len() {
            self.count -= self.taken[self.least];
            self.least += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The rows that share most keys, and of those the later ones, are what a count of all rows gives; far-apart rows, too.
        #[test]
        fn the_first_rows_are_those_of_a_count(
            rows in prop::collection::vec((1_u32..9000, prop::collection::vec(0_u64..5, 0..4), any::<bool>()), 1..200),
            most in 1_usize..60,
            (least, enough) in (1_u32..3, 0_usize..12),
        ) {
            let (mut hot, mut lists, mut position) = (HotKeys::new(most, usize::MAX), vec![Vec::new(); 5], 0);
            for (gap, keys, _) in &rows {
                position += gap;
                for &key in keys.iter().collect::<std::collections::BTreeSet<_>>() {
                    hot.add(key, Listed { position, id: position.into(), time: None });
                    lists[key as usize].push(position);
                }
            }
            let is_open = |position: u32| rows.get(position as usize % rows.len()).is_some_and(|row| row.2);
            let mut counted: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
            for position in lists.iter().flat_map(|list| list.iter().rev().take(most)) {
                *counted.entry(*position).or_default() += 1;
            }
            let first = |mut rows: Vec<(u32, u32)>| {
                rows.sort_unstable_by(|a, b| b.cmp(a));
                rows.truncate(enough);
                rows
            };
            let all = counted.into_iter().filter(|&(row, count)| count >= least && is_open(row));
            let mut found = Vec::new();
            hot.shared(&[0, 1, 2, 3, 4], least, enough, |row, weight| {
                found.extend(is_open(row.position).then_some((weight, row.position)));
                is_open(row.position)
            });
            prop_assert_eq!(first(found), first(all.map(|(row, count)| (count * weight(true), row)).collect()));
        }
    }
}
