//! The token set: the distinct tokens of a text as sorted 64-bit hashes, with or without weights, for exact similarity.
//!
//! * [`encode`] makes a set from weighted tokens, [`encode_sorted`] one without weights. [`TokenSet`] reads a set in place.
//! * [`to_text`](TokenSet::to_text) and [`from_text`] convert to and from its readable form.
//!
//! Binary form, version 1, little-endian, nothing aligned:
//!
//! | bytes | what |
//! |---|---|
//! | 0 | format version, 1 |
//! | 1 | flags: bit 0 set if there are weights, all others 0 |
//! | 2 to 3 | 0 |
//! | 4 to 7 | number of tokens, at most 67,108,864 |
//! | 8 to 15 | fingerprint of the analyzer and the weighting |
//! | 16 onwards | the tokens' hashes, 8 bytes each, strictly ascending |
//! | then | with weights: an IEEE 754 binary32 for each token, finite, sign bit clear |
//!
//! A set without tokens has no weights flag, so that equal values are equal bytes.
//!
//! Text form: `1:0123456789abcdef:{}`. It consists of the version, the fingerprint, and in braces the hashes in ascending order,
//! separated by commas. Fingerprint and hashes have 16 hexadecimal digits each. A weight follows its hash: `00000000000000ff=0.5`.

use crate::similarity::{cosine, jaccard, jaccard_within, overlap, overlap_within, weighted_cosine};
use crate::weighting::{MAX_TOKENS, Weighted};
use neardup_text::{Error, ErrorKind, Result};
use std::fmt::Write as _;

/// The format version this module reads and writes.
pub const FORMAT: u8 = 1;

const HEADER: usize = 16;
const WEIGHTED: u8 = 1;

/// Makes the binary form from distinct tokens in any order; `weighted` says whether their weights are kept.
///
/// # Errors `LimitExceeded` beyond [`MAX_TOKENS`]; `InvalidParameter` for a token given twice, or a weight that is
/// negative or not finite as `f32`.
pub fn encode(tokens: &[Weighted], weighted: bool, fingerprint: u64) -> Result<Vec<u8>> {
    let mut entries: Vec<(u64, f32)> = tokens.iter().map(|token| (token.hash, token.weight as f32)).collect();
    entries.sort_unstable_by_key(|&(hash, _)| hash);
    if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(Error::new(ErrorKind::InvalidParameter, "token set holds a token twice"));
    }
    if let Some((_, weight)) = entries.iter().find(|&&(_, weight)| weighted && !is_weight(weight + 0.0)) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("token set holds weight {weight}"))
            .with_hint("A weight is finite and not negative."));
    }
    pack(&entries, weighted, fingerprint)
}

/// Makes the binary form, without weights, from hashes in ascending order, each once.
///
/// # Errors `LimitExceeded` beyond [`MAX_TOKENS`].
pub fn encode_sorted(hashes: &[u64], fingerprint: u64) -> Result<Vec<u8>> {
    debug_assert!(hashes.is_sorted_by(|a, b| a < b), "hashes out of order");
    let mut bytes = header(hashes.len(), false, fingerprint)?;
    bytes.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
    Ok(bytes)
}

/// Writes the header, with room for what follows.
fn header(tokens: usize, weighted: bool, fingerprint: u64) -> Result<Vec<u8>> {
    let count = u32::try_from(tokens).ok().filter(|&count| count as usize <= MAX_TOKENS).ok_or_else(|| {
        let message = format!("token set of {tokens} tokens exceeds the limit of {MAX_TOKENS}");
        Error::new(ErrorKind::LimitExceeded, message)
    })?;
    let mut bytes = Vec::with_capacity(size(tokens, weighted));
    bytes.extend([FORMAT, if weighted { WEIGHTED } else { 0 }, 0, 0]);
    bytes.extend(count.to_le_bytes());
    bytes.extend(fingerprint.to_le_bytes());
    Ok(bytes)
}

/// Writes entries that keep the rules.
fn pack(entries: &[(u64, f32)], weighted: bool, fingerprint: u64) -> Result<Vec<u8>> {
    let weighted = weighted && !entries.is_empty();
    let mut bytes = header(entries.len(), weighted, fingerprint)?;
    bytes.extend(entries.iter().flat_map(|(hash, _)| hash.to_le_bytes()));
    if weighted {
        // -0 becomes 0.
        bytes.extend(entries.iter().flat_map(|(_, weight)| (weight + 0.0).to_le_bytes()));
    }
    Ok(bytes)
}

const fn size(count: usize, weighted: bool) -> usize {
    HEADER + count * if weighted { 12 } else { 8 }
}

