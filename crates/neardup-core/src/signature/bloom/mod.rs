//! Bloom filter: a set of texts with a few bits per text. It recognises every text that was added, and rarely one that was not
//! (Gao and Li 2014, the first stage).
//!
//! [`BloomFilter`] is built and filled. [`BloomRef`] reads the binary form in place. [`BloomHeader`] says which of its bytes a text
//! needs. `format` has the layout. The text form is the binary form in hexadecimal digits. Formats and positions never change
//! within a version.

mod format;
#[cfg(test)]
mod tests;

pub use format::{BloomHeader, BloomRef};

use super::hex;
use format::{HEADER_BYTES, MAX_BITS, MAX_HASHES, VERSION};
use neardup_text::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

/// A Bloom filter being filled; it is its own binary form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BloomFilter {
    bytes: Vec<u8>,
}

impl BloomFilter {
    /// Makes an empty filter that claims at most about `false_positive_rate` of other texts once it holds `expected` ones.
    ///
    /// It has m = -expected * ln(rate) / ln(2)^2 bits, rounded up to whole words of 64, and k = ln(2) * m / expected
    /// positions a text, rounded, 1 to 32 (Gao and Li 2014: the rate is (1 - e^(-kn/m))^k).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] if `expected` is 0 or the rate is not between 0 and 1;
    /// [`ErrorKind::LimitExceeded`] if the filter would have more than 2^32 bits.
    pub fn new(expected: u64, false_positive_rate: f64) -> Result<Self> {
        if expected == 0 {
            return Err(Error::new(ErrorKind::InvalidParameter, "invalid expected number of texts: 0")
                .with_hint("A bloom filter expects at least one text."));
        }
        if !(false_positive_rate > 0.0 && false_positive_rate < 1.0) {
            return Err(Error::new(
                ErrorKind::InvalidParameter,
                format!("invalid false positive rate: {false_positive_rate}"),
            )
            .with_hint("The rate is greater than 0 and less than 1."));
        }
        let ln_2 = std::f64::consts::LN_2;
        let bits = -(expected as f64) * false_positive_rate.ln() / (ln_2 * ln_2);
        if bits > MAX_BITS as f64 {
            return Err(Error::new(ErrorKind::LimitExceeded, format!("bloom filter would need {bits:.0} bits"))
                .with_detail(format!("The limit is {MAX_BITS} bits, which is 512 MB."))
                .with_hint("Expect fewer texts, allow a higher false positive rate, or use several filters."));
        }
        let bits = (bits.ceil() as u64).next_multiple_of(64).clamp(64, MAX_BITS);
        let hashes = (ln_2 * bits as f64 / expected as f64).round().clamp(1.0, f64::from(MAX_HASHES)) as u8;
        let length = HEADER_BYTES + (bits / 8) as usize;
        let mut bytes = Vec::new();
        // Half a gigabyte may not be there; an allocation that cannot fail would take the server down.
        bytes.try_reserve_exact(length).map_err(|_| {
            Error::new(ErrorKind::LimitExceeded, format!("no memory for a bloom filter of {length} bytes"))
        })?;
        bytes.resize(length, 0);
        let (header, _) = bytes.split_at_mut(HEADER_BYTES);
        let (kind, size) = header.split_at_mut(8);
        kind.copy_from_slice(&[VERSION, hashes, 0, 0, 0, 0, 0, 0]);
        size.copy_from_slice(&bits.to_le_bytes());
        Ok(Self { bytes })
    }

    /// Takes the binary form of a filter after checking every rule of the format.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        BloomRef::parse(&bytes)?;
        Ok(Self { bytes })
    }

    /// Returns the binary form.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the binary form, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds a normalised text, and says whether the filter seemed to hold it before.
    pub fn insert(&mut self, text: &str) -> bool {
        let mut held = true;
        for (place, bit) in self.header().places(text) {
            if let Some(byte) = self.bytes.get_mut(place) {
                held &= *byte & bit != 0;
                *byte |= bit;
            }
        }
        held
    }

    /// Adds what another filter of the same size holds.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the filters differ in size or number of positions; [`ErrorKind::InvalidBinary`] if the
    /// other is no filter.
    pub fn union(&mut self, other: &[u8]) -> Result<()> {
        let other = BloomRef::parse(other)?;
        let (left, right) = (self.header(), other.header);
        if left != right {
            return Err(Error::new(ErrorKind::Mismatch, "cannot merge bloom filters of different sizes")
                .with_detail(format!(
                    "The left one has {} bits and {} positions a text; the right one has {} and {}.",
                    left.bits, left.hashes, right.bits, right.hashes
                ))
                .with_hint("Create both for the same expected number of texts and false positive rate."));
        }
        let own = self.bytes.get_mut(HEADER_BYTES..).unwrap_or_default();
        own.iter_mut().zip(other.data).for_each(|(own, other)| *own |= other);
        Ok(())
    }

    /// Reads the filter in place.
    ///
    /// # Errors
    /// None in practice: the bytes of a filter keep the rules.
    pub fn view(&self) -> Result<BloomRef<'_>> {
        BloomRef::parse(&self.bytes)
    }

    fn header(&self) -> BloomHeader {
        match self.bytes.split_first_chunk::<HEADER_BYTES>() {
            Some((&[_, hashes, _, _, _, _, _, _, bits @ ..], _)) => {
                BloomHeader { hashes, bits: u64::from_le_bytes(bits) }
            }
            None => BloomHeader { hashes: 0, bits: 0 },
        }
    }
}

impl FromStr for BloomFilter {
    type Err = Error;

    /// Reads the text form: the binary form in hexadecimal digits, upper or lower case.
    fn from_str(text: &str) -> Result<Self> {
        hex::parse("bloom_filter", text, Self::from_bytes)
    }
}

impl fmt::Display for BloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.bytes, f)
    }
}
