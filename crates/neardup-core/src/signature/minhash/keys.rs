//! The keys of a signature: 64-bit numbers under which an index finds the signatures that share a value with it.
//!
//! A key is a value mixed with everything in the signature's header that says how it was made. So signatures made differently have
//! no key in common, and one index can hold them all.
//!
//! Promised not to change: indexes store keys. `docs/internals/signatures.md` specifies them, with golden vectors.

use std::cmp::Ordering;

use super::format::{MinHashRef, Scheme};
use neardup_text::Result;
use neardup_text::hash::mix;

impl<'a> MinHashRef<'a> {
    /// Returns the keys, one for each value and in the order of the values: 1 to 1025.
    ///
    /// Two signatures with the same parameters share a key exactly if they share a value, for [`Scheme::ManyHash`] at the same
    /// position. Signatures with different parameters share one with a chance of 2^-64 a pair of values. Signatures of
    /// [`Scheme::BottomK`] with 16 bits share keys with those of their own scale only, which makes them useless for searching.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        // The fingerprint's further hash with the header's first six bytes as its number.
        let stamp = mix(self.parameters().fingerprint(), self.header_number());
        // A value of many-hash has 32 bits at most, so its position fits beside it.
        let beside = u64::from(self.parameters().scheme() == Scheme::ManyHash) << 32;
        self.values().enumerate().map(move |(at, value)| mix(value | (at as u64 * beside), stamp))
    }
}

/// Says whether two signatures in binary form share a key; `false` where they were made differently.
///
/// Bytes must have been accepted by [`MinHashRef::parse`] before; here only the headers are checked.
///
/// # Errors
/// [`ErrorKind::InvalidBinary`](neardup_text::ErrorKind::InvalidBinary) if a header is wrong.
pub fn shares_key(a: &[u8], b: &[u8]) -> Result<bool> {
    let (a, b) = (MinHashRef::parse_header(a)?, MinHashRef::parse_header(b)?);
    if a.parameters() != b.parameters() || a.scale != b.scale {
        return Ok(false);
    }
    let (mut left, mut right) = (a.values(), b.values());
    if a.parameters().scheme() == Scheme::ManyHash {
        return Ok(left.zip(right).any(|(left, right)| left == right));
    }
    let (mut x, mut y) = (left.next(), right.next());
    while let (Some(smaller), Some(larger)) = (x, y) {
        match smaller.cmp(&larger) {
            Ordering::Equal => return Ok(true),
            Ordering::Less => x = left.next(),
            Ordering::Greater => y = right.next(),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::signature::minhash::{MinHash, MinHasher, Parameters};

    fn signature(elements: &[u64], (scheme, count, width, fingerprint): (Scheme, usize, u32, u64)) -> MinHash {
        let mut hasher = MinHasher::new(Parameters::new(scheme, count, width, fingerprint).unwrap(), 0);
        hasher.add_all(elements);
        hasher.finish().unwrap()
    }

    fn keys(signature: &MinHash) -> Vec<u64> {
        MinHashRef::parse(signature.as_bytes()).unwrap().keys().collect()
    }

    fn parameters() -> impl Strategy<Value = (Scheme, usize, u32, u64)> {
        let kind = prop::sample::select(vec![
            (Scheme::ManyHash, 16),
            (Scheme::ManyHash, 32),
            (Scheme::BottomK, 16),
            (Scheme::BottomK, 32),
            (Scheme::BottomK, 64),
        ]);
        (kind, 8_usize..12, 0_u64..2).prop_map(|((scheme, width), count, stamp)| (scheme, count, width, stamp))
    }

    proptest! {
        #[test]
        fn a_key_is_shared_exactly_if_the_key_sets_meet(
            a in prop::collection::vec(0_u64..200, 1..40),
            b in prop::collection::vec(0_u64..200, 1..40),
            left in parameters(),
            right in parameters(),
            alike in prop::bool::weighted(0.7),
        ) {
            let spread = |elements: &[u64]| elements.iter().map(|&element| mix(element, 1)).collect::<Vec<u64>>();
            let (a, b) = (signature(&spread(&a), left), signature(&spread(&b), if alike { left } else { right }));
            let of_a: HashSet<u64> = keys(&a).into_iter().collect();
            let meet = keys(&b).iter().any(|key| of_a.contains(key));
            prop_assert_eq!(shares_key(a.as_bytes(), b.as_bytes()).unwrap(), meet);
            prop_assert_eq!(shares_key(b.as_bytes(), a.as_bytes()).unwrap(), meet);
            prop_assert!(shares_key(a.as_bytes(), a.as_bytes()).unwrap());
            if !alike && left != right {
                prop_assert!(!meet);
            }
        }

        #[test]
        fn whole_values_are_the_smallest_hashes_and_that_of_the_opening(
            elements in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..1 << 20], 1..5000),
            count in prop_oneof![1_usize..20, Just(1024_usize)],
        ) {
            let sketch = signature(&elements, (Scheme::BottomK, count, 64, 0));
            let mut smallest = elements.clone();
            smallest.sort_unstable();
            smallest.dedup();
            smallest.truncate(count);
            let opening = elements.iter().copied().take(32).min();
            smallest.extend(opening.filter(|opening| !smallest.contains(opening)));
            prop_assert_eq!(MinHashRef::parse(sketch.as_bytes()).unwrap().values().collect::<Vec<_>>(), smallest);
            prop_assert_eq!(sketch.to_string().parse::<MinHash>().unwrap(), sketch);
        }
    }

    #[test]
    fn the_position_belongs_to_a_key_of_many_hash() {
        // One value stands at several positions by chance: with 16 bits often enough to try.
        let sketch = signature(&(0..300).map(|i| mix(i, 3)).collect::<Vec<_>>(), (Scheme::ManyHash, 1024, 16, 0));
        let values: HashSet<u64> = MinHashRef::parse(sketch.as_bytes()).unwrap().values().collect();
        assert!(values.len() < 1024);
        assert_eq!(keys(&sketch).into_iter().collect::<HashSet<u64>>().len(), 1024);
    }
}
