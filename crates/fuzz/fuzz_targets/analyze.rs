//! Any analyzer on any text: the first line of the input is the analyzer, the rest the document.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_text::{Analyzer, Scratch};
use neardup_core::document;

const NAMES: [&str; 8] = ["chars:1", "chars:3", "chars:5", "words", "jieba", "jieba_full", "ik_smart", "ik_max_word"];

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let (name, document) = match text.split_once('\n') {
        Some((line, document)) if first & 0x80 != 0 => (line, document),
        _ => (NAMES[usize::from(first) % NAMES.len()], text.as_ref()),
    };
    let Ok(analyzer) = name.parse::<Analyzer>() else { return };
    let mut scratch = Scratch::default();
    let mut tokens = 0_usize;
    let counted = analyzer.tokens(document, &mut scratch, &mut |token| {
        assert!(!token.is_empty());
        tokens += 1;
    });
    let signature = document::simhash(document, &analyzer, &mut scratch);
    if let (Ok(()), Ok(signature)) = (counted, signature) {
        assert_eq!(tokens > 0, signature.is_some());
    }
});
