//! The candidates of all rows of a table, from their keys.
//!
//! 1. [`Rows`] takes the rows that share a key with another one, and these keys. Identical texts are found by their hashes. Sorted by
//!    key, rows that share a key are neighbours. Of a key that is not hot, all pairs are written out. Rows of hot keys are kept under
//!    these.
//! 2. [`Candidates`] reads both in order of the probe row, and gives for each such row its candidates in the order of the rule.
//!
//! So no index look-ups are needed, the cost is that of sorting, and each step needs only a bounded part of the rows in memory.

use std::iter::Peekable;

use neardup_text::interrupt;

use super::exact_duplicates::{ExactDuplicate, ExactDuplicates, Hashed};
use super::hot::{HotKeys, Listed};
use super::row::{Options, Row, pack, pack_time, unpack, unpack_time};
use super::rule::{COMMON, ENOUGH, Ranked, Shared, enough, weight};
use super::spill::{Sorted, Sorter, Storage};

/// How the memory is split, as divisors. The last five exist at the same time.
const FOR_TEXTS: usize = 4;
const FOR_KEYS: usize = 2;
const FOR_ROWS: usize = 8;
const FOR_EXACT_DUPLICATES: usize = 8;
const FOR_PAIRS: usize = 4;
const FOR_HOT: usize = 8;
const FOR_LISTS: usize = 4;
/// The lists of hot keys have this much even where less is given, in bytes: with less they would have to be short.
const LEAST_FOR_LISTS: usize = 8 << 20;

/// The rows that take part, and their keys.
#[derive(Debug)]
pub struct Rows<S> {
    options: Options,
    memory: usize,
    hashed: Hashed<S>,
    /// Position and length; identifier; hash; time.
    probe: Sorter<S, 4>,
    /// Key; position, scope; time; identifier.
    keyed: Sorter<S, 4>,
}

/// A row under a key.
struct Keyed {
    position: u32,
    scope: u32,
    /// Whether it has an earlier exact duplicate: then it counts only for how hot the key is.
    is_exact_duplicate: bool,
    listed: Listed,
}

impl<S: Storage> Rows<S> {
    /// Begins, with about `memory` bytes.
    #[must_use]
    pub fn new(options: Options, memory: usize) -> Self {
        Self {
            options,
            memory,
            hashed: Hashed::new(memory / FOR_TEXTS),
            probe: Sorter::new(memory / FOR_ROWS),
            keyed: Sorter::new(memory / FOR_KEYS),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Row) {
        self.hashed.add(row);
        if self.options.is_probe(row.position) {
            self.probe.push([pack(row.position, row.bytes), row.id, row.hash, pack_time(row.time)]);
        }
    }

    /// Adds a key of a row that was added.
    pub fn add_key(&mut self, key: u64, row: &Row) {
        self.keyed.push([key, pack(row.position, row.scope), pack_time(row.time), row.id]);
    }

    /// Ends the rows, to go on with their candidates.
    #[must_use]
    pub fn finish(self) -> Candidates<S> {
        let options = self.options;
        let exact_duplicates = self.hashed.finish(&options, self.memory / FOR_EXACT_DUPLICATES);
        // With a window, the first row with a text may be too far away from those that resemble its exact duplicates.
        let is_exact_duplicate = |position| options.window.is_none() && exact_duplicates.is_later(position);
        let (mut pairs, mut hot) = (Sorter::new(self.memory / FOR_PAIRS), Sorter::new(self.memory / FOR_HOT));
        let mut run = Run::default();
        let mut hot_keys = 0;
        for (count, [key, place, time, id]) in self.keyed.finish().enumerate() {
            if count % 1024 == 0 {
                interrupt::check();
            }
            if run.key != Some(key) {
                run = Run { key: Some(key), ..Run::default() };
            }
            let (position, scope) = unpack(place);
            let listed = Listed { position, id, time: unpack_time(time) };
            let row = Keyed { position, scope, is_exact_duplicate: is_exact_duplicate(position), listed };
            if options.rule.is_hot(run.count) && run.hot.is_none() {
                hot_keys += 1;
                run.hot = Some(hot_keys);
                run.rows.drain(..).for_each(|row| hot.push(hot_record(&row, hot_keys, false)));
            }
            if options.is_probe(position) && !row.is_exact_duplicate && run.hot.is_none() {
                for earlier in &run.rows {
                    if earlier.scope == row.scope && options.near(earlier.listed.time, row.listed.time) {
                        pairs.push([
                            pack(position, earlier.position),
                            earlier.listed.id,
                            pack_time(earlier.listed.time),
                            run.count as u64,
                        ]);
                    }
                }
            }
            if options.is_indexed(position) {
                run.count += 1;
            }
            match run.hot {
                Some(_) if row.is_exact_duplicate => {}
                Some(key) => hot.push(hot_record(&row, key, options.is_probe(position))),
                None if options.is_indexed(position) && !row.is_exact_duplicate => run.rows.push(row),
                None => {}
            }
        }
        Candidates {
            options,
            exact_duplicates,
            probe: self.probe.finish().peekable(),
            pairs: pairs.finish().peekable(),
            hot: hot.finish().peekable(),
            hot_keys: HotKeys::new(options.rule.rows_of_key, (self.memory / FOR_LISTS).max(LEAST_FOR_LISTS)),
        }
    }
}

/// The rows of a key so far.
#[derive(Default)]
struct Run {
    key: Option<u64>,
    /// How many indexed rows have it.
    count: usize,
    /// These rows, as long as the key is not hot.
    rows: Vec<Keyed>,
    /// The number of the key, once it is hot.
    hot: Option<u32>,
}

/// Makes the record of a row of a hot key: position, and whether it is a probe row; key and scope; time; identifier.
fn hot_record(row: &Keyed, key: u32, is_probe: bool) -> [u64; 4] {
    [pack(row.position, is_probe.into()), pack(key, row.scope), pack_time(row.listed.time), row.listed.id]
}

/// An earlier row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Earlier {
    /// The position in the order of preference.
    pub position: u32,
    /// The caller's identifier.
    pub id: u64,
    /// The time, in the unit of the rule's window; `None` if the row has none.
    pub time: Option<i64>,
}

