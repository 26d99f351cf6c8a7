#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::{Sentence, sentences};

fn all(text: &str) -> Vec<Sentence<'_>> {
    let mut all = Vec::new();
    sentences(text, &mut |sentence| all.push(sentence));
    all
}

fn cut(text: &str) -> Vec<&str> {
    all(text).into_iter().map(|sentence| sentence.text).collect()
}

#[test]
fn chinese_ends() {
    assert_eq!(
        cut("天晴了。我们走吧！去哪里？到处；都好……真的…嗯"),
        ["天晴了。", "我们走吧！", "去哪里？", "到处；", "都好……", "真的…", "嗯"]
    );
    assert_eq!(cut("什么？！不会吧。。。是的。"), ["什么？！", "不会吧。。。", "是的。"]);
    assert_eq!(cut("第一段\n  第二段\r\n第三段"), ["第一段", "第二段", "第三段"]);
    assert_eq!(cut("他走了.然后呢?没有!1.加强2.提高"), ["他走了.", "然后呢?", "没有!", "1.加强2.提高"]);
}

#[test]
fn latin_ends() {
    assert_eq!(
        cut("It rose 3.5 percent. Then it fell! Why? Nobody knows."),
        ["It rose 3.5 percent.", "Then it fell!", "Why?", "Nobody knows."]
    );
    assert_eq!(
        cut("Mr. J. Smith of the U.S. Army met Prof. Li on Jan. 5 at example.com. He left."),
        ["Mr. J. Smith of the U.S. Army met Prof. Li on Jan. 5 at example.com.", "He left."]
    );
    assert_eq!(
        cut("Acme Inc. said so, i.e. nothing... and more... Then the end"),
        ["Acme Inc. said so, i.e. nothing... and more...", "Then the end"]
    );
    assert_eq!(cut("\"Stop!\" he said. So did I. They went."), ["\"Stop!\" he said.", "So did I.", "They went."]);
    assert_eq!(cut("1. First point. 2. Second point."), ["1. First point.", "2. Second point."]);
}

#[test]
fn quotations_stay_whole() {
    for text in [
        "他说：“走吧。我累了。”然后离开。",
        "（他走了。真的。）我们留下。",
        "《你好！再见？》是一本书。",
        "她问：「去不去？『不去。』」他不答。",
        "他说:\"走吧。我累了。\"然后离开。",
    ] {
        assert_eq!(cut(text), [text]);
    }
    assert_eq!(cut("He said: “Go. I am tired.” Then he left."), ["He said: “Go. I am tired.”", "Then he left."]);
    assert_eq!(cut("The “U.S.” Army (est. 1775.) It stands."), ["The “U.S.” Army (est. 1775.)", "It stands."]);
}

#[test]
fn closing_signs_belong_to_the_sentence_before() {
    assert_eq!(cut("走吧。”他说。）完"), ["走吧。”", "他说。）", "完"]);
}

#[test]
fn an_unclosed_quotation_swallows_nothing() {
    assert_eq!(cut("他说：“走吧。我累了。然后离开。"), ["他说：“走吧。", "我累了。", "然后离开。"]);
    assert_eq!(cut("他说：“走吧。\n我累了。”"), ["他说：“走吧。", "我累了。”"]);
    let long = format!("“{}”完。", "走吧。".repeat(400));
    assert_eq!(cut(&long).len(), 401);
}

#[test]
fn wrapped_lines_go_on() {
    let wrapped =
        "Showers went on through the whole of last week in\nJanuary, and the crop improved\n    New paragraph";
    assert_eq!(
        cut(wrapped),
        ["Showers went on through the whole of last week in\nJanuary, and the crop improved", "New paragraph"]
    );
    assert_eq!(cut("Apples\npears"), ["Apples", "pears"]);
}

#[test]
fn what_says_nothing_is_dropped() {
    assert!(cut("").is_empty());
    assert!(cut(" \n。。。 ——！\n").is_empty());
    assert_eq!(cut("。。。走。"), ["走。"]);
}

#[test]
fn places_count_bytes_and_characters() {
    let found = all(" 走吧。 Go.\n完");
    let places = found.iter().map(|s| (s.text, s.start, s.char_start)).collect::<Vec<_>>();
    assert_eq!(places, [("走吧。", 1, 1), ("Go.", 11, 5), ("完", 15, 9)]);
}

#[test]
fn hostile_text_ends() {
    assert_eq!(cut(&"中".repeat(1_000_000)).len(), 1);
    assert_eq!(cut(&"a.".repeat(500_000)).len(), 1);
    assert_eq!(cut(&"。a".repeat(300_000)).len(), 300_000);
    assert_eq!(cut(&". ".repeat(500_000)).len(), 0);
    assert_eq!(cut(&(".".to_owned() + &" ".repeat(500_000) + "a")).len(), 1);
    assert_eq!(cut(&"“a。".repeat(200_000)).len(), 200_000);
    assert_eq!(cut(&"\n".repeat(500_000)).len(), 0);
    for start in [" ", "1"] {
        assert_eq!(cut(&(start.repeat(500_000) + &"e.g. a ".repeat(100_000))).len(), 1);
    }
    let wrapped = (("a".repeat(50)) + "\n").repeat(20_000);
    assert_eq!(cut(&wrapped).len(), 1);
}

proptest! {
    /// Every letter and number is in exactly one sentence, in order, at the place the sentence names.
    #[test]
    fn nothing_is_lost(text in "[a-zA-Z中国。！？；….!? \n\"“”‘’（）()《》0-9é😀]{0,80}|\\PC{0,40}") {
        let mut end = 0;
        for sentence in all(&text) {
            prop_assert!(sentence.start >= end);
            prop_assert!(!text[end..sentence.start].chars().any(crate::normalize::is_letter_or_number));
            prop_assert!(text[sentence.start..].starts_with(sentence.text));
            prop_assert_eq!(text[..sentence.start].chars().count(), sentence.char_start);
            end = sentence.start + sentence.text.len();
        }
        prop_assert!(!text[end..].chars().any(crate::normalize::is_letter_or_number));
    }
}
