//! Which keys several rows of an index have: a filter that saves index look-ups.

/// How many rows have a key, as far as two sets of bits can tell: of keys with the same bit, the greatest number counts, so a key may
/// seem to be of more rows than it is, and never of fewer.
#[derive(Debug)]
pub struct KeyFrequency {
    /// Keys of two rows or more, and of three or more.
    sets: [Vec<u64>; 2],
    mask: u64,
}

impl KeyFrequency {
    /// Begins, with at most `memory` bytes.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        let words = (memory / size_of::<u64>() / 2).max(2);
        let words = 1_usize << words.ilog2();
        Self { sets: [vec![0; words], vec![0; words]], mask: words as u64 * u64::from(u64::BITS) - 1 }
    }

    /// Returns both sets, for another process.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.sets.iter().flatten().copied()
    }

    /// Makes it again of these words; `None` if they are not of two sets.
    #[must_use]
    pub fn of_words(words: &[u64]) -> Option<Self> {
        let (first, second) = words.split_at(words.len() / 2);
        let is_whole = first.len() == second.len() && first.len().is_power_of_two();
        let mask = first.len() as u64 * u64::from(u64::BITS);
        is_whole.then(|| Self { sets: [first.to_vec(), second.to_vec()], mask: mask - 1 })
    }

    /// Notes that another row has a key, after `others` others.
    pub fn add(&mut self, key: u64, others: usize) {
        let (word, bit) = self.place(key);
        if let Some(word) = others.checked_sub(1).and_then(|at| self.sets.get_mut(at)?.get_mut(word)) {
            *word |= bit;
        }
    }

    /// Says whether a row other than a row that has the key may have it, too; or other than two rows, if two have it.
    #[must_use]
    pub fn may_have_third(&self, key: u64, has_second: bool) -> bool {
        let (word, bit) = self.place(key);
        self.sets.get(usize::from(has_second)).and_then(|set| set.get(word)).is_none_or(|word| word & bit != 0)
    }

    /// Keys are hashes, so their last bits are as good as another hash.
    fn place(&self, key: u64) -> (usize, u64) {
        let place = key & self.mask;
        ((place / u64::from(u64::BITS)) as usize, 1 << (place % u64::from(u64::BITS)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No row is denied, and with room for all keys none is made up.
        #[test]
        fn no_third_row_is_left_out(keys in prop::collection::vec(0_u64..60, 0..80), memory in 0_usize..64) {
            let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
            let (mut small, mut large) = (KeyFrequency::new(memory), KeyFrequency::new(1 << 10));
            for key in keys {
                let count = counts.entry(key).or_default();
                small.add(key, *count);
                large.add(key, *count);
                *count += 1;
            }
            for key in 0..60 {
                for has_second in [false, true] {
                    let has_third = counts.get(&key).is_some_and(|count| *count > 1 + usize::from(has_second));
                    prop_assert_eq!(large.may_have_third(key, has_second), has_third);
                    prop_assert!(small.may_have_third(key, has_second) || !has_third);
                    let again = KeyFrequency::of_words(&large.words().collect::<Vec<_>>());
                    prop_assert_eq!(again.map(|again| again.may_have_third(key, has_second)), Some(has_third));
                }
            }
        }
    }
}
