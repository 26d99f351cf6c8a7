//! What holds for every pair of texts.

use std::borrow::Cow;

use proptest::prelude::*;

use super::facts::kinds;
use super::*;
use crate::read::reading;
use crate::read::units::Text;

/// Texts of the parts that verdicts look at.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[\u{4e00}-\u{4e20}]{1,8}",
        "[0-9]{1,4}",
        Just("第".to_owned()),
        Just("一百二十".to_owned()),
        Just("5月22日".to_owned()),
        Just("3:2".to_owned()),
        Just("《红河》".to_owned()),
        Just("“".to_owned()),
        Just("将".to_owned()),
        Just("北京".to_owned()),
        Just("张建国".to_owned()),
        Just("Abc".to_owned()),
        Just("，".to_owned()),
        Just("。".to_owned()),
        Just("\n".to_owned()),
        Just("//@小明:".to_owned()),
        Just("（编辑：李明）".to_owned()),
        Just("某社北京5月9日电".to_owned()),
        Just("&nbsp;".to_owned()),
        Just("%".to_owned()),
        ".{0,3}",
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn is_symmetric(a in text(), b in text()) {
        let (there, back) = (same_message(&a, &b).unwrap(), same_message(&b, &a).unwrap());
        prop_assert_eq!(there.verdict, back.verdict);
        prop_assert_eq!(there.score.to_bits(), back.score.to_bits());
        prop_assert!((0.0..=1.0).contains(&there.score));
        prop_assert_eq!(there.score >= model::LEAST_SCORE, there.verdict.keeps_one());
        prop_assert!(!there.reasons.is_empty());
        let mut turned: Vec<_> = kinds(&b, &a).into_iter().map(|(kind, b, a)| (kind, a, b)).collect();
        let mut found = kinds(&a, &b);
        found.sort();
        turned.sort();
        prop_assert_eq!(found, turned);
    }

    #[test]
    fn what_is_kept_has_that_verdict(head in text(), a in text(), b in text(), tail in text()) {
        let (a, b) = (format!("{head}{a}{tail}"), format!("{head}{b}{tail}"));
        let Message { verdict, score, .. } = same_message(&a, &b).unwrap();
        prop_assert_eq!(kept_on(&a, &b).unwrap(), verdict.keeps_one().then_some((verdict, score)));
    }

    #[test]
    fn what_was_read_before_is_read_as_alone(head in text(), a in text(), b in text(), tail in text()) {
        let (a, b) = (format!("{head}。{a}{tail}"), format!("{head}。{b}{tail}"));
        let read = |text, known: Option<&Text<'_>>| Text::without(reading::plain(text).unwrap(), &[], known);
        let (alone, beside) = (read(&b, None), read(&b, Some(&read(&a, None))));
        prop_assert_eq!(&alone.units, &beside.units);
        prop_assert_eq!(&alone.quotes, &beside.quotes);
        let numbers = |text: &Text<'_>| text.units.iter().map(|unit| text.number(unit)).collect::<Vec<_>>();
        prop_assert_eq!(numbers(&alone), numbers(&beside));
    }

    #[test]
    fn texts_with_links_and_handles_are_read_as_alone(
        [head, a, b, tail] in prop::array::uniform4(prop::collection::vec(prop::sample::select(
            vec!["http://t.cn/p", "?id=27", "? ", "! ", "；", "@a", "＠乙", " ", "，", "www.river.example/p", "新", "word ", "3", "//@x:", "a@b.cc"]
        ), 0..24)),
    ) {
        let [a, b] = [a, b].map(|own| [&head, &own, &tail].map(|pieces| pieces.concat()).concat());
        let read = |text, known: Option<&Text<'_>>| Text::without(Cow::Owned(text), &[], known);
        let (alone, beside) = (read(b.clone(), None), read(b, Some(&read(a, None))));
        prop_assert_eq!(&alone.units, &beside.units);
    }

    #[test]
    fn a_text_is_a_copy_of_itself(a in text()) {
        let message = same_message(&a, &a).unwrap();
        prop_assert_eq!((message.verdict, message.score), (Verdict::Copy, 1.0));
        prop_assert_eq!(kinds(&a, &a), []);
    }

    #[test]
    fn conflicts_are_quoted_as_written(a in text(), b in text()) {
        // Markup is taken out first, so what is quoted is looked for without it.
        let plain = |text: &str| text.replace("&nbsp;", "").replace(['&', '<', '\0'], "");
        let (a, b) = (plain(&a), plain(&b));
        for (_, in_a, in_b) in kinds(&a, &b) {
            prop_assert!(a.contains(&in_a) && b.contains(&in_b));
        }
    }

    #[test]
    fn another_number_is_no_copy(number in 2_u32..100_000, other in 2_u32..100_000) {
        prop_assume!(number != other);
        let report = |number: u32| format!("本市昨日新增病例{number}例，均为外地输入");
        prop_assert!(!verdict(&report(number), &report(other)).keeps_one());
    }
}

/// Passages of several scripts, with facts that are read in several ways.
const PASSAGES: [&str; 14] = [
    "定例会は6月16日(日)に市役所で開きます。",
    "次の水曜日に会場へお集まりください。",
    "定例会 日曜 九時 市役所",
    "市议会决定，新桥将于五月二十日通车，票价三元。",
    "市议会决定，新桥将于五月二十三日通车，票价五元。",
    "《山海歌》第七集昨晚播出，李明饰演船长。",
    "The council of Arlington meets on Monday, 12 May, at 9:30.",
    "The council of Tampa meets on Tuesday, 13 May, at 9:30.",
    "Müller trägt die Grüße über Köln, 5 % mehr als 2019.",
    "Совет соберётся 12 мая в 9:30 в Самаре.",
    "ประชุมวันจันทร์ที่ 12 พฤษภาคม เวลา 9.30 น.",
    "> 次回は日曜です\n了解しました。",
    "https://example.org/a/1 ",
    "こんにちは。",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What a guard keeps from row to row.
    #[test]
    fn a_kept_text_is_judged_as_one_that_is_read_anew(
        texts in prop::collection::vec(prop::collection::vec(0..PASSAGES.len(), 1..8), 3..7),
    ) {
        let texts: Vec<String> = texts.iter().map(|parts| parts.iter().map(|at| PASSAGES[*at]).collect()).collect();
        let (kept, others) = texts.split_first().unwrap();
        let known = Prepared::new(kept).unwrap().as_candidate();
        for other in others {
            let own = Prepared::new(other).unwrap();
            let anew = Prepared::new(kept).unwrap().as_candidate();
            let fresh = Prepared::new(other).unwrap();
            prop_assert_eq!(Pair::new(&own, &known).duplicate().unwrap(), Pair::new(&fresh, &anew).duplicate().unwrap());
            let (found, expected) = (Pair::new(&own, &known).message().unwrap(), Pair::new(&fresh, &anew).message().unwrap());
            prop_assert_eq!((found.verdict, found.score, found.reasons), (expected.verdict, expected.score, expected.reasons), "{:?} {:?}", kept, other);
        }
    }
}
