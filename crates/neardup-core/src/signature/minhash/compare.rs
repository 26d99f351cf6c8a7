//! The estimate of the Jaccard similarity from two signatures.

use super::format::{HEADER_BYTES, MinHashRef, Parameters, Scheme, Width};
use neardup_text::{Error, ErrorKind, Result};

mod portable;
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
    // Nearly always both headers are the same and of the usual scheme: no time is lost on taking them apart.
    if let (Some((left, a)), Some((right, b))) =
        (a.split_first_chunk::<HEADER_BYTES>(), b.split_first_chunk::<HEADER_BYTES>())
        && left == right
        && let [1, 1, width, 0, c0, c1, s0, s1, ..] = *left
        && (c0, c1) == (s0, s1)
    {
        let count = usize::from(u16::from_le_bytes([c0, c1]));
        if width == 32 && count != 0 && a.len() == count * 4 && b.len() == count * 4 {
            return Ok(estimate_32(a, b, count));
        }
        if width == 16 && count != 0 && a.len() == count * 2 && b.len() == count * 2 {
            return Ok(estimate_16(a, b, count));
        }
    }
    jaccard_of_any(a, b)
}

/// The rarer schemes and all errors.
#[inline(never)]
fn jaccard_of_any(a: &[u8], b: &[u8]) -> Result<f64> {
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
            (Scheme::ManyHash, Width::Bits32) => estimate_32(self.values, other.values, parameters.count()),
            (Scheme::ManyHash, Width::Bits16) => estimate_16(self.values, other.values, parameters.count()),
            (Scheme::BottomK, Width::Bits32) => {
                let (a, b) = (self.values.as_chunks().0, other.values.as_chunks().0);
                let read = |value: &[u8; 4]| u64::from(u32::from_le_bytes(*value));
                Merged::new(a, b, parameters.count(), read, read).share()
            }
            (_, Width::Bits64) => {
                let (a, b) = (self.values.as_chunks().0, other.values.as_chunks().0);
                let read = |value: &[u8; 8]| u64::from_le_bytes(*value);
                Merged::new(a, b, parameters.count(), read, read).share()
            }
            (Scheme::BottomK, Width::Bits16) => {
                let (a, b) = (self.values.as_chunks().0, other.values.as_chunks().0);
                // Both on the scale of the coarser one.
                let scale = self.scale.min(other.scale);
                let (left, right) = (self.scale - scale, other.scale - scale);
                let merged = Merged::new(
                    a,
                    b,
                    parameters.count(),
                    |a| u64::from(u16::from_le_bytes(*a)) >> left,
                    |b| u64::from(u16::from_le_bytes(*b)) >> right,
                );
                merged.share_without_chance()
            }
        })
    }
}

#[cold]
fn mismatch(left: Parameters, right: Parameters) -> Error {
    Error::new(ErrorKind::Mismatch, "cannot compare minhash signatures that were made differently")
        .with_detail(format!("The left one is {left}; the right one is {right}."))
        .with_hint("Make both with the same scheme, number and width of values, analyzer, weighting and seed.")
}

/// The share of equal positions; the one position in 2^32 that is equal by chance is left in.
#[inline]
fn estimate_32(a: &[u8], b: &[u8], count: usize) -> f64 {
    f64::from(equal_values::<4>(a, b)) / count as f64
}

/// The share of equal positions without those that are equal by chance. Different elements have equal low bits with
/// probability c, so the expected share is J + (1 - J) c; solved for J, and no less than 0.
#[inline]
fn estimate_16(a: &[u8], b: &[u8], count: usize) -> f64 {
    const CHANCE: f64 = 1.0 / 65_536.0;
    let share = f64::from(equal_values::<2>(a, b)) / count as f64;
    ((share - CHANCE) / (1.0 - CHANCE)).max(0.0)
}

/// The smallest values of the union of two ascending lists.
struct Merged {
    /// Values in both lists, and how many there are in all.
    common: u32,
    all: u32,
    /// Values in only one of the lists.
    only_a: u32,
    only_b: u32,
    /// The largest value.
    last: u64,
}

