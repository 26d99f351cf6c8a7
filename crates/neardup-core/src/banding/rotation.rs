//! A signature's bits with one band first: what an ordered index needs to answer from its entries alone.
//!
//! The four bands of a SimHash stand one after the other, 16 bits each, and band i is turned to the front. So all signatures
//! with a given value of band i are one range, each entry holds the whole signature, and two rotated words differ in as many
//! bits as the signatures. Promised not to change: rotated words lie in users' indexes.

use super::simhash::{DEFAULT_BANDS, band_value, check_distance, probes};
use crate::Result;

/// How many bits a band has.
pub(super) const WIDTH: u32 = 64 / DEFAULT_BANDS;

/// Gives the signature with the bits of band `band` first, then the next bands in their circle; `band` counts modulo 4.
#[must_use]
#[inline]
pub fn rotated(signature: u64, band: u32) -> u64 {
    let word = (0..DEFAULT_BANDS).fold(0, |word, i| word << WIDTH | band_value(signature, i, DEFAULT_BANDS));
    word.rotate_left(WIDTH * (band % DEFAULT_BANDS))
}

/// Gives the signature of a word that [`rotated`] has made for this band.
#[must_use]
#[inline]
pub fn unrotated(word: u64, band: u32) -> u64 {
    let word = word.rotate_right(WIDTH * (band % DEFAULT_BANDS));
    (0..DEFAULT_BANDS).fold(0, |signature, i| {
        let value = word >> (WIDTH * (DEFAULT_BANDS - 1 - i)) & 0xffff;
        signature | every_fourth_place(value) << i
    })
}

/// Moves 16 bits apart to every fourth place.
#[inline]
fn every_fourth_place(value: u64) -> u64 {
    let word = (value | value << 24) & 0x0000_00ff_0000_00ff;
    let word = (word | word << 12) & 0x000f_000f_000f_000f;
    let word = (word | word << 6) & 0x0303_0303_0303_0303;
    (word | word << 3) & 0x1111_1111_1111_1111
}

/// Hands to `sink` a band and the first and last rotated word of a range, for all ranges in which the signatures within
/// `distance` bits of `signature` lie; the ranges are those of [`probes`].
///
/// # Errors
/// `InvalidParameter` if `distance` is above [`MAX_DISTANCE`](super::MAX_DISTANCE).
pub fn ranges(signature: u64, distance: u32, mut sink: impl FnMut(u32, u64, u64)) -> Result<()> {
    check_distance(distance)?;
    probes(signature, distance, DEFAULT_BANDS, |key| {
        let key = u64::from(key.cast_unsigned());
        let first = (key & 0xffff) << (64 - WIDTH);
        sink((key >> WIDTH) as u32, first, first | u64::MAX >> WIDTH);
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::banding::band;

    /// Values computed apart, in Python, from the definition.
    #[test]
    fn words_are_frozen() {
        let signature = 0x0123_4567_89ab_cdef;
        assert_eq!(rotated(signature, 0), 0x5555_3333_0f0f_00ff);
        assert_eq!(rotated(signature, 1), 0x3333_0f0f_00ff_5555);
        assert_eq!(rotated(signature, 3), 0x00ff_5555_3333_0f0f);
    }

    proptest! {
        #[test]
        fn a_band_comes_first_and_nothing_is_lost(signature: u64, other: u64, i in 0u32..4) {
            let word = rotated(signature, i);
            prop_assert_eq!(word >> 48, u64::from(band(signature, i, 4).unwrap().cast_unsigned()) & 0xffff);
            prop_assert_eq!(unrotated(word, i), signature);
            prop_assert_eq!((word ^ rotated(other, i)).count_ones(), (signature ^ other).count_ones());
        }

        #[test]
        fn ranges_hold_every_neighbour(
            signature: u64,
            distance in 0u32..=11,
            flips in prop::collection::vec(0u32..64, 11),
        ) {
            let other = flips.iter().take(distance as usize).fold(signature, |word, flip| word ^ (1 << flip));
            let mut found = false;
            ranges(signature, distance, |i, first, last| found |= (first..=last).contains(&rotated(other, i))).unwrap();
            prop_assert!(found);
        }
    }
}
