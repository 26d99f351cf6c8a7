//! Decoders of signatures on any bytes: invalid input is refused, valid input is encoded back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_core::signature::bloom::{BloomFilter, BloomRef};
use neardup_core::signature::minhash::{self, MinHash, MinHashRef};
use neardup_core::signature::simhash;
use neardup_core::signature::tokenset::{self, TokenSet};

fuzz_target!(|data: &[u8]| {
    if let Ok(signature) = MinHashRef::parse(data) {
        assert_eq!(signature.jaccard(signature).ok(), Some(1.0));
        assert!(signature.values().len() <= 1024);
        assert_eq!(minhash::jaccard(data, data).ok(), Some(1.0));
    }
    if let Ok(set) = TokenSet::decode(data) {
        let text = set.to_text();
        assert_eq!(tokenset::from_text(&text).ok().as_deref(), Some(data));
        assert!(set.jaccard(&set).is_ok_and(|value| (0.0..=1.0).contains(&value)));
        assert!(set.cosine(&set).is_ok_and(|value| value <= 1.0));
    }
    if let Ok(filter) = BloomRef::parse(data) {
        let _ = filter.contains("x");
        let _ = filter.estimated_count();
    }
    // Two at a time, of which the second may fit the first.
    let (a, b) = data.split_at(data.len() / 2);
    let _ = minhash::jaccard(a, b);
    if let (Ok(a), Ok(b)) = (TokenSet::open(a), TokenSet::open(b)) {
        let _ = a.overlap(&b);
    }
    if let Ok(text) = std::str::from_utf8(data) {
        if let Ok(signature) = simhash::parse_hex(text) {
            assert_eq!(simhash::parse_hex(&simhash::to_hex(signature)), Ok(signature));
        }
        if let Ok(signature) = text.parse::<MinHash>() {
            assert_eq!(signature.to_string().parse(), Ok(signature));
        }
        if let Ok(filter) = text.parse::<BloomFilter>() {
            assert_eq!(filter.to_string().parse(), Ok(filter));
        }
        if let Ok(bytes) = tokenset::from_text(text) {
            let set = TokenSet::decode(&bytes).expect("what was read is well formed");
            assert_eq!(tokenset::from_text(&set.to_text()), Ok(bytes));
        }
    }
});
