//! Positional population count: for each of 64 bits, how many hashes of a batch have it set.

/// Adds to `ones[i]` how many of the hashes have bit i set.
pub(super) fn count_ones(hashes: &[u64], ones: &mut [u64; 64]) {
    for &hash in hashes {
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += (hash >> bit) & 1;
        }
    }
}
