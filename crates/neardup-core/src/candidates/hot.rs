//! Hot keys: for each, the last rows that have it, in order of position.
//!
//! A pair of rows that shares several hot keys cannot be found by sorting pairs, because a template with n rows has n² of them. So the
//! rows are taken in order of position, and for each hot key the last rows are at hand. Those that share several are found by going
//! through the lists of the row's keys side by side, from their ends, and stopping once no better ones can come.

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

/// Of so many rows at least the lists of a key are kept, however little memory there is.
const LEAST: usize = 64;

impl HotKeys {
    /// Begins with room for so many bytes.
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

    /// Gives how many of these keys a row at an earlier position has.
    pub(super) fn count_of(&self, keys: &[u64], position: u32) -> u32 {
        let has = |key: &&u64| {
            self.lists.get(key).is_some_and(|list| list.binary_search_by_key(&position, |row| row.position).is_ok())
        };
        keys.iter().filter(has).count() as u32
    }

    /// Passes rows that have at least `least` of these keys to `found`, with the weight of these, later ones first, until it has
    /// taken `enough` rows that have all of them. `found` says whether it takes a row.
    pub(super) fn shared(&self, keys: &[u64], least: u32, enough: usize, mut found: impl FnMut(&Listed, u32) -> bool) {
        let mut lists: Vec<_> =
            keys.iter().filter_map(|key| self.lists.get(key)).map(|list| list.iter().rev().peekable()).collect();
        let mut taken = 0;
        while taken < enough {
            let Some(next) = lists.iter_mut().filter_map(|list| list.peek().map(|row| row.position)).max() else {
                return;
            };
            let (mut count, mut row) = (0, None);
            for list in &mut lists {
                if let Some(same) = list.next_if(|row| row.position == next) {
                    (count, row) = (count + 1, Some(same));
                }
            }
            lists.retain_mut(|list| list.peek().is_some());
            if (lists.len() as u32) < least && count < least {
                return;
            }
            if let Some(row) = row.filter(|_| count >= least)
                && found(row, count * weight(true))
            {
                taken += usize::from(count as usize == keys.len());
            }
        }
    }
}
