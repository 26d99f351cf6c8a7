//! Bloom filter: a set of texts in a few bits each, which never denies a text it holds and rarely claims one it does not
//! (methods.md G, exact stage A).
//!
//! ```text
//! offset  bytes  what
//! 0       1      format version, 1
//! 1       1      k, positions a text, 1 to 32
//! 2       6      0
//! 8       8      m, the number of bits: a multiple of 64, up to 2^32
//! 16      m / 8  the bits: bit i is bit i mod 8, from the least significant, of byte 16 + i div 8
//! ```
//!
//! Numbers are little-endian. With the two halves of the text's digest (XXH3-128, [`text_digest`]) as low and high, position i
//! for i from 0 to k - 1 is floor((low + i * high mod 2^64) * m / 2^64): double hashing (Kirsch, Mitzenmacher 2006), in
//! place of the two weak hash functions of the paper.
//!
//! Main items: [`BloomFilter`] is built and filled, [`BloomRef`] reads the binary form in place, [`BloomHeader`] says which of its
//! bytes a text needs. The text form is the binary
//! form in hexadecimal digits. Formats and positions never change within a version.
//!
//! [`text_digest`]: super::digest::text_digest

use super::digest::digest_number;
use super::hex;
use crate::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

const VERSION: u8 = 1;
const HEADER_BYTES: usize = 16;
/// 512 MiB, half of what a Postgres value can hold.
const MAX_BITS: u64 = 1 << 32;
const MAX_HASHES: u8 = 32;

/// A Bloom filter being filled; it is its own binary form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BloomFilter {
    bytes: Vec<u8>,
}

impl BloomFilter {
    /// Makes an empty filter that claims at most about `false_positive_rate` of other texts once it holds `expected` ones.
    ///
    /// It has m = -expected * ln(rate) / ln(2)^2 bits, rounded up to whole words of 64, and k = ln(2) * m / expected
    /// positions a text, rounded, 1 to 32 (methods.md G: the rate is (1 - e^(-kn/m))^k).
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

    /// Gives the binary form.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives the binary form, owned.
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
            return Err(Error::new(ErrorKind::Mismatch, "cannot unite bloom filters of different sizes")
                .with_detail(format!(
                    "The left one has {} bits and {} positions a text; the right one has {} and {}.",
                    left.bits, left.hashes, right.bits, right.hashes
                ))
                .with_hint("Make both for the same expected number of texts and false positive rate."));
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
        let invalid = |detail: String| {
            let message = format!("invalid input syntax for type bloom_filter: \"{}\"", hex::shorten(text));
            Error::new(ErrorKind::InvalidText, message).with_detail(detail)
        };
        let bytes = hex::decode(text).map_err(|detail| invalid(detail.to_owned()))?;
        Self::from_bytes(bytes).map_err(|error| invalid(error.detail.unwrap_or(error.message)))
    }
}

impl fmt::Display for BloomFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.bytes, f)
    }
}

/// What the header of a filter says: enough to know which bits a text needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloomHeader {
    hashes: u8,
    bits: u64,
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

    /// Gives the bits that are set where the filter holds a text: the byte of the whole binary form, and the bit in it.
    pub fn places(self, text: &str) -> impl Iterator<Item = (usize, u8)> + use<> {
        positions(digest_number(text), self.hashes, self.bits)
            .map(|position| (HEADER_BYTES + (position / 8) as usize, 1 << (position % 8)))
    }
}

