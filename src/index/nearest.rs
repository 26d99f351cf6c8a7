//! All rows by their distance from a signature, the nearest first: `ORDER BY signature <~> query`.
//!
//! The scan searches one distance after the other, as long as looking up bands is cheaper than reading a tree from end to end.
//! After that it reads a whole tree, for as many further distances at once as fit into memory. Rows without a signature come last.

use super::buffer::Index;
use super::search::{self, is_whole_cheaper};
use super::tree::each_between;
use crate::error::Result;

/// The greatest distance.
const MOST: u32 = u64::BITS;

/// The state of a search by distance.
pub struct Nearest {
    /// The banded signature; `None` if all distances are NULL.
    center: Option<u64>,
    /// How many rows are kept at a time, unless more have the same distance.
    most: usize,
    /// The least distance that has not been searched yet.
    next: u32,
    /// Rows found but not yet returned, the last one first.
    found: Vec<(u32, u64)>,
    /// Whether the rows without a signature have been read.
    has_nulls: bool,
}

impl Nearest {
    /// Begins, with memory of `kilobytes`.
    pub fn begin(center: Option<u64>, kilobytes: i32) -> Self {
        let most = usize::try_from(kilobytes).unwrap_or(0) * 1024 / size_of::<(u32, u64)>();
        Self { center, most, next: 0, found: Vec::new(), has_nulls: false }
    }

    /// Returns the next row and its distance.
    ///
    /// # Errors
    /// If a page is damaged.
    pub fn next(&mut self, index: Index) -> Result<Option<(u64, Option<u32>)>> {
        while self.found.is_empty() && !self.has_nulls {
            match self.center {
                Some(center) if self.next <= MOST => self.read(index, center)?,
                center => {
                    let found = &mut self.found;
                    if center.is_none() {
                        each_between(index, 0, 0, u64::MAX, |entry| found.push((MOST + 1, entry.row)))?;
                    }
                    search::nulls(index, |row| found.push((MOST + 1, row)))?;
                    self.has_nulls = true;
                }
            }
            self.found.sort_unstable_by(|a, b| b.cmp(a));
        }
        Ok(self.found.pop().map(|(distance, row)| (row, (distance <= MOST).then_some(distance))))
    }

    fn read(&mut self, index: Index, center: u64) -> Result<()> {
        let (first, found) = (self.next, &mut self.found);
        if !is_whole_cheaper(index, first) {
            search::within(index, center, first, |row, distance| {
                if distance == first {
                    found.push((distance, row));
                }
            })?;
            self.next += 1;
            return Ok(());
        }
        let (mut last, most) = (MOST, self.most);
        each_between(index, 0, 0, u64::MAX, |entry| {
            let distance = (entry.key ^ center).count_ones();
            if (first..=last).contains(&distance) {
                found.push((distance, entry.row));
                while found.len() > most && last > first {
                    last -= 1;
                    found.retain(|(distance, _)| *distance <= last);
                }
            }
        })?;
        self.next = last + 1;
        Ok(())
    }
}
