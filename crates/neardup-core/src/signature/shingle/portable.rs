//! The portable kernel, and the oracle of the others; and the receivers of its hashes.

use neardup_text::hash::bytes_hash;

/// Takes the hashes of a text's shingles, in text order, each hash once by each method.
pub(crate) trait Sink {
    /// Takes a few hashes as soon as they are made. Inlined between the steps of the hash kernel, so that scalar work here
    /// and vector work there overlap in the CPU.
    fn take_some(&mut self, hashes: &[u64]);

    /// Takes the hashes of a whole batch, up to [`BATCH`](super::BATCH), after each went through [`Self::take_some`].
    fn take_batch(&mut self, hashes: &[u64]);
}

/// The portable kernel, and the oracle of the others.
#[inline(always)]
pub(super) fn fill_one_by_one(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64]) {
    for ((&start, &end), hash) in starts.iter().zip(ends).zip(hashes) {
        *hash = piece_hash(text, start, end);
    }
}

#[inline(always)]
pub(super) fn piece_hash(text: &[u8], start: u32, end: u32) -> u64 {
    bytes_hash(text.get(start as usize..end as usize).unwrap_or_default())
}