impl Merged {
    /// Merges the smallest `count` values; a value that a list holds twice is two values.
    fn new<T>(a: &[T], b: &[T], count: usize, read_a: impl Fn(&T) -> u64, read_b: impl Fn(&T) -> u64) -> Self {
        let (mut in_a, mut in_b) = (0, 0);
        let (mut common, mut seen) = (0_u32, 0);
        let mut last = 0;
        // Without a branch on the random comparison.
        while seen < count
            && let (Some(x), Some(y)) = (a.get(in_a).map(&read_a), b.get(in_b).map(&read_b))
        {
            in_a += usize::from(x <= y);
            in_b += usize::from(y <= x);
            common += u32::from(x == y);
            last = x.min(y);
            seen += 1;
        }
        // One list has ended, or enough is seen.
        let rest_a = a.len().saturating_sub(in_a).min(count - seen);
        let rest_b = b.len().saturating_sub(in_b).min(count - seen);
        let end = |list: &[T], at: usize, read: &dyn Fn(&T) -> u64| list.get(at.wrapping_sub(1)).map_or(0, read);
        let last = last.max(if rest_a > 0 { end(a, in_a + rest_a, &read_a) } else { 0 });
        let last = last.max(if rest_b > 0 { end(b, in_b + rest_b, &read_b) } else { 0 });
        Self {
            common,
            all: (seen + rest_a + rest_b) as u32,
            only_a: (in_a + rest_a) as u32 - common,
            only_b: (in_b + rest_b) as u32 - common,
            last,
        }
    }

    /// The estimate from values that are never equal by chance.
    fn share(&self) -> f64 {
        f64::from(self.common) / f64::from(self.all.max(1))
    }

    /// The estimate without those that are equal by chance: of x values of one list and y of the other, spread evenly over
    /// n places, x y / n share a place. Each such pair is two values that were counted as one.
    fn share_without_chance(&self) -> f64 {
        let chance = f64::from(self.only_a) * f64::from(self.only_b) / (self.last as f64 + 1.0);
        ((f64::from(self.common) - chance) / (f64::from(self.all.max(1)) + chance)).max(0.0)
    }
}

/// Counts the positions at which two lists of values of `BYTES` bytes are equal.
#[inline]
fn equal_values<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(count) = x86::equal_values::<BYTES>(a, b) {
        return count;
    }
    portable::equal_values::<BYTES>(a, b)
}

#[cfg(test)]
mod tests {
    use super::{equal_values, portable};
    use proptest::prelude::*;

    fn naive(a: &[u8], b: &[u8], width: usize) -> u32 {
        a.chunks(width).zip(b.chunks(width)).filter(|(a, b)| a == b).count() as u32
    }

    proptest! {
        #[test]
        fn every_kernel_agrees_with_the_naive_count(
            pairs in prop::collection::vec((0_u8..2, 0_u8..2), 0..600),
        ) {
            // Whole values of either width.
            let (a, b): (Vec<u8>, Vec<u8>) = pairs.iter().take(pairs.len() / 4 * 4).copied().unzip();
            prop_assert_eq!(equal_values::<4>(&a, &b), naive(&a, &b, 4));
            prop_assert_eq!(equal_values::<2>(&a, &b), naive(&a, &b, 2));
            prop_assert_eq!(portable::equal_values::<4>(&a, &b), naive(&a, &b, 4));
            prop_assert_eq!(portable::equal_values::<2>(&a, &b), naive(&a, &b, 2));
            #[cfg(target_arch = "x86_64")]
            for (name, four, two) in super::x86::every_kernel(&a, &b) {
                prop_assert_eq!((four, two), (naive(&a, &b, 4), naive(&a, &b, 2)), "{}", name);
            }
        }
    }

    /// The most values there are, all equal: no counter overflows.
    #[test]
    fn all_equal() {
        let values = [7; 4096];
        assert_eq!(equal_values::<4>(&values, &values), 1024);
        assert_eq!(equal_values::<2>(&values[..2048], &values[..2048]), 1024);
    }
}
