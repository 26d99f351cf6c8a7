#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

fn list(words: &[&str]) -> Lexicon {
    Lexicon::from_words(words.iter().map(|word| (*word, Some(1), None))).unwrap()
}

fn cut<'t>(ik: &Ik, text: &'t str, mode: IkMode) -> Vec<&'t str> {
    typed(ik, text, mode).into_iter().map(|(word, _)| word).collect()
}

fn typed<'t>(ik: &Ik, text: &'t str, mode: IkMode) -> Vec<(&'t str, Kind)> {
    let mut tokens = Vec::new();
    segment_typed(ik, text, mode, &mut |token, kind| {
        assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
        tokens.push((token.text, kind));
    });
    tokens
}

fn standard(text: &str, mode: IkMode) -> Vec<&str> {
    cut(Ik::standard().unwrap(), text, mode)
}

#[test]
fn max_word_hands_out_every_word_and_smart_the_best() {
    let ik = Ik::over(list(&["中华", "华人", "人民", "中华人民", "共和", "共和国", "中华人民共和国"])).unwrap();
    let text = "中华人民共和国";
    let every = ["中华人民共和国", "中华人民", "中华", "华人", "人民", "共和国", "共和", "国"];
    assert_eq!(cut(&ik, text, IkMode::MaxWord), every);
    assert_eq!(cut(&ik, text, IkMode::Smart), [text]);
}

#[test]
fn smart_covers_most_with_fewest_words_of_even_length() {
    let ik = Ik::over(list(&["甲乙", "乙丙", "丙丁", "甲乙丙", "丁戊己", "丙丁戊己"])).unwrap();
    // Two ways of two words: 3 * 3 and 2 * 4.
    assert_eq!(cut(&ik, "甲乙丙丁戊己", IkMode::Smart), ["甲乙丙", "丁戊己"]);
    assert_eq!(cut(&ik, "甲乙丙丁", IkMode::Smart), ["甲乙", "丙丁"]);
    assert_eq!(cut(&ik, "乙丙丁", IkMode::Smart), ["乙", "丙丁"]);
}

#[test]
fn smart_joins_numbers_with_measure_words() {
    use Kind::{Character, Digits, Measure, Number, Quantity};
    let ik = Ik::over(list(&["公里"])).unwrap();
    assert_eq!(typed(&ik, "3个", IkMode::Smart), [("3个", Quantity)]);
    assert_eq!(typed(&ik, "三十年", IkMode::Smart), [("三十年", Quantity)]);
    assert_eq!(typed(&ik, "5万公里", IkMode::Smart), [("5万公里", Quantity)]);
    assert_eq!(typed(&ik, "3个", IkMode::MaxWord), [("3", Digits), ("个", Measure)]);
    assert_eq!(typed(&ik, "2.5万", IkMode::Smart), [("2.5万", Number)]);
    assert_eq!(typed(&ik, "个", IkMode::Smart), [("个", Character)]);
}

#[test]
fn letters_and_digits_come_together_and_apart() {
    use Kind::{Digits, Letters, Mixed};
    let ik = Ik::over(list(&["t恤"])).unwrap();
    let parts = [("FA-50", Mixed), ("FA", Letters), ("50", Digits)];
    assert_eq!(typed(&ik, "FA-50。", IkMode::MaxWord), parts);
    assert_eq!(typed(&ik, "FA-50", IkMode::Smart), [("FA-50", Mixed)]);
    // As in IK, the measure word does not find the number: what was found last is `000`.
    assert_eq!(cut(&ik, "10,000元", IkMode::Smart), ["10,000", "元"]);
    assert_eq!(cut(&ik, "7，7。", IkMode::Smart), ["7，7"]);
    // Case and width do not matter to the lexicon; tokens keep theirs.
    assert_eq!(cut(&ik, "T恤和Ｔ恤", IkMode::Smart), ["T恤", "和", "Ｔ恤"]);
}

