//! The stored form of a Bloom filter, version 1, and a reader of it in place.
//!
//! ```text
//! offset  bytes  what
//! 0       1      format version, 1
//! 1       1      k, the number of positions per text, 1 to 32
//! 2       6      0
//! 8       8      m, the number of bits: a multiple of 64, up to 2^32
//! 16      m / 8  the bits: bit i is bit i mod 8, from the least significant, of byte 16 + i div 8
//! ```
//!
//! Numbers are little-endian. Let low and high be the two halves of the text's digest (XXH3-128,
//! [`text_digest`](crate::signature::digest::text_digest)). Position i, for i from 0 to k - 1, is floor((low + i * high mod 2^64) * m
//! / 2^64). This is double hashing (Kirsch, Mitzenmacher 2006), instead of the two weak hash functions of the paper.

use crate::signature::digest::digest_number;
use neardup_text::{Error, ErrorKind, Result};

pub(super) const VERSION: u8 = 1;
pub(super) const HEADER_BYTES: usize = 16;
/// 512 MiB, half of what a Postgres value can hold.
pub(super) const MAX_BITS: u64 = 1 << 32;
pub(super) const MAX_HASHES: u8 = 32;

/// What the header of a filter says: enough to know which bits a text needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomHeader {
    pub(super) hashes: u8,
    pub(super) bits: u64,
}

impl BloomHeader {
    /// Checks every rule of the format but the presence of the bits; `length` is that of the whole binary form, in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    pub fn parse(header: &[u8; HEADER_BYTES], length: usize) -> Result<Self> {
        let &[version, hashes, z0, z1, z2, z3, z4, z5, bits @ ..] = header;
        let bits = u64::from_le_bytes(bits);
        let Some(data) = length.checked_sub(HEADER_BYTES) else {
            return Err(invalid(format!("It has {length} bytes, fewer than a header's {HEADER_BYTES}.")));
        };
        if version != VERSION {
            return Err(invalid(format!("Its format version is {version}, not {VERSION}.")));
        }
        if !(1..=MAX_HASHES).contains(&hashes) {
            return Err(invalid(format!("It has {hashes} positions a text, not 1 to {MAX_HASHES}.")));
        }
        if [z0, z1, z2, z3, z4, z5] != [0; 6] {
            return Err(invalid("Bytes 2 to 7 are not 0.".to_owned()));
        }
        if bits == 0 || bits % 64 != 0 || bits > MAX_BITS {
            return Err(invalid(format!("It announces {bits} bits, not a multiple of 64 up to {MAX_BITS}.")));
        }
        if data as u64 != bits / 8 {
            return Err(invalid(format!("It announces {bits} bits and has {data} bytes of them.")));
        }
        Ok(Self { hashes, bits })
    }

    /// Returns the bits that are set where the filter holds a text: the byte of the whole binary form, and the bit in it.
    pub fn places(self, text: &str) -> impl Iterator<Item = (usize, u8)> + use<> {
        positions(digest_number(text), self.hashes, self.bits)
            .map(|position| (HEADER_BYTES + (position / 8) as usize, 1 << (position % 8)))
    }
}

/// A filter in its binary form, borrowed and checked.
#[derive(Clone, Copy, Debug)]
pub struct BloomRef<'a> {
    pub(super) header: BloomHeader,
    bytes: &'a [u8],
    pub(super) data: &'a [u8],
}

impl<'a> BloomRef<'a> {
    /// Checks every rule of the format, in constant time.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let Some((header, data)) = bytes.split_first_chunk() else {
            return Err(invalid(format!("It has {} bytes, fewer than a header's {HEADER_BYTES}.", bytes.len())));
        };
        Ok(Self { header: BloomHeader::parse(header, bytes.len())?, bytes, data })
    }

    /// Says whether the filter may hold a normalised text: surely not if `false`.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.header.places(text).all(|(place, bit)| self.bytes.get(place).is_some_and(|byte| byte & bit != 0))
    }

    /// Returns the number of bits, a multiple of 64.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.header.bits
    }

    /// Returns the number of positions a text, 1 to 32.
    #[must_use]
    pub const fn hashes(&self) -> u8 {
        self.header.hashes
    }

    /// Estimates the share of other texts that the filter, filled as it is, would claim: the share of bits set to the power of
    /// the number of positions. Reads the whole filter.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.fill().powi(i32::from(self.header.hashes))
    }

    /// Estimates how many different texts were added, infinite for a full filter: -m / k * ln(1 - share of bits set)
    /// (Swamidass, Baldi 2007). Reads the whole filter.
    #[must_use]
    pub fn estimated_count(&self) -> f64 {
        -(self.header.bits as f64) / f64::from(self.header.hashes) * (1.0 - self.fill()).ln()
    }

    /// The share of bits set.
    fn fill(&self) -> f64 {
        let mut ones = 0_u64;
        for chunk in self.data.chunks(1 << 20) {
            ones += chunk.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
            neardup_text::interrupt::check();
        }
        ones as f64 / self.header.bits as f64
    }
}

/// The positions of a text.
fn positions(digest: u128, hashes: u8, bits: u64) -> impl Iterator<Item = u64> {
    let (low, high) = (digest as u64, (digest >> 64) as u64);
    (0..u64::from(hashes)).map(move |i| {
        let hash = low.wrapping_add(i.wrapping_mul(high));
        ((u128::from(hash) * u128::from(bits)) >> 64) as u64
    })
}

#[cold]
fn invalid(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidBinary, "invalid binary form of type bloom_filter").with_detail(detail)
}
