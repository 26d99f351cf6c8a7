//! How rare a word is in a table, from rows spread over it.
//!
//! A word that few rows have says more than one that all have: in an advert the place, in a recipe the ingredient. A sample of some hundred
//! rows tells common from rare; which of two rare words is rarer, it does not, and no verdict depends on that.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use ahash::{AHashMap, AHashSet};

use crate::read::units::{Counted, Kind, Text};
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
        let counted = text.counted.get_or_init(|| self.uncounted(text));
        let is_of_sample = counted.sample == self.sample;
        let counted = if is_of_sample { Cow::Borrowed(counted) } else { Cow::Owned(self.uncounted(text)) };
        OfUnits { rarity: self, text, counted }
    }

    /// Begins to count the rows that have each unit of a text.
    fn uncounted(&self, text: &Text<'_>) -> Counted {
        let is_known = !self.rows_with.is_empty();
        let rows = if is_known { vec![[const { Cell::new(UNKNOWN) }; 2]; text.units.len()] } else { Vec::new() };
        Counted { sample: self.sample, rows: rows.into() }
    }

    /// Counts the rows that have a unit of a text, or a Han character with the next one.
    fn count(&self, text: &Text<'_>, at: usize, with_next: bool) -> u16 {
        let pair = if with_next { pair_key(text, at) } else { None };
        let key = pair.or_else(|| text.units.get(at).map(|unit| unit.key));
        key.and_then(|key| self.rows_with.get(&key)).map_or(0, |&rows| rows as u16)
    }
}

/// A number of rows that no sample has.
const UNKNOWN: u16 = u16::MAX;

/// How rare the units of a text are in a table. Rows are counted when a unit is asked for, since of most units of a copy only one of the two
/// numbers is needed.
pub(crate) struct OfUnits<'t> {
    rarity: &'t Rarity,
    text: &'t Text<'t>,
    counted: Cow<'t, Counted>,
}

impl OfUnits<'_> {
    /// Returns the rarity of a unit, 0 (every row has it) to 1 (no row of the sample has it). A Han character counts with the one after it,
    /// if `with_next` says so: most words have two.
    pub(crate) fn at(&self, unit: usize, with_next: bool) -> f64 {
        let counted = self.counted.rows.get(unit).map(|rows| &rows[usize::from(with_next)]);
        let rows = counted.map_or(0, |counted| {
            if counted.get() == UNKNOWN {
                counted.set(self.rarity.count(self.text, unit, with_next));
            }
            counted.get()
        });
        self.rarity.of_count.get(usize::from(rows)).copied().unwrap_or(1.0)
    }
}

/// A sample of fewer rows counts as one of this size.
const LEAST_ROWS: u32 = 8;

/// Returns the key of a Han character and the next one.
fn pair_key(text: &Text<'_>, at: usize) -> Option<u64> {
    let (unit, next) = (text.units.get(at)?, text.units.get(at + 1)?);
    (unit.kind == Kind::Han && next.kind == Kind::Han && unit.end == next.start).then(|| mix(unit.key, next.key))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Text<'_> {
        Text::without(text.into(), &[], None)
    }

    proptest! {
        /// Whatever is asked first: the rarity of a unit is that of the number of rows that have it, or the pair that begins with it.
        #[test]
        fn units_are_counted_when_they_are_asked_for(
            rows in prop::collection::vec("([一-五]{0,9}[ab ]{0,5}){0,3}", 0..12),
            text in "([一-七]{0,9}[a-c ]{0,5}){0,4}",
            asked in prop::collection::vec((0_usize..40, any::<bool>()), 0..60),
        ) {
            let mut rarity = Rarity::default();
            rows.iter().for_each(|row| rarity.add(&read(row)));
            let rarity = rarity.weighed();
            let text = read(&text);
            let has = |row: &str, at: usize, with_next: bool| {
                let row = read(row);
                match pair_key(&text, at).filter(|_| with_next) {
                    Some(pair) => (0..row.units.len()).any(|at| pair_key(&row, at) == Some(pair)),
                    None => row.units.iter().any(|unit| Some(unit.key) == text.units.get(at).map(|unit| unit.key)),
                }
            };
            for _ in 0..2 {
                for &(at, with_next) in &asked {
                    let count = rows.iter().filter(|row| has(row, at, with_next)).count();
                    let is_known = at < text.units.len() && rows.iter().any(|row| !read(row).units.is_empty());
                    let expected = rarity.of_count.get(if is_known { count } else { 0 }).copied().unwrap_or(1.0);
                    prop_assert_eq!(rarity.of(&text).at(at, with_next), expected);
                }
            }
            let other = Rarity::default().weighed();
            prop_assert_eq!(other.of(&text).at(0, false), 1.0, "counted in another sample");
        }
    }
}
