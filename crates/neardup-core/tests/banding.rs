//! Recomputes the golden vectors of `docs/internals/banding.md`: the code does what the page promises.
#![allow(clippy::unwrap_used, reason = "tests")]

use neardup_core::banding::{bands, minhash_bands, overlap_keys, token_key};
use neardup_core::signature::minhash::{MinHashRef, MinHasher, Parameters, Scheme};
use neardup_core::signature::winnow::Winnower;
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};

/// Shows keys as Postgres shows an `integer[]`.
fn array(keys: &[i32]) -> String {
    format!("{{{}}}", keys.iter().map(i32::to_string).collect::<Vec<_>>().join(","))
}

/// Hands each token of `text` to `sink`.
fn each_token(text: &str, analyzer: &str, sink: &mut dyn FnMut(&str)) {
    let analyzer: Analyzer = analyzer.parse().unwrap();
    analyzer.tokens(text, &mut Scratch::default(), &mut |token| sink(token)).unwrap();
}

/// Each golden vector's name and value, in the order of the page.
fn computed() -> Vec<(String, String)> {
    let mut vectors = Vec::new();
    let mut add = |name: String, keys: &[i32]| vectors.push((name, array(keys)));

    let signature = 0x0123_4567_89ab_cdef;
    for (signature, count) in
        [(signature, 3), (signature, 4), (signature, 10), (signature, 64), (0xa903_0013, 4), (0, 4)]
    {
        let mut keys = Vec::new();
        bands(signature, count, |key| keys.push(key)).unwrap();
        add(format!("simhash_bands({signature:016x}, {count})"), &keys);
    }

    let characters: Vec<char> = "近似重复的新闻，改动几个字。".chars().collect();
    let grams: Vec<u64> = characters.windows(3).map(|gram| token_hash(&gram.iter().collect::<String>())).collect();
    let numbers: Vec<u64> = (0..2000).map(|number| token_hash(&number.to_string())).collect();
    for (name, elements, count, width, bands, rows) in [
        ("3-grams", &grams, 8, 32, 8, 1),
        ("3-grams", &grams, 8, 32, 2, 3),
        ("3-grams", &grams, 8, 16, 2, 3),
        ("3-grams", &grams, 128, 32, 16, 8),
        ("3-grams", &grams, 128, 32, 3, 40),
        ("0 to 1999", &numbers, 256, 32, 2, 128),
    ] {
        let mut hasher = MinHasher::new(Parameters::new(Scheme::ManyHash, count, width, 0).unwrap(), 0);
        hasher.add_all(elements);
        let signature = hasher.finish().unwrap();
        let values = MinHashRef::parse(signature.as_bytes()).unwrap().values();
        let mut keys = Vec::new();
        minhash_bands(values, bands, rows, |key| keys.push(key)).unwrap();
        add(format!("minhash_bands(minhash({name}, {count} values, {width} bits), {bands}, {rows})"), &keys);
    }

    for (text, analyzer) in
        [("", "words"), ("a bb ccc dddd eeeee 新闻 bb", "words"), ("नि 𠮷 字", "chars:1"), ("北京大学的学生", "jieba")]
    {
        let mut keys = Vec::new();
        each_token(text, analyzer, &mut |token| keys.push(token_key(token_hash(token), token.chars().count())));
        keys.sort_unstable();
        keys.dedup();
        add(format!("token_keys({text}; {analyzer})"), &keys);
    }

    let overlap = |tokens: &[i32], similarity| {
        let (mut sorted, mut keys) = (tokens.to_vec(), Vec::new());
        sorted.sort_unstable();
        sorted.dedup();
        overlap_keys(&sorted, similarity, |key| keys.push(key)).unwrap();
        keys
    };
    for (tokens, similarity) in
        [(&[][..], 0.8), (&[7], 1.0), (&[1, 2, 3, 4, 5], 0.8), (&[5, -3, 5, i32::MAX, i32::MIN], 0.5)]
    {
        add(format!("overlap_keys({}, {similarity})", array(tokens)), &overlap(tokens, similarity));
    }
    add("overlap_keys(1 to 25, 0.56)".to_owned(), &overlap(&(1..=25).collect::<Vec<_>>(), 0.56));

    let fingerprints = |text: &str, analyzer: &str, window| {
        let mut winnower = Winnower::new(window);
        each_token(text, analyzer, &mut |token| winnower.add(token_hash(token)));
        winnower.finish()
    };
    let text = "近似重复的新闻改动几个字";
    for (text, window) in [("", 4), ("近似", 4), (text, 1), (text, 4), (text, 65_536)] {
        add(format!("fingerprints({text}; chars:3, window {window})"), &fingerprints(text, "chars:3", window));
    }
    let digits: String = (0..100).map(|number| number.to_string()).collect();
    let name = "fingerprints(0 to 99 in one word; chars:10, window 41)";
    add(name.to_owned(), &fingerprints(&digits, "chars:10", 41));
    vectors
}

#[test]
fn the_page_states_what_the_code_computes() {
    let page = include_str!("../../../docs/internals/banding.md");
    let block = page.split_once("```golden\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let stated: Vec<(String, String)> =
        block.lines().filter_map(|line| line.split_once(" = ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(stated, computed());
}
