//! The trace of a search, for `neardup.why`: each row that shares a key, in the order of the search, and why it is, or is not, the result.
//!
//! It only observes; the search is the same with and without it.

use std::collections::BTreeMap;

use super::verify::Explanation;

/// Why a row that shares a key is not what the search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It shares one key, which is hot.
    HotKey,
    /// As many texts as the rule allows had been compared before.
    Bound,
    /// It is deleted, or never was committed.
    Gone,
    Itself,
    /// Its scope is another one.
    Scope,
    /// It is too far away in time.
    Time,
    /// It has another value in a column that must not differ.
    Differs,
    /// The owner has said that it is no copy.
    Answered,
    /// It is marked as a copy of another row.
    Marked,
    /// The row that an UPDATE replaces was a copy of it already.
    Before,
    /// It has the same value in a unique index.
    UniqueKey,
    /// Its text was compared.
    Text,
    /// The search ended before it.
    NotReached,
}

/// What became of a row that shares a key.
pub struct Traced {
    /// Its primary key, as text; `None` if it is gone.
    pub key: Option<String>,
    /// The number of shared keys.
    pub shared: u32,
    /// Why it is not the result; `None` if it is.
    pub reason: Option<Reason>,
    /// Whether a transaction that is still running decides whether it counts.
    pub waits: bool,
    /// How the texts compare, if they were compared.
    pub comparison: Option<Explanation>,
    /// What a column says that must not differ.
    pub difference: Option<String>,
}

/// The rows that a search has met, in its order.
#[derive(Default)]
pub struct Trace {
    pub rows: Vec<Traced>,
    /// The rows that share keys and were not tested yet, each with the number of shared keys.
    left: BTreeMap<u64, u32>,
    /// What was seen of the row that is being tested.
    key: Option<String>,
    comparison: Option<Explanation>,
    difference: Option<String>,
}

impl Trace {
    /// Begins again, with the rows that the index lists for each key.
    pub fn begin(&mut self, keys: &[Vec<u64>]) {
        *self = Self::default();
        keys.iter().flatten().for_each(|row| *self.left.entry(*row).or_default() += 1);
    }

    /// A row is tested now.
    pub fn testing(&mut self) {
        (self.key, self.comparison, self.difference) = (None, None, None);
    }

    /// The row that is being tested exists, and has this key.
    pub fn exists(&mut self, key: String) {
        self.key = Some(key);
    }

    /// Its text was compared.
    pub fn compared(&mut self, comparison: Explanation) {
        self.comparison = Some(comparison);
    }

    /// It has another value in a column that must not differ.
    pub fn differs(&mut self, difference: String) {
        self.difference = Some(difference);
    }

    /// The test of a row has ended; without a reason, it is the result.
    pub fn tested(&mut self, row: u64, reason: Option<Reason>, waits: bool) {
        if let Some(shared) = self.left.remove(&row) {
            let (key, comparison, difference) = (self.key.take(), self.comparison.take(), self.difference.take());
            self.rows.push(Traced { key, shared, reason, waits, comparison, difference });
        }
    }

    /// The search has ended: adds the rows that it did not test, first `candidates`, then those that were none. `own` is the key of the row that is
    /// searched for, empty for a text; `key_of` reads a row's key, if the row is not gone.
    pub fn finish(
        &mut self,
        candidates: impl Iterator<Item = u64>,
        own: &str,
        mut key_of: impl FnMut(u64) -> Option<String>,
    ) {
        let mut left = std::mem::take(&mut self.left);
        let candidates: Vec<_> =
            candidates.filter_map(|row| Some((Reason::NotReached, row, left.remove(&row)?))).collect();
        let others = left.into_iter().rev().map(|(row, shared)| (Reason::HotKey, row, shared));
        for (reason, row, shared) in candidates.into_iter().chain(others) {
            pgrx::check_for_interrupts!();
            let key = key_of(row);
            let reason = Some(match key.as_deref() {
                None => Reason::Gone,
                Some(key) if !own.is_empty() && key == own => Reason::Itself,
                Some(_) => reason,
            });
            self.rows.push(Traced { key, shared, reason, waits: false, comparison: None, difference: None });
        }
    }
}
