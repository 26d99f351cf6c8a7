//! Lock keys: what two concurrent writers must share if their signatures are near.
//!
//! A guard locks, looks, then inserts. Two writers that do not share a lock do not see each other's row, so any two
//! signatures within the distance must have a key in common. Probes do not give that: they meet stored bands, not each other.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::simhash::{band_value, check_distance};
use crate::Result;

/// Hands to `sink` the lock keys of `signature`: any two signatures within `distance` bits share at least one.
///
/// The word is cut into distance + 1 interleaved bands; bits that differ can spoil at most `distance` of them. A key is the
/// XXH3-64 of the band's value with the number of bands and the band as seed, so keys of different distances do not meet.
///
/// # Errors
/// `InvalidParameter` if `distance` is above [`MAX_DISTANCE`](super::MAX_DISTANCE).
pub fn lock_keys(signature: u64, distance: u32, mut sink: impl FnMut(i64)) -> Result<()> {
    check_distance(distance)?;
    let bands = distance + 1;
    for i in 0..bands {
        let seed = u64::from(bands << 8 | i);
        sink(xxh3_64_with_seed(&band_value(signature, i, bands).to_le_bytes(), seed).cast_signed());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn keys(signature: u64, distance: u32) -> Vec<i64> {
        let mut keys = Vec::new();
        lock_keys(signature, distance, |key| keys.push(key)).unwrap();
        keys
    }

    #[test]
    fn distance_has_a_range() {
        let error = lock_keys(0, 12, |_| ()).unwrap_err();
        assert_eq!(error.message, "distance must be between 0 and 11: 12");
    }

    proptest! {
        #[test]
        fn neighbours_share_a_key(
            signature: u64,
            distance in 0u32..=11,
            flips in prop::collection::vec(0u32..64, 11),
        ) {
            let other = flips.iter().take(distance as usize).fold(signature, |word, flip| word ^ (1 << flip));
            let ours = keys(signature, distance);
            prop_assert!(keys(other, distance).iter().any(|key| ours.contains(key)));
        }
    }
}
