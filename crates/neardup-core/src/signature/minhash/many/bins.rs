//! The bins of the many-hash scheme: how many there may be, and into which one an x falls.

/// The most positions; a power of two, so that a mask can prove indexes to be in bounds.
pub(in crate::signature::minhash) const MAX_COUNT: usize = 1024;
pub(super) const INDEX_MASK: usize = MAX_COUNT - 1;
/// The x of an empty bin. An element with this x fills no bin in that round.
pub(super) const EMPTY: u64 = u64::MAX;

/// The bin of an x; the mask only tells the compiler what `count` <= [`MAX_COUNT`] implies.
#[inline(always)]
pub(super) fn bin_of(x: u64, count: u64) -> usize {
    ((u128::from(x) * u128::from(count)) >> 64) as usize & INDEX_MASK
}
