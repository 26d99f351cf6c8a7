#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

fn cut(text: &str, mode: JiebaMode, hmm: bool) -> Vec<&str> {
    let mut words = Vec::new();
    segment(shared(), text, JiebaOptions { mode, hmm }, &mut |token| {
        assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
        words.push(token.text);
    });
    words
}

#[test]
fn modes_cut_as_documented_by_jieba() {
    let text = "我来到北京清华大学";
    assert_eq!(cut(text, JiebaMode::Exact, true), ["我", "来到", "北京", "清华大学"]);
    assert_eq!(cut(text, JiebaMode::Search, true), ["我", "来到", "北京", "清华", "华大", "大学", "清华大学"]);
    assert_eq!(cut("他来到了网易杭研大厦", JiebaMode::Exact, true), ["他", "来到", "了", "网易", "杭研", "大厦"]);
    assert_eq!(cut("他来到了网易杭研大厦", JiebaMode::Exact, false), ["他", "来到", "了", "网易", "杭", "研", "大厦"]);
}

#[test]
fn full_mode_has_every_word_once() {
    let full = |text| cut(text, JiebaMode::Full, false);
    assert_eq!(full("我来到北京清华大学"), ["我", "来到", "北京", "清华", "清华大学", "华大", "大学"]);
    assert_eq!(full("买AT&T和T恤ab12，…\r\n é"), ["买", "AT&T", "和", "T恤", "ab12", "，…", "\r\n", " ", "é"]);
    assert_eq!(full(""), [""; 0]);
    // A character that is no word, and one that a word covers.
    assert_eq!(full("㐂南京"), ["㐂", "南京"]);
}

#[test]
fn full_mode_cuts_endless_blocks_at_the_bound() {
    let text = "a".repeat(MAX_BLOCK_CHARS + 1);
    assert_eq!(cut(&text, JiebaMode::Full, false), [&text[1..], "a"]);
}

#[test]
fn compounds_are_cut_as_python_cuts_them() {
    assert_eq!(cut("wi-fi", JiebaMode::Exact, true), ["wi", "-", "fi"]);
    assert_eq!(cut("3.14%", JiebaMode::Exact, true), ["3.14%"]);
    assert_eq!(cut("1.2.3", JiebaMode::Exact, true), ["1.2", ".", "3"]);
    assert_eq!(cut("a.1b_c", JiebaMode::Exact, true), ["a.1", "b", "_", "c"]);
    assert_eq!(cut("www.example.com", JiebaMode::Search, true), ["www", ".", "example", ".", "com"]);
}

#[test]
fn house_words_stay_whole() {
    let text = "碳达峰元宇宙办公室";
    let with = Jieba::with_words(&[("元宇宙办公室", None, Some("nt")), ("k8s-v2", None, None)]).unwrap();
    let mut words = Vec::new();
    segment_tagged(&with, text, JiebaOptions::default(), &mut |token, tag| words.push((token.text, tag.to_owned())));
    assert_eq!(words.last().unwrap(), &("元宇宙办公室", "nt".to_owned()));
    let mut words = Vec::new();
    let full = JiebaOptions { mode: JiebaMode::Full, hmm: false };
    segment_tagged(&with, text, full, &mut |token, tag| words.push((token.text, tag.to_owned())));
    assert!(words.contains(&("元宇宙办公室", "nt".to_owned())) && words.contains(&("办公室", "n".to_owned())));
    let mut words = Vec::new();
    segment(&with, "用k8s-v2", JiebaOptions::default(), &mut |token| words.push(token.text));
    assert_eq!(words, ["用", "k8s-v2"]);
    assert!(!cut(text, JiebaMode::Exact, true).contains(&"元宇宙办公室"));
}

#[test]
fn tags_come_with_the_same_words() {
    let text = "我来到北京清华大学，用wi-fi看3集。";
    let mut tagged = Vec::new();
    segment_tagged(shared(), text, JiebaOptions::default(), &mut |token, tag| {
        tagged.push((token.text, tag.to_owned()));
    });
    assert_eq!(tagged.iter().map(|(word, _)| *word).collect::<Vec<_>>(), cut(text, JiebaMode::Exact, true));
    let tag = |word: &str| tagged.iter().find(|(w, _)| *w == word).unwrap().1.clone();
    assert_eq!(
        (tag("北京").as_str(), tag("fi").as_str(), tag("3").as_str(), tag("-").as_str()),
        ("ns", "eng", "m", "x")
    );
}

#[test]
fn chunks_do_not_change_tokens() {
    let text = "南京市长江大桥，wi-fi\r\n调水计划2.5亿！".repeat(700);
    let whole: Vec<_> = shared().model().cut(&text, false).iter().map(|token| token.word).collect();
    assert_eq!(cut(&text, JiebaMode::Exact, false), whole);
}

proptest! {
    #[test]
    fn exact_tokens_cover_the_text(text in "[一丁七万丈三上下不与a-c1-3.%_\\-+#&， \r\n]{0,60}") {
        for hmm in [false, true] {
            prop_assert_eq!(cut(&text, JiebaMode::Exact, hmm).concat(), text.clone());
        }
    }
}
