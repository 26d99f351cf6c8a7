//! Sentences that recur in another text, in the same words or nearly so.
//!
//! Comparing each sentence with each is quadratic. Instead, each sentence of the first text is listed under only its rarest
//! elements: as many that any sufficiently similar sentence must share one (the prefix filter of Chaudhuri, Ganti and Kaushik
//! 2006). Each sentence of the second text looks up its own rarest elements. The result is exact, except for text that repeats
//! itself beyond [`MOST_COMPARED`].

use super::{intersection_at_least, jaccard_of, least_shared_for_jaccard};
use ahash::AHashMap;
use neardup_text::{Error, ErrorKind, Result};

/// How many sentences of `b` one sentence of `a` is compared with, at most.
const MOST_COMPARED: usize = 256;
/// How many entries of the index one sentence of `a` reads, at most.
const MOST_READ: usize = 1 << 14;

/// Finds the sentences of `a` that return in `b` with a Jaccard similarity of at least `similarity`.
///
/// A sentence is the set of its shingles' hashes, in ascending order without repetition. For each sentence of `a`,
/// in order, the answer names the most similar of `b`, the first of several, as (index in `a`, index in `b`,
/// similarity); a sentence without elements is like nothing. Work is linear in the elements and the sentences:
/// where a text repeats itself hundreds of times with small differences, a sentence is compared with 256 of its
/// candidates only, and its partner may not be the most similar.
///
/// # Errors
/// `InvalidParameter` for a similarity not above 0 or above 1.
pub fn shared_sentences(a: &[Vec<u64>], b: &[Vec<u64>], similarity: f64) -> Result<Vec<(usize, usize, f64)>> {
    if !(similarity > 0.0 && similarity <= 1.0) {
        let message = format!("sentence similarity must be above 0 and at most 1: {similarity}");
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    let ranks = Ranks::new(a, b);
    let (a, b) = (ranks.apply(a), ranks.apply(b));
    let index = Index::new(&b, ranks.len(), similarity);
    let mut compared_with = vec![usize::MAX; b.len()];
    let mut found = Vec::new();
    for (at, sentence) in a.iter().enumerate() {
        neardup_text::interrupt::check();
        let mut best: Option<(usize, f64)> = None;
        let candidates = sentence[..prefix(sentence.len(), similarity)].iter().flat_map(|&rank| index.sentences(rank));
        let first_seen = candidates.take(MOST_READ).filter_map(|&candidate| {
            let candidate = candidate as usize;
            (std::mem::replace(&mut compared_with[candidate], at) != at).then_some(candidate)
        });
        for candidate in first_seen.take(MOST_COMPARED) {
            let other = &b[candidate];
            let threshold = best.map_or(similarity, |(_, best)| best);
            let shared = least_shared_for_jaccard(sentence.len(), other.len(), threshold)
                .and_then(|needed| intersection_at_least(sentence, other, needed));
            let Some(shared) = shared else { continue };
            let likeness = jaccard_of(shared, sentence.len(), other.len());
            if best.is_none_or(|(first, best)| likeness > best || (likeness == best && candidate < first)) {
                best = Some((candidate, likeness));
            }
            // Equal sentences are listed under equal elements, each time in their order: this is the first.
            if likeness == 1.0 {
                break;
            }
        }
        found.extend(best.map(|(other, likeness)| (at, other, likeness)));
    }
    Ok(found)
}

/// Returns how many elements of a sentence, the rarest ones, no similar sentence can lack altogether.
///
/// Similar sentences share at least `needed` of the `len`; whatever lacks `len - needed + 1` of them shares fewer.
fn prefix(len: usize, similarity: f64) -> usize {
    // The most favourable partner is the part that is shared itself; a longer one needs more.
    least_shared_for_part(len, similarity).map_or(0, |needed| len - needed + 1)
}

fn least_shared_for_part(len: usize, similarity: f64) -> Option<usize> {
    super::least_shared(similarity * len as f64, len, |shared| jaccard_of(shared, len, shared) >= similarity)
}

/// The distinct elements of both texts, numbered from the rarest.
struct Ranks(AHashMap<u64, u32>);

impl Ranks {
    fn new(a: &[Vec<u64>], b: &[Vec<u64>]) -> Self {
        let mut counts: AHashMap<u64, u32> = AHashMap::new();
        for &element in a.iter().chain(b).flatten() {
            *counts.entry(element).or_default() += 1;
        }
        let mut ascending: Vec<(u32, u64)> = counts.iter().map(|(&element, &count)| (count, element)).collect();
        ascending.sort_unstable();
        for (rank, (_, element)) in (0..).zip(ascending) {
            counts.insert(element, rank);
        }
        Self(counts)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns each sentence as its elements' ranks, in ascending order: the rarest first.
    fn apply(&self, sentences: &[Vec<u64>]) -> Vec<Vec<u32>> {
        let rank = |sentence: &Vec<u64>| {
            let mut ranks: Vec<u32> = sentence.iter().filter_map(|element| self.0.get(element).copied()).collect();
            ranks.sort_unstable();
            ranks.dedup();
            ranks
        };
        sentences.iter().map(rank).collect()
    }
}

/// Which sentences have an element among their rarest: for each rank the slice `starts[rank]..starts[rank + 1]` of
/// `sentences`.
struct Index {
    starts: Vec<u32>,
    sentences: Vec<u32>,
}

impl Index {
    fn new(sentences: &[Vec<u32>], ranks: usize, similarity: f64) -> Self {
        let prefixes = || sentences.iter().map(|sentence| &sentence[..prefix(sentence.len(), similarity)]);
        let mut starts = vec![0; ranks + 2];
        for &rank in prefixes().flatten() {
            starts[rank as usize + 2] += 1;
        }
        for rank in 1..starts.len() {
            starts[rank] += starts[rank - 1];
        }
        let mut listed = vec![0; starts.last().map_or(0, |&total: &u32| total as usize)];
        for (number, prefix) in (0..).zip(prefixes()) {
            for &rank in prefix {
                let next = &mut starts[rank as usize + 1];
                listed[*next as usize] = number;
                *next += 1;
            }
        }
        Self { starts, sentences: listed }
    }

    fn sentences(&self, rank: u32) -> &[u32] {
        let rank = rank as usize;
        &self.sentences[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{MOST_COMPARED, shared_sentences};
    use crate::similarity::jaccard;
    use neardup_text::ErrorKind;
    use neardup_text::hash::token_hash;
    use proptest::prelude::*;

    /// The character bigrams of a sentence.
    fn bigrams(sentence: &str) -> Vec<u64> {
        let characters: Vec<char> = sentence.chars().collect();
        let mut set: Vec<u64> =
            characters.windows(2).map(|pair| token_hash(&pair.iter().collect::<String>())).collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    fn oracle(a: &[Vec<u64>], b: &[Vec<u64>], similarity: f64) -> Vec<(usize, usize, f64)> {
        let mut found = Vec::new();
        for (i, sentence) in a.iter().enumerate() {
            let likeness: Vec<f64> = b.iter().map(|other| jaccard(sentence, other)).collect();
            let best = likeness.iter().copied().fold(0.0, f64::max);
            if best >= similarity {
                found.push((i, likeness.iter().position(|&other| other == best).unwrap(), best));
            }
        }
        found
    }

    #[test]
    fn a_quoted_sentence_is_found() {
        let a = ["市长昨天出席了大桥的通车仪式", "今天下午将有大雨", "他说大桥缩短了一半的路程"].map(bigrams);
        let b = ["本市新闻", "他说这座大桥缩短了一半的路程", "市长昨天出席了大桥的通车仪式"].map(bigrams);
        let found = shared_sentences(&a, &b, 0.6).unwrap();
        assert_eq!(found.iter().map(|&(i, j, _)| (i, j)).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
        assert_eq!(found[0].2, 1.0);
        assert_eq!(found[1].2, 10.0 / 14.0);
    }

    #[test]
    fn of_equal_sentences_the_first_is_named() {
        let text = ["甲乙丙", "甲乙丙丁", "甲乙丙"].map(bigrams);
        assert_eq!(shared_sentences(&text, &text, 1.0).unwrap(), [(0, 0, 1.0), (1, 1, 1.0), (2, 0, 1.0)]);
    }

    #[test]
    fn empty_sentences_are_like_nothing() {
        assert_eq!(shared_sentences(&[vec![], vec![1]], &[vec![]], 0.1).unwrap(), []);
        assert_eq!(shared_sentences(&[], &[], 0.5).unwrap(), []);
    }

    #[test]
    fn refuses_a_similarity_out_of_range() {
        for similarity in [0.0, -1.0, 1.1, f64::NAN] {
            assert_eq!(shared_sentences(&[], &[], similarity).unwrap_err().kind, ErrorKind::InvalidParameter);
        }
    }

    /// Repetition beyond the limit: every sentence is still found, though perhaps not its best partner.
    #[test]
    fn endless_repetition_ends() {
        let text: Vec<Vec<u64>> = (0..8 * MOST_COMPARED as u64).map(|own| vec![1, 2, 3, 4, 5, 10 + own]).collect();
        let found = shared_sentences(&text, &text, 0.6).unwrap();
        assert_eq!(found.len(), text.len());
    }

    proptest! {
        #[test]
        fn agrees_with_comparing_all(
            a in prop::collection::vec(prop::collection::btree_set(0u64..25, 0..12), 0..20),
            b in prop::collection::vec(prop::collection::btree_set(0u64..25, 0..12), 0..20),
            similarity in prop_oneof![Just(1.0), Just(0.5), Just(0.1), 0.01f64..1.0],
        ) {
            let vectors = |text: Vec<std::collections::BTreeSet<u64>>| -> Vec<Vec<u64>> {
                text.into_iter().map(|sentence| sentence.into_iter().collect()).collect()
            };
            let (a, b) = (vectors(a), vectors(b));
            prop_assert_eq!(shared_sentences(&a, &b, similarity).unwrap(), oracle(&a, &b, similarity));
        }
    }
}
