//! The definition, read aloud, against the fast way; the format's rules; and the statistics the estimate promises.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use neardup_text::ErrorKind;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn parameters(scheme: Scheme, count: usize, width: u32) -> Parameters {
    Parameters::new(scheme, count, width, 0x0123_4567_89ab_cdef).unwrap()
}

fn sketch(parameters: Parameters, hashes: &[u64]) -> Option<MinHash> {
    let mut hasher = MinHasher::new(parameters, 0);
    hasher.add_all(hashes);
    hasher.finish()
}

/// Each bin's winner: the element with the least (round, x) among all that any round throws there.
fn naive_many(elements: &[u64], count: u64) -> Vec<u32> {
    let mut winners = vec![None; count as usize];
    for round in 0..2 * count {
        for &element in elements {
            let x = if round == 0 { element } else { mix(element, round) };
            let bin = if round < count { ((u128::from(x) * u128::from(count)) >> 64) as u64 } else { round - count };
            let winner = &mut winners[bin as usize];
            *winner = Some(winner.unwrap_or((round, x)).min((round, x)));
        }
    }
    winners.into_iter().map(|winner| winner.unwrap().1 as u32).collect()
}

fn naive_bottom(elements: &[u64], count: usize) -> Vec<u32> {
    let values: BTreeSet<u32> = elements.iter().map(|element| (element >> 32) as u32).collect();
    values.into_iter().take(count).collect()
}

/// Both lists on the coarser scale; equal values pair off; of the smallest, the pairs less those by chance.
fn naive_narrow_jaccard(x: &MinHash, y: &MinHash, count: usize) -> f64 {
    let scales = [x, y].map(|signature| signature.as_bytes()[3]);
    let scale = scales[0].min(scales[1]);
    let mut left: Vec<u32> = values(x).iter().map(|value| value >> (scales[0] - scale)).collect();
    let mut right: Vec<u32> = values(y).iter().map(|value| value >> (scales[1] - scale)).collect();
    let mut union = Vec::new();
    while let Some(value) = [left.first(), right.first()].into_iter().flatten().min().copied() {
        let sides = [&mut left, &mut right].map(|list| list.first() == Some(&value) && list.remove(0) == value);
        union.push((value, sides));
    }
    union.truncate(count);
    let number = |of: [bool; 2]| union.iter().filter(|(_, sides)| *sides == of).count() as f64;
    let places = f64::from(union.last().unwrap().0 + 1);
    let chance = number([true, false]) * number([false, true]) / places;
    ((number([true, true]) - chance) / (union.len() as f64 + chance)).max(0.0)
}

fn values(signature: &MinHash) -> Vec<u32> {
    MinHashRef::parse(signature.as_bytes()).unwrap().values().map(|value| value as u32).collect()
}

