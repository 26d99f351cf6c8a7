//! The stored form of a MinHash, version 1.
//!
//! ```text
//! offset  bytes  what
//! 0       1      format version, 1
//! 1       1      scheme: 1 many-hash, 2 bottom-k
//! 2       1      width of a value in bits: 16 or 32, or for bottom-k 64
//! 3       1      scale, 0 to 16, of 16-bit bottom-k; otherwise 0
//! 4       2      requested count: 8 to 1024; with 64 bits 1 to 1024
//! 6       2      number of values that follow: the count; fewer for bottom-k of a smaller set; with 64 bits up to one more
//! 8       8      fingerprint of everything that determines the token hashes
//! 16      ...    the values, 2, 4 or 8 bytes each; for bottom-k ascending, with 32 and 64 bits strictly
//! ```
//!
//! With 64 bits, a value beyond the count is the smallest of the text's opening. It is larger than the others, because it is not
//! among the smallest of the whole text.
//!
//! A 16-bit bottom-k value is the 32-bit value without its low 16 - scale bits. The scale is the number of leading zeros of the
//! largest value, at most 16. So the values are fixed-point numbers of one scale: their order is preserved and nearly all differ.
//!
//! Numbers are little-endian. The text form is the same bytes in hexadecimal digits. If any of this changes, or the values that a
//! set gives, the version number changes.

use super::many::MAX_COUNT;
use crate::signature::hex;
use neardup_text::{Error, ErrorKind, Result};
use std::fmt;
use std::str::FromStr;

const VERSION: u8 = 1;
/// The bytes before the values.
pub const HEADER_BYTES: usize = 16;
const MIN_COUNT: usize = 8;
/// The scale of values that have all their bits.
const MAX_SCALE: u32 = 16;

/// How a signature is made from the set of token hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// One minimum for each of many hash functions (MinMultiHash).
    ManyHash,
    /// The smallest values of one hash function (MinOneHash).
    BottomK,
}

impl Scheme {
    /// Returns the name that SQL uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ManyHash => "many_hash",
            Self::BottomK => "bottom_k",
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] for a name that no scheme has.
    pub fn parse(name: &str) -> Result<Self> {
        [Self::ManyHash, Self::BottomK].into_iter().find(|scheme| scheme.name() == name).ok_or_else(|| {
            Error::new(ErrorKind::InvalidParameter, format!("unrecognized minhash scheme: \"{}\"", hex::shorten(name)))
                .with_hint("Schemes are \"many_hash\" and \"bottom_k\".")
        })
    }
}

/// How many bits of each value are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Half the size; estimates are corrected for values that agree by chance (for many-hash: b-bit minwise hashing, Li and
    /// König 2010).
    Bits16,
    /// Chance agreement, one in 2^32, is left in the estimate.
    Bits32,
    /// Whole token hashes, for [`Scheme::BottomK`] alone: the smallest of a thousand 32-bit hashes crowd in a thousandth of their
    /// range, too few values for the keys of an index.
    Bits64,
}

impl Width {
    /// Returns the bits that a value takes.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Self::Bits16 => 16,
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }

    pub(super) const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }
}

/// What two signatures must share to be comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    scheme: Scheme,
    count: u16,
    width: Width,
    fingerprint: u64,
}

impl Parameters {
    /// Checks and joins the parameters: 8 to 1024 values of 16 or 32 bits, or for [`Scheme::BottomK`] 1 to 1024 of 64 bits.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] if the count or the width is outside its range.
    pub fn new(scheme: Scheme, count: usize, width: u32, fingerprint: u64) -> Result<Self> {
        let invalid = |message: String| Error::new(ErrorKind::InvalidParameter, message);
        let (width, fewest) = match (width, scheme) {
            (16, _) => (Width::Bits16, MIN_COUNT),
            (32, _) => (Width::Bits32, MIN_COUNT),
            // No estimate of similarity rests on them: a single one can be a key.
            (64, Scheme::BottomK) => (Width::Bits64, 1),
            _ => {
                return Err(invalid(format!("invalid width of minhash values: {width}"))
                    .with_hint("The width is 16 or 32 bits, or for scheme \"bottom_k\" 64."));
            }
        };
        if !(fewest..=MAX_COUNT).contains(&count) {
            return Err(invalid(format!("invalid number of minhash values: {count}"))
                .with_hint(format!("A minhash of {} bits has {fewest} to {MAX_COUNT} values.", width.bits())));
        }
        Ok(Self { scheme, count: count as u16, width, fingerprint })
    }

    /// Returns the parameters of a sketch: the `keys` smallest hashes, 1 to 1024, whole ([`Width::Bits64`]), and the smallest of the
    /// opening.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`] if the number is outside its range.
    pub fn sketch(keys: usize, fingerprint: u64) -> Result<Self> {
        Self::new(Scheme::BottomK, keys, 64, fingerprint)
    }

