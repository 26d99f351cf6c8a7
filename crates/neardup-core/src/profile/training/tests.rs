#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::signature::corpus::CorpusStatistics;
use neardup_text::hash::token_hash;

/// A word of the tests: small numbers are no hashes.
fn word(number: u64) -> u64 {
    token_hash(&number.to_string())
}

fn trained(keep: usize, documents: &[Vec<u64>]) -> (Training, Statistics) {
    let mut training = Training::with_room(keep);
    for document in documents {
        training.add(&document.iter().map(|&number| word(number)).collect::<Vec<_>>());
    }
    let statistics = Statistics::from_bytes(&training.finish()).unwrap();
    (training, statistics)
}

/// The definition: entropy of what stands beside the word, mean of both sides.
fn entropy_of(documents: &[Vec<u64>], wanted: u64) -> f64 {
    let side = |left: bool| {
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        for pair in documents.iter().flat_map(|document| document.windows(2)) {
            let (of, neighbour) = if left { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
            if of == wanted {
                *counts.entry(neighbour).or_default() += 1.0;
            }
        }
        let total: f64 = counts.values().sum();
        counts.values().map(|count| -(count / total) * (count / total).ln()).sum::<f64>()
    };
    (side(true) + side(false)) / 2.0
}

/// The definition: weighted Jaccard similarity of counts, exact copies of a document seen once.
fn together(documents: &[Vec<u64>], a: u64, b: u64) -> f64 {
    let distinct: BTreeSet<_> = documents.iter().filter(|document| !document.is_empty()).collect();
    let count = |document: &[u64], word| document.iter().filter(|&&other| other == word).count();
    let (least, most) = distinct.iter().fold((0, 0), |(least, most), document| {
        let (a, b) = (count(document, a), count(document, b));
        (least + a.min(b), most + a.max(b))
    });
    least as f64 / most as f64
}

proptest! {
    #[test]
    fn frequencies_and_entropies_are_exact(
        documents in prop::collection::vec(prop::collection::vec(0..12_u64, 0..20), 0..30),
        turn in any::<prop::sample::Index>(),
    ) {
        let (training, statistics) = trained(1000, &documents);
        let filled = documents.iter().filter(|document| !document.is_empty()).count();
        prop_assert_eq!((statistics.documents(), training.lost()), (filled as u64, 0));
        for number in 0..12 {
            let n = documents.iter().filter(|document| document.contains(&number)).count();
            if n > 0 {
                prop_assert_eq!(statistics.rarity(word(number)), libm::log(filled as f64 / n as f64));
                let error = statistics.neighbour_entropy(word(number)) - entropy_of(&documents, number);
                prop_assert!(error.abs() < 1e-4, "{}", error);
            }
        }
        // The order of the documents does not matter.
        let mut turned = documents.clone();
        turned.rotate_left(turn.index(documents.len().max(1)));
        prop_assert_eq!(trained(1000, &turned).1, statistics);
    }
}

/// Over many pairs of words the estimate is right on average, and seldom off by more than a few standard errors.
#[test]
fn co_occurrence_is_estimated_without_bias() {
    let mut state = 1;
    let mut random = |below: u64| {
        state = mix(state, 1);
        state % below
    };
    // Word 2 i + 1 is in each document of word 2 i with a chance that grows with i.
    let documents: Vec<Vec<u64>> = (0..400)
        .map(|_| {
            let mut document = vec![random(1 << 40) + 1000];
            for i in 0..100 {
                for _ in 0..random(3) {
                    document.push(2 * i);
                    if random(100) < i {
                        document.push(2 * i + 1);
                    }
                }
            }
            document
        })
        .collect();
    let (_, statistics) = trained(1000, &documents);
    let mut sum = 0.0;
    for i in 0..100 {
        let exact = together(&documents, 2 * i, 2 * i + 1);
        let error = statistics.co_occurrence(word(2 * i), word(2 * i + 1)) - exact;
        assert!(error.abs() < 4.0 * (0.25_f64 / 64.0).sqrt(), "{i}: {error} from {exact}");
        sum += error;
    }
    assert!((sum / 100.0).abs() < 0.02, "{}", sum / 100.0);
}

#[test]
fn words_that_always_or_never_meet_are_told_exactly() {
    let documents: Vec<Vec<u64>> =
        (0..50).map(|i| if i % 2 == 0 { vec![1, 2, 1, 2, i + 100] } else { vec![3, i + 100] }).collect();
    let (_, statistics) = trained(1000, &documents);
    assert_eq!(statistics.co_occurrence(word(1), word(2)), 1.0);
    assert_eq!(statistics.co_occurrence(word(1), word(3)), 0.0);
    assert_eq!(statistics.co_occurrence(word(1), word(99)), 0.0, "a word not known");
}

#[test]
fn memory_is_bounded_and_frequent_words_stay() {
    // Word 0 is in all documents, word 1 in every second, and each document brings words of its own.
    let documents: Vec<Vec<u64>> = (0..2000)
        .map(|i| [vec![0], vec![1; usize::from(i % 2 == 0)], (0..7).map(|j| 10 + 7 * i + j).collect()].concat())
        .collect();
    let (training, statistics) = trained(100, &documents);
    assert!(training.words() <= 200 && training.pairs.len() <= 100 * PAIRS_PER_WORD);
    assert_eq!((statistics.words(), statistics.documents()), (100, 2000));
    assert_eq!(statistics.rarity(word(0)), 0.0);
    assert_eq!(statistics.rarity(word(1)), libm::log(2.0));
    assert_eq!(
        u64::from(training.lost()),
        (2 + 7 * 2000 - 200_u64).div_ceil(100),
        "each time words of one document went"
    );
}

#[test]
fn pairs_give_way_to_those_that_stand_together_often() {
    // 60 words, each before each other one: 3,600 pairs where there is room for 3,200.
    let mut documents = vec![vec![1, 2, 1, 2, 1, 2, 1, 2]; 10];
    documents.extend((0..60).flat_map(|a| (0..60).map(move |b| vec![a, b])));
    let (training, statistics) = trained(100, &documents);
    assert!(training.pairs.len() <= 100 * PAIRS_PER_WORD);
    assert_eq!(training.pairs.get(&(training.numbers[&word(1)], training.numbers[&word(2)])).copied(), Some(41));
    let error = statistics.neighbour_entropy(word(7)) - 60_f64.ln();
    assert!(error.abs() < 1e-3, "pairs that go were seen once, and count so: {error}");
}

#[test]
fn the_number_of_words_has_a_range() {
    for keep in [0, 999, 1_000_001] {
        let error = Training::new(keep).unwrap_err();
        assert_eq!(error.message, format!("words to keep must be between 1000 and 1000000: {keep}"));
    }
    let nothing = Statistics::from_bytes(&Training::new(1000).unwrap().finish()).unwrap();
    assert_eq!((nothing.documents(), nothing.words()), (0, 0));
}

/// Frozen: trained statistics lie in users' tables, and signatures depend on what they mean.
#[test]
fn golden() {
    let (training, _) = trained(1000, &[vec![1, 2, 3, 1, 2], vec![2, 3, 4], vec![5, 5, 5], vec![]]);
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&training.finish()), 18_288_444_692_636_568_002);
}