fn is_weight(weight: f32) -> bool {
    weight.is_finite() && weight.is_sign_positive()
}

/// A token set in its binary form, read in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenSet<'b> {
    fingerprint: u64,
    hashes: &'b [[u8; 8]],
    weights: Option<&'b [[u8; 4]]>,
}

impl<'b> TokenSet<'b> {
    /// Reads bytes from anywhere, and checks every rule of the format.
    ///
    /// # Errors
    /// `InvalidBinary`, naming the rule.
    pub fn decode(bytes: &'b [u8]) -> Result<Self> {
        let set = Self::open(bytes)?;
        let ascending = |pair: &[[u8; 8]]| u64::from_le_bytes(pair[0]) < u64::from_le_bytes(pair[1]);
        if !set.hashes.windows(2).all(ascending) {
            return invalid("Hashes are not strictly ascending.");
        }
        if !set.weights.unwrap_or_default().iter().all(|&bytes| is_weight(f32::from_le_bytes(bytes))) {
            return invalid("A weight is negative or not finite.");
        }
        Ok(set)
    }

    /// Reads bytes that [`decode`](Self::decode) has passed or [`encode`] has made, in constant time: it checks
    /// header and length only. Other bytes give a wrong number, never a fault.
    ///
    /// # Errors
    /// `InvalidBinary`, naming the rule.
    pub fn open(bytes: &'b [u8]) -> Result<Self> {
        let Some((header, body)) = bytes.split_first_chunk::<HEADER>() else {
            return invalid(format!("The value has {} bytes, fewer than its header.", bytes.len()));
        };
        let [format, flags, r0, r1, c0, c1, c2, c3, fingerprint @ ..] = *header;
        let count = u32::from_le_bytes([c0, c1, c2, c3]) as usize;
        if format != FORMAT {
            return invalid(format!("The format version is {format}, not {FORMAT}."));
        }
        if flags & !WEIGHTED != 0 || r0 != 0 || r1 != 0 {
            return invalid("Reserved bits are set.");
        }
        let weighted = flags == WEIGHTED;
        if count > MAX_TOKENS {
            return invalid(format!("The count of tokens is {count}, above {MAX_TOKENS}."));
        }
        if weighted && count == 0 {
            return invalid("A set without tokens is flagged to have weights.");
        }
        if bytes.len() != size(count, weighted) {
            let expected = size(count, weighted);
            return invalid(format!("The value has {} bytes, not {expected} for {count} tokens.", bytes.len()));
        }
        let (hashes, weights) = body.split_at(count * 8);
        let weights = weighted.then_some(weights.as_chunks().0);
        Ok(Self { fingerprint: u64::from_le_bytes(fingerprint), hashes: hashes.as_chunks().0, weights })
    }