    /// Returns which values of a document the signature keeps.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the number of values asked for, 1 to 1024.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns the most values a signature has: the count, and of 64 bits one more.
    const fn most_values(&self) -> usize {
        self.count() + matches!(self.width, Width::Bits64) as usize
    }

    /// Returns the width of a value.
    #[must_use]
    pub const fn width(&self) -> Width {
        self.width
    }

    /// Says whether values are on a scale of their signature's own: those of [`Scheme::BottomK`] with 16 bits.
    const fn is_scaled(&self) -> bool {
        matches!((self.scheme, self.width), (Scheme::BottomK, Width::Bits16))
    }

    /// Returns the fingerprint of what made the token hashes.
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, count, width, fingerprint } = self;
        write!(f, "{}, {count} values of {} bits, fingerprint {fingerprint:016x}", scheme.name(), width.bits())
    }
}

/// Returns the fingerprint of what made the token hashes: XXH3-64 of a canonical description, seeded with the seed.
#[must_use]
pub fn fingerprint(description: &str, seed: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(description.as_bytes(), seed)
}

/// A signature in its binary form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MinHash {
    bytes: Vec<u8>,
}

impl MinHash {
    /// Writes the header and the low bits of each value; no more values than the parameters allow.
    pub(super) fn encode(parameters: Parameters, values: impl Iterator<Item = u64>) -> Self {
        Self::encode_scaled(parameters, 0, values)
    }

    /// Writes the values of the scheme bottom-k, ascending, in their width; no more than the parameters allow. They have 64
    /// bits where the width has, otherwise 32.
    pub(super) fn encode_smallest(parameters: Parameters, values: &[u64]) -> Self {
        if !parameters.is_scaled() {
            return Self::encode(parameters, values.iter().copied());
        }
        let zeros = values.last().map_or(0, |&largest| (largest as u32).leading_zeros());
        let scale = zeros.min(MAX_SCALE);
        Self::encode_scaled(parameters, scale as u8, values.iter().map(|value| value >> (MAX_SCALE - scale)))
    }

    fn encode_scaled(parameters: Parameters, scale: u8, values: impl Iterator<Item = u64>) -> Self {
        let width = parameters.width.bytes();
        let mut bytes = vec![0; HEADER_BYTES + parameters.most_values() * width];
        let (header, room) = bytes.split_at_mut(HEADER_BYTES);
        let stored = match parameters.width {
            Width::Bits16 => write_values(room, values, |value| (value as u16).to_le_bytes()),
            Width::Bits32 => write_values(room, values, |value| (value as u32).to_le_bytes()),
            Width::Bits64 => write_values(room, values, u64::to_le_bytes),
        };
        let [c0, c1] = parameters.count.to_le_bytes();
        let [s0, s1] = (stored as u16).to_le_bytes();
        let (before, fingerprint) = header.split_at_mut(8);
        before.copy_from_slice(&[
            VERSION,
            scheme_code(parameters.scheme),
            parameters.width.bits(),
            scale,
            c0,
            c1,
            s0,
            s1,
        ]);
        fingerprint.copy_from_slice(&parameters.fingerprint.to_le_bytes());
        bytes.truncate(HEADER_BYTES + stored * width);
        Self { bytes }
    }

    /// Takes values made elsewhere, little-endian in their width: as many as the parameters count, or for
    /// [`Scheme::BottomK`] 1 to as many, of 64 bits one more, strictly ascending and of 32 or 64 bits.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule; [`ErrorKind::InvalidParameter`] for [`Scheme::BottomK`] of 16 bits,
    /// whose values mean nothing without the scale in their header.
    pub fn from_values(parameters: Parameters, values: &[u8]) -> Result<Self> {
        let width = parameters.width.bytes();
        if parameters.is_scaled() {
            return Err(Error::new(ErrorKind::InvalidParameter, "bottom_k values of 16 bits have a scale")
                .with_detail("It stands in the signature's header and not among its values.")
                .with_hint("Take values of 32 or 64 bits, or cast a whole signature from bytea."));
        }
        if !values.len().is_multiple_of(width) || values.len() / width > usize::from(u16::MAX) {
            return Err(invalid(format!("{} bytes are not values of {} bits.", values.len(), parameters.width.bits())));
        }
        let mut bytes = Vec::with_capacity(HEADER_BYTES + values.len());
        bytes.extend([VERSION, scheme_code(parameters.scheme), parameters.width.bits(), 0]);
        bytes.extend(parameters.count.to_le_bytes());
        bytes.extend(((values.len() / width) as u16).to_le_bytes());
        bytes.extend(parameters.fingerprint.to_le_bytes());
        bytes.extend_from_slice(values);
        Self::from_bytes(bytes)
    }

    /// Takes the bytes of a signature after checking every rule of the format.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        MinHashRef::parse(&bytes)?;
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
}

impl FromStr for MinHash {
    type Err = Error;

