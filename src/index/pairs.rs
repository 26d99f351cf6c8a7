//! All pairs of rows that share a key, in one pass over an index on sketches.
//!
//! The entries are in key order, so the rows of one key are neighbours. Each row is paired with those before it; for a key with
//! many rows, only with the first ones and the ones just before it ([`Partners`], the rule of the clean-up). The pairs are then
//! sorted, on disk if they do not fit into memory, to count the keys that each pair shares.

use neardup_core::grouping::{Bounds, Partners, Row};

use super::page::Entry;
use super::tree::Walk;
use crate::error::Result;
use crate::pg::storage::pages::Index;
use crate::pg::storage::sort::{Record, Sort, Sorted};

/// A pair of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The row that comes first in the table.
    pub earlier: u64,
    /// The other row.
    pub later: u64,
    /// How many keys they share.
    pub shared: u32,
    /// How many of these keys have many rows.
    pub hot: u32,
}

/// The pairs of an index, in the order of the later row.
pub struct Pairs {
    sorted: Sorted,
    ahead: Option<(u64, u64, bool)>,
}

/// Makes the record of a pair: the later row, the earlier row, and a bit for a hot key.
fn record(later: u64, earlier: u64, is_hot: bool) -> Record {
    [later << 16 | earlier >> 32, earlier << 32 | u64::from(is_hot)]
}

fn parts(record: Record) -> (u64, u64, bool) {
    (record[0] >> 16, (record[0] & 0xffff) << 32 | record[1] >> 32, record[1] & 1 == 1)
}

/// Reads an index and sorts its pairs, with so much memory, in kB.
///
/// # Errors
/// If a page is damaged.
pub fn of(index: Index, kilobytes: i32) -> Result<Pairs> {
    let mut sort = Sort::begin(kilobytes);
    let mut walk = Walk::begin(index, 0, 0, Entry::first_of(0));
    let (mut partners, mut found) = (Partners::new(Bounds::TABLE, false), Vec::new());
    let mut meet = |Entry { key, row }: Entry| {
        partners.of(key.cast_signed(), Row { number: row as i64, time: None }, true, None, &mut found);
        let is_hot = partners.is_hot();
        found.iter().for_each(|earlier| sort.put(record(row, *earlier as u64, is_hot)));
    };
    // Most keys have one row. The first of several rows has no partner yet, so it waits for the second.
    let (mut before, mut waits) = (Entry::LEAST, false);
    while let Some(entries) = walk.step(|page, _, from| {
        let mut entries = page.ordered();
        entries.drain(..entries.partition_point(|entry| *entry < from));
        Ok(entries)
    })? {
        for entry in entries {
            let is_same = entry.key == before.key;
            if is_same {
                if waits {
                    meet(before);
                }
                meet(entry);
            }
            (before, waits) = (entry, !is_same);
        }
    }
    Ok(Pairs { sorted: sort.sort(), ahead: None })
}

impl Iterator for Pairs {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        let (later, earlier, is_hot) = self.ahead.take().or_else(|| self.sorted.next().map(parts))?;
        let mut pair = Pair { earlier, later, shared: 1, hot: is_hot.into() };
        while let Some(next) = self.sorted.next().map(parts) {
            if (next.0, next.1) != (later, earlier) {
                self.ahead = Some(next);
                break;
            }
            pair.shared += 1;
            pair.hot += u32::from(next.2);
        }
        Some(pair)
    }
}