/// A filter in its binary form, borrowed and checked.
#[derive(Clone, Copy, Debug)]
pub struct BloomRef<'a> {
    header: BloomHeader,
    bytes: &'a [u8],
    data: &'a [u8],
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

    /// Gives the number of bits.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.header.bits
    }

    /// Gives the number of positions a text, 1 to 32.
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
            crate::interrupt::check();
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{BloomFilter, BloomRef, HEADER_BYTES};
    use crate::ErrorKind;
    use proptest::prelude::*;

    fn filled(expected: u64, rate: f64, texts: &[String]) -> BloomFilter {
        let mut filter = BloomFilter::new(expected, rate).unwrap();
        texts.iter().for_each(|text| {
            filter.insert(text);
        });
        filter
    }

    proptest! {
        #[test]
        fn every_text_added_is_found(texts in prop::collection::vec(".{0,20}", 0..50), expected in 1_u64..100) {
            let filter = filled(expected, 0.01, &texts);
            let view = filter.view().unwrap();
            prop_assert!(texts.iter().all(|text| view.contains(text)));
        }

        #[test]
        fn a_union_is_the_filter_of_all(
            left in prop::collection::vec(".{0,9}", 0..30),
            right in prop::collection::vec(".{0,9}", 0..30),
        ) {
            let mut union = filled(50, 0.02, &left);
            union.union(filled(50, 0.02, &right).as_bytes()).unwrap();
            prop_assert_eq!(union, filled(50, 0.02, &[left, right].concat()));
        }

        #[test]
        fn text_and_bytes_round_trip(texts in prop::collection::vec(".{0,9}", 0..30)) {
            let filter = filled(30, 0.1, &texts);
            prop_assert_eq!(&filter.to_string().parse::<BloomFilter>().unwrap(), &filter);
            prop_assert_eq!(&BloomFilter::from_bytes(filter.as_bytes().to_vec()).unwrap(), &filter);
        }

        #[test]
        fn any_bytes_are_refused_or_read_back_whole(bytes in prop::collection::vec(any::<u8>(), 0..40), valid: bool) {
            let mut bytes = bytes;
            if valid && bytes.len() >= HEADER_BYTES {
                bytes[..HEADER_BYTES].copy_from_slice(&[1, 3, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
            }
            match BloomFilter::from_bytes(bytes.clone()) {
                Ok(filter) => {
                    prop_assert!(filter.view().unwrap().false_positive_rate() <= 1.0);
                    prop_assert_eq!(filter.into_bytes(), bytes);
                }
                Err(error) => prop_assert_eq!(error.kind, ErrorKind::InvalidBinary),
            }
        }
    }

    /// 20,000 texts in, 20,000 others asked: the rate holds within four standard errors, and both estimates are near.
    #[test]
    fn false_positives_are_as_rare_as_asked() {
        let texts = |from: u32| (from..from + 20_000).map(|i| format!("第{i}条消息")).collect::<Vec<String>>();
        for rate in [0.1, 0.01, 0.001_f64] {
            let filter = filled(20_000, rate, &texts(0));
            let view = filter.view().unwrap();
            let claimed = texts(1_000_000).iter().filter(|text| view.contains(text)).count() as f64;
            let expected = rate * 20_000.0;
            assert!((claimed - expected).abs() < 4.0 * expected.sqrt(), "{rate}: {claimed}, not {expected}");
            assert!((view.false_positive_rate() / rate - 1.0).abs() < 0.1, "{rate}");
            assert!((view.estimated_count() / 20_000.0 - 1.0).abs() < 0.02, "{rate}");
        }
    }

    #[test]
    fn insert_tells_first_from_repeated() {
        let mut filter = BloomFilter::new(100, 0.001).unwrap();
        assert!(!filter.insert("新闻"));
        assert!(filter.insert("新闻"));
    }

    #[test]
    fn parameters_have_ranges() {
        for (expected, rate) in [(0, 0.1), (10, 0.0), (10, 1.0), (10, f64::NAN), (10, -1.0)] {
            assert_eq!(BloomFilter::new(expected, rate).unwrap_err().kind, ErrorKind::InvalidParameter);
        }
        assert_eq!(BloomFilter::new(u64::MAX, 0.01).unwrap_err().kind, ErrorKind::LimitExceeded);
        // The shape that methods.md G's formula gives for 500,000 texts at 1 percent.
        let filter = BloomFilter::new(500_000, 0.01).unwrap();
        assert_eq!((filter.view().unwrap().bits(), filter.view().unwrap().hashes()), (4_792_576, 7));
    }

    #[test]
    fn only_equal_shapes_unite() {
        let mut left = BloomFilter::new(100, 0.01).unwrap();
        let right = BloomFilter::new(200, 0.01).unwrap();
        let error = left.union(right.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Mismatch);
        assert_eq!(
            error.detail.unwrap(),
            "The left one has 960 bits and 7 positions a text; the right one has 1920 and 7."
        );
    }

    #[test]
    fn each_broken_rule_is_named() {
        let good = BloomFilter::new(5, 0.01).unwrap().into_bytes();
        for (at, value, detail) in [
            (0, 2, "Its format version is 2, not 1."),
            (1, 0, "It has 0 positions a text, not 1 to 32."),
            (1, 33, "It has 33 positions a text, not 1 to 32."),
            (5, 1, "Bytes 2 to 7 are not 0."),
            (8, 1, "It announces 1 bits, not a multiple of 64 up to 4294967296."),
            (8, 128, "It announces 128 bits and has 8 bytes of them."),
            (13, 1, "It announces 1099511627840 bits, not a multiple of 64 up to 4294967296."),
        ] {
            let mut bytes = good.clone();
            bytes[at] = value;
            assert_eq!(BloomRef::parse(&bytes).unwrap_err().detail.unwrap(), detail);
        }
        assert_eq!(
            BloomRef::parse(&good[..9]).unwrap_err().detail.unwrap(),
            "It has 9 bytes, fewer than a header's 16."
        );
        let error = "0g".parse::<BloomFilter>().unwrap_err();
        assert_eq!(error.message, "invalid input syntax for type bloom_filter: \"0g\"");
    }
}
