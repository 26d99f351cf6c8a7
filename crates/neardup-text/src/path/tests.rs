#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;

fn cut<'t>(lexicon: &Lexicon, text: &'t str, method: Method) -> Vec<&'t str> {
    let mut words = Vec::new();
    segment(lexicon, text, method, &mut |token| {
        assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
        words.push(token.text);
    });
    words
}

fn standard(text: &str, method: Method) -> Vec<&str> {
    cut(Lexicon::standard(), text, method)
}

fn list(words: &[(&str, u64)]) -> Lexicon {
    Lexicon::from_words(words.iter().map(|&(word, frequency)| (word, Some(frequency), None))).unwrap()
}

#[test]
fn longest_match_goes_from_left_to_right() {
    assert_eq!(standard("研究生命起源", Method::LongestMatch), ["研究生", "命", "起源"]);
    assert_eq!(standard("买T恤，4S店3.14元 ok", Method::LongestMatch)[..6], ["买", "T恤", "，", "4S店", "3.14", "元"]);
    assert_eq!(standard("", Method::LongestMatch), [""; 0]);
}

#[test]
fn shortest_path_is_the_most_probable() {
    assert_eq!(standard("研究生命起源", Method::ShortestPath), ["研究", "生命", "起源"]);
    assert_eq!(standard("他说的确实在理", Method::ShortestPath), ["他", "说", "的", "确实", "在", "理"]);
    assert_eq!(standard("AT&T和iPhone6。", Method::ShortestPath), ["AT&T", "和", "iPhone6", "。"]);
    assert_eq!(standard("\r\n㐂ё", Method::ShortestPath), ["\r", "\n", "㐂", "ё"]);
}

#[test]
fn n_shortest_path_prefers_few_words() {
    let lexicon =
        list(&[("甲乙丙", 1), ("丁戊", 1), ("甲乙", 1000), ("丙丁戊", 10), ("甲", 9000), ("乙", 9000), ("丙", 9000)]);
    let text = "甲乙丙丁戊";
    assert_eq!(cut(&lexicon, text, Method::NShortestPath(1)), ["甲乙", "丙丁戊"]);
    let lexicon = lexicon.with_words([("丁戊", Some(90_000), None)]).unwrap();
    assert_eq!(cut(&lexicon, text, Method::NShortestPath(1)), ["甲乙丙", "丁戊"]);
    assert_eq!(cut(&lexicon, text, Method::NShortestPath(2)), ["甲乙", "丙", "丁戊"]);
}

#[test]
fn index_adds_the_words_inside() {
    let words = ["中国科学院", "中国科学", "中国", "科学院", "科学", "学院", "很", "大"];
    let found = standard("中国科学院很大", Method::Index);
    assert_eq!(found[0], words[0]);
    assert!(found.contains(&"科学院") && found.contains(&"学院") && !found.contains(&"国"));
    let place = |word: &str| found.iter().position(|found| *found == word).unwrap();
    assert!(place("科学院") < place("科学") && place("科学") < place("学院"));
    assert_eq!(standard("北京", Method::Index), ["北京"]);
}

#[test]
fn endless_text_is_cut_at_the_bound() {
    let text = "a".repeat(2 * MAX_STRETCH_CHARS + 3);
    for method in [Method::LongestMatch, Method::ShortestPath, Method::NShortestPath(2)] {
        assert_eq!(standard(&text, method).iter().map(|word| word.len()).collect::<Vec<_>>(), [4096, 4096, 3]);
    }
    let lexicon = list(&[("啊啊", 5), ("啊啊啊", 5)]);
    let text = "啊".repeat(3 * MAX_STRETCH_CHARS + 1);
    for method in [Method::LongestMatch, Method::ShortestPath, Method::NShortestPath(8)] {
        assert_eq!(cut(&lexicon, &text, method).concat(), text);
    }
}

/// The characters decoded ahead must not show.
#[test]
fn long_texts_are_cut_as_their_sentences() {
    let sentences = ["研究生命起源的中国科学院。", "他说的确实在理，iPhone6卖3.14元！", "南京市长江大桥\n"];
    for method in [Method::LongestMatch, Method::ShortestPath, Method::NShortestPath(2), Method::Index] {
        let expected: Vec<_> = sentences.iter().flat_map(|sentence| standard(sentence, method)).collect();
        let text = sentences.concat().repeat(1000);
        let found = standard(&text, method);
        assert_eq!(found.len(), 1000 * expected.len());
        assert!(found.chunks(expected.len()).all(|chunk| chunk == expected), "{method:?}");
    }
}

#[test]
fn house_words_without_frequency_stay_whole() {
    let lexicon = Lexicon::standard();
    for word in ["元宇宙办公室", "的的", "研究生命"] {
        assert!(standard(word, Method::ShortestPath).len() > 1);
        let house = lexicon.with_words([(word, None, None)]).unwrap();
        assert_eq!(cut(&house, word, Method::ShortestPath), [word]);
    }
}

/// Every way through a text, as words and cost, by the definition.
fn ways<'t>(lexicon: &Lexicon, text: &'t str) -> Vec<(Vec<&'t str>, u64)> {
    if text.is_empty() {
        return vec![(Vec::new(), 0)];
    }
    let total = lexicon.walker().log_total();
    let mut steps = vec![(graph::run_length(text), total)];
    lexicon.prefixes(text, |length, entry| steps.push((length, total - entry.weight())));
    let mut all = Vec::new();
    for (length, cost) in steps {
        for (mut words, rest) in ways(lexicon, &text[length..]) {
            words.insert(0, &text[..length]);
            all.push((words, rest + u64::from(cost)));
        }
    }
    all
}

fn cost(lexicon: &Lexicon, words: &[&str]) -> u64 {
    let total = lexicon.walker().log_total();
    words.iter().map(|word| u64::from(total - lexicon.get(word).map_or(0, |entry| entry.weight()))).sum()
}

proptest! {
    #[test]
    fn paths_agree_with_all_ways(
        words in prop::collection::vec(("[甲乙丙a]{1,4}", 1..50_u64), 0..12),
        text in "[甲乙丙a。]{0,9}",
        n in 1..4_u8,
    ) {
        let lexicon = list(&words.iter().map(|(word, n)| (word.as_str(), *n)).collect::<Vec<_>>());
        let found = cut(&lexicon, &text, Method::ShortestPath);
        prop_assert_eq!(found.concat(), text.clone());
        let best = ways(&lexicon, &text).into_iter().map(|(_, cost)| cost).min().unwrap();
        prop_assert_eq!(cost(&lexicon, &found), best);

        // Full stops are no part of these words; without them the text is one stretch.
        let text = text.replace('。', "");
        let found = cut(&lexicon, &text, Method::NShortestPath(n));
        prop_assert_eq!(found.concat(), text.clone());
        let all = ways(&lexicon, &text);
        let fewest = all.iter().map(|(words, _)| words.len()).min().unwrap();
        let few = all.iter().filter(|(words, _)| words.len() < fewest + usize::from(n));
        prop_assert_eq!(cost(&lexicon, &found), few.map(|&(_, cost)| cost).min().unwrap());
    }

    #[test]
    fn tokens_cover_any_text(text in "[一丁七万三上下不与a-c1-3.é，ひ \r\n]{0,60}") {
        for method in [Method::LongestMatch, Method::ShortestPath, Method::NShortestPath(3)] {
            prop_assert_eq!(standard(&text, method).concat(), text.clone());
        }
    }
}