fn exact_jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn many_hash_agrees_with_the_definition(
        elements in prop_oneof![
            4 => prop::collection::vec(any::<u64>(), 1..60),
            1 => prop::collection::vec(any::<u64>(), 60..1500),
        ],
        count in 8_usize..80,
    ) {
        let signature = sketch(parameters(Scheme::ManyHash, count, 32), &elements).unwrap();
        prop_assert_eq!(values(&signature), naive_many(&elements, count as u64));
        let narrow = sketch(parameters(Scheme::ManyHash, count, 16), &elements).unwrap();
        let low: Vec<u32> = values(&signature).iter().map(|value| value & 0xffff).collect();
        prop_assert_eq!(values(&narrow), low);
    }

    #[test]
    fn bottom_k_agrees_with_the_definition(
        elements in prop::collection::vec(prop_oneof![any::<u64>(), 0_u64..1 << 38], 1..6000),
        count in 8_usize..=1024,
    ) {
        let signature = sketch(parameters(Scheme::BottomK, count, 32), &elements).unwrap();
        let expected = naive_bottom(&elements, count);
        prop_assert_eq!(&values(&signature), &expected);
        let narrow = sketch(parameters(Scheme::BottomK, count, 16), &elements).unwrap();
        let scale = expected.last().unwrap().leading_zeros().min(16);
        prop_assert_eq!(u32::from(narrow.as_bytes()[3]), scale);
        let scaled: Vec<u32> = expected.iter().map(|value| value >> (16 - scale)).collect();
        prop_assert_eq!(values(&narrow), scaled);
        prop_assert_eq!(MinHash::from_bytes(narrow.as_bytes().to_vec()).unwrap(), narrow);
    }

    #[test]
    fn narrow_values_are_compared_by_the_definition(
        a in prop::collection::vec(any::<u64>(), 1..300),
        more in prop::collection::vec(any::<u64>(), 0..3000),
        count in 8_usize..200,
    ) {
        let b: Vec<u64> = a.iter().take(more.len() % 300).chain(&more).copied().chain([7]).collect();
        let parameters = parameters(Scheme::BottomK, count, 16);
        let (x, y) = (sketch(parameters, &a).unwrap(), sketch(parameters, &b).unwrap());
        let expected = naive_narrow_jaccard(&x, &y, count);
        prop_assert_eq!(jaccard(x.as_bytes(), y.as_bytes()).unwrap(), expected);
        prop_assert_eq!(jaccard(y.as_bytes(), x.as_bytes()).unwrap(), expected);
        prop_assert_eq!(jaccard(x.as_bytes(), x.as_bytes()).unwrap(), 1.0);
    }

    #[test]
    fn order_repetition_and_portions_do_not_matter(
        elements in prop::collection::vec(any::<u64>(), 1..300),
        bottom: bool,
        seed in 0_u64..3,
    ) {
        let scheme = if bottom { Scheme::BottomK } else { Scheme::ManyHash };
        let mut hasher = MinHasher::new(parameters(scheme, 64, 32), seed);
        hasher.add_all(&elements);
        let signature = hasher.finish();
        for &element in elements.iter().rev().chain(&elements) {
            hasher.add(element);
        }
        prop_assert_eq!(hasher.finish(), signature);
    }

    #[test]
    fn shingles_are_the_tokens(text in "[一-龥]{0,400}[ -~]{0,30}", size in 1_usize..7, bottom: bool, seed in 0_u64..2) {
        let scheme = if bottom { Scheme::BottomK } else { Scheme::ManyHash };
        let mut hasher = MinHasher::new(parameters(scheme, 16, 32), seed);
        let boundaries: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        let (starts, ends) = shingle::spans(&boundaries, size);
        hasher.add_pieces(text.as_bytes(), starts, ends);
        let shingled = hasher.finish();
        let characters: Vec<char> = text.chars().collect();
        for window in characters.windows(size) {
            hasher.add(neardup_text::hash::token_hash(&window.iter().collect::<String>()));
        }
        prop_assert_eq!(hasher.finish(), shingled);
    }

    #[test]
    fn similarity_is_symmetric_bounded_and_1_for_equals(
        a in prop::collection::vec(0_u64..200, 1..100),
        b in prop::collection::vec(0_u64..200, 1..100),
        bottom: bool,
    ) {
        let spread = |elements: &[u64]| elements.iter().map(|&element| mix(element, 1)).collect::<Vec<u64>>();
        let (a, b) = (spread(&a), spread(&b));
        let parameters = parameters(if bottom { Scheme::BottomK } else { Scheme::ManyHash }, 256, 32);
        let (x, y) = (sketch(parameters, &a).unwrap(), sketch(parameters, &b).unwrap());
        let similarity = jaccard(x.as_bytes(), y.as_bytes()).unwrap();
        prop_assert_eq!(similarity, jaccard(y.as_bytes(), x.as_bytes()).unwrap());
        let parsed = |signature: &MinHash| MinHashRef::parse(signature.as_bytes()).unwrap().jaccard(
            MinHashRef::parse(y.as_bytes()).unwrap()).unwrap();
        prop_assert_eq!(similarity, parsed(&x));
        prop_assert!((0.0..=1.0).contains(&similarity));
        prop_assert_eq!(jaccard(x.as_bytes(), x.as_bytes()).unwrap(), 1.0);
        if bottom {
            // Fewer than 256 distinct elements in both: nothing was left out, so the value is exact.
            prop_assert_eq!(similarity, exact_jaccard(&a, &b));
        }
    }

    #[test]
    fn text_and_bytes_round_trip(elements in prop::collection::vec(any::<u64>(), 1..40), count in 8_usize..40, bottom: bool) {
        let scheme = if bottom { Scheme::BottomK } else { Scheme::ManyHash };
        let signature = sketch(parameters(scheme, count, 32), &elements).unwrap();
        prop_assert_eq!(signature.to_string().parse::<MinHash>().unwrap(), signature.clone());
        prop_assert_eq!(signature.to_string().to_uppercase().parse::<MinHash>().unwrap(), signature.clone());
        prop_assert_eq!(MinHash::from_bytes(signature.as_bytes().to_vec()).unwrap(), signature);
    }

    #[test]
    fn any_bytes_are_refused_or_read_back_whole(bytes in prop::collection::vec(any::<u8>(), 0..80), valid: bool) {
        let mut bytes = bytes;
        if valid && bytes.len() >= HEADER_BYTES {
            bytes[..8].copy_from_slice(&[1, 1, 32, 0, 8, 0, 8, 0]);
        }
        match MinHash::from_bytes(bytes.clone()) {
            Ok(signature) => prop_assert_eq!(signature.into_bytes(), bytes),
            Err(error) => prop_assert_eq!(error.kind, ErrorKind::InvalidBinary),
        }
    }
}

