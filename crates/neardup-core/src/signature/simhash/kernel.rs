//! Positional population count: for each of 64 bits, how many hashes of a batch have it set.
//!
//! There are three kernels with equal results; [`count_ones`] uses the best that the CPU supports.
//!
//! * AVX-512BW: a hash serves as a mask over 64 byte counters, so one masked addition counts it.
//! * AVX2 and baseline (SSE2, NEON): bit-sliced carry-save counters over four lanes of 64 bits (Harley and Seal's tree of full
//!   adders, as in Warren, "Hacker's Delight", 5-1; for positions: Klarqvist, Muła, Lemire 2019). The same safe code is compiled
//!   twice.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use portable::count_ones_sliced;

/// Adds to `ones[i]` how many of the hashes have bit i set.
#[inline]
pub(super) fn count_ones(hashes: &[u64], ones: &mut [u64; 64]) {
    #[cfg(target_arch = "x86_64")]
    if x86::count_ones(hashes, ones) {
        return;
    }
    count_ones_sliced(hashes, ones);
}

#[cfg(test)]
mod tests {
    use super::{count_ones, count_ones_sliced};
    use proptest::prelude::*;

    fn naive(hashes: &[u64]) -> [u64; 64] {
        let mut ones = [0; 64];
        for hash in hashes {
            for (bit, count) in ones.iter_mut().enumerate() {
                *count += (hash >> bit) & 1;
            }
        }
        ones
    }

    fn agree(hashes: &[u64]) -> Result<(), TestCaseError> {
        let expected = naive(hashes);
        let mut ones = [0; 64];
        count_ones_sliced(hashes, &mut ones);
        prop_assert_eq!(ones, expected, "portable");
        let mut ones = [0; 64];
        count_ones(hashes, &mut ones);
        prop_assert_eq!(ones, expected, "dispatched");
        #[cfg(target_arch = "x86_64")]
        for (name, ones) in super::x86::every_kernel(hashes) {
            prop_assert_eq!(ones, expected, "{}", name);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_kernel_agrees_with_the_naive_count(hashes in prop::collection::vec(any::<u64>(), 0..2500)) {
            agree(&hashes)?;
        }

        /// Counters run full here: all bits of all hashes are set.
        #[test]
        fn no_counter_overflows(length in 0_usize..5000) {
            agree(&vec![u64::MAX; length])?;
        }
    }
}
