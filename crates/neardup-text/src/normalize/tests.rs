//! Tests of the whole: order of steps, idempotence, golden vectors, hostile text.

use proptest::prelude::*;

use crate::hash::token_hash;

use super::scan::WORD;
use super::{Buffer, Fold, Pair, Steps, fused, normalize, normalize_with, stepwise};

fn run(text: &str, steps: Steps) -> String {
    normalize(text, steps, &mut Buffer::default()).to_owned()
}

/// Characters whose normalisation depends on their neighbours or changes their number.
const NASTY: &str = "각각가각ᅟ\u{300}\u{301}\u{308}\u{327}\u{338}\u{345}\u{3099}\u{309a}\u{93c}\u{94d}\u{e38}\u{e48}\u{20e3}\
    ﬁßẞİıΣςσ㎏½①ｶﾞﾊﾟ゛¨´ﷺﹰﱞ\u{fe0f}\u{fe0e}\u{200d}\u{200b}\u{ad}\u{feff}\u{180e}\u{e0100}ＡＢ：／，　 \t\n\r\u{85}\u{a0}\u{2028}\
    aAeEzZ09.,-_…—·《》“”中國国後豈﨑々〇ー가나ひカक\u{93e}न😀👩🇨🇳\u{1f3fd}ªⅣ℃㈱㍿™ⓐ𝐀𝟘\u{1d15e}\u{1d165}丽\u{640}\u{64e}\u{654}\u{6d6}اأيىکة٥۵שׁ\u{5b8}óòaeyúọäöüåäσάϊΰ\u{1fb7}\u{342}жё\u{306}นเเแनम\u{901}\u{902}क़ऩşșৎൻ\u{0}\u{1}\u{7f}\u{e000}\u{ffff}\u{10ffff}";

fn nasty_text() -> impl Strategy<Value = String> {
    let nasty = NASTY.chars().collect::<Vec<_>>();
    let piece = prop_oneof![6 => proptest::sample::select(nasty), 1 => any::<char>()];
    proptest::collection::vec(piece, 0..40).prop_map(String::from_iter)
}

/// Steps after which a second round must find nothing to do; `html` decodes one level, `links` and the like uncover new ones.
const FOLDING: [Steps; 10] = [
    Steps::CONTROL,
    Steps::NFKC,
    Steps::WIDTH,
    Steps::CASEFOLD,
    Steps::SIMPLIFIED,
    Steps::PUNCTUATION,
    Steps::SPACE,
    Steps::NOSPACE,
    Steps::SPELLING,
    Steps::NONE,
];

fn folding_steps() -> impl Strategy<Value = Steps> {
    proptest::sample::subsequence(FOLDING.to_vec(), 0..FOLDING.len())
        .prop_map(|steps| steps.into_iter().fold(Steps::NONE, Steps::union))
}

/// The definition: each pass by itself over all of the text.
fn oracle(text: &str, steps: Steps) -> String {
    stepwise::PASSES.iter().filter(|pass| steps.contains(pass.steps)).fold(text.to_owned(), |text, pass| {
        let mut out = String::new();
        (pass.apply)(&text, &mut out);
        out
    })
}

/// The fused pass with each kernel, whatever the CPU has.
const FOLDS: &[Fold] = &[
    fused::apply,
    fused::apply_portable,
    #[cfg(target_arch = "x86_64")]
    fused::apply_narrow,
];

/// The fused pass without space.
fn fused_with(fold: Fold, text: &str) -> String {
    let mut out = String::new();
    if fold(text, false, &mut out, &mut Pair::default()).changed { out } else { text.to_owned() }
}

/// Long runs of plain characters with something else now and then.
fn long_text() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![4 => "[中国一鿿䷀a-z0-9]{1,40}", 2 => "[，。、：“”…—A-Z .%\u{3000}\n]{1,3}", 1 => nasty_text()];
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

