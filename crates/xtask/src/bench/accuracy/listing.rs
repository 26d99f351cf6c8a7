//! The guard's way from a row's keys to the texts it reads, done once more outside the server, where it can be counted.
//!
//! The bounds are read from the guard's source, `src/guard/candidates.rs`, so that they are the guard's own.

use crate::error::Result;
use std::collections::HashMap;

/// The guard's source.
const GUARD: &str = include_str!("../../../../../src/guard/candidates.rs");

/// The guard's bounds, under the names they have there.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    hot: usize,
    most_rows: usize,
    shared: usize,
    shared_hot: usize,
    enough: usize,
    most_texts: usize,
    long: usize,
    most_singles: usize,
}

impl Bounds {
    /// Reads the guard's.
    pub fn of_the_guard() -> Result<Self> {
        let bound = |name: &str| -> Result<usize> {
            let after = GUARD.lines().find_map(|line| line.strip_prefix(&format!("const {name}: ")));
            let value = after.and_then(|after| after.split(['=', ';']).nth(1)?.trim().parse().ok());
            value.ok_or_else(|| format!("src/guard/candidates.rs has no number {name}").into())
        };
        Ok(Self {
            hot: bound("HOT")?,
            most_rows: bound("MOST_ROWS")?,
            shared: bound("SHARED")?,
            shared_hot: bound("SHARED_HOT")?,
            enough: bound("ENOUGH")?,
            most_texts: bound("MOST_TEXTS")?,
            long: bound("LONG")?,
            most_singles: bound("MOST_SINGLES")?,
        })
    }
}

/// What was looked at for a row.
#[derive(Debug, PartialEq)]
pub struct Looked {
    /// Rows listed.
    pub candidates: usize,
    /// Texts read.
    pub texts: usize,
    /// Whether the original is among those read.
    pub is_found: bool,
}

/// The rows there by their keys.
pub struct Listing {
    bounds: Bounds,
    rows: HashMap<i64, Vec<u64>>,
    /// Bytes of the texts, by row.
    lengths: HashMap<u64, usize>,
}

impl Listing {
    /// An empty table.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, rows: HashMap::new(), lengths: HashMap::new() }
    }

    /// Adds a row, later than all there, and says what was looked at for it. `original` is the row that it was found to be a copy of.
    pub fn add(&mut self, id: u64, bytes: usize, keys: &[i64], original: Option<u64>) -> Looked {
        let (all, listed) = self.list(keys);
        let mut texts = self.bounds.most_texts;
        let mut singles = if bytes < self.bounds.long { texts } else { self.bounds.most_singles };
        let mut looked = Looked { candidates: listed.len(), texts: 0, is_found: false };
        for (shared, row) in listed {
            let is_single = shared <= self.bounds.shared;
            let none_left = texts == 0 || (is_single && singles == 0);
            if none_left && (shared < all || self.lengths.get(&row) != Some(&bytes)) {
                continue;
            }
            looked.texts += 1;
            texts = texts.saturating_sub(1);
            singles = singles.saturating_sub(is_single.into());
            if Some(row) == original {
                looked.is_found = true;
                break;
            }
        }
        for key in keys {
            self.rows.entry(*key).or_default().push(id);
        }
        self.lengths.insert(id, bytes);
        looked
    }

    /// What a row that shares all keys shares; and the rows that share enough, those that share most first, then the newest.
    fn list(&self, keys: &[i64]) -> (usize, Vec<(usize, u64)>) {
        let mut shared: HashMap<u64, usize> = HashMap::new();
        let mut all = 0;
        for key in keys {
            let rows = self.rows.get(key).map(Vec::as_slice).unwrap_or_default();
            let rows = &rows[rows.len().saturating_sub(self.bounds.most_rows)..];
            let weight = if rows.len() > self.bounds.hot { self.bounds.shared_hot } else { self.bounds.shared };
            all += weight;
            for row in rows {
                *shared.entry(*row).or_default() += weight;
            }
        }
        let enough = self.bounds.enough.min(keys.len());
        let mut listed: Vec<(usize, u64)> =
            shared.into_iter().map(|(row, shared)| (shared, row)).filter(|(shared, _)| *shared >= enough).collect();
        listed.sort_unstable_by(|a, b| b.cmp(a));
        (all, listed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_share_most_come_first() {
        let mut listing = Listing::new(Bounds::of_the_guard().expect("the guard has its bounds"));
        listing.add(1, 30, &[1, 2, 3], None);
        listing.add(2, 30, &[3, 4], None);
        let third = listing.add(3, 30, &[1, 2, 3, 4], Some(2));
        assert_eq!(third, Looked { candidates: 2, texts: 2, is_found: true });
        let fourth = listing.add(4, 30, &[9], None);
        assert_eq!(fourth, Looked { candidates: 0, texts: 0, is_found: false });
    }

    #[test]
    fn one_hot_key_makes_no_candidate() {
        let mut listing = Listing::new(Bounds::of_the_guard().expect("the guard has its bounds"));
        for id in 0..=listing.bounds.hot as u64 {
            listing.add(id, 30, &[7], None);
        }
        assert_eq!(listing.add(9999, 30, &[7, 8], None).candidates, 0);
        assert_ne!(listing.add(10_000, 30, &[7], None).candidates, 0, "all that a short text has");
    }
}
