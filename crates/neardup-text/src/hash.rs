//! The token hash that all signatures use.
//!
//! It is XXH3-64 with seed 0 over the token's UTF-8 bytes: fast on the 9 to 16 bytes of a Chinese token or shingle, frozen by its
//! own specification, and available in every language (`xxhash.xxh3_64_intdigest` in Python).
//!
//! [`token_hash`] hashes one token. For up to 128 bytes it is our own inlined version of the specification, because for so short a
//! token the call and the length dispatch of a general implementation cost more than the hash. The `xxhash-rust` crate hashes
//! longer tokens and is the oracle in the tests. [`mix`] derives further hashes from one.

mod short;

/// Constants of XXH3 for the kernels that hash several tokens at once.
#[cfg(target_arch = "x86_64")]
pub use short::{HIGH_FLIP, LOW_FLIP, PRIME_MX1, PRIME_MX2, SHORT_FLIP};

/// Hashes a token to 64 bits; never depends on CPU, locale or byte order.
#[inline]
#[must_use]
pub fn token_hash(token: &str) -> u64 {
    short::hash(token.as_bytes())
}

/// Hashes the bytes of a token, as [`token_hash`] does.
#[inline(always)]
#[must_use]
pub fn bytes_hash(bytes: &[u8]) -> u64 {
    short::hash(bytes)
}

/// Derives the `stream`-th further hash from a hash: the finalizer of SplitMix64 over `hash + stream * 0x9e3779b97f4a7c15`.
///
/// A bijection of `hash` for each `stream`. Source: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
/// generators", with the constants of Stafford's variant 13.
#[inline(always)]
#[must_use]
pub const fn mix(hash: u64, stream: u64) -> u64 {
    let mut x = hash.wrapping_add(stream.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::{mix, token_hash};

    /// Values from the reference implementation, xxHash 0.8.
    #[test]
    fn agrees_with_the_reference() {
        assert_eq!(token_hash(""), 0x2d06_8005_38d3_94c2);
        assert_eq!(token_hash("abc"), 0x78af_5f94_892f_3950);
    }

    /// The first outputs of SplitMix64 seeded with 0, as Java's SplittableRandom gives them.
    #[test]
    fn mix_is_splitmix64() {
        assert_eq!(mix(0, 1), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0, 2), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(mix(0, 3), 0x06c4_5d18_8009_454f);
    }
}
