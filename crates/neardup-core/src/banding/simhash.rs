//! Bands of a 64-bit SimHash, and the probes that find all its neighbours.
//!
//! With m bands, bit b of the word belongs to band b mod m, at position b div m. The key of band i is i * 2^ceil(64/m) + its value.
//! One non-negative `int4` holds band and value, so one array column and one index hold all bands. This works for three or more
//! bands; two bands of 32 bits do not fit.

use std::ops::RangeInclusive;

use neardup_text::{Error, ErrorKind, Result};

/// How many bands a SimHash can be cut into: two bands of 32 bits would not fit an `int4` key.
pub const BANDS: RangeInclusive<u32> = 3..=64;

/// The usual number of bands: with 16 bits each, four lookups find all neighbours up to distance 3.
pub const DEFAULT_BANDS: u32 = 4;

/// The greatest Hamming distance that probes, lock keys and grouping are exact for.
pub const MAX_DISTANCE: u32 = 11;

/// Hands the key of each band of `signature`, in order of the bands, to `sink`.
///
/// # Errors
/// `InvalidParameter` unless `bands` is in [`BANDS`].
#[inline]
pub fn bands(signature: u64, bands: u32, mut sink: impl FnMut(i32)) -> Result<()> {
    check_bands(bands)?;
    for i in 0..bands {
        sink(key(i, bands, band_value(signature, i, bands)));
    }
    Ok(())
}

