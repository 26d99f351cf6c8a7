#![allow(clippy::unwrap_used, reason = "tests")]

use super::{TokenSet, encode, from_text};
use crate::weighting::Weighted;
use neardup_text::ErrorKind;
use proptest::prelude::*;
use std::collections::BTreeMap;

const FINGERPRINT: u64 = 0x0123_4567_89ab_cdef;

fn tokens(weights: &BTreeMap<u64, f32>) -> Vec<Weighted> {
    // In descending order, since `encode` takes any.
    weights.iter().rev().map(|(&hash, &weight)| Weighted { hash, first: 0, weight: f64::from(weight) }).collect()
}

fn plain(hashes: &[u64]) -> Vec<u8> {
    let tokens: Vec<Weighted> = hashes.iter().map(|&hash| Weighted { hash, first: 0, weight: 1.0 }).collect();
    encode(&tokens, false, FINGERPRINT).unwrap()
}

fn detail(bytes: &[u8]) -> String {
    let error = TokenSet::decode(bytes).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidBinary);
    error.detail.unwrap()
}

fn text_detail(text: &str) -> String {
    let error = from_text(text).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidText);
    error.detail.unwrap()
}

/// Frozen: version 1 of the format.
#[test]
fn golden() {
    let weighted =
        encode(&tokens(&BTreeMap::from([(0xff, 0.5), (0x1122_3344_5566_7788, 3.0)])), true, FINGERPRINT).unwrap();
    #[rustfmt::skip]
    assert_eq!(weighted, [
        1, 1, 0, 0, 2, 0, 0, 0, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
        0xff, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
        0, 0, 0, 0x3f, 0, 0, 0x40, 0x40,
    ]);
    let text = "1:0123456789abcdef:{00000000000000ff=0.5,1122334455667788=3}";
    assert_eq!(TokenSet::decode(&weighted).unwrap().to_text(), text);
    assert_eq!(from_text(text).unwrap(), weighted);

    assert_eq!(plain(&[2, 1])[..8], [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(
        TokenSet::decode(&plain(&[2, 1])).unwrap().to_text(),
        "1:0123456789abcdef:{0000000000000001,0000000000000002}"
    );
}

#[test]
fn an_empty_set_has_one_form() {
    let empty = encode(&[], true, FINGERPRINT).unwrap();
    assert_eq!(empty, plain(&[]));
    assert_eq!(TokenSet::decode(&empty).unwrap().to_text(), "1:0123456789abcdef:{}");
    assert_eq!(from_text("1:0123456789abcdef:{}").unwrap(), empty);
    assert!(TokenSet::decode(&empty).unwrap().is_empty());
}

#[test]
fn a_set_takes_no_token_twice_and_no_odd_weight() {
    let token = |weight| Weighted { hash: 7, first: 0, weight };
    let kind = |tokens: &[Weighted]| encode(tokens, true, 0).unwrap_err().kind;
    assert_eq!(kind(&[token(1.0), token(2.0)]), ErrorKind::InvalidParameter);
    for weight in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert_eq!(kind(&[token(weight)]), ErrorKind::InvalidParameter, "{weight}");
    }
    let zero = encode(&[token(-0.0)], true, 0).unwrap();
    assert_eq!(TokenSet::decode(&zero).unwrap().tokens().next(), Some((7, 0.0)));
}

#[test]
fn bytes_that_break_a_rule_are_refused() {
    let good = encode(&tokens(&BTreeMap::from([(1, 0.5), (2, 1.5)])), true, FINGERPRINT).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(detail(&[]), "The value has 0 bytes, fewer than its header.");
    assert_eq!(detail(&good[..15]), "The value has 15 bytes, fewer than its header.");
    assert_eq!(detail(&with(0, 2)), "The format version is 2, not 1.");
    assert_eq!(detail(&with(1, 3)), "Reserved bits are set.");
    assert_eq!(detail(&with(3, 1)), "Reserved bits are set.");
    assert_eq!(detail(&with(4, 0)), "A set without tokens is flagged to have weights.");
    assert_eq!(detail(&with(4, 3)), "The value has 40 bytes, not 52 for 3 tokens.");
    assert_eq!(detail(&with(7, 255)), "The count of tokens is 4278190082, above 67108864.");
    assert_eq!(detail(&good[..39]), "The value has 39 bytes, not 40 for 2 tokens.");
    assert_eq!(detail(&[&good[..], &[0]].concat()), "The value has 41 bytes, not 40 for 2 tokens.");
    assert_eq!(detail(&with(24, 1)), "Hashes are not strictly ascending.");
    assert_eq!(detail(&with(24, 0)), "Hashes are not strictly ascending.");
    assert_eq!(detail(&with(39, 0xbf)), "A weight is negative or not finite.");
    assert_eq!(detail(&[&good[..38], &[0x80, 0x7f]].concat()), "A weight is negative or not finite.");
}

#[test]
fn text_that_breaks_a_rule_is_refused() {
    assert_eq!(text_detail(""), "The format version is not 1.");
    assert_eq!(text_detail("2:0123456789abcdef:{}"), "The format version is not 1.");
    assert_eq!(text_detail("1:0123456789abcdef"), "There is no fingerprint.");
    for fingerprint in ["0x23456789abcdef", "123456789abcdef", "+123456789abcdef", ""] {
        let text = format!("1:{fingerprint}:{{}}");
        assert_eq!(text_detail(&text), "The fingerprint is not of 16 hexadecimal digits.", "{text}");
    }
    for list in ["", "{", "}", "{} ", "0000000000000001"] {
        assert_eq!(text_detail(&format!("1:0123456789abcdef:{list}")), "The tokens are not in braces.", "{list}");
    }
    let list = |list: &str| text_detail(&format!("1:0123456789abcdef:{{{list}}}"));
    for bad in ["1", ",", "0000000000000001,", " 0000000000000001", "000000000000000g", "00000000000000甲"] {
        assert_eq!(list(bad), "A hash is not of 16 hexadecimal digits.", "{bad}");
    }
    assert_eq!(list("0000000000000002,0000000000000001"), "Hashes are not strictly ascending.");
    assert_eq!(list("0000000000000001,0000000000000001"), "Hashes are not strictly ascending.");
    assert_eq!(list("0000000000000001=1,0000000000000002"), "Some tokens have weights and some do not.");
    for weight in ["", "-1", "-0", "nan", "inf", "1e99", "1=1", " 1"] {
        let detail = list(&format!("0000000000000001={weight}"));
        assert_eq!(detail, "A weight is not a finite number, not negative.", "{weight}");
    }
}

#[test]
fn an_error_quotes_the_start_of_a_long_text() {
    let message = from_text(&"甲".repeat(1000)).unwrap_err().message;
    assert_eq!(message, format!("invalid input syntax for type tokenset: \"{}...\"", "甲".repeat(64)));
}

#[test]
fn sets_that_do_not_fit_are_not_compared() {
    let other = encode(&[], false, 1).unwrap();
    let (a, b) = (plain(&[1]), plain(&[1]));
    let (a, b, other) = (TokenSet::open(&a).unwrap(), TokenSet::open(&b).unwrap(), TokenSet::open(&other).unwrap());
    assert_eq!(a.jaccard(&b), Ok(1.0));
    assert_eq!(a.jaccard(&other).unwrap_err().kind, ErrorKind::Mismatch);
    assert_eq!(a.overlap(&other).unwrap_err().kind, ErrorKind::Mismatch);
    assert_eq!(a.cosine(&other).unwrap_err().kind, ErrorKind::Mismatch);
    assert_eq!(a.jaccard_within(&other, 0.5).unwrap_err().kind, ErrorKind::Mismatch);
    assert_eq!(a.overlap_within(&other, 0.5).unwrap_err().kind, ErrorKind::Mismatch);
    let weighted = encode(&tokens(&BTreeMap::from([(1, 0.5)])), true, FINGERPRINT).unwrap();
    let weighted = TokenSet::open(&weighted).unwrap();
    assert_eq!(a.cosine(&weighted).unwrap_err().kind, ErrorKind::Mismatch);
    assert_eq!(a.overlap(&weighted), Ok(1.0));
}

fn weights() -> impl Strategy<Value = BTreeMap<u64, f32>> {
    prop::collection::btree_map(0u64..50, 0f32..=f32::MAX, 0..40)
}

proptest! {
    #[test]
    fn reads_back(weights in weights(), weighted: bool, fingerprint: u64) {
        let bytes = encode(&tokens(&weights), weighted, fingerprint).unwrap();
        let set = TokenSet::decode(&bytes).unwrap();
        prop_assert_eq!(set.fingerprint(), fingerprint);
        prop_assert_eq!(set.len(), weights.len());
        let expected: Vec<_> = weights.iter().map(|(&hash, &weight)| (hash, if weighted { weight } else { 1.0 })).collect();
        prop_assert_eq!(set.tokens().collect::<Vec<_>>(), expected);
        prop_assert_eq!(from_text(&set.to_text()).unwrap(), bytes);
    }

    /// Wherever the value lies in memory.
    #[test]
    fn measures_do_not_depend_on_alignment(a in weights(), b in weights(), shift in 0usize..8) {
        let (a, b) = (encode(&tokens(&a), true, 0).unwrap(), encode(&tokens(&b), true, 0).unwrap());
        let moved = [&vec![0; shift], &b[..]].concat();
        let (a, b, moved) = (TokenSet::open(&a).unwrap(), TokenSet::open(&b).unwrap(), TokenSet::open(&moved[shift..]).unwrap());
        prop_assert_eq!(a.jaccard(&b), a.jaccard(&moved));
        prop_assert_eq!(a.cosine(&b), moved.cosine(&a));
        prop_assert_eq!(a.overlap_within(&b, 0.5).unwrap(), a.overlap(&moved).unwrap() >= 0.5);
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..60), valid_head: bool) {
        if valid_head && bytes.len() >= 16 {
            let count = (bytes.len() - 16) / 8;
            bytes[..8].copy_from_slice(&[1, 0, 0, 0, count as u8, 0, 0, 0]);
        }
        if let Ok(set) = TokenSet::decode(&bytes) {
            prop_assert_eq!(from_text(&set.to_text()).unwrap(), &bytes[..]);
        }
        if let Ok(set) = TokenSet::open(&bytes) {
            prop_assert!(set.jaccard(&set).unwrap() <= 1.0);
        }
    }
}