/// Numbers with all that may stand in them or beside them.
fn numbers() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[0-9]{1,4}",
        4 => "[.,%]",
        2 => "[ ，．％。\u{a0}\u{2024}\u{3000}]",
        2 => "[１５①⒈½㏠²\u{200b}\u{ad}\u{7f}\u{301}‥…—A]",
        2 => "[a中]",
        1 => "[中a]{30,70}"
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_fused_pass_equals_the_steps(
        text in nasty_text(), long in long_text(), numbers in numbers(), any in "\\PC{0,30}|(?s).{0,30}"
    ) {
        for text in [text, long, numbers, any] {
            let folded = oracle(&text, Steps::FOLDS.union(Steps::NOSPACE));
            for fold in FOLDS {
                prop_assert_eq!(&fused_with(*fold, &text), &folded, "{:?}", text);
            }
            for steps in [
                Steps::DICTIONARY,
                Steps::WORDS,
                Steps::CHARS,
                Steps::CHARS.union(Steps::ALL.without(Steps::HTML)),
                Steps::WORDS.without(Steps::SPELLING),
                Steps::WORDS.without(Steps::SIMPLIFIED),
            ] {
                let expected = oracle(&text, steps);
                for fold in FOLDS {
                    let mut buffer = Buffer::default();
                    prop_assert_eq!(normalize_with(*fold, &text, steps, &mut buffer), &expected, "{:?}", text);
                }
            }
        }
    }

    #[test]
    fn passes_may_skip_what_is_plain(
        text in nasty_text(), long in long_text(), numbers in numbers(), bits in any::<u16>()
    ) {
        let steps = Steps::ALL.names().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| name);
        let steps = Steps::parse(steps).unwrap_or_default();
        for text in [text, long, numbers] {
            let mut pair = Pair::default();
            stepwise::apply(&text, steps, &mut pair);
            prop_assert_eq!(pair.text, oracle(&text, steps), "{:?} {:?}", text, steps);
        }
    }

    #[test]
    fn twice_is_once_by_default(text in nasty_text(), numbers in numbers()) {
        for steps in [Steps::DICTIONARY, Steps::WORDS, Steps::CHARS] {
            for text in [&text, &numbers] {
                let once = run(text, steps);
                prop_assert_eq!(run(&once, steps), once);
            }
        }
    }

    #[test]
    fn twice_is_once_for_any_folds(text in nasty_text(), numbers in numbers(), steps in folding_steps()) {
        for text in [text, numbers] {
            let once = run(&text, steps);
            prop_assert_eq!(run(&once, steps), once);
        }
    }
}

/// Compares each kernel with the steps, with space and without.
fn assert_folds(text: &str, buffer: &mut Buffer) {
    for steps in [Steps::WORDS, Steps::CHARS] {
        let expected = oracle(text, steps);
        for fold in FOLDS {
            assert_eq!(normalize_with(*fold, text, steps, buffer), expected, "{text:?}");
        }
    }
}

/// A character that is not plain, at each place of a word and across its end: in a word that is its own result, and in one that is written.
#[test]
fn a_character_may_lie_across_words() {
    let mut buffer = Buffer::default();
    for c in NASTY.chars().chain("０９．％𠁞𝟗後".chars()) {
        for place in (0..8).chain(WORD - 8..WORD + 8) {
            for (head, filler) in [("", "a"), ("A ", "中"), ("。", "1"), ("", "，")] {
                let fillers = filler.repeat(place.saturating_sub(head.len()) / filler.len());
                let narrow = "b".repeat(place.saturating_sub(head.len() + fillers.len()));
                let end = filler.repeat(WORD / filler.len());
                for text in [format!("{head}{narrow}{fillers}{c}"), format!("{head}{fillers}{narrow}{c}{end}b{c}")] {
                    assert_folds(&text, &mut buffer);
                }
            }
        }
    }
}

/// Texts of each length up to two words, which end anywhere in a word, and lie anywhere in memory.
#[test]
fn a_text_may_end_anywhere() {
    let mut buffer = Buffer::default();
    for pieces in ["a", "A ", "中，", "中1.5％", "😀a", "後1,234,", "ｶﾞ", "e\u{301}é", "中\u{200d}。", "Ａ１．５ %"]
    {
        let text = pieces.repeat(2 * WORD);
        for start in (0..WORD).filter(|&start| text.is_char_boundary(start)) {
            for end in (start..=start + 2 * WORD + 2).filter(|&end| text.is_char_boundary(end)) {
                assert_folds(&text[start..end], &mut buffer);
            }
        }
    }
}

/// A vowel sign goes, with it the piece of a Hangul syllable after it; a mark that stayed would not be in order with the mark before.
#[test]
fn marks_stay_in_order_where_letters_go() {
    let steps = Steps::parse(["nfkc", "nospace", "spelling"]).unwrap_or_default();
    let once = run("\u{3099}\u{fe70}\u{1161}\u{338}", steps);
    assert_eq!((run(&once, steps), once.as_str()), (once.clone(), "\u{3099}"));
}

