//! The keys of rows that share one with another row, from the leaves of the indexes.
//!
//! * [`within`]: of one relation, by one walk over the leaves of all its indexes, merged by key.
//! * [`between`]: of a relation and of rows of another one that were signed: by look-ups if these are few, otherwise by the same walk.
//!
//! The index also has rows that the caller does not see; the caller of these functions sorts them out.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::iter::Peekable;

use neardup_core::candidates::KeyFrequency;
use neardup_core::candidates::spill::{Sorted, Storage};
use neardup_page::Entry;
use pgrx::pg_sys;

use crate::error::Result;
use crate::index::open::OpenIndex;
use crate::index::search::LEAVES_A_PROBE;
use crate::index::tree::{Leaves, Walk};
use crate::pg::table::row_id::RowId;

/// The open indexes of one relation, each with the number of its table.
pub struct Indexes {
    parts: Vec<(usize, OpenIndex)>,
}

impl Indexes {
    /// Opens indexes; the first is that of the table with this number.
    pub fn open(first_part: usize, indexes: &[pg_sys::Oid]) -> Self {
        let open = |index: &pg_sys::Oid| {
            let index = OpenIndex::open(*index);
            index.read_serializably();
            index
        };
        Self { parts: (first_part..).zip(indexes.iter().map(open)).collect() }
    }

    /// Returns how many blocks the indexes have.
    pub fn blocks(&self) -> u64 {
        self.parts.iter().map(|(_, index)| u64::from(index.pages().blocks())).sum()
    }
}

/// The entries of an index, in order.
struct Cursor {
    walk: Walk,
    entries: std::vec::IntoIter<Entry>,
}

