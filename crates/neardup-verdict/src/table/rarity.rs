//! How rare a word is in a table, from rows spread over it.
//!
//! A word that few rows have says more than one that all have: in an advert the place, in a recipe the ingredient. A sample of some hundred
//! rows tells common from rare; which of two rare words is rarer, it does not, and no verdict depends on that.

use ahash::{AHashMap, AHashSet};

use crate::read::units::{Kind, Text};
use neardup_text::hash::mix;

/// In how many rows of a sample each word occurs.
#[derive(Debug, Default)]
pub(crate) struct Rarity {
    rows: u32,
    rows_with: AHashMap<u64, u32>,
    /// The rarity of a word that this many rows have; of any word 1, if no row is known.
    of_count: Vec<f64>,
}

impl Rarity {
    /// Adds a row.
    pub(crate) fn add(&mut self, text: &Text<'_>) {
        self.rows += 1;
        let mut seen: AHashSet<u64> = AHashSet::new();
        for (at, unit) in text.units.iter().enumerate() {
            seen.insert(unit.key);
            seen.extend(pair_key(text, at));
        }
        for key in seen {
            *self.rows_with.entry(key).or_default() += 1;
        }
    }

    /// Weighs the counts, once all rows are added.
    pub(crate) fn weighed(mut self) -> Self {
        let rows = f64::from(self.rows.max(LEAST_ROWS)) + 1.0;
        let rarity = |count: u32| libm::log(rows / (f64::from(count) + 1.0)) / libm::log(rows);
        self.of_count = (0..=self.rows).map(rarity).collect();
        self
    }

    /// Returns the rarity of a unit of a text, 0 (every row has it) to 1 (no row of the sample has it). A Han character counts with the one
    /// after it, if `with_next` says so: most words have two.
    pub(crate) fn of(&self, text: &Text<'_>, at: usize, with_next: bool) -> f64 {
        let Some(unit) = text.units.get(at) else { return 0.0 };
        let key = if with_next { pair_key(text, at).unwrap_or(unit.key) } else { unit.key };
        let count = self.rows_with.get(&key).copied().unwrap_or_default() as usize;
        self.of_count.get(count).copied().unwrap_or(1.0)
    }
}

/// A sample of fewer rows counts as one of this size.
const LEAST_ROWS: u32 = 8;

/// Returns the key of a Han character and the next one.
fn pair_key(text: &Text<'_>, at: usize) -> Option<u64> {
    let (unit, next) = (text.units.get(at)?, text.units.get(at + 1)?);
    (unit.kind == Kind::Han && next.kind == Kind::Han && unit.end == next.start).then(|| mix(unit.key, next.key))
}