    /// Reads the text form: the binary form in hexadecimal digits, upper or lower case.
    fn from_str(text: &str) -> Result<Self> {
        hex::parse("minhash", text, Self::from_bytes)
    }
}

impl fmt::Display for MinHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.bytes, f)
    }
}

/// A signature in its binary form, borrowed, its header checked.
#[derive(Clone, Copy, Debug)]
pub struct MinHashRef<'a> {
    parameters: Parameters,
    /// Zeros that the largest 32-bit value began with, where values are scaled; otherwise 0.
    pub(super) scale: u8,
    pub(super) values: &'a [u8],
}

impl<'a> MinHashRef<'a> {
    /// Checks every rule of the format.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let signature = Self::parse_header(bytes)?;
        match signature.parameters.scheme {
            Scheme::BottomK if signature.parameters.is_scaled() => {
                if !signature.values().is_sorted() {
                    return Err(invalid("The values of a bottom_k signature are not ascending."));
                }
                // A larger scale would have left more of their bits.
                let largest = signature.values().last().unwrap_or_default();
                if u32::from(signature.scale) < MAX_SCALE && largest < 1 << 15 {
                    return Err(invalid(format!(
                        "Its largest value, {largest}, is too small for the scale {}.",
                        signature.scale
                    )));
                }
            }
            Scheme::BottomK if !signature.values().is_sorted_by(|a, b| a < b) => {
                return Err(invalid("The values of a bottom_k signature are not strictly ascending."));
            }
            _ => {}
        }
        Ok(signature)
    }

    /// Checks the header and the length, in constant time: enough for bytes that [`Self::parse`] has accepted before.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidBinary`] naming the broken rule.
    #[inline]
    pub fn parse_header(bytes: &'a [u8]) -> Result<Self> {
        let Some((&[version, scheme, width, scale, c0, c1, s0, s1, fingerprint @ ..], values)) =
            bytes.split_first_chunk::<HEADER_BYTES>()
        else {
            return Err(invalid(format!("It has {} bytes, fewer than a header's {HEADER_BYTES}.", bytes.len())));
        };
        if version != VERSION {
            return Err(invalid(format!("Its format version is {version}, not {VERSION}.")));
        }
        let scheme = match scheme {
            1 => Scheme::ManyHash,
            2 => Scheme::BottomK,
            _ => return Err(invalid(format!("Its scheme is {scheme}, neither 1 nor 2."))),
        };
        let count = u16::from_le_bytes([c0, c1]);
        let stored = usize::from(u16::from_le_bytes([s0, s1]));
        let parameters = Parameters::new(scheme, count.into(), width.into(), u64::from_le_bytes(fingerprint))
            .map_err(|error| invalid(format!("It has an {}.", error.message)))?;
        if parameters.is_scaled() && u32::from(scale) > MAX_SCALE {
            return Err(invalid(format!("Its scale is {scale}, more than {MAX_SCALE}.")));
        }
        if !parameters.is_scaled() && scale != 0 {
            return Err(invalid(format!("Its fourth byte is {scale}, not 0.")));
        }
        let right_number = match scheme {
            Scheme::ManyHash => stored == parameters.count(),
            Scheme::BottomK => (1..=parameters.most_values()).contains(&stored),
        };
        if !right_number {
            return Err(invalid(format!("It announces {stored} values where {count} were asked for.")));
        }
        if values.len() != stored * parameters.width.bytes() {
            return Err(invalid(format!("Its {stored} values take {} bytes.", values.len())));
        }
        Ok(Self { parameters, scale, values })
    }

    /// Returns the parameters in the header.
    #[must_use]
    pub const fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Returns the first six bytes as a number: all that is said of how the signature was made, but for the fingerprint.
    pub(super) const fn header_number(&self) -> u64 {
        let Parameters { scheme, count, width, .. } = self.parameters;
        let [c0, c1] = count.to_le_bytes();
        u64::from_le_bytes([VERSION, scheme_code(scheme), width.bits(), self.scale, c0, c1, 0, 0])
    }

    /// Returns the values as they are stored.
    #[must_use]
    pub const fn value_bytes(&self) -> &'a [u8] {
        self.values
    }

    /// Returns the values in order, narrower ones widened.
    pub fn values(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        let width = self.parameters.width.bytes();
        self.values
            .chunks_exact(width)
            .map(|bytes| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }
}

/// Writes values as far as there is room, and says how many.
fn write_values<const BYTES: usize>(
    room: &mut [u8],
    values: impl Iterator<Item = u64>,
    bytes: impl Fn(u64) -> [u8; BYTES],
) -> usize {
    let (places, _) = room.as_chunks_mut::<BYTES>();
    places.iter_mut().zip(values).map(|(place, value)| *place = bytes(value)).count()
}

const fn scheme_code(scheme: Scheme) -> u8 {
    match scheme {
        Scheme::ManyHash => 1,
        Scheme::BottomK => 2,
    }
}

#[cold]
fn invalid(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidBinary, "invalid binary form of type minhash").with_detail(detail)
}
