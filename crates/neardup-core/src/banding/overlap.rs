//! Keys that find sets with a wanted overlap coefficient: prefix filtering on both sides.
//!
//! A set of tokens is a sorted list of numbers, [`token_key`]s. All sets use the same order. The *prefix* of a set of n tokens, for
//! t shared tokens, is its first n - t + 1 tokens. If the set shares at least t tokens with another one, then one of its prefix
//! tokens is in the other set, because only t - 1 tokens come after the prefix.
//!
//! An overlap coefficient of s requires that the *smaller* set shares t = ceil(s n) of its tokens. So the prefix of the smaller set
//! always shares a token with the other set. Which set is smaller is not known in advance, so there are two kinds of keys. A row is
//! stored under all its tokens and, marked, under those of its prefix. A search looks up the tokens of its prefix and, marked, all
//! its tokens. So no pair is missed.
//!
//! The rarer the tokens of prefixes are, the better the filter. Corpus statistics would make keys depend on more than the text. So
//! the order uses only the tokens: longer ones first, which are rarer in any language; then by hash.

use crate::similarity::least_shared_for_overlap;
use neardup_text::hash::mix;
use neardup_text::{Error, ErrorKind, Result};

/// Returns a token's number from its hash and its length in characters: 0 to 2^31 - 1, longer tokens (up to 4) first.
#[must_use]
pub fn token_key(hash: u64, characters: usize) -> i32 {
    let class = 4 - characters.clamp(1, 4) as u32;
    (class << 29 | (hash as u32 & 0x1fff_ffff)).cast_signed()
}

/// Hands to `sink` the keys to store for a set, given sorted without repetition.
///
/// # Errors
/// `InvalidParameter` unless `similarity` is above 0 and at most 1.
pub fn overlap_keys(tokens: &[i32], similarity: f64, mut sink: impl FnMut(i32)) -> Result<()> {
    let prefix = prefix(tokens, similarity)?;
    tokens.iter().for_each(|&token| sink(token));
    prefix.iter().for_each(|&token| sink(marked(token)));
    Ok(())
}

/// Hands to `sink` the keys to look up: every set whose overlap coefficient with this one is at least `similarity` is stored
/// under one of them.
///
/// # Errors
/// `InvalidParameter` unless `similarity` is above 0 and at most 1.
pub fn overlap_probes(tokens: &[i32], similarity: f64, mut sink: impl FnMut(i32)) -> Result<()> {
    let prefix = prefix(tokens, similarity)?;
    prefix.iter().for_each(|&token| sink(token));
    tokens.iter().for_each(|&token| sink(marked(token)));
    Ok(())
}

fn prefix(tokens: &[i32], similarity: f64) -> Result<&[i32]> {
    if !(similarity > 0.0 && similarity <= 1.0) {
        let message = format!("similarity must be above 0 and at most 1: {similarity}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    let count = tokens.len();
    // As many as the exact test asks for, so that rounding cannot set filter and test apart.
    let needed = least_shared_for_overlap(count, count, similarity).unwrap_or(count).max(1);
    Ok(tokens.get(..(count + 1).saturating_sub(needed).min(count)).unwrap_or(tokens))
}

/// The key of a token in another name space, negative, so that the two kinds of keys never meet.
fn marked(token: i32) -> i32 {
    (mix(u64::from(token.cast_unsigned()), 1) as u32 | 0x8000_0000).cast_signed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::similarity;
    use neardup_text::hash::token_hash;

    fn gather(make: impl Fn(&mut Vec<i32>) -> Result<()>) -> Vec<i32> {
        let mut keys = Vec::new();
        make(&mut keys).unwrap();
        keys
    }

    #[test]
    fn keys_are_frozen() {
        assert_eq!(token_key(0, 9), 0);
        assert_eq!(token_key(u64::MAX, 3), 0x3fff_ffff);
        assert_eq!(token_key(1, 1), 0x6000_0001);
        let keys = gather(|keys| overlap_keys(&[1, 2, 3, 4, 5], 0.8, |key| keys.push(key)));
        assert_eq!(keys[..5], [1, 2, 3, 4, 5]);
        assert_eq!(keys[5..], [marked(1), marked(2)]);
        let probes = gather(|keys| overlap_probes(&[1, 2, 3, 4, 5], 0.8, |key| keys.push(key)));
        assert_eq!(probes[..2], [1, 2]);
        assert_eq!(probes.len(), 7);
    }

    #[test]
    fn similarity_has_a_range() {
        for similarity in [0.0, -1.0, 1.1, f64::NAN] {
            assert!(overlap_keys(&[1], similarity, |_| ()).is_err());
            assert!(overlap_probes(&[1], similarity, |_| ()).is_err());
        }
        assert!(overlap_keys(&[], 1.0, |_| ()).is_ok());
    }

    fn set() -> impl Strategy<Value = Vec<i32>> {
        prop::collection::btree_set(0i32..60, 0..40).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn no_pair_is_missed(a in set(), b in set(), percent in 1u32..=100) {
            let least = f64::from(percent) / 100.0;
            let stored = gather(|keys| overlap_keys(&a, least, |key| keys.push(key)));
            let sought = gather(|keys| overlap_probes(&b, least, |key| keys.push(key)));
            let words = |set: &[i32]| -> Vec<u32> { set.iter().map(|&token| token.cast_unsigned()).collect() };
            if similarity::overlap(&words(&a), &words(&b)) >= least {
                prop_assert!(stored.iter().any(|key| sought.contains(key)));
            }
        }

        #[test]
        fn the_two_kinds_never_meet(text in ".{1,8}") {
            let token = token_key(token_hash(&text), text.chars().count());
            prop_assert!(token >= 0 && marked(token) < 0);
        }
    }
}
