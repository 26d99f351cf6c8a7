//! The estimate of the Jaccard similarity from two signatures.

use super::format::{MinHashRef, Parameters, Scheme, Width};
use crate::{Error, ErrorKind, Result};
use std::cmp::Ordering;

#[cfg(target_arch = "x86_64")]
mod x86;

/// Estimates the Jaccard similarity of the sets behind two signatures in binary form, 0 to 1.
///
/// The standard error is at most sqrt(J (1 - J) / count). Bytes must have been accepted by
/// [`MinHashRef::parse`] before; here only the headers are checked.
///
/// # Errors
/// [`ErrorKind::Mismatch`] if the signatures were made with different parameters; [`ErrorKind::InvalidBinary`] if a header
/// is wrong.
#[inline]
pub fn jaccard(a: &[u8], b: &[u8]) -> Result<f64> {
    MinHashRef::parse_header(a)?.jaccard(MinHashRef::parse_header(b)?)
}

impl MinHashRef<'_> {
    /// Estimates the Jaccard similarity of the sets behind two signatures, 0 to 1.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the signatures were made with different parameters.
    #[inline]
    pub fn jaccard(self, other: MinHashRef<'_>) -> Result<f64> {
        let parameters = self.parameters();
        if parameters != other.parameters() {
            return Err(mismatch(parameters, other.parameters()));
        }
        Ok(match (parameters.scheme(), parameters.width()) {
            (Scheme::ManyHash, Width::Bits32) => {
                f64::from(equal_values::<4>(self.values, other.values)) / parameters.count() as f64
            }
            (Scheme::ManyHash, Width::Bits16) => {
                // Different elements have equal low bits with probability c, so E(share) = J + (1 - J) c.
                const CHANCE: f64 = 1.0 / 65_536.0;
                let share = f64::from(equal_values::<2>(self.values, other.values)) / parameters.count() as f64;
                ((share - CHANCE) / (1.0 - CHANCE)).max(0.0)
            }
            (Scheme::BottomK, _) => merged_share(self.values(), other.values(), parameters.count()),
        })
    }
}

#[cold]
fn mismatch(left: Parameters, right: Parameters) -> Error {
    Error::new(ErrorKind::Mismatch, "cannot compare minhash signatures that were made differently")
        .with_detail(format!("The left one is {left}; the right one is {right}."))
        .with_hint("Make both with the same scheme, number and width of values, analyzer, weighting and seed.")
}

/// The share of common values among the smallest `count` values of the union.
fn merged_share(a: impl Iterator<Item = u32>, b: impl Iterator<Item = u32>, count: usize) -> f64 {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    let (mut common, mut seen) = (0_u32, 0_u32);
    while (seen as usize) < count {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        if order.is_le() {
            a.next();
        }
        if order.is_ge() {
            b.next();
        }
        common += u32::from(order.is_eq());
        seen += 1;
    }
    f64::from(common) / f64::from(seen.max(1))
}

/// Counts the positions at which two lists of values of `BYTES` bytes are equal.
#[inline]
fn equal_values<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(count) = x86::equal_values::<BYTES>(a, b) {
        return count;
    }
    equal_values_portable::<BYTES>(a, b)
}

/// The portable kernel, which the compiler turns into SSE2 or NEON.
#[inline(always)]
fn equal_values_portable<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    let (a, b) = (a.as_chunks::<BYTES>().0, b.as_chunks::<BYTES>().0);
    a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum()
}
