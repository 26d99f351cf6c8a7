//! Lock keys: what two concurrent writers must share if their signatures are near.
//!
//! A guard locks, searches, then inserts. Two writers without a common lock do not see each other's row, so any two signatures
//! within the distance must share a lock key. The probes of the index do not serve: they match stored bands, not each other.
//! Signatures that are not near should share no key, because their writers would wait without need. Distance + 1 bands would meet
//! the first demand, but at distance 11 two random rows share a band with probability 27 %. Hence wider covers from distance 4 on.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::cover::Cover;
use super::simhash::check_distance;
use neardup_text::Result;

/// The cover for each distance: about the fewest keys with a chance collision below 0.1 %, or else with at most 40 keys the
/// rarest chance collision.
const COVERS: [Cover; 12] = [
    Cover { kept: 1, parts: 1 },
    Cover { kept: 1, parts: 2 },
    Cover { kept: 1, parts: 3 },
    Cover { kept: 1, parts: 4 },
    Cover { kept: 2, parts: 3 },
    Cover { kept: 2, parts: 3 },
    Cover { kept: 2, parts: 2 },
    Cover { kept: 2, parts: 2 },
    Cover { kept: 2, parts: 2 },
    Cover { kept: 2, parts: 2 },
    Cover { kept: 2, parts: 2 },
    Cover { kept: 3, parts: 4 },
];

/// Hands to `sink` the lock keys of `signature`: any two signatures within `distance` bits share at least one.
///
/// There are 1, 2, 3, 4, 7, 9, 16, 20, 25, 30, 36 or 40 keys for distance 0 to 11, always in the same order. A key is the
/// XXH3-64 of the bits that one mask of the cover keeps, seeded with distance and mask, so keys of different distances or
/// masks do not meet. Two sessions agree on them only if they run the same version of this table.
///
/// # Errors
/// `InvalidParameter` if `distance` is above [`MAX_DISTANCE`](super::MAX_DISTANCE).
pub fn lock_keys(signature: u64, distance: u32, mut sink: impl FnMut(i64)) -> Result<()> {
    check_distance(distance)?;
    let masks = COVERS[distance as usize].masks(distance, u64::MAX);
    for (i, mask) in (0u64..).zip(masks) {
        let seed = u64::from(distance) << 8 | i;
        sink(xxh3_64_with_seed(&(signature & mask).to_le_bytes(), seed).cast_signed());
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
    fn counts_are_the_documented_ones() {
        let counts: Vec<usize> = (0..=11).map(|distance| keys(1, distance).len()).collect();
        assert_eq!(counts, [1, 2, 3, 4, 7, 9, 16, 20, 25, 30, 36, 40]);
    }

    /// Values computed apart, in Python, from the definition.
    #[test]
    fn keys_are_frozen() {
        assert_eq!(keys(0x0123_4567_89ab_cdef, 0), [-5_220_248_025_640_568_922]);
        let at_3 = [
            7_622_802_434_343_518_938,
            3_361_280_969_675_955_170,
            6_659_228_169_336_293_330,
            -4_128_089_032_459_788_466,
        ];
        assert_eq!(keys(0x0123_4567_89ab_cdef, 3), at_3);
        let at_4 = [
            3_223_596_930_662_541_062,
            5_762_857_146_152_664_624,
            -4_637_280_766_433_518_115,
            685_614_210_706_165_599,
            -161_926_260_258_933_078,
            4_217_785_608_850_224_545,
            4_117_014_688_613_404_775,
        ];
        assert_eq!(keys(0x0123_4567_89ab_cdef, 4), at_4);
    }

    #[test]
    fn distance_has_a_range() {
        let error = lock_keys(0, 12, |_| ()).unwrap_err();
        assert_eq!(error.message, "distance must be between 0 and 11: 12");
    }

    /// The union bound over the masks, in shares of all pairs of random signatures.
    #[test]
    fn chance_collisions_are_rare() {
        let chance = |distance: u32| COVERS[distance as usize].chances(distance, 64);
        let documented = [0.0, 0.0, 2e-6, 7e-5, 2e-4, 6e-4, 0.0009, 0.0033, 0.0084, 0.021, 0.041, 0.063];
        for (distance, most) in (0..).zip(documented) {
            assert!(chance(distance) <= most + 1e-9, "{distance}: {}", chance(distance));
        }
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