#[test]
fn nothing_added_is_no_signature() {
    for scheme in [Scheme::ManyHash, Scheme::BottomK] {
        assert_eq!(sketch(parameters(scheme, 128, 32), &[]), None);
    }
}

#[test]
fn extreme_hashes_are_elements_too() {
    // The largest x fills no bin in round 0, but its element does in later rounds.
    for element in [0, u64::MAX] {
        let signature = sketch(parameters(Scheme::ManyHash, 16, 32), &[element]).unwrap();
        assert!(
            values(&signature)
                .iter()
                .all(|&value| (1..2 * 16).any(|round| mix(element, round) as u32 == value) || value == element as u32)
        );
        assert_ne!(signature, sketch(parameters(Scheme::ManyHash, 16, 32), &[7]).unwrap());
    }
}

#[test]
fn endless_repetition_takes_bounded_memory_and_changes_nothing() {
    let mut hasher = MinHasher::new(parameters(Scheme::ManyHash, 64, 32), 0);
    hasher.add_all(&[mix(1, 1), mix(2, 1)]);
    let expected = hasher.finish();
    let batch = [mix(1, 1), mix(2, 1)].repeat(500);
    for _ in 0..200 {
        hasher.add_all(&batch);
    }
    let State::Many(state) = &hasher.state else { return };
    assert!(state.remembered() < 40_000);
    assert_eq!(hasher.finish(), expected);
}

#[test]
fn seeds_give_other_values() {
    let mut hasher = MinHasher::new(parameters(Scheme::ManyHash, 64, 32), 1);
    hasher.add_all(&[1, 2, 3]);
    assert_ne!(hasher.finish(), sketch(parameters(Scheme::ManyHash, 64, 32), &[1, 2, 3]));
}

#[test]
fn parameters_have_ranges() {
    for (scheme, count, width) in [
        (Scheme::ManyHash, 7, 32),
        (Scheme::ManyHash, 1025, 32),
        (Scheme::ManyHash, 128, 8),
        (Scheme::ManyHash, 128, 64),
        (Scheme::BottomK, 128, 8),
        (Scheme::BottomK, 7, 32),
        (Scheme::BottomK, 0, 64),
        (Scheme::BottomK, 1025, 64),
    ] {
        assert_eq!(Parameters::new(scheme, count, width, 0).unwrap_err().kind, ErrorKind::InvalidParameter);
    }
}

#[test]
fn what_does_not_fit_is_an_error_naming_both_sides() {
    let left = parameters(Scheme::ManyHash, 128, 32);
    for right in [
        parameters(Scheme::ManyHash, 64, 32),
        parameters(Scheme::ManyHash, 128, 16),
        parameters(Scheme::BottomK, 128, 32),
        Parameters::new(Scheme::ManyHash, 128, 32, 1).unwrap(),
    ] {
        let (a, b) = (sketch(left, &[1, 2]).unwrap(), sketch(right, &[1, 2]).unwrap());
        let error = jaccard(a.as_bytes(), b.as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Mismatch);
        let detail = error.detail.unwrap();
        assert!(detail.contains(&left.to_string()) && detail.contains(&right.to_string()), "{detail}");
    }
}

#[test]
fn each_broken_rule_is_named() {
    let good = sketch(parameters(Scheme::ManyHash, 8, 32), &[1, 2, 3]).unwrap().into_bytes();
    let bottom = sketch(parameters(Scheme::BottomK, 8, 32), &[1 << 32, 2 << 32]).unwrap().into_bytes();
    let broken = |bytes: &[u8], at: usize, value: u8| {
        let mut bytes = bytes.to_vec();
        bytes[at] = value;
        MinHash::from_bytes(bytes).unwrap_err().detail.unwrap()
    };
    assert_eq!(broken(&good, 0, 2), "Its format version is 2, not 1.");
    assert_eq!(broken(&good, 1, 3), "Its scheme is 3, neither 1 nor 2.");
    assert_eq!(broken(&good, 2, 8), "It has an invalid width of minhash values: 8.");
    assert_eq!(broken(&good, 3, 1), "Its fourth byte is 1, not 0.");
    assert_eq!(broken(&good, 4, 7), "It has an invalid number of minhash values: 7.");
    assert_eq!(broken(&good, 6, 7), "It announces 7 values where 8 were asked for.");
    assert_eq!(broken(&good, 2, 16), "Its 8 values take 32 bytes.");
    assert_eq!(broken(&bottom, 6, 0), "It announces 0 values where 8 were asked for.");
    assert_eq!(broken(&bottom, 16, 9), "The values of a bottom_k signature are not strictly ascending.");
    let narrow = sketch(parameters(Scheme::BottomK, 8, 16), &[1 << 62, 1 << 63]).unwrap().into_bytes();
    assert_eq!(broken(&narrow, 3, 17), "Its scale is 17, more than 16.");
    assert_eq!(broken(&narrow, 19, 0x3f), "The values of a bottom_k signature are not ascending.");
    assert_eq!(broken(&narrow, 19, 0x7f), "Its largest value, 32512, is too small for the scale 0.");
    assert_eq!(
        MinHash::from_bytes(vec![1, 1]).unwrap_err().detail.unwrap(),
        "It has 2 bytes, fewer than a header's 16."
    );
    for text in ["", "0", "xyz", "0101\u{661}1"] {
        let error = text.parse::<MinHash>().unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidText);
        assert_eq!(error.message, format!("invalid input syntax for type minhash: \"{text}\""));
    }
}

