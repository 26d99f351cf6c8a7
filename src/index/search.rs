//! Searches: rows that share keys with a sketch, and rows within a distance of a signature.

use neardup_page::Entry;
use neardup_page::kind::{BAND_BITS, BANDS, NULLS, rotated};

use super::buffer::{Buffer, Index, Lock};
use super::leaves::{self, LeafLink, NextLeaf};
use super::tree::{Descents, Leaves, check, each_between};
use crate::error::Result;

/// Passes each row that has one of the keys to `sink`, once per key.
///
/// # Errors
/// If a page is damaged.
pub fn sharing(index: Index, keys: impl Iterator<Item = u64>, mut sink: impl FnMut(u64)) -> Result<()> {
    let mut leaves = Leaves::of(index);
    for key in keys {
        leaves.each_between(0, key, key, |entry| sink(entry.row))?;
    }
    Ok(())
}

/// How many leaves are pinned at a time: as many as an insert locks. A server has 16 buffers at least, for all sessions.
const PINNED: usize = 4;

/// The last leaves of keys, for several searches of one call.
pub struct LastLeaves {
    index: Index,
    descents: Descents,
}

impl LastLeaves {
    pub fn of(index: Index) -> Self {
        Self { index, descents: Descents::new(index) }
    }

    /// Returns the rows that have a key; if there are more than `most`, the last ones in the table, read from their end.
    ///
    /// # Errors
    /// If a page is damaged.
    pub fn last_rows(&mut self, key: u64, most: usize) -> Result<Vec<u64>> {
        self.last_rows_from(key, most, None)
    }

    /// Returns the same for each of several keys, best in ascending order, and where their last leaves are.
    ///
    /// # Errors
    /// If a page is damaged.
    pub fn last_rows_of(&mut self, keys: &[u64], most: usize) -> Result<(Vec<Vec<u64>>, Vec<LeafLink>)> {
        let links = leaves::leaves_of(self.index, keys.iter().map(|key| (0, last_of(*key))))?;
        let mut all = Vec::with_capacity(keys.len());
        for (keys, links) in keys.chunks(PINNED).zip(links.chunks(PINNED)) {
            let pinned: Vec<NextLeaf> = links.iter().map(|link| link.pin(self.index)).collect::<Result<_>>()?;
            for (key, leaf) in keys.iter().zip(pinned) {
                let leaf = leaf.lock_to_read(self.index)?;
                all.push(self.last_rows_from(*key, most, leaf)?);
            }
        }
        Ok((all, links))
    }

    /// Returns the last rows of a key, of which `leaf` is the last leaf, if it is known.
    fn last_rows_from(&mut self, key: u64, most: usize, leaf: Option<Buffer>) -> Result<Vec<u64>> {
        let mut rows = Vec::new();
        self.each_backwards(key, leaf, |found| {
            rows.append(found);
            rows.len() < most
        })?;
        rows.sort_unstable();
        rows.drain(..rows.len().saturating_sub(most));
        Ok(rows)
    }

    /// Passes the rows of a key to `sink`, those of the last leaf first and in no order within a leaf, until it returns false. No page is
    /// locked meanwhile. `leaf` is the last leaf, if it is known.
    fn each_backwards(
        &mut self,
        key: u64,
        mut leaf: Option<Buffer>,
        mut sink: impl FnMut(&mut Vec<u64>) -> bool,
    ) -> Result<()> {
        let mut position = last_of(key);
        let mut found = Vec::new();
        loop {
            let buffer = match leaf.take() {
                Some(leaf) => leaf,
                None => self.descents.descend(0, 0, position, Lock::Share)?,
            };
            let Some(page) = check(self.index, &buffer)? else { return Ok(()) };
            found.clear();
            page.with_key(key, |entry| found.extend((entry <= position).then_some(entry.row)));
            let low = page.opaque().low;
            drop(buffer);
            if !sink(&mut found) || low.key < key || low == Entry::LEAST {
                return Ok(());
            }
            position = low;
        }
    }
}

/// Returns the greatest position of a key.
const fn last_of(key: u64) -> Entry {
    Entry { key, row: u64::MAX >> 16 }
}

/// What is at a row's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Present,
    /// Nothing that counts; another snapshot may still see what is there.
    Gone,
    /// Nothing that any snapshot sees.
    Removed,
}

/// The last rows that have a key, in ascending order.
#[derive(Debug, Default)]
pub struct LastRows {
    /// Those that are present.
    pub present: Vec<u64>,
    /// Those that are removed.
    pub removed: Vec<u64>,
}

