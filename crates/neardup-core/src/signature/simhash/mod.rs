//! SimHash: 64 bits whose Hamming distance is small if two texts share most of their tokens.
//!
//! Every token adds its weight to the totals of the bits that are 1 in its hash, and subtracts it from the others. Bit i of the
//! signature is 1 if total i is positive, otherwise 0 (Zhang 2016, SimHash). Bit 0 is the least significant bit of
//! [`token_hash`](neardup_text::hash::token_hash).
//!
//! Main items: [`SimHashCounter`] collects hashes and finishes into a signature or its totals; [`hamming_distance`] compares two
//! signatures; [`parse_hex`] and [`to_hex`] are the text form.
//!
//! The signature is a plain `u64`: it is passed by value, stored in 8 bytes, and works with every bit operation. The bits for a set
//! of weighted tokens never change; `docs/internals/signatures.md` has the golden vectors.

mod counter;
mod kernel;

pub use counter::SimHashCounter;

use neardup_text::{Error, ErrorKind, Result};

/// The largest number of bits of a signature, and the width of a token's hash.
pub const MAX_BITS: u32 = 64;

/// Counts the bits in which two signatures differ, 0 to 64.
#[inline]
#[must_use]
pub const fn hamming_distance(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

/// Keeps the low `bits` bits of a signature and clears the others.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`] if `bits` is not 1 to 64.
pub fn keep_bits(signature: u64, bits: u32) -> Result<u64> {
    if !(1..=MAX_BITS).contains(&bits) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("invalid number of simhash bits: {bits}"))
            .with_hint("A simhash has 1 to 64 bits."));
    }
    Ok(signature & (u64::MAX >> (MAX_BITS - bits)))
}

/// Reads a signature from exactly 16 hexadecimal digits, upper or lower case, most significant first.
///
/// # Errors
/// [`ErrorKind::InvalidText`] for any other text.
pub fn parse_hex(text: &str) -> Result<u64> {
    // from_str_radix alone would also accept a sign.
    if text.len() == 16
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && let Ok(signature) = u64::from_str_radix(text, 16)
    {
        return Ok(signature);
    }
    Err(Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type simhash: \"{text}\"")))
}

/// Writes a signature as 16 lower-case hexadecimal digits, most significant first.
#[must_use]
pub fn to_hex(signature: u64) -> String {
    format!("{signature:016x}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{hamming_distance, keep_bits, parse_hex, to_hex};
    use neardup_text::ErrorKind;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hex_round_trip(signature: u64) {
            let text = to_hex(signature);
            prop_assert_eq!(text.len(), 16);
            prop_assert_eq!(parse_hex(&text), Ok(signature));
            prop_assert_eq!(parse_hex(&text.to_uppercase()), Ok(signature));
        }

        #[test]
        fn distance_counts_differing_bits(a: u64, b: u64) {
            let naive = (0..64).filter(|bit| (a >> bit) & 1 != (b >> bit) & 1).count();
            prop_assert_eq!(hamming_distance(a, b) as usize, naive);
            prop_assert_eq!(hamming_distance(a, b), hamming_distance(b, a));
        }
    }

    #[test]
    fn hex_is_strict() {
        for text in [
            "",
            "zz",
            "0",
            "+123456789abcdef",
            "0x23456789abcdef",
            "0123456789abcdef0",
            " 123456789abcde ",
            "１２３４５",
        ] {
            let error = parse_hex(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::InvalidText);
            assert_eq!(error.message, format!("invalid input syntax for type simhash: \"{text}\""));
        }
    }

    #[test]
    fn low_bits_are_kept() {
        assert_eq!(keep_bits(u64::MAX, 64), Ok(u64::MAX));
        assert_eq!(keep_bits(u64::MAX, 32), Ok(0xffff_ffff));
        assert_eq!(keep_bits(u64::MAX, 1), Ok(1));
        assert_eq!(keep_bits(0, 0).unwrap_err().kind, ErrorKind::InvalidParameter);
        assert_eq!(keep_bits(0, 65).unwrap_err().kind, ErrorKind::InvalidParameter);
    }
}
