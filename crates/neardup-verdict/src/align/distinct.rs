//! Distinct numbers in the order in which they first occur, with an index that finds each: open addressing, at most half full.
//!
//! It is built for one text or one pair, of some hundreds of numbers: one array of positions that starts at its final size and has no
//! values.

use std::sync::LazyLock;

use ahash::RandomState;
use neardup_text::interrupt;

/// Chosen anew for each process, so that no text can be written whose numbers collide.
static SEEDS: LazyLock<Seeds> = LazyLock::new(|| {
    let random = RandomState::new();
    Seeds { add: random.hash_one(0_u64), multiply: random.hash_one(1_u64) | 1 }
});

/// A hash function: a product whose halves are folded together, as in wyhash.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seeds {
    add: u64,
    multiply: u64,
}

impl Seeds {
    pub(super) fn of_process() -> Self {
        *SEEDS
    }

    /// Returns the hash of a number, the same for all sets of this process.
    #[inline]
    pub(super) fn hash(self, number: u64) -> u64 {
        let product = u128::from(number ^ self.add) * u128::from(self.multiply);
        product as u64 ^ (product >> 64) as u64
    }
}

/// Distinct numbers.
#[derive(Debug)]
pub(crate) struct Distinct<N = u64> {
    numbers: Vec<N>,
    /// The position of the number in the list, from 1 on; 0 for none. The length is a power of two.
    places: Vec<u32>,
    seeds: Seeds,
}

impl<N: Copy + Eq + Into<u64>> Distinct<N> {
    /// Returns how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<N>() + self.places.capacity() * size_of::<u32>()
    }

    /// Begins a set that does not grow until it has more than `count` numbers.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let places = vec![0; (2 * count.max(8)).next_power_of_two()];
        Self { numbers: Vec::with_capacity(count), places, seeds: Seeds::of_process() }
    }

    /// Returns the numbers.
    pub(crate) fn numbers(&self) -> &[N] {
        &self.numbers
    }

    /// Returns the numbers without the index.
    pub(crate) fn into_numbers(self) -> Vec<N> {
        self.numbers
    }

    /// Returns the hash of a number, the same for all sets of this process.
    #[inline]
    pub(crate) fn hash(&self, number: N) -> u64 {
        self.seeds.hash(number.into())
    }

    /// Returns the position of a number in the list.
    #[inline]
    pub(crate) fn find(&self, number: N) -> Option<usize> {
        self.at(self.place(number))
    }

    /// Adds a number, if it is not there yet, and returns its position.
    #[inline]
    pub(crate) fn insert(&mut self, number: N) -> usize {
        let place = self.place(number);
        if let Some(known) = self.at(place) {
            return known;
        }
        self.numbers.push(number);
        if let Some(place) = self.places.get_mut(place) {
            *place = self.numbers.len() as u32;
        }
        if 2 * self.numbers.len() > self.places.len() {
            self.grow();
        }
        self.numbers.len() - 1
    }

    /// Returns the place of a number, or the free one where it belongs.
    #[inline]
    fn place(&self, number: N) -> usize {
        let last = self.places.len().wrapping_sub(1);
        let mut at = self.hash(number) as usize & last;
        while self.at(at).is_some_and(|there| self.numbers.get(there) != Some(&number)) {
            at = (at + 1) & last;
        }
        at
    }

    /// Returns the position of the number that has a place.
    #[inline]
    fn at(&self, place: usize) -> Option<usize> {
        self.places.get(place).and_then(|at| at.checked_sub(1)).map(|at| at as usize)
    }

    #[cold]
    fn grow(&mut self) {
        self.places = vec![0; 4 * self.places.len()];
        for at in 0..self.numbers.len() {
            if at & 0x3fff == 0 {
                interrupt::check();
            }
            let place = self.numbers.get(at).map(|number| self.place(*number));
            if let Some(place) = place.and_then(|place| self.places.get_mut(place)) {
                *place = at as u32 + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_a_hash_set(
            numbers in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>()], 0..400),
            asked in prop::collection::vec(0_u64..60, 0..40),
            capacity in 0_usize..300,
        ) {
            let mut distinct = Distinct::with_capacity(capacity);
            let mut expected = Vec::new();
            for &number in &numbers {
                let at = distinct.insert(number);
                if at == expected.len() {
                    expected.push(number);
                }
                prop_assert_eq!(expected.get(at), Some(&number));
            }
            prop_assert_eq!(distinct.numbers(), &expected[..]);
            prop_assert_eq!(expected.iter().collect::<HashSet<_>>().len(), expected.len());
            for number in asked.iter().chain(&numbers) {
                prop_assert_eq!(distinct.find(*number), expected.iter().position(|known| known == number));
            }
        }
    }
}