impl Cursor {
    fn next(&mut self) -> Result<Option<Entry>> {
        loop {
            if let Some(entry) = self.entries.next() {
                return Ok(Some(entry));
            }
            let page = self.walk.step(|page, _, from| {
                let mut entries = page.ordered();
                entries.drain(..entries.partition_point(|entry| *entry < from));
                Ok(entries)
            })?;
            match page {
                Some(entries) => self.entries = entries.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

/// The entries of several indexes, in order of key, table and row.
struct Merged {
    cursors: Vec<(usize, Cursor)>,
    heads: BinaryHeap<Reverse<(u64, u64, usize)>>,
}

impl Merged {
    fn of(indexes: &Indexes) -> Result<Self> {
        let cursor = |index: &OpenIndex| Cursor {
            walk: Walk::begin(index.pages(), 0, 0, Entry::first_of(0)),
            entries: Vec::new().into_iter(),
        };
        let cursors = indexes.parts.iter().map(|(part, index)| (*part, cursor(index))).collect();
        let mut merged = Self { cursors, heads: BinaryHeap::new() };
        for at in 0..merged.cursors.len() {
            merged.refill(at)?;
        }
        Ok(merged)
    }

    fn refill(&mut self, at: usize) -> Result<()> {
        if let Some((part, cursor)) = self.cursors.get_mut(at)
            && let Some(entry) = cursor.next()?
        {
            self.heads.push(Reverse((entry.key, RowId { table: *part, address: entry.row }.packed(), at)));
        }
        Ok(())
    }

    fn peek(&self) -> Option<u64> {
        self.heads.peek().map(|Reverse((key, ..))| *key)
    }

    fn next(&mut self) -> Result<Option<(u64, u64)>> {
        let Some(Reverse((key, row, at))) = self.heads.pop() else { return Ok(None) };
        self.refill(at)?;
        Ok(Some((key, row)))
    }
}

/// Passes each row and key to `found` if another row has the key, too. Counts the rows of each key in `frequency`.
///
/// # Errors
/// If a page is damaged.
pub fn within(indexes: &Indexes, mut found: impl FnMut(u64, u64), frequency: &mut KeyFrequency) -> Result<()> {
    let mut merged = Merged::of(indexes)?;
    let mut current = None;
    // The first row of a key waits until it is known whether a second one has the key.
    let (mut first, mut count) = (0, 0);
    while let Some((key, row)) = merged.next()? {
        if current.replace(key) != Some(key) {
            count = 0;
        }
        frequency.add(key, count);
        match count {
            0 => first = row,
            1 => [first, row].into_iter().for_each(|row| found(row, key)),
            _ => found(row, key),
        }
        count += 1;
    }
    Ok(())
}

/// How the rows are found that have one of the keys of other rows, which come in ascending order.
enum Lookup {
    /// By a search for each.
    Searches(Vec<(usize, Leaves)>),
    /// By one walk over all leaves.
    Walk(Merged),
}

impl Lookup {
    /// Chooses the cheaper path for this number of keys.
    fn choose(indexes: &Indexes, keys: u64) -> Result<Self> {
        let searches = keys.saturating_mul(indexes.parts.len() as u64);
        if searches.saturating_mul(LEAVES_A_PROBE) < indexes.blocks() {
            return Ok(Self::Searches(
                indexes.parts.iter().map(|(part, index)| (*part, Leaves::of(index.pages()))).collect(),
            ));
        }
        Merged::of(indexes).map(Self::Walk)
    }

    /// Passes the rows that have a key to `found`.
    fn rows(&mut self, key: u64, mut found: impl FnMut(u64)) -> Result<()> {
        match self {
            Self::Searches(parts) => {
                for (part, leaves) in parts {
                    leaves.each_between(0, key, key, |entry| {
                        found(RowId { table: *part, address: entry.row }.packed())
                    })?;
                }
            }
            Self::Walk(merged) => {
                while merged.peek().is_some_and(|next| next <= key) {
                    if let Some((_, row)) = merged.next()?.filter(|entry| entry.0 == key) {
                        found(row);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Passes each row and key to `found` if rows of both relations have the key or, with `alone`, several of the signed rows.
///
/// `signed` has keys and rows in ascending order, `count` of them. Of the indexed rows of a key, only the last `most` are passed.
///
/// # Errors
/// If a page is damaged.
pub fn between<S: Storage>(
    indexes: &Indexes,
    signed: Sorted<S, 2>,
    count: u64,
    most: usize,
    alone: bool,
    mut found: impl FnMut(u64, u64),
) -> Result<()> {
    let mut lookup = Lookup::choose(indexes, count)?;
    let mut signed: Peekable<Sorted<S, 2>> = signed.peekable();
    let mut rows = VecDeque::new();
    while let Some([key, first]) = signed.next() {
        rows.clear();
        lookup.rows(key, |row| {
            if rows.len() == most {
                rows.pop_front();
            }
            rows.push_back(row);
        })?;
        let mut shares = !rows.is_empty();
        rows.iter().for_each(|row| found(*row, key));
        let mut waiting = Some(first);
        while let Some([_, row]) = signed.next_if(|entry| entry[0] == key) {
            shares |= alone;
            if shares {
                waiting.take().into_iter().for_each(|row| found(row, key));
                found(row, key);
            }
        }
        waiting.filter(|_| shares).into_iter().for_each(|row| found(row, key));
    }
    Ok(())
}

/// Passes each row and key to `found` if several rows have the key and, unless they count `alone`, at least one of them and not all
/// are of the relation whose rows are kept. `signed` has keys and rows in ascending order, kept rows before the others.
pub fn grouped<S: Storage>(
    signed: Sorted<S, 2>,
    alone: bool,
    kept: impl Fn(u64) -> bool,
    found: &mut impl FnMut(u64, u64),
) {
    let mut waiting: Vec<u64> = Vec::new();
    let mut current = None;
    for [key, row] in signed {
        if current.replace(key) != Some(key) {
            waiting.clear();
        } else if waiting.is_empty() {
            found(row, key);
            continue;
        }
        let meets = waiting.first().is_some_and(|first| kept(*first) && !kept(row) || alone && !kept(row));
        if meets {
            waiting.drain(..).for_each(|row| found(row, key));
            found(row, key);
        } else {
            waiting.push(row);
        }
    }
}
