//! Of the texts that one text may copy, those that are worth a verdict.
//!
//! In a table of forms every row shares most of its words with dozens of others and copies none. How much two texts have in common is known long
//! before the verdict on them, and the row that a text copies is nearly always among those that have most in common with it: of 100 rows that lists
//! of seven tables name, 99 copy the first or second of them. So a text is passed over if [`MOST`] others that were compared in vain have more in
//! common with it, both as a share of the shorter text and as a share of the two together: an excerpt is all of the one, a copy with a remark before
//! it most of the other (`docs/candidates.md`). A verdict on a short text takes little time, and a few of its 4-grams say little: none is passed over.
//! Nor is a text that is nearly the same: whoever writes into a table could hide it behind a few versions of it with other figures.
//!
//! Guard and list follow this rule. What is passed over depends on the texts and on the order in which they are compared, and on nothing else.

use crate::align::grams::Grams;

/// How many texts that have more in common with a text rule another one out, if they are no duplicates. Chosen among 2 to 4 on 32 tables: with 4,
/// the fewest rows that lists name are lost, none that a clean-up removes.
const MOST: usize = 4;

/// From this resemblance on, two texts are nearly the same: a copy with light edits has more.
const NEARLY_THE_SAME: f32 = 0.65;

/// What two texts have in common, by their distinct 4-grams.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likeness {
    /// The share of the text with fewer of them, 0 to 1: the overlap coefficient.
    overlap: f32,
    /// The share of those of both together, 0 to 1: the Jaccard coefficient.
    resemblance: f32,
}

/// What was compared with a text in vain.
#[derive(Clone, Debug, Default)]
pub struct Tried(Vec<Likeness>);

impl Likeness {
    /// Of two texts that are always compared: they are the same, or either is short.
    pub(crate) const ALWAYS: Self = Self { overlap: 1.0, resemblance: 1.0 };

    /// Of two texts with this overlap.
    pub(crate) fn of(a: &Grams, b: &Grams, overlap: f64) -> Self {
        let (a, b) = (a.len(), b.len());
        let shared = overlap * a.min(b) as f64;
        Self::new(overlap, shared / ((a + b) as f64 - shared).max(1.0))
    }

    pub(crate) const fn new(overlap: f64, resemblance: f64) -> Self {
        Self { overlap: overlap as f32, resemblance: resemblance as f32 }
    }

    /// Returns it as a number, and [`Likeness::of_number`] what it was.
    #[must_use]
    pub const fn number(self) -> u64 {
        (self.overlap.to_bits() as u64) << 32 | self.resemblance.to_bits() as u64
    }

    /// Returns the likeness of a number.
    #[must_use]
    pub const fn of_number(number: u64) -> Self {
        Self { overlap: f32::from_bits((number >> 32) as u32), resemblance: f32::from_bits(number as u32) }
    }

    fn is_less_than(self, other: Self) -> bool {
        self.overlap < other.overlap && self.resemblance < other.resemblance
    }
}

impl Tried {
    /// Says whether a text with this likeness, or with less, need not be compared.
    #[must_use]
    pub fn rules_out(&self, likeness: Likeness) -> bool {
        self.0.len() >= MOST
            && likeness.resemblance < NEARLY_THE_SAME
            && self.0.iter().filter(|tried| likeness.is_less_than(**tried)).count() >= MOST
    }

    /// Adds a text that is no duplicate.
    pub fn add(&mut self, likeness: Likeness) {
        // What has nothing in common has more than no other.
        if likeness.overlap > 0.0 && likeness != Likeness::ALWAYS {
            self.0.push(likeness);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn likeness() -> impl Strategy<Value = Likeness> {
        (0_u8..8, 0_u8..8).prop_map(|(overlap, resemblance)| Likeness {
            overlap: f32::from(overlap) / 8.0,
            resemblance: f32::from(resemblance.min(overlap)) / 8.0,
        })
    }

    proptest! {
        #[test]
        fn only_texts_with_more_in_common_rule_another_one_out(
            tried in prop::collection::vec(likeness(), 0..24),
            asked in likeness(),
        ) {
            let mut all = Tried::default();
            tried.iter().for_each(|tried| all.add(*tried));
            let more = tried.iter().filter(|tried| {
                **tried != Likeness::ALWAYS && tried.overlap > asked.overlap && tried.resemblance > asked.resemblance
            });
            prop_assert_eq!(all.rules_out(asked), more.count() >= MOST && asked.resemblance < NEARLY_THE_SAME);
            prop_assert_eq!(Likeness::of_number(asked.number()), asked);
        }
    }

    #[test]
    fn some_are_always_compared_and_rule_out_none() {
        let mut all = Tried::default();
        (0..100).for_each(|_| all.add(Likeness::new(0.99, 0.99)));
        assert!(!all.rules_out(Likeness::ALWAYS));
        assert!(!all.rules_out(Likeness::new(0.8, 0.7)) && all.rules_out(Likeness::new(0.8, 0.6)));
        let mut none = Tried::default();
        (0..100).for_each(|_| none.add(Likeness::ALWAYS));
        assert!(!none.rules_out(Likeness::new(0.5, 0.5)) && all.rules_out(Likeness::new(0.5, 0.5)));
    }

    #[test]
    fn what_both_have_counts_in_two_ways() {
        let of = |text: &str| Grams::of(text, text.chars().count());
        let (short, long) = (of("abcdefgh"), of("abcdefgh, and more"));
        let overlap = short.overlap(&long, 0.0).unwrap_or_default();
        let found = Likeness::of(&short, &long, overlap);
        assert!(found.overlap == 1.0 && found.resemblance < 0.5, "{found:?}");
        assert_eq!(Likeness::of(&short, &short, 1.0), Likeness::new(1.0, 1.0));
    }
}