/// A probe row, with what it is to be compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The position in the order of preference.
    pub position: u32,
    /// The caller's identifier.
    pub id: u64,
    /// The hash of its text.
    pub hash: u64,
    /// The length of its text in bytes.
    pub bytes: u32,
    /// The time, in the unit of the rule's window; `None` if the row has none.
    pub time: Option<i64>,
    /// The first row with the same text.
    pub exact_duplicate: Option<ExactDuplicate>,
    /// Whether it is the first row with its text, and others follow.
    pub has_exact_duplicates: bool,
    /// Its candidates in the order of the rule.
    pub candidates: Vec<Ranked<Earlier>>,
}

/// The probe rows, in order of position; only those with an exact duplicate or a candidate.
#[derive(Debug)]
pub struct Candidates<S: Storage> {
    options: Options,
    exact_duplicates: ExactDuplicates<S>,
    probe: Peekable<Sorted<S, 4>>,
    /// By keys that are not hot: position, earlier one; identifier; time; how many earlier rows have the key.
    pairs: Peekable<Sorted<S, 4>>,
    hot: Peekable<Sorted<S, 4>>,
    hot_keys: HotKeys,
}

impl<S: Storage> Candidates<S> {
    /// Returns the options it began with.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// How many rows of a hot key are looked at: less than the rule's where the memory does not allow more.
    #[must_use]
    pub const fn rows_of_key(&self) -> usize {
        self.hot_keys.most()
    }

    /// Returns the next probe row. `is_open` says whether an earlier row may still be what others copy: of those for which it is
    /// sure (`Some`), the first ones are given up to the most texts that the rule allows, and of the others all between.
    /// `has_one_key` says whether the text of a row has one key only; it is asked for a few rows.
    ///
    /// # Errors
    /// Those of `has_one_key`.
    pub fn next<E>(
        &mut self,
        is_open: impl Fn(u32) -> Option<bool>,
        mut has_one_key: impl FnMut(u64) -> Result<bool, E>,
    ) -> Result<Option<Probe>, E> {
        loop {
            let pair = self.pairs.peek().map(|pair| unpack(pair[0]).0);
            let hot = self.hot.peek().map(|hot| unpack(hot[0]).0);
            let Some(position) = [pair, hot, self.exact_duplicates.peek()].into_iter().flatten().min() else {
                return Ok(None);
            };
            let probe = self.row(position);
            let mut found = self.take_pairs(position);
            let (keys, listed) = self.take_hot(position);
            let Some(mut probe) = probe else {
                listed.into_iter().for_each(|(key, row)| self.hot_keys.add(key, row));
                continue;
            };
            self.add_hot(&mut found, &keys, &probe, &is_open, &mut has_one_key)?;
            listed.into_iter().for_each(|(key, row)| self.hot_keys.add(key, row));
            probe.candidates = self.first(probe.bytes, found, &is_open);
            if probe.exact_duplicate.is_some() || probe.has_exact_duplicates || !probe.candidates.is_empty() {
                return Ok(Some(probe));
            }
        }
    }