/// A digit is plain, and may still go on a run of emoji.
#[test]
fn emoji_run_on_through_a_keycap() {
    for text in ["😀0\u{20e3}", "😀1\u{fe0f}\u{20e3}2\u{fe0f}\u{20e3}", "中😀0\u{20e3}国"] {
        assert_eq!(run(text, Steps::EMOJI), oracle(text, Steps::EMOJI));
    }
    assert_eq!(run("😀0\u{20e3}", Steps::EMOJI), " ");
}

/// Each step alone and the defaults, on one text.
#[test]
fn golden_vectors() {
    let disguised = "рауpаl: rek1am, vde.kur, f r e e 2010 привет M\u{43c} О!";
    for (name, expected) in [
        ("joined", "рауpаl: rek1am, vdekur, free 2010 привет Mм О!"),
        ("skeleton", "paypal: reklarn, vde.kur, f r e e 2010 привет Mrn o!"),
    ] {
        assert_eq!(run(disguised, Steps::parse([name]).unwrap_or_default()), expected, "{name}");
    }
    let text = "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@張三：Straße②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。";
    for (name, expected) in [
        ("html", " 看<ＨＴＴＰ> http://t.cn/Ab1！ //@張三：Straße②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。"),
        ("links", "<p>看&lt;ＨＴＴＰ&gt;  ！</p>//@張三：Straße②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。"),
        ("reposts", "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p> Straße②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。"),
        ("handles", "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>// ：Straße②㎏\u{200b}é  好😀\u{3000}ｶﾞ。"),
        ("emoji", "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@張三：Straße②㎏\u{200b}é 回复@a-b:好 \u{3000}ｶﾞ。"),
        ("control", "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@張三：Straße②㎏é 回复@a-b:好😀\u{3000}ｶﾞ。"),
        ("nfkc", "<p>看&lt;HTTP&gt; http://t.cn/Ab1!</p>//@張三:Straße2kg\u{200b}é 回复@a-b:好😀 ガ。"),
        ("width", "<p>看&lt;HTTP&gt; http://t.cn/Ab1!</p>//@張三:Straße②㎏\u{200b}é 回复@a-b:好😀 ガ。"),
        (
            "casefold",
            "<p>看&lt;ｈｔｔｐ&gt; http://t.cn/ab1！</p>//@張三：strasse②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。",
        ),
        (
            "simplified",
            "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@张三：Straße②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。",
        ),
        ("punctuation", " p 看 lt ＨＴＴＰ gt  http   t cn Ab1   p    張三 Straße② \u{200b}é 回复 a b 好 \u{3000}ｶﾞ "),
        ("space", "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@張三：Straße②㎏\u{200b}é 回复@a-b:好😀 ｶﾞ。"),
        ("nospace", "<p>看&lt;ＨＴＴＰ&gt;http://t.cn/Ab1！</p>//@張三：Straße②㎏\u{200b}é回复@a-b:好😀ｶﾞ。"),
        (
            "spelling",
            "<p>看&lt;ＨＴＴＰ&gt; http://t.cn/Ab1！</p>//@張三：Strasse②㎏\u{200b}é 回复@a-b:好😀\u{3000}ｶﾞ。",
        ),
    ] {
        assert_eq!(run(text, Steps::parse([name]).unwrap_or_default()), expected, "{name}");
    }
    assert_eq!(run(text, Steps::WORDS), "p 看 lt http gt http t cn ab1 p 张三 strasse2kgé 回复 a b 好 ガ");
    assert_eq!(run(text, Steps::CHARS), "p看lthttpgthttptcnab1p张三strasse2kgé回复ab好ガ");
    assert_eq!(run(text, Steps::ALL), "看httpstrasse2kgé好ガ");
}

