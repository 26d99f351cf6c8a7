#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::MAX_WORD_CHARS;

fn found(lexicon: &Lexicon, text: &str) -> Vec<(usize, u32)> {
    let mut found = Vec::new();
    lexicon.prefixes(text, |length, entry| found.push((length, entry.weight())));
    found
}

#[test]
fn the_standard_lexicon_knows_jiebas_words() {
    let lexicon = Lexicon::standard();
    let mut words = Vec::new();
    lexicon.prefixes("南京市长江大桥", |length, _| words.push(&"南京市长江大桥"[..length]));
    assert_eq!(words, ["南", "南京", "南京市"]);
    assert_eq!(lexicon.tag(lexicon.get("北京").unwrap()), "ns");
    assert_eq!(lexicon.get("北京").unwrap().weight(), construct::log2(34488));
    assert!(lexicon.contains("AT&T") && !lexicon.contains("南京市长") && !lexicon.contains(""));
    assert_eq!(lexicon.walker().log_total(), construct::log2(60_101_964));
}

#[test]
fn house_words_count_before_the_standard_ones() {
    let house = [("元宇宙办公室", None, Some("nt")), ("北京", Some(7), None), ("😀吧", Some(3), None)];
    let lexicon = Lexicon::standard().with_words(house).unwrap();
    assert_eq!(lexicon.tag(lexicon.get("元宇宙办公室").unwrap()), "nt");
    assert_eq!(lexicon.get("北京").unwrap().weight(), construct::log2(7));
    assert!(lexicon.contains("😀吧") && lexicon.contains("上海") && !lexicon.contains("😀"));
    assert!(!Lexicon::standard().contains("元宇宙办公室"));
}

#[test]
fn limits_are_errors() {
    let long = "长".repeat(MAX_WORD_CHARS + 1);
    assert_eq!(Lexicon::from_words([(long.as_str(), None, None)]).unwrap_err().kind, ErrorKind::LimitExceeded);
    let tags: Vec<_> = (0..256).map(|n| format!("t{n}")).collect();
    let words = tags.iter().map(|tag| (tag.as_str(), Some(1), Some(tag.as_str())));
    assert_eq!(Lexicon::from_words(words).unwrap_err().kind, ErrorKind::LimitExceeded);
}

#[test]
fn an_empty_lexicon_finds_nothing() {
    let lexicon = Lexicon::from_words([]).unwrap();
    assert_eq!(found(&lexicon, "任何"), []);
    assert!(!lexicon.contains(""));
}

#[test]
fn logarithms_are_those_of_the_real_numbers() {
    assert_eq!(construct::log2(1), 0);
    assert_eq!(construct::log2(2), 1 << 16);
    assert_eq!(construct::log2(u64::MAX), (64 << 16) - 1);
    for number in [3_u64, 5, 7, 1000, 34488, 883_634, 60_101_964, 1 << 40] {
        let exact = (number as f64).log2() * 65536.0;
        assert!((f64::from(construct::log2(number)) - exact).abs() <= 1.0, "{number}");
    }
}

/// The sizes that matter: a node with thousands of children, and long single chains.
#[test]
fn wide_and_deep_words_are_found() {
    let wide: Vec<String> = ('\u{4e00}'..='\u{6fff}').map(|c| format!("大{c}")).collect();
    let deep = "深".repeat(MAX_WORD_CHARS);
    let words = wide.iter().map(String::as_str).chain([deep.as_str()]);
    let lexicon = Lexicon::from_words(words.map(|word| (word, Some(2), None))).unwrap();
    assert!(wide.iter().all(|word| lexicon.contains(word)));
    assert!(lexicon.contains(&deep) && !lexicon.contains(&deep[3..]) && !lexicon.contains("大大大"));
}

proptest! {
    #[test]
    fn prefixes_agree_with_a_map(
        words in prop::collection::vec(("[一丁七ab😀]{1,4}", 1..9_u64), 0..30),
        house in prop::collection::vec(("[一丁七ab😀]{1,4}", 1..9_u64), 0..10),
        text in "[一丁七abc😀]{0,8}",
    ) {
        let list = |words: &'_ [(String, u64)]| -> Vec<(String, u64)> { words.to_vec() };
        let (words, house) = (list(&words), list(&house));
        let lexicon = Lexicon::from_words(words.iter().map(|(word, n)| (word.as_str(), Some(*n), None))).unwrap();
        let lexicon = lexicon.with_words(house.iter().map(|(word, n)| (word.as_str(), Some(*n), None))).unwrap();
        let map: HashMap<_, _> = words.iter().chain(&house).cloned().collect();
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let expected: Vec<_> =
            ends.filter_map(|end| map.get(&text[..end]).map(|&n| (end, construct::log2(n)))).collect();
        prop_assert_eq!(found(&lexicon, &text), expected);
    }
}
