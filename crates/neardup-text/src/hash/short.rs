//! XXH3-64, seed 0, with the paths for short input written out so that they inline into the loops that hash shingles.
//!
//! Follows the XXH3 specification (xxHash 0.8, `doc/xxhash_spec.md`, sections "XXH3 algorithm, small inputs" and "medium
//! inputs"); the constants are words of its default secret.

const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
/// What the last step of the path for 9 to 16 bytes multiplies with.
pub const PRIME_MX1: u64 = 0x1656_6791_9e37_79f9;
/// What the path for 4 to 8 bytes multiplies with.
pub const PRIME_MX2: u64 = 0x9fb2_1c65_1e98_df25;

/// The first 128 bytes of the default secret, as little-endian words.
const SECRET: [u64; 16] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
    0xcb00_c391_bb52_283c,
    0xa32e_531b_8b65_d088,
    0x4ef9_0da2_9748_6471,
    0xd8ac_dea9_46ef_1938,
    0x3f34_9ce3_3f76_faa8,
    0x1d4f_0bc7_c7bb_dcf9,
    0x3159_b4cd_4be0_518a,
    0x6473_78d9_c97e_9fc8,
];

/// What the path for 4 to 8 bytes adds to its word.
pub const SHORT_FLIP: u64 = SECRET[1] ^ SECRET[2];
/// What the path for 9 to 16 bytes adds to its two words.
pub const LOW_FLIP: u64 = SECRET[3] ^ SECRET[4];
/// The second of them.
pub const HIGH_FLIP: u64 = SECRET[5] ^ SECRET[6];

/// Hashes any bytes; the most frequent lengths are tried first.
#[inline(always)]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    match bytes.len() {
        9..=16 => hash_9_to_16(bytes),
        4..=8 => hash_4_to_8(bytes),
        17..=32 => hash_17_to_32(bytes),
        _ => hash_other(bytes),
    }
}

#[inline(always)]
fn hash_4_to_8(bytes: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else { return 0 };
    let input = u64::from(u32::from_le_bytes(*last)) + (u64::from(u32::from_le_bytes(*first)) << 32);
    let mut h = input ^ SHORT_FLIP;
    h ^= h.rotate_left(49) ^ h.rotate_left(24);
    h = h.wrapping_mul(PRIME_MX2);
    h ^= (h >> 35).wrapping_add(bytes.len() as u64);
    h = h.wrapping_mul(PRIME_MX2);
    h ^ (h >> 28)
}

#[inline(always)]
fn hash_9_to_16(bytes: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else { return 0 };
    let low = u64::from_le_bytes(*first) ^ LOW_FLIP;
    let high = u64::from_le_bytes(*last) ^ HIGH_FLIP;
    let sum = (bytes.len() as u64).wrapping_add(low.swap_bytes()).wrapping_add(high);
    avalanche(sum.wrapping_add(fold_product(low, high)))
}

#[inline(always)]
fn hash_17_to_32(bytes: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else { return 0 };
    let sum = (bytes.len() as u64).wrapping_mul(PRIME64_1);
    avalanche(sum.wrapping_add(mix_16(first, SECRET[0], SECRET[1])).wrapping_add(mix_16(last, SECRET[2], SECRET[3])))
}

/// The rarer lengths, out of line.
#[inline(never)]
fn hash_other(bytes: &[u8]) -> u64 {
    match bytes.len() {
        1..=3 => hash_1_to_3(bytes),
        33..=128 => hash_33_to_128(bytes),
        _ => xxhash_rust::xxh3::xxh3_64(bytes),
    }
}

fn hash_1_to_3(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(length / 2), bytes.last()) else {
        return 0;
    };
    let combined = (u64::from(first) << 16) | (u64::from(middle) << 24) | u64::from(last) | ((length as u64) << 8);
    let mut h = combined ^ ((SECRET[0] ^ (SECRET[0] >> 32)) & 0xffff_ffff);
    h = (h ^ (h >> 33)).wrapping_mul(PRIME64_2);
    h = (h ^ (h >> 29)).wrapping_mul(PRIME64_3);
    h ^ (h >> 32)
}

/// Pairs of 16-byte pieces, from both ends inwards; the i-th pair uses the secret's words 4 i to 4 i + 3.
fn hash_33_to_128(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let mut sum = (length as u64).wrapping_mul(PRIME64_1);
    for (i, secret) in SECRET.as_chunks::<4>().0.iter().enumerate().take(length.div_ceil(32)) {
        let from_start = bytes.get(16 * i..).and_then(|rest| rest.first_chunk());
        let from_end = bytes.get(..length - 16 * i).and_then(|rest| rest.last_chunk());
        if let (Some(from_start), Some(from_end)) = (from_start, from_end) {
            sum = sum.wrapping_add(mix_16(from_start, secret[0], secret[1]));
            sum = sum.wrapping_add(mix_16(from_end, secret[2], secret[3]));
        }
    }
    avalanche(sum)
}

#[inline(always)]
fn mix_16(piece: &[u8; 16], low_secret: u64, high_secret: u64) -> u64 {
    let piece = u128::from_le_bytes(*piece);
    fold_product(piece as u64 ^ low_secret, (piece >> 64) as u64 ^ high_secret)
}

#[inline(always)]
fn fold_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline(always)]
fn avalanche(mut h: u64) -> u64 {
    h = (h ^ (h >> 37)).wrapping_mul(PRIME_MX1);
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::hash;
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_64;

    proptest! {
        #[test]
        fn agrees_with_xxhash_rust(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(hash(&bytes), xxh3_64(&bytes));
        }
    }

    #[test]
    fn agrees_at_every_length() {
        let bytes: Vec<u8> = (0..1000_u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        for length in 0..bytes.len() {
            assert_eq!(hash(&bytes[..length]), xxh3_64(&bytes[..length]), "length {length}");
        }
    }
}