/// All scalar values in order, through each step: frozen, a change here is a new version of the signature format.
#[test]
fn every_character_has_its_golden_form() {
    let all = String::from_iter('\0'..=char::MAX);
    let form = |steps: Steps| {
        let text = run(&all, steps);
        (text.len(), token_hash(&text))
    };
    let found = Steps::ALL.names().map(|name| (name, form(Steps::parse([name]).unwrap_or_default())));
    let sets = [
        ("dictionary", form(Steps::DICTIONARY)),
        ("words", form(Steps::WORDS)),
        ("chars", form(Steps::CHARS)),
        ("all", form(Steps::ALL)),
    ];
    let expected = [
        ("html", (4_382_592, 6_359_397_155_993_748_913)),
        ("links", (4_382_592, 5_685_796_435_034_065_716)),
        ("reposts", (4_382_592, 5_685_796_435_034_065_716)),
        ("handles", (4_382_486, 13_875_078_244_492_403_099)),
        ("emoji", (4_377_857, 273_162_693_032_185_109)),
        ("control", (4_365_769, 6_973_058_334_546_705_533)),
        ("nfkc", (4_379_688, 13_100_055_760_048_917_841)),
        ("width", (4_382_395, 5_220_645_037_797_963_113)),
        ("casefold", (4_382_726, 15_078_071_413_177_225_970)),
        ("simplified", (4_383_358, 2_085_151_660_991_711_775)),
        ("joined", (4_382_592, 5_685_796_435_034_065_716)),
        ("skeleton", (4_380_484, 9_322_132_745_686_111_346)),
        ("punctuation", (4_357_779, 3_031_035_835_264_090_514)),
        ("space", (4_382_541, 9_075_597_805_049_856_629)),
        ("nospace", (4_382_531, 15_144_310_670_833_619_997)),
        ("spelling", (4_381_640, 3_786_599_130_962_442_594)),
        ("dictionary", (4_331_615, 6_300_101_805_596_288_338)),
        ("words", (4_331_191, 18_360_778_116_843_241_932)),
        ("chars", (4_330_658, 11_064_884_647_127_880_223)),
        ("all", (4_330_460, 2_052_059_466_840_673_518)),
    ];
    assert_eq!(found.chain(sets).collect::<Vec<_>>(), expected);
}

#[test]
fn small_rules() {
    for (text, words, chars) in [
        ("", "", ""),
        ("  \u{3000}\n", "", ""),
        ("3.5％、…", "3.5%", "3.5%"),
        ("a¨b ̈c", "a b c", "abc"),
        ("ǅ ΑΣ Ας İ", "dž ασ ασ i", "džασασi"),
        ("ᄀ ᅡ", "ᄀ ᅡ", "가"),
        ("e\u{200d}\u{301}", "é", "é"),
        ("\u{a7ce}\u{16ea0}", "\u{a7cf}\u{16ebb}", "\u{a7cf}\u{16ebb}"),
        ("½", "1 2", "12"),
    ] {
        assert_eq!(run(text, Steps::WORDS), words);
        assert_eq!(run(text, Steps::CHARS), chars);
    }
}

/// Each character through each step and the defaults; what comes out must come out of it again.
#[test]
fn every_scalar_value_once() {
    let mut buffer = Buffer::default();
    let mut text = String::new();
    for c in
        ('\0'..=char::MAX).filter(|c| !matches!(c, '\u{ac10}'..='\u{d7a0}' | '\u{20010}'..='\u{2a6d0}' | '\u{40000}'..))
    {
        text.clear();
        text.push(c);
        for steps in [Steps::WORDS, Steps::CHARS] {
            let once = normalize(&text, steps, &mut buffer).to_owned();
            assert_eq!(once, oracle(&text, steps), "{c:?}");
            assert_eq!(normalize(&once, steps, &mut buffer), once, "{c:?} {steps:?}");
        }
    }
    let all = String::from_iter('\0'..=char::MAX);
    for step in FOLDING {
        let once = run(&all, step);
        assert!(run(&once, step) == once, "{step:?}");
    }
    for steps in [Steps::WORDS, Steps::CHARS] {
        assert!(run(&all, steps) == oracle(&all, steps), "{steps:?}");
    }
    assert!(run(&all, Steps::ALL).len() < all.len());
}

#[test]
fn hostile_text_ends() {
    for text in ["中".repeat(1_000_000), "\u{301}".repeat(100_000), "。".repeat(300_000), " ".repeat(300_000)] {
        for steps in [Steps::WORDS, Steps::CHARS, Steps::ALL] {
            assert!(run(&text, steps).len() <= text.len());
        }
    }
    let marks = "a".to_owned() + &"\u{301}\u{327}".repeat(100_000);
    assert_eq!(run(&marks, Steps::CHARS).chars().count(), 200_000);
    assert_eq!(run(&marks, Steps::CHARS), oracle(&marks, Steps::CHARS));
}

#[test]
fn a_buffer_gives_room_back() {
    let mut buffer = Buffer::default();
    let long = "a!".repeat(8 << 20);
    normalize(&long, Steps::CHARS, &mut buffer);
    assert_eq!(normalize("B！", Steps::CHARS, &mut buffer), "b");
    assert!(buffer.whole.text.capacity() + buffer.whole.spare.capacity() <= 2 * super::KEPT_BYTES);
}