/// Returns the key of band `i`, counted from 0.
///
/// # Errors
/// `InvalidParameter` unless `bands` is in [`BANDS`] and `i` below it.
#[inline]
pub fn band(signature: u64, i: u32, bands: u32) -> Result<i32> {
    check_bands(bands)?;
    if i >= bands {
        let message = format!("band must be between 0 and {}: {i}", bands - 1);
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    Ok(key(i, bands, band_value(signature, i, bands)))
}

/// Hands to `sink` the keys under which every signature within `distance` bits of `signature` is stored; each key once.
///
/// Exact by multi-index hashing (Norouzi, Punjani and Fleet 2012): let distance = m * s + a with a < m. If the first a + 1 bands all
/// differed in more than s bits and the others in more than s - 1, the words would differ in at least
/// (a + 1)(s + 1) + (m - a - 1)s = distance + 1 bits. So it is enough to look up the former within radius s and the latter
/// within s - 1, where radius -1 means not at all.
///
/// # Errors
/// `InvalidParameter` unless `bands` is in [`BANDS`] and `distance` at most [`MAX_DISTANCE`].
pub fn probes(signature: u64, distance: u32, bands: u32, mut sink: impl FnMut(i32)) -> Result<()> {
    check_bands(bands)?;
    check_distance(distance)?;
    let (radius, last) = (distance / bands, distance % bands);
    for i in 0..bands {
        let flips = if i <= last { Some(radius) } else { radius.checked_sub(1) };
        let Some(flips) = flips else { break };
        let places = band_bits(i, bands);
        flip(band_value(signature, i, bands), 0, places, flips, &mut |value| sink(key(i, bands, value)));
    }
    Ok(())
}

/// Hands over `value` with up to `flips` of the bits from `from` to `places` flipped.
fn flip(value: u64, from: u32, places: u32, flips: u32, sink: &mut impl FnMut(u64)) {
    sink(value);
    if flips > 0 {
        for place in from..places {
            flip(value ^ (1 << place), place + 1, places, flips - 1, sink);
        }
    }
}

/// Says how many bits band `i` of `bands` has.
#[inline]
pub(super) fn band_bits(i: u32, bands: u32) -> u32 {
    (64 - i).div_ceil(bands)
}

/// Gathers every `bands`-th bit of the word, from bit `i` on.
#[inline]
pub(super) fn band_value(signature: u64, i: u32, bands: u32) -> u64 {
    let word = signature >> i;
    if bands == DEFAULT_BANDS { every_fourth(word) } else { every_nth(word, bands) }
}

/// Closes the gaps between the wanted bits by halves: 1 bit in 4, 2 in 8, 4 in 16, 8 in 32, 16 in 64.
#[inline]
fn every_fourth(word: u64) -> u64 {
    let word = word & 0x1111_1111_1111_1111;
    let word = (word | word >> 3) & 0x0303_0303_0303_0303;
    let word = (word | word >> 6) & 0x000f_000f_000f_000f;
    let word = (word | word >> 12) & 0x0000_00ff_0000_00ff;
    (word | word >> 24) & 0xffff
}

#[inline]
fn every_nth(mut word: u64, n: u32) -> u64 {
    let (mut value, mut place) = (0, 0);
    while word != 0 {
        value |= (word & 1) << place;
        place += 1;
        word = word.checked_shr(n).unwrap_or(0);
    }
    value
}

#[inline]
fn key(i: u32, bands: u32, value: u64) -> i32 {
    ((i << 64u32.div_ceil(bands)) | value as u32) as i32
}

#[inline]
fn check_bands(bands: u32) -> Result<()> {
    if BANDS.contains(&bands) {
        return Ok(());
    }
    let message = format!("bands must be between {} and {}: {bands}", BANDS.start(), BANDS.end());
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

#[inline]
pub(crate) fn check_distance(distance: u32) -> Result<()> {
    if distance <= MAX_DISTANCE {
        return Ok(());
    }
    let message = format!("distance must be between 0 and {MAX_DISTANCE}: {distance}");
    Err(Error::new(ErrorKind::InvalidParameter, message))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn all_bands(signature: u64, m: u32) -> Vec<i32> {
        let mut keys = Vec::new();
        bands(signature, m, |key| keys.push(key)).unwrap();
        keys
    }

    fn all_probes(signature: u64, distance: u32, m: u32) -> Vec<i32> {
        let mut keys = Vec::new();
        probes(signature, distance, m, |key| keys.push(key)).unwrap();
        keys
    }

    /// The definition, bit by bit.
    fn naive_band(signature: u64, i: u32, m: u32) -> i32 {
        let mut key = i64::from(i) << 64u32.div_ceil(m);
        for b in (0..64).filter(|b| b % m == i && signature >> b & 1 == 1) {
            key += 1 << (b / m);
        }
        i32::try_from(key).unwrap()
    }

    /// Values computed apart, in Python, from the definition.
    #[test]
    fn keys_are_frozen() {
        let signature = 0x0123_4567_89ab_cdef;
        assert_eq!(all_bands(signature, 4), [21845, 78643, 134927, 196863]);
        assert_eq!(all_bands(signature, 3), [84903, 4308077, 8787135]);
        assert_eq!(all_bands(signature, 10), [19, 143, 281, 429, 526, 643, 819, 911, 1049, 1170]);
        assert_eq!(all_bands(u64::MAX, 4), [0xffff, 0x1_ffff, 0x2_ffff, 0x3_ffff]);
        assert_eq!(all_bands(0, 4), [0, 0x1_0000, 0x2_0000, 0x3_0000]);
    }

    #[test]
    fn probe_counts_are_the_documented_ones() {
        let counts: Vec<usize> = (0..=MAX_DISTANCE).map(|d| all_probes(0x5bd1_e995, d, 4).len()).collect();
        assert_eq!(counts, [1, 2, 3, 4, 20, 36, 52, 68, 188, 308, 428, 548]);
        assert_eq!(all_probes(0, 5, 4)[..18], {
            let mut first: Vec<i32> = vec![0];
            first.extend((0..16).map(|place| 1 << place));
            first.push(0x1_0000);
            first[..18].to_vec()
        });
    }

    #[test]
    fn out_of_range_is_an_error_that_says_so() {
        let message = |result: Result<()>| result.unwrap_err().message;
        assert_eq!(message(bands(0, 2, |_| ())), "bands must be between 3 and 64: 2");
        assert_eq!(message(bands(0, 65, |_| ())), "bands must be between 3 and 64: 65");
        assert_eq!(message(band(0, 4, 4).map(|_| ())), "band must be between 0 and 3: 4");
        assert_eq!(message(probes(0, 12, 4, |_| ())), "distance must be between 0 and 11: 12");
    }

    /// The guarantee depends on the difference of the two words alone, so every placement of its bits over the bands counts,
    /// not every placement over the word: this walks all ways to spread `distance` bits over four bands.
    #[test]
    fn every_spread_of_the_difference_is_found() {
        let signature = 0x9e37_79b9_7f4a_7c15;
        for distance in 0..=MAX_DISTANCE {
            let stored = all_probes(signature, distance, 4);
            for a in 0..=distance {
                for b in 0..=distance - a {
                    for c in 0..=distance - a - b {
                        let mut other = signature;
                        for (i, count) in [a, b, c, distance - a - b - c].into_iter().enumerate() {
                            (0..count).for_each(|place| other ^= 1 << (4 * (place + 5) + i as u32));
                        }
                        assert_eq!((signature ^ other).count_ones(), distance);
                        assert!(all_bands(other, 4).iter().any(|key| stored.contains(key)), "{distance}: {a} {b} {c}");
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn bands_follow_the_definition(signature: u64, m in BANDS) {
            let naive: Vec<i32> = (0..m).map(|i| naive_band(signature, i, m)).collect();
            prop_assert_eq!(all_bands(signature, m), naive.clone());
            let single: Vec<i32> = (0..m).map(|i| band(signature, i, m).unwrap()).collect();
            prop_assert_eq!(single, naive);
        }

        #[test]
        fn probes_find_every_neighbour(
            signature: u64,
            m in BANDS,
            distance in 0..=MAX_DISTANCE,
            flips in prop::collection::vec(0u32..64, 0..=11),
        ) {
            let other = flips.iter().take(distance as usize).fold(signature, |word, flip| word ^ (1 << flip));
            let looked_up = all_probes(signature, distance, m);
            prop_assert!(all_bands(other, m).iter().any(|key| looked_up.contains(key)));
        }

        #[test]
        fn probes_are_distinct_keys_of_their_band(signature: u64, m in BANDS, distance in 0..=MAX_DISTANCE) {
            let keys = all_probes(signature, distance, m);
            let mut distinct = keys.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), keys.len());
            prop_assert!(keys.iter().all(|&key| key >= 0 && (key as u32 >> 64u32.div_ceil(m)) < m));
        }
    }
}
