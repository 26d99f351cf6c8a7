//! Parsers of user input: analyzers, steps, house words, measures, weightings. Accepted input is printed back as JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_text::normalize::Steps;
use neardup_text::{Analyzer, HouseWord, Scratch, Spec, stop_words};
use neardup_verdict::evaluate::Measure;
use neardup_core::signature::minhash::Scheme;
use neardup_core::weighting::Weighting;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(spec) = text.parse::<Spec>() {
        let said = spec.to_json().expect("every spec has a JSON form");
        assert_eq!(said.parse::<Spec>().as_ref(), Ok(&spec));
        if let Ok(analyzer) = text.parse::<Analyzer>() {
            let _ = analyzer.tokens("The 3rd 灯塔, 换下了 glass.", &mut Scratch::default(), &mut |token| {
                assert!(!token.is_empty());
            });
        }
    }
    if let Ok(steps) = Steps::parse(text.split(',')) {
        assert_eq!(Steps::parse(steps.names()), Ok(steps));
    }
    if let Ok(word) = HouseWord::parse(text) {
        assert!(!word.listed().0.is_empty());
        let _ = Analyzer::with_words("jieba".parse().expect("a preset"), &[word]);
    }
    let _ = stop_words::list(text);
    let _ = Measure::parse(text);
    let _ = Scheme::parse(text);
    let _ = Weighting::parse(text);
});