    /// Returns the row at a position, if it is a probe row.
    fn row(&mut self, position: u32) -> Option<Probe> {
        while self.probe.next_if(|record| unpack(record[0]).0 < position).is_some() {}
        let [place, id, hash, time] = self.probe.next_if(|record| unpack(record[0]).0 == position)?;
        Some(Probe {
            position,
            id,
            hash,
            bytes: unpack(place).1,
            time: unpack_time(time),
            exact_duplicate: self.exact_duplicates.take(position),
            has_exact_duplicates: self.exact_duplicates.is_first(position),
            candidates: Vec::new(),
        })
    }

    /// Returns the rows that share keys that are not hot with the one at a position, in ascending order.
    fn take_pairs(&mut self, position: u32) -> Vec<(Earlier, Shared)> {
        let mut found: Vec<(Earlier, Shared)> = Vec::new();
        while let Some([both, id, time, count]) = self.pairs.next_if(|pair| unpack(pair[0]).0 == position) {
            let earlier = Earlier { position: unpack(both).1, id, time: unpack_time(time) };
            let by_key = self.options.rule.shared(count as usize);
            match found.last_mut() {
                Some((last, shared)) if *last == earlier => *shared += by_key,
                _ => found.push((earlier, by_key)),
            }
        }
        found
    }

    /// Returns the hot keys of the row at a position as a probe row, and those under which it is indexed for later ones. A key stands for one
    /// scope.
    fn take_hot(&mut self, position: u32) -> (Vec<u64>, Vec<(u64, Listed)>) {
        let (mut asked, mut listed) = (Vec::new(), Vec::new());
        while let Some([place, key, time, id]) = self.hot.next_if(|hot| unpack(hot[0]).0 == position) {
            if unpack(place).1 != 0 {
                asked.push(key);
            }
            if self.options.is_indexed(position) {
                listed.push((key, Listed { position, id, time: unpack_time(time) }));
            }
        }
        (asked, listed)
    }

    /// Adds the weight of shared hot keys, and the rows that share only such keys.
    fn add_hot<E>(
        &self,
        found: &mut Vec<(Earlier, Shared)>,
        keys: &[u64],
        probe: &Probe,
        is_open: &impl Fn(u32) -> Option<bool>,
        has_one_key: &mut impl FnMut(u64) -> Result<bool, E>,
    ) -> Result<(), E> {
        for (earlier, shared) in found.iter_mut() {
            shared.weight += self.hot_keys.count_of(keys, earlier.position) * weight(true);
        }
        let least = match keys.len() {
            0 => return Ok(()),
            1 if found.is_empty() && has_one_key(probe.id)? => enough(1),
            1 => return Ok(()),
            _ => ENOUGH,
        };
        let cold = found.len();
        let commons = self.options.rule.most_commons(probe.bytes as usize);
        self.hot_keys.shared(keys, least / weight(true), commons, |row, weight| {
            let is_known = found[..cold].binary_search_by_key(&row.position, |(earlier, _)| earlier.position).is_ok();
            let open = is_open(row.position);
            if is_known || open == Some(false) || !self.options.near(row.time, probe.time) {
                return false;
            }
            let earlier = Earlier { position: row.position, id: row.id, time: row.time };
            found.push((earlier, Shared { weight, rarest: COMMON }));
            open.is_some()
        });
        Ok(())
    }

    /// Returns the first candidates of a text of `bytes` bytes in the order of the rule.
    fn first(
        &self,
        bytes: u32,
        found: Vec<(Earlier, Shared)>,
        is_open: &impl Fn(u32) -> Option<bool>,
    ) -> Vec<Ranked<Earlier>> {
        let ranked = |(row, shared)| self.options.rule.ranked(row, shared);
        let open = found.into_iter().map(ranked).map(|ranked| (ranked, is_open(ranked.row.position)));
        let mut open: Vec<_> = open.filter(|(_, open)| *open != Some(false)).collect();
        open.sort_unstable_by(|a, b| b.0.cmp_rank(&a.0));
        // Bounds on how many are compared, but not on those that share one key: they come last.
        let most_commons = self.options.rule.most_commons(bytes as usize);
        let (mut sure, mut commons) = (0, 0);
        open.retain(|(ranked, open)| {
            let is_common = ranked.lack.is_common;
            let is_within = sure < self.options.rule.texts && (!is_common || commons < most_commons);
            if is_within && open.is_some() {
                sure += 1;
                commons += usize::from(is_common);
            }
            is_within
        });
        open.into_iter().map(|(ranked, _)| ranked).collect()
    }
}
