//! One round after the first: throw every element again, for the bins that are still empty.
//!
//! The loops are written so that the compiler vectorises them, and compiled once more for AVX2 and AVX-512.

use super::{EMPTY, MAX_COUNT, bin_of};
use neardup_text::hash::mix;

#[cfg(target_arch = "x86_64")]
mod x86;

/// Elements mixed at a time: 2 kB.
const BATCH: usize = 256;
/// Up to so many empty bins it is faster to scan all elements for each bin than to look at each element's bin.
const FEW: usize = 12;

/// Runs a round: lowers each of the `empty` bins in `open` to the least x that falls there.
#[inline]
pub(super) fn run_round(elements: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    for batch in elements.chunks(BATCH) {
        #[cfg(target_arch = "x86_64")]
        x86::run_batch(batch, count, round, empty, open);
        #[cfg(not(target_arch = "x86_64"))]
        run_batch(batch, count, round, empty, open);
        neardup_text::interrupt::check();
    }
}

/// Gives the least x of a round over all elements, the largest number if there are none.
pub(super) fn least_mixed(elements: &[u64], round: u64) -> u64 {
    neardup_text::interrupt::check();
    elements.iter().map(|&element| mix(element, round)).fold(EMPTY, u64::min)
}

/// The portable kernel.
#[inline(always)]
fn run_batch(batch: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    let mut buffer = [0; BATCH];
    let (xs, _) = buffer.split_at_mut(batch.len().min(BATCH));
    for (x, &element) in xs.iter_mut().zip(batch) {
        *x = mix(element, round);
    }
    if empty.len() > FEW {
        for &x in &*xs {
            let open = &mut open[bin_of(x, count as u64)];
            *open = x.min(*open);
        }
    } else {
        for &bin in empty {
            scan(xs, count, bin, &mut open[usize::from(bin) % MAX_COUNT]);
        }
    }
}

/// Finds the least x in the range of one bin: the least distance from the range's beginning, if it is in the range.
#[inline(always)]
fn scan(xs: &[u64], count: usize, bin: u16, open: &mut u64) {
    let begin_of = |bin: u128| (bin << 64).div_ceil(count as u128);
    let first = begin_of(bin.into());
    let (begin, span) = (first as u64, (begin_of(u128::from(bin) + 1) - first) as u64);
    let distance = xs.iter().fold(u64::MAX, |distance, x| distance.min(x.wrapping_sub(begin)));
    if distance < span {
        *open = (begin + distance).min(*open);
    }
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
            run_batch(&elements, count, round, &empty, &mut portable);
            prop_assert_eq!(portable, expected);
            #[cfg(target_arch = "x86_64")]
            for (name, open) in x86::every_kernel(&elements, count, round, &empty, start) {
                prop_assert_eq!(open, expected, "{}", name);
            }
        }
    }
}
