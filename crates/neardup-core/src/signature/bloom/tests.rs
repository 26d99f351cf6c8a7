//! The filter against the set that it stands for, and the format's rules.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::{BloomFilter, BloomRef, HEADER_BYTES};
use neardup_text::ErrorKind;
use proptest::prelude::*;

fn filled(expected: u64, rate: f64, texts: &[String]) -> BloomFilter {
    let mut filter = BloomFilter::new(expected, rate).unwrap();
    texts.iter().for_each(|text| {
        filter.insert(text);
    });
    filter
}

proptest! {
    #[test]
    fn every_text_added_is_found(texts in prop::collection::vec(".{0,20}", 0..50), expected in 1_u64..100) {
        let filter = filled(expected, 0.01, &texts);
        let view = filter.view().unwrap();
        prop_assert!(texts.iter().all(|text| view.contains(text)));
    }

    #[test]
    fn a_union_is_the_filter_of_all(
        left in prop::collection::vec(".{0,9}", 0..30),
        right in prop::collection::vec(".{0,9}", 0..30),
    ) {
        let mut union = filled(50, 0.02, &left);
        union.union(filled(50, 0.02, &right).as_bytes()).unwrap();
        prop_assert_eq!(union, filled(50, 0.02, &[left, right].concat()));
    }

    #[test]
    fn text_and_bytes_round_trip(texts in prop::collection::vec(".{0,9}", 0..30)) {
        let filter = filled(30, 0.1, &texts);
        prop_assert_eq!(&filter.to_string().parse::<BloomFilter>().unwrap(), &filter);
        prop_assert_eq!(&BloomFilter::from_bytes(filter.as_bytes().to_vec()).unwrap(), &filter);
    }

    #[test]
    fn any_bytes_are_refused_or_read_back_whole(bytes in prop::collection::vec(any::<u8>(), 0..40), valid: bool) {
        let mut bytes = bytes;
        if valid && bytes.len() >= HEADER_BYTES {
            bytes[..HEADER_BYTES].copy_from_slice(&[1, 3, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
        }
        match BloomFilter::from_bytes(bytes.clone()) {
            Ok(filter) => {
                prop_assert!(filter.view().unwrap().false_positive_rate() <= 1.0);
                prop_assert_eq!(filter.into_bytes(), bytes);
            }
            Err(error) => prop_assert_eq!(error.kind, ErrorKind::InvalidBinary),
        }
    }
}

/// 20,000 texts in, 20,000 others asked: the rate holds within four standard errors, and both estimates are near.
#[test]
fn false_positives_are_as_rare_as_asked() {
    let texts = |from: u32| (from..from + 20_000).map(|i| format!("第{i}条消息")).collect::<Vec<String>>();
    for rate in [0.1, 0.01, 0.001_f64] {
        let filter = filled(20_000, rate, &texts(0));
        let view = filter.view().unwrap();
        let claimed = texts(1_000_000).iter().filter(|text| view.contains(text)).count() as f64;
        let expected = rate * 20_000.0;
        assert!((claimed - expected).abs() < 4.0 * expected.sqrt(), "{rate}: {claimed}, not {expected}");
        assert!((view.false_positive_rate() / rate - 1.0).abs() < 0.1, "{rate}");
        assert!((view.estimated_count() / 20_000.0 - 1.0).abs() < 0.02, "{rate}");
    }
}

#[test]
fn insert_tells_first_from_repeated() {
    let mut filter = BloomFilter::new(100, 0.001).unwrap();
    assert!(!filter.insert("新闻"));
    assert!(filter.insert("新闻"));
}

#[test]
fn parameters_have_ranges() {
    for (expected, rate) in [(0, 0.1), (10, 0.0), (10, 1.0), (10, f64::NAN), (10, -1.0)] {
        assert_eq!(BloomFilter::new(expected, rate).unwrap_err().kind, ErrorKind::InvalidParameter);
    }
    assert_eq!(BloomFilter::new(u64::MAX, 0.01).unwrap_err().kind, ErrorKind::LimitExceeded);
    // The shape that the formula of Gao and Li 2014 gives for 500,000 texts at 1 percent.
    let filter = BloomFilter::new(500_000, 0.01).unwrap();
    assert_eq!((filter.view().unwrap().bits(), filter.view().unwrap().hashes()), (4_792_576, 7));
}

#[test]
fn only_equal_shapes_unite() {
    let mut left = BloomFilter::new(100, 0.01).unwrap();
    let right = BloomFilter::new(200, 0.01).unwrap();
    let error = left.union(right.as_bytes()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Mismatch);
    assert_eq!(
        error.detail.unwrap(),
        "The left one has 960 bits and 7 positions a text; the right one has 1920 and 7."
    );
}

#[test]
fn each_broken_rule_is_named() {
    let good = BloomFilter::new(5, 0.01).unwrap().into_bytes();
    for (at, value, detail) in [
        (0, 2, "Its format version is 2, not 1."),
        (1, 0, "It has 0 positions a text, not 1 to 32."),
        (1, 33, "It has 33 positions a text, not 1 to 32."),
        (5, 1, "Bytes 2 to 7 are not 0."),
        (8, 1, "It announces 1 bits, not a multiple of 64 up to 4294967296."),
        (8, 128, "It announces 128 bits and has 8 bytes of them."),
        (13, 1, "It announces 1099511627840 bits, not a multiple of 64 up to 4294967296."),
    ] {
        let mut bytes = good.clone();
        bytes[at] = value;
        assert_eq!(BloomRef::parse(&bytes).unwrap_err().detail.unwrap(), detail);
    }
    assert_eq!(BloomRef::parse(&good[..9]).unwrap_err().detail.unwrap(), "It has 9 bytes, fewer than a header's 16.");
    let error = "0g".parse::<BloomFilter>().unwrap_err();
    assert_eq!(error.message, "invalid input syntax for type bloom_filter: \"0g\"");
}
