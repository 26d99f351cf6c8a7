//! From a document to its signature: analysis, then hashing.
//!
//! [`simhash`] by count and [`minhash`] store no tokens. [`HashedTokens`] does, for signatures that need weights or the set itself.

use crate::signature::minhash::{MinHash, MinHasher};
use crate::signature::simhash::SimHashCounter;
use neardup_text::Result;
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Cut, Scratch, chars};

mod tokens;

pub use tokens::{HashedTokens, MAX_GIVEN_WEIGHT, Weights};

/// Returns the SimHash of a document's tokens, each weighing as often as it occurs; `None` where it has no token.
///
/// Source: Zhang 2016, SimHash.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn simhash(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Option<u64>> {
    let mut counter = SimHashCounter::new();
    match analyzer.cut(document, scratch) {
        Cut::Shingles { text, size, room } => chars::shingle_bounds(text, size, room, &mut |starts, ends| {
            counter.add_pieces(text.as_bytes(), starts, ends);
        })?,
        Cut::Runs(text, room) => analyzer.runs(text, room, &mut |joined, starts, ends| {
            counter.add_pieces(joined.as_bytes(), starts, ends);
        })?,
        Cut::Words(text) => analyzer.features(text, &mut |token| counter.add(token_hash(token)))?,
    }
    Ok(counter.finish())
}

/// Returns the MinHash of a document's distinct tokens under the hasher's parameters; `None` where it has no token. With
/// [`Parameters::sketch`](crate::signature::minhash::Parameters::sketch) it is the document's sketch.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn minhash(
    document: &str,
    analyzer: &Analyzer,
    scratch: &mut Scratch,
    hasher: &mut MinHasher,
) -> Result<Option<MinHash>> {
    hasher.reset();
    match analyzer.cut(document, scratch) {
        Cut::Shingles { text, size, room } => chars::shingle_bounds(text, size, room, &mut |starts, ends| {
            hasher.add_pieces(text.as_bytes(), starts, ends);
        })?,
        Cut::Runs(text, room) => analyzer.runs(text, room, &mut |joined, starts, ends| {
            hasher.add_pieces(joined.as_bytes(), starts, ends);
        })?,
        Cut::Words(text) => analyzer.features(text, &mut |token| hasher.add(token_hash(token)))?,
    }
    Ok(hasher.finish())
}

/// Returns the MinHash of tokens that another segmenter has cut; `None` for none.
pub fn minhash_of_tokens<'t>(tokens: impl IntoIterator<Item = &'t str>, hasher: &mut MinHasher) -> Option<MinHash> {
    minhash_of_hashes(tokens.into_iter().map(token_hash), hasher)
}

/// Returns the MinHash of token hashes; `None` for none.
pub fn minhash_of_hashes(hashes: impl IntoIterator<Item = u64>, hasher: &mut MinHasher) -> Option<MinHash> {
    hasher.reset();
    hashes.into_iter().for_each(|hash| hasher.add(hash));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::signature::minhash::{Parameters, Scheme};

    /// The definition: each token's hash, added once for each time it occurs.
    fn naive(document: &str, analyzer: &Analyzer) -> Option<u64> {
        let mut totals = [0_i64; 64];
        let mut any = false;
        analyzer
            .tokens(document, &mut Scratch::default(), &mut |token| {
                any = true;
                let hash = token_hash(token);
                for (bit, total) in totals.iter_mut().enumerate() {
                    *total += if hash >> bit & 1 == 1 { 1 } else { -1 };
                }
            })
            .unwrap();
        any.then(|| totals.iter().enumerate().fold(0, |word, (bit, &total)| word | u64::from(total > 0) << bit))
    }

    proptest! {
        #[test]
        fn equals_the_definition_for_every_analyzer(
            document in "([\u{4e00}-\u{4e40}a-cA-C0-9，。 ]|e\u{301}|\u{1f600}){0,60}",
            analyzer in prop::sample::select(vec![
                "jieba", "jieba_full", "ik_smart", "ik_max_word", "longest_match", "index", "words", "chars:1", "chars:3", "chars:5",
                r#"{"tokenizer": "chars", "size": 2, "stop_words": ["aa"]}"#, r#"{"tokenizer": "words", "shingle": 2}"#,
                "shingles:1", "shingles:5", r#"{"tokenizer": "words", "shingle": 3, "stop_words": ["a"]}"#,
            ]),
        ) {
            let analyzer: Analyzer = analyzer.parse().unwrap();
            let mut scratch = Scratch::default();
            let fast = simhash(&document, &analyzer, &mut scratch).unwrap();
            prop_assert_eq!(fast, naive(&document, &analyzer));

            let mut tokens = Vec::new();
            analyzer.tokens(&document, &mut scratch, &mut |token| tokens.push(token.to_owned())).unwrap();
            let mut hasher = MinHasher::new(Parameters::new(Scheme::ManyHash, 16, 32, 0).unwrap(), 7);
            let fast = minhash(&document, &analyzer, &mut scratch, &mut hasher).unwrap();
            prop_assert_eq!(fast, minhash_of_tokens(tokens.iter().map(String::as_str), &mut hasher));
        }
    }
}
