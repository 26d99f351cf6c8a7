//! One round after the first: every element falls into a bin again, for the bins that are still empty.
//!
//! The loops are written so that the compiler vectorises them, and compiled once more for AVX2 and AVX-512.

use super::bins::{EMPTY, MAX_COUNT};
use neardup_text::hash::mix;

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use portable::BATCH;

/// Runs a round: lowers each of the `empty` bins in `open` to the least x that falls there.
#[inline]
pub(super) fn run_round(elements: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    for batch in elements.chunks(BATCH) {
        #[cfg(target_arch = "x86_64")]
        x86::run_batch(batch, count, round, empty, open);
        #[cfg(not(target_arch = "x86_64"))]
        portable::run_batch(batch, count, round, empty, open);
        neardup_text::interrupt::check();
    }
}

/// Returns the least x of a round over all elements, the largest number if there are none.
pub(super) fn least_mixed(elements: &[u64], round: u64) -> u64 {
    neardup_text::interrupt::check();
    elements.iter().map(|&element| mix(element, round)).fold(EMPTY, u64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One element after the other, by the definition.
    fn naive(elements: &[u64], count: usize, round: u64, open: &mut [u64; MAX_COUNT]) {
        for &element in elements {
            let x = mix(element, round);
            let bin = (u128::from(x) * count as u128 / (1 << 64)) as usize;
            open[bin] = open[bin].min(x);
        }
    }

    proptest! {
        #[test]
        fn every_kernel_agrees_with_the_definition(
            elements in prop::collection::vec(any::<u64>(), 0..BATCH),
            count in 8_usize..=MAX_COUNT,
            round in 1_u64..3000,
            empty_share in 1_usize..200,
        ) {
            let empty: Vec<u16> = (0..count as u16).filter(|bin| usize::from(*bin) * 7919 % count < empty_share).collect();
            let mut start = [0; MAX_COUNT];
            empty.iter().for_each(|&bin| start[usize::from(bin)] = EMPTY);
            let mut expected = start;
            naive(&elements, count, round, &mut expected);
            let mut dispatched = start;
            run_round(&elements, count, round, &empty, &mut dispatched);
            prop_assert_eq!(dispatched, expected);
            let mut portable = start;
            portable::run_batch(&elements, count, round, &empty, &mut portable);
            prop_assert_eq!(portable, expected);
            #[cfg(target_arch = "x86_64")]
            for (name, open) in x86::every_kernel(&elements, count, round, &empty, start) {
                prop_assert_eq!(open, expected, "{}", name);
            }
        }
    }
}
