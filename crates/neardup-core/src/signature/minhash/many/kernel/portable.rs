//! The portable kernel, and the oracle of the others, which are the same code compiled for wider vectors.

use crate::signature::minhash::many::bins::{MAX_COUNT, bin_of};
use neardup_text::hash::mix;

/// Elements mixed at a time: 2 kB.
pub(super) const BATCH: usize = 256;
/// Up to this number of empty bins it is faster to scan all elements for each bin than to look at each element's bin.
const FEW: usize = 12;
/// Of a batch of fewer elements for each empty bin it is not: the scan of a bin begins with two divisions.
const SCANNED: usize = 16;

/// Lowers each of the `empty` bins in `open` to the least x of a batch that falls there.
#[inline(always)]
pub(super) fn run_batch(batch: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    if empty.len() > FEW.min(batch.len() / SCANNED) {
        // Eight at a time, so that they are mixed in vectors.
        let (eights, rest) = batch.as_chunks::<8>();
        let mut lower = |x: u64| {
            let open = &mut open[bin_of(x, count as u64)];
            *open = x.min(*open);
        };
        eights.iter().for_each(|eight| eight.map(|element| mix(element, round)).into_iter().for_each(&mut lower));
        rest.iter().for_each(|&element| lower(mix(element, round)));
        return;
    }
    let mut buffer = [0; BATCH];
    let (xs, _) = buffer.split_at_mut(batch.len().min(BATCH));
    for (x, &element) in xs.iter_mut().zip(batch) {
        *x = mix(element, round);
    }
    for &bin in empty {
        scan(xs, count, bin, &mut open[usize::from(bin) % MAX_COUNT]);
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
