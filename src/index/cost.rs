//! Estimates what a search reads and what that costs.

use super::kind::BANDS;
use super::search::{LEAVES_A_PROBE, probes};

/// The planner's cost settings for an index's tablespace.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prices {
    /// Cost of a page read at random.
    pub random: f64,
    /// Cost of the next page in sequence.
    pub sequential: f64,
    /// Cost of a comparison.
    pub operator: f64,
    /// Cost of an entry.
    pub tuple: f64,
}

/// How large an index is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of its pages.
    pub pages: f64,
    /// Number of rows of its table.
    pub rows: f64,
}

/// What a scan does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Descents from a root to a leaf.
    pub descents: f64,
    /// Leaves read at random.
    pub random_pages: f64,
    /// Leaves read in sequence.
    pub sequential_pages: f64,
    /// Entries that are compared.
    pub compared: f64,
    /// Entries that are returned.
    pub given: f64,
    /// Whether entries are returned before all are found.
    is_early: bool,
}

/// Pages above a leaf, and the comparisons in each, as Postgres assumes for a B-tree (`btcostestimate`).
const HEIGHT: f64 = 3.0;
const COMPARISONS_A_PAGE: f64 = 50.0;
/// Entries per leaf.
const ENTRIES_A_LEAF: f64 = 470.0;

impl Work {
    /// Estimates a search for rows that share one of some keys.
    pub fn sharing(keys: u64, found: f64, size: &Size) -> Self {
        let keys = keys as f64;
        let random_pages = (keys + found / ENTRIES_A_LEAF).min(size.pages);
        Self { descents: keys, random_pages, compared: found, given: found, ..Self::default() }
    }

    /// Estimates a search for rows within a distance.
    pub fn within(distance: u32, found: f64, size: &Size) -> Self {
        let leaves = (size.pages / f64::from(BANDS)).max(1.0);
        let probes = probes(distance) as f64;
        if probes * LEAVES_A_PROBE as f64 >= leaves {
            return Self {
                descents: 1.0,
                sequential_pages: leaves,
                compared: size.rows,
                given: found,
                ..Self::default()
            };
        }
        let compared = probes * size.rows / f64::from(u16::MAX);
        let random_pages = (probes + compared / ENTRIES_A_LEAF).min(size.pages);
        Self { descents: probes, random_pages, compared, given: found, ..Self::default() }
    }

    /// Estimates a search for all rows by distance, of which most queries want few.
    pub fn nearest(size: &Size) -> Self {
        let leaves = (size.pages / f64::from(BANDS)).max(1.0);
        Self { sequential_pages: leaves, given: size.rows, is_early: true, ..Self::within(NEAR, 0.0, size) }
    }

    /// Gives the cost before the first entry, and the total cost.
    pub fn cost(&self, prices: &Prices) -> (f64, f64) {
        let searching = self.descents * HEIGHT * COMPARISONS_A_PAGE * prices.operator
            + self.random_pages * prices.random
            + self.compared * prices.operator;
        let reading = self.sequential_pages * prices.sequential;
        let giving = self.given * prices.tuple;
        let startup = if self.is_early { searching } else { searching + reading };
        (startup, searching + reading + giving)
    }
}

/// The distance within which the nearest rows of most queries are.
const NEAR: u32 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices { random: 4.0, sequential: 1.0, operator: 0.0025, tuple: 0.005 };

    #[test]
    fn a_wide_search_costs_no_more_than_reading_a_tree() {
        let size = Size { pages: 9000.0, rows: 1e6 };
        let total = |distance| Work::within(distance, 10.0, &size).cost(&PRICES).1;
        assert!(total(3) < total(7));
        assert!((total(20) - total(60)).abs() < 1e-6);
        assert!(total(60) < 9000.0);
    }
}