/// Mean and variance of the estimates over many pairs of random sets with the given sizes.
fn estimates(scheme: Scheme, width: u32, count: usize, union: u64, common: u64) -> (f64, f64) {
    const TRIALS: u64 = 1000;
    let mut hasher = MinHasher::new(parameters(scheme, count, width), 0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for trial in 0..TRIALS {
        let elements: Vec<u64> = (0..union).map(|i| mix(trial << 32 | i, union)).collect();
        // The common elements first, the others alternating between the sides.
        let mut side = |parity: u64| {
            for (i, &element) in (0..).zip(&elements) {
                if i < common || i % 2 == parity {
                    hasher.add(element);
                }
            }
            hasher.finish().unwrap()
        };
        let (a, b) = (side(0), side(1));
        let estimate = jaccard(a.as_bytes(), b.as_bytes()).unwrap();
        sum += estimate;
        squares += estimate * estimate;
    }
    let mean = sum / TRIALS as f64;
    (mean, squares / TRIALS as f64 - mean * mean)
}

/// Unbiased, and no more variance than `count` independent hashes have, for tiny, middling and large sets.
#[test]
fn the_estimate_is_unbiased_and_no_worse_than_independent_hashes() {
    for (scheme, width) in [
        (Scheme::ManyHash, 32),
        (Scheme::ManyHash, 16),
        (Scheme::BottomK, 32),
        (Scheme::BottomK, 16),
        (Scheme::BottomK, 64),
    ] {
        for (union, common) in [(5, 2), (20, 10), (100, 70), (1000, 500)] {
            let count = 128;
            let similarity = common as f64 / union as f64;
            let independent = similarity * (1.0 - similarity) / count as f64;
            let (mean, variance) = estimates(scheme, width, count, union, common);
            // Over 1000 trials the mean has a standard error of sqrt(independent / 1000), and the variance one of
            // sqrt(2 / 1000) = 4.5 percent of itself. Four of each leave one false alarm in 16000.
            assert!(
                (mean - similarity).abs() < 4.0 * (independent / 1000.0).sqrt() + 1e-12,
                "{scheme:?} {width} {union}: mean {mean}, not {similarity}"
            );
            assert!(
                variance < independent * 1.18,
                "{scheme:?} {width} {union}: variance {variance}, independent hashes {independent}"
            );
        }
    }
}

/// Where many values are kept and few are common, most are equal by chance: the correction takes that out, also between sets
/// of very different sizes, which are on different scales.
#[test]
fn narrow_bottom_k_is_unbiased_with_many_values() {
    const TRIALS: u64 = 200;
    for (a_only, common, b_only) in
        [(3000, 0, 3000), (3000, 100, 3000), (200, 50, 40_000), (500, 500, 500), (10, 30, 2000)]
    {
        let similarity = common as f64 / (a_only + common + b_only) as f64;
        for count in [64, 1024] {
            let mut hasher = MinHasher::new(parameters(Scheme::BottomK, count, 16), 0);
            let mut sum = 0.0;
            for trial in 0..TRIALS {
                let element = |i: u64| mix(trial << 32 | i, 9);
                (0..a_only + common).for_each(|i| hasher.add(element(i)));
                let a = hasher.finish().unwrap();
                (a_only..a_only + common + b_only).for_each(|i| hasher.add(element(i)));
                let b = hasher.finish().unwrap();
                sum += jaccard(a.as_bytes(), b.as_bytes()).unwrap();
            }
            // Beside the error of the sample that of the number of chance pairs, of which there are at most n^2 / 2^16.
            let different = 1.0 - similarity;
            let error = (similarity * different / count as f64 + different * different / 65_536.0).sqrt();
            let mean = sum / TRIALS as f64;
            // Estimates below 0 are cut off there, which lifts the mean of those near it.
            let lifted = if similarity < 3.0 * error { error } else { 0.0 };
            assert!(
                (mean - similarity).abs() < 4.0 * error / (TRIALS as f64).sqrt() + lifted,
                "{a_only} {common} {b_only}, {count} values: mean {mean}, not {similarity}"
            );
        }
    }
}
