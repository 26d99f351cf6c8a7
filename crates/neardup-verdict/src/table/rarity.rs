//! How rare a word is in a table, from rows spread over it.
//!
//! A word that few rows have says more than one that all have: in an advert the place, in a recipe the ingredient. A sample of some hundred
//! rows tells common from rare; which of two rare words is rarer, it does not, and no verdict depends on that.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::{AHashMap, AHashSet};

use crate::read::units::{Counted, Kind, Text, Unit};
use neardup_text::hash::mix;

/// In how many rows of a sample each word occurs.
#[derive(Debug, Default)]
pub(crate) struct Rarity {
    rows: u32,
    rows_with: AHashMap<u64, u32>,
    /// Another one for each sample, by which a text knows that it was counted in it.
    sample: u64,
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
        static SAMPLES: AtomicU64 = AtomicU64::new(1);
        self.sample = SAMPLES.fetch_add(1, Ordering::Relaxed);
        self
    }

    /// Returns how rare the units of a text are.
    pub(crate) fn of<'t>(&'t self, text: &'t Text<'_>) -> OfUnits<'t> {
        let counted = text.counted.get_or_init(|| self.count(text));
        let counted = if counted.sample == self.sample { Cow::Borrowed(counted) } else { Cow::Owned(self.count(text)) };
        OfUnits { of_count: &self.of_count, counted }
    }

    /// Counts the rows that have each unit of a text.
    fn count(&self, text: &Text<'_>) -> Counted {
        let rows = |key: u64| self.rows_with.get(&key).map_or(0, |&rows| rows as u16);
        let unit = |(at, unit): (usize, &Unit)| {
            let alone = rows(unit.key);
            [alone, pair_key(text, at).map_or(alone, rows)]
        };
        let is_known = !self.rows_with.is_empty();
        let rows = if is_known { text.units.iter().enumerate().map(unit).collect() } else { Box::default() };
        Counted { sample: self.sample, rows }
    }
}

/// How rare the units of a text are in a table.
pub(crate) struct OfUnits<'t> {
    of_count: &'t [f64],
    counted: Cow<'t, Counted>,
}

impl OfUnits<'_> {
    /// Returns the rarity of a unit, 0 (every row has it) to 1 (no row of the sample has it). A Han character counts with the one after it,
    /// if `with_next` says so: most words have two.
    pub(crate) fn at(&self, unit: usize, with_next: bool) -> f64 {
        let rows = self.counted.rows.get(unit).map_or(0, |rows| rows[usize::from(with_next)]);
        self.of_count.get(usize::from(rows)).copied().unwrap_or(1.0)
    }
}

/// A sample of fewer rows counts as one of this size.
const LEAST_ROWS: u32 = 8;

/// Returns the key of a Han character and the next one.
fn pair_key(text: &Text<'_>, at: usize) -> Option<u64> {
    let (unit, next) = (text.units.get(at)?, text.units.get(at + 1)?);
    (unit.kind == Kind::Han && next.kind == Kind::Han && unit.end == next.start).then(|| mix(unit.key, next.key))
}
