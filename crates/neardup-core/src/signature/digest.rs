//! The digest of a text: 128 bits that show whether two normalised texts are equal, byte for byte.
//!
//! It is XXH3-128 with seed 0 over the UTF-8 bytes, in the canonical order of its specification, most significant byte first, as
//! `xxhash.xxh3_128_digest` gives it in Python. It is intended for a unique index: among a billion different texts, two have the
//! same digest with a probability of 1.5e-21. It is not a cryptographic hash: an attacker can make two texts with the same digest.
//!
//! The empty text has a digest, too. The digest of a text never changes; the caller chooses the normalisation that precedes it.

/// Returns the digest of a normalised text.
#[inline]
#[must_use]
pub fn text_digest(text: &str) -> [u8; 16] {
    digest_number(text).to_be_bytes()
}

/// Returns a number by which a text is known again: XXH3-64. Answers are stored with it, so it never changes.
#[must_use]
pub fn text_hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// Returns the digest as a number, the form from which Bloom filters draw their positions.
#[inline]
pub(crate) fn digest_number(text: &str) -> u128 {
    xxhash_rust::xxh3::xxh3_128(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::text_digest;

    fn hex(text: &str) -> String {
        text_digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Values from the reference implementation, xxHash 0.8.
    #[test]
    fn agrees_with_the_reference() {
        assert_eq!(hex(""), "99aa06d3014798d86001c324468d497f");
        assert_eq!(hex("abc"), "06b05ab6733a618578af5f94892f3950");
        assert_eq!(hex("近似重复"), "e6c15b6db6e0a59eba2ae6c1d24e8b3a");
    }
}