/// Returns the last `most` rows that have a key and are present, as `presence` says. It stops earlier at `most_gone` rows that are not.
///
/// # Errors
/// If a page is damaged.
pub fn last_present(
    index: Index,
    key: u64,
    most: usize,
    most_gone: usize,
    mut presence: impl FnMut(u64) -> Presence,
) -> Result<LastRows> {
    let (mut rows, mut gone) = (LastRows::default(), 0);
    LastLeaves::of(index).each_backwards(key, None, |found| {
        for row in found.drain(..) {
            match presence(row) {
                Presence::Present => rows.present.push(row),
                Presence::Gone => gone += 1,
                Presence::Removed => rows.removed.push(row),
            }
        }
        rows.present.len() < most && gone + rows.removed.len() < most_gone
    })?;
    rows.removed.sort_unstable();
    rows.present.sort_unstable();
    rows.present.drain(..rows.present.len().saturating_sub(most));
    Ok(rows)
}

/// Returns the radius of each band: of a signature within the distance, at least one band differs in no more bits than this.
/// `None` for a band that need not be searched (`banding::probes` proves it).
fn radius(distance: u32, tree: u8) -> Option<u32> {
    let (whole, last) = (distance / u32::from(BANDS), distance % u32::from(BANDS));
    if u32::from(tree) <= last { Some(whole) } else { whole.checked_sub(1) }
}

/// Returns the number of band values that a search within a distance looks up.
pub fn probes(distance: u32) -> u64 {
    let within = |radius: u32| (0..=u64::from(radius)).map(|k| choose(BAND_BITS.into(), k)).sum::<u64>();
    (0..BANDS).filter_map(|tree| radius(distance, tree)).map(within).sum()
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k.min(n + 1)).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// A look-up costs about as much as reading this many leaves in sequence.
pub const LEAVES_A_PROBE: u64 = 2;

/// Says whether a search within a distance reads one tree completely.
pub fn is_whole_cheaper(index: Index, distance: u32) -> bool {
    probes(distance) * LEAVES_A_PROBE >= u64::from(index.blocks()) / u64::from(BANDS)
}

/// Passes each row within a distance of a banded signature to `sink` once, with its distance.
///
/// # Errors
/// If a page is damaged.
pub fn within(index: Index, center: u64, distance: u32, mut sink: impl FnMut(u64, u32)) -> Result<()> {
    if is_whole_cheaper(index, distance) {
        return each_between(index, 0, 0, u64::MAX, |entry| {
            let found = (entry.key ^ center).count_ones();
            if found <= distance {
                sink(entry.row, found);
            }
        });
    }
    let mut leaves = Leaves::of(index);
    for tree in 0..BANDS {
        let Some(radius) = radius(distance, tree) else { continue };
        let center = rotated(center, tree);
        let band = center >> (64 - BAND_BITS);
        let mut values = Vec::new();
        flip(band, 0, radius, &mut values);
        values.sort_unstable();
        for value in values {
            let first = value << (64 - BAND_BITS);
            leaves.each_between(tree, first, first | u64::MAX >> BAND_BITS, |entry| {
                let difference = entry.key ^ center;
                let found = difference.count_ones();
                if found <= distance && !is_found_before(difference, tree, distance) {
                    sink(entry.row, found);
                }
            })?;
        }
    }
    Ok(())
}

/// Says whether a tree before this one already gives a signature.
fn is_found_before(difference: u64, tree: u8, distance: u32) -> bool {
    (0..tree).any(|before| {
        // Band `before` stands as many bands behind the first one here as it comes before it, in a circle.
        let band = difference.rotate_right(BAND_BITS * u32::from(tree - before)) >> (64 - BAND_BITS);
        radius(distance, before).is_some_and(|radius| band.count_ones() <= radius)
    })
}

fn flip(value: u64, from: u32, flips: u32, values: &mut Vec<u64>) {
    values.push(value);
    if flips > 0 {
        (from..BAND_BITS).for_each(|place| flip(value ^ (1 << place), place + 1, flips - 1, values));
    }
}

/// Passes each row without a signature to `sink`.
///
/// # Errors
/// If a page is damaged.
pub fn nulls(index: Index, sink: impl FnMut(u64)) -> Result<()> {
    let mut sink = sink;
    each_between(index, NULLS, 0, 0, |entry| sink(entry.row))
}
