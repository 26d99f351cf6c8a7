//! Texts that nobody writes in good faith: every analyzer and every step gets through them, and can be cancelled on the way.
//!
//! How far it is between two chances to cancel is counted, not timed. Larger texts than these go through the SQL functions in
//! `cargo xtask test --filter hostile`.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use neardup_core::document;
use neardup_core::profile::{Profile, Training, token_hashes};
use neardup_core::signature::p_simhash::PSimhash;
use neardup_core::weighting::idf::JiebaIdf;
use neardup_core::weighting::{Weighting, keywords};
use neardup_text::interrupt;
use neardup_text::normalize::{Buffer, Steps, normalize};
use neardup_text::sentences::sentences;
use neardup_text::{Analyzer, Scratch, presets};
use neardup_verdict::Prepared;

/// Bytes of text, and tokens, that may be worked through between two chances to cancel: some 20 ms for the slowest tokenizer.
const BYTES: usize = 1 << 18;
const TOKENS: usize = 1 << 16;
/// Bytes of a text.
const LENGTH: usize = 1 << 20;

static CHECKS: AtomicUsize = AtomicUsize::new(0);
/// Where there were too few.
static MISSING: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Runs `work` and says so where there are fewer chances to cancel than these.
fn cancellable<T>(what: &str, text: &str, least: usize, work: impl FnOnce() -> T) -> T {
    interrupt::install(|| {
        CHECKS.fetch_add(1, Ordering::Relaxed);
    });
    let before = CHECKS.load(Ordering::Relaxed);
    let result = work();
    let checks = CHECKS.load(Ordering::Relaxed) - before;
    if checks < least {
        let start: String = text.chars().take(12).collect();
        MISSING.lock().unwrap().push(format!("{what} of {start:?}: {checks}, not {least}"));
    }
    result
}

fn repeated(piece: &str) -> String {
    piece.repeat(LENGTH / piece.len())
}

/// One character, no punctuation, markup that opens and never closes, entities that are none, all of Unicode, stop words.
fn texts() -> Vec<String> {
    let nested = repeated("<div><b>") + "中" + &"</b></div>".repeat(1000);
    let mut texts = vec![nested, String::from_iter('\0'..=char::MAX)];
    texts.extend(
        [
            "中",
            "a",
            "1",
            "。",
            " ",
            "\u{301}",
            "😀",
            "南京市长江大桥今年通车一百二十万辆次",
            "<",
            "<a x=\">",
            "<!-- >",
            "&#xD800;&#xDFFF;",
            "的了和是",
            "“",
            "@",
            "http://",
        ]
        .map(repeated),
    );
    texts
}

fn analyzers() -> Vec<String> {
    let named = presets::ALL.iter().map(|preset| preset.name.to_owned());
    let every = Steps::ALL.names().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let all = format!(
        r#"{{"tokenizer": "jieba", "normalize": [{every}], "stop_words": "chinese", "exclude_tags": ["u"], "shingle": 2}}"#
    );
    let numbered = ["chars:1", "chars:5", "chars:64", "shingles:1", "shingles:5", "shingles:16"].map(str::to_owned);
    named.chain(numbered).chain([all]).collect()
}

/// One test, because chances to cancel are counted for the whole process.
#[test]
fn everything_ends_and_can_be_cancelled() {
    let mut buffer = Buffer::default();
    let mut scratch = Scratch::default();
    let analyzers: Vec<(String, Analyzer)> =
        analyzers().into_iter().map(|text| (text.clone(), text.parse().unwrap())).collect();
    for text in texts() {
        let least = text.len() / BYTES;
        for step in Steps::ALL.names() {
            // Where there is next to no markup, it is looked for and copied, as fast as memory goes.
            let bare = step == "html" && text.matches(['<', '&']).count() < 1000;
            let least = if bare { 0 } else { least };
            let steps = Steps::parse([step]).unwrap();
            cancellable(step, &text, least, || normalize(&text, steps, &mut buffer).len());
        }
        cancellable("all steps", &text, least, || normalize(&text, Steps::ALL, &mut buffer).len());
        cancellable("sentences", &text, least, || sentences(&text, &mut |_| ()));
        for (name, analyzer) in &analyzers {
            cancellable(name, &text, least, || document::simhash(&text, analyzer, &mut scratch).unwrap());
        }
        cancellable("overlap", &text, least, || Prepared::new(&text).unwrap().overlap(&Prepared::new(&text).unwrap()));
        let jieba = &analyzers[0].1;
        let mut tokens = Vec::new();
        let normalized = jieba.normalize(&text, &mut scratch).to_owned();
        jieba.words(&normalized, &mut |token| tokens.push(token)).unwrap();
        for method in Weighting::ALL {
            cancellable(method.name(), &text, tokens.len() / TOKENS, || {
                keywords(&tokens, 10, method, &JiebaIdf).unwrap().len()
            });
        }
        let profile = Profile::new("chars:1", [], None).unwrap();
        let hashes = cancellable("token hashes", &text, least, || {
            token_hashes(&text, profile.analyzer(), &mut scratch).unwrap()
        });
        let least = hashes.len() / TOKENS;
        cancellable("P-Simhash", &text, least, || profile.p_simhash(&hashes, PSimhash::default()));
        cancellable("training", &text, least, || Training::new(1000).unwrap().add(&hashes));
    }
    let missing = MISSING.lock().unwrap();
    assert!(missing.is_empty(), "chances to cancel are too few:\n{}", missing.join("\n"));
}

#[test]
fn nothing_gives_nothing() {
    for (name, analyzer) in analyzers().into_iter().map(|text| (text.clone(), text.parse::<Analyzer>().unwrap())) {
        assert_eq!(document::simhash("", &analyzer, &mut Scratch::default()).unwrap(), None, "{name}");
    }
    let stop_words: Analyzer = r#"{"tokenizer": "jieba", "stop_words": "chinese"}"#.parse().unwrap();
    assert_eq!(document::simhash("的了和是", &stop_words, &mut Scratch::default()).unwrap(), None);
}