    /// Returns the fingerprint of the analyzer and the weighting.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Says whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns the tokens' hashes as they are stored, for the functions of [`similarity`](crate::similarity).
    #[must_use]
    pub fn hashes(&self) -> &'b [[u8; 8]] {
        self.hashes
    }

    /// Returns the weights as they are stored, in the order of the hashes.
    #[must_use]
    pub fn weights(&self) -> Option<&'b [[u8; 4]]> {
        self.weights
    }

    /// Returns each token's hash, ascending, with its weight, 1 where there are none.
    pub fn tokens(&self) -> impl Iterator<Item = (u64, f32)> + use<'b> {
        let weights = self.weights;
        self.hashes.iter().enumerate().map(move |(at, &hash)| {
            let weight = weights.and_then(|weights| weights.get(at)).map_or(1.0, |&bytes| f32::from_le_bytes(bytes));
            (u64::from_le_bytes(hash), weight)
        })
    }

    /// Returns the Jaccard similarity of the two sets, whatever the weights; 0 if either is empty.
    ///
    /// # Errors
    /// `Mismatch` if the fingerprints differ.
    pub fn jaccard(&self, other: &TokenSet<'_>) -> Result<f64> {
        self.fit(other).map(|()| jaccard(self.hashes, other.hashes))
    }

    /// Says whether [`jaccard`](Self::jaccard) is at least `similarity`.
    ///
    /// # Errors
    /// `Mismatch` if the fingerprints differ.
    pub fn jaccard_within(&self, other: &TokenSet<'_>, similarity: f64) -> Result<bool> {
        self.fit(other).map(|()| jaccard_within(self.hashes, other.hashes, similarity))
    }

    /// Returns the overlap coefficient of the two sets, whatever the weights; 0 if either is empty.
    ///
    /// # Errors
    /// `Mismatch` if the fingerprints differ.
    pub fn overlap(&self, other: &TokenSet<'_>) -> Result<f64> {
        self.fit(other).map(|()| overlap(self.hashes, other.hashes))
    }

    /// Says whether [`overlap`](Self::overlap) is at least `similarity`.
    ///
    /// # Errors
    /// `Mismatch` if the fingerprints differ.
    pub fn overlap_within(&self, other: &TokenSet<'_>, similarity: f64) -> Result<bool> {
        self.fit(other).map(|()| overlap_within(self.hashes, other.hashes, similarity))
    }

    /// Returns the cosine similarity of the weighted tokens; without weights, each counts 1; 0 if either set is empty.
    ///
    /// # Errors
    /// `Mismatch` if the fingerprints differ, or only one of the sets has weights.
    pub fn cosine(&self, other: &TokenSet<'_>) -> Result<f64> {
        self.fit(other)?;
        match (self.weights, other.weights) {
            (Some(a), Some(b)) => Ok(weighted_cosine((self.hashes, a), (other.hashes, b))),
            _ if self.is_empty() || other.is_empty() => Ok(0.0),
            (None, None) => Ok(cosine(self.hashes, other.hashes)),
            _ => {
                Err(Error::new(ErrorKind::Mismatch, "token sets with weights and without cannot be compared by cosine"))
            }
        }
    }

    fn fit(&self, other: &TokenSet<'_>) -> Result<()> {
        if self.fingerprint == other.fingerprint {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Mismatch, "token sets of different analyzers or weightings cannot be compared")
            .with_detail(format!("Their fingerprints are {:016x} and {:016x}.", self.fingerprint, other.fingerprint)))
    }

    /// Writes the text form.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(22 + self.len() * 17);
        // Writing to a string cannot fail.
        let _ = write!(text, "{FORMAT}:{:016x}:{{", self.fingerprint);
        for (at, (hash, weight)) in self.tokens().enumerate() {
            let _ = write!(text, "{}{hash:016x}", if at == 0 { "" } else { "," });
            if self.weights.is_some() {
                let _ = write!(text, "={weight}");
            }
        }
        text.push('}');
        text
    }
}

/// Reads the text form and returns the binary one.
///
/// # Errors
/// `InvalidText`, naming the rule; `LimitExceeded` beyond [`MAX_TOKENS`].
pub fn from_text(text: &str) -> Result<Vec<u8>> {
    let invalid = |detail: &str| {
        let start: String = text.chars().take(64).collect();
        let dots = if start.len() < text.len() { "..." } else { "" };
        Error::new(ErrorKind::InvalidText, format!("invalid input syntax for type tokenset: \"{start}{dots}\""))
            .with_detail(detail)
            .with_hint("A token set looks like \"1:0123456789abcdef:{00000000000000aa,00000000000000bb}\".")
    };
    let rest = text.strip_prefix("1:").ok_or_else(|| invalid("The format version is not 1."))?;
    let (fingerprint, rest) = rest.split_once(':').ok_or_else(|| invalid("There is no fingerprint."))?;
    let fingerprint =
        hexadecimal(fingerprint).ok_or_else(|| invalid("The fingerprint is not of 16 hexadecimal digits."))?;
    let list = rest
        .strip_prefix('{')
        .and_then(|list| list.strip_suffix('}'))
        .ok_or_else(|| invalid("The tokens are not in braces."))?;
    if list.is_empty() {
        return pack(&[], false, fingerprint);
    }
    let weighted = list.contains('=');
    let mut entries: Vec<(u64, f32)> = Vec::with_capacity(list.len() / 17 + 1);
    for token in list.split(',') {
        let (hash, weight) = match token.split_once('=') {
            Some((hash, weight)) => {
                let weight = weight.parse().ok().filter(|&weight| is_weight(weight));
                (hash, weight.ok_or_else(|| invalid("A weight is not a finite number, not negative."))?)
            }
            None if weighted => return Err(invalid("Some tokens have weights and some do not.")),
            None => (token, 1.0),
        };
        let hash = hexadecimal(hash).ok_or_else(|| invalid("A hash is not of 16 hexadecimal digits."))?;
        if entries.last().is_some_and(|&(last, _)| last >= hash) {
            return Err(invalid("Hashes are not strictly ascending."));
        }
        entries.push((hash, weight));
    }
    pack(&entries, weighted, fingerprint)
}

/// Reads exactly 16 hexadecimal digits, upper or lower case.
fn hexadecimal(text: &str) -> Option<u64> {
    // from_str_radix alone would also accept a sign.
    let strict = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(text, 16).ok().filter(|_| strict)
}

fn invalid<T>(detail: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::InvalidBinary, "invalid binary value for type tokenset").with_detail(detail))
}

#[cfg(test)]
mod tests;