#[test]
fn other_characters_come_one_by_one_or_not_at_all() {
    use Kind::{Character, OtherCharacter};
    let ik = Ik::over(list(&[])).unwrap();
    let tokens = [("か", OtherCharacter), ("한", OtherCharacter), ("😀", Character), ("㐂", Character)];
    assert_eq!(typed(&ik, "か한 😀，㐂…ж", IkMode::MaxWord), tokens);
    assert_eq!(typed(&ik, "", IkMode::Smart), []);
    assert_eq!(typed(&ik, "，。", IkMode::Smart), []);
}

#[test]
fn the_standard_lexicon_serves() {
    assert_eq!(standard("我来到北京清华大学", IkMode::Smart), ["我", "来到", "北京", "清华大学"]);
    let every =
        ["我", "来到", "来", "到", "北京", "北", "京", "清华大学", "清华", "清", "华大", "华", "大学", "大", "学"];
    assert_eq!(standard("我来到北京清华大学", IkMode::MaxWord), every);
}

#[test]
fn endless_text_is_cut_at_the_bounds() {
    let ik = Ik::over(list(&["啊啊", "啊啊啊"])).unwrap();
    let text = "啊".repeat(3 * MAX_STRETCH_CHARS + 5);
    for mode in [IkMode::Smart, IkMode::MaxWord] {
        let tokens = typed(&ik, &text, mode);
        assert!(tokens.iter().all(|(word, _)| word.len() <= 9));
    }
    assert_eq!(cut(&ik, &text, IkMode::Smart).concat(), text);
    let digits = "7".repeat(MAX_STRETCH_CHARS + 2);
    assert_eq!(cut(&ik, &digits, IkMode::Smart), [&digits[2..], "77"]);
}

#[test]
fn long_texts_are_cut_as_their_sentences() {
    let sentences = ["研究生命起源的中国科学院。", "他说的确实在理，iPhone6卖3.14元！", "三十年南京市长江大桥\n"];
    for mode in [IkMode::Smart, IkMode::MaxWord] {
        let expected: Vec<_> = sentences.iter().flat_map(|sentence| standard(sentence, mode)).collect();
        let text = sentences.concat().repeat(1000);
        let found = standard(&text, mode);
        assert_eq!(found.len(), 1000 * expected.len());
        assert!(found.chunks(expected.len()).all(|chunk| chunk == expected), "{mode:?}");
    }
}

#[test]
fn smart_prefers_long_words_late() {
    // Both ways cover three characters with two words of lengths 2 and 1; the later long word wins.
    let ik = Ik::over(list(&["甲乙", "乙丙", "甲", "丙"])).unwrap();
    assert_eq!(cut(&ik, "甲乙丙", IkMode::Smart), ["甲", "乙丙"]);
}

proptest! {
    #[test]
    fn smart_tokens_cover_han_text_in_order(text in "[一丁七万三上下不。7a]{0,40}") {
        let kept: String = text.chars().filter(|c| *c != '。').collect();
        prop_assert_eq!(standard(&text, IkMode::Smart).concat(), kept);
    }

    #[test]
    fn max_word_finds_every_lexicon_word(text in "[甲乙丙丁]{0,12}") {
        let words = ["甲乙", "乙丙", "丙丁甲", "丁", "甲甲"];
        let ik = Ik::over(list(&words)).unwrap();
        let mut expected: Vec<&str> = Vec::new();
        for start in text.char_indices().map(|(at, _)| at) {
            expected.extend(words.iter().filter(|word| text[start..].starts_with(**word)));
        }
        let found: Vec<_> =
            typed(&ik, &text, IkMode::MaxWord).into_iter().filter(|(_, kind)| *kind == Kind::Word).collect();
        prop_assert_eq!(found.into_iter().map(|(word, _)| word).collect::<Vec<_>>(), expected);
    }
}
