//! The tokenizer `jieba`: exact, full and search mode, with or without the hidden Markov model for unknown words.
//!
//! [`segment`] passes on tokens, [`segment_tagged`] tokens with parts of speech. Both take a [`Jieba`]: the default one of the
//! process ([`shared`]), whose model of about 31 MB is built on first use, or one with house words ([`Jieba::with_words`]). All
//! tokens of jieba are passed on, including spaces and punctuation; [`is_word`] tells which ones are useful as features.
//!
//! jieba-rs does the segmentation. Where it differs from the Python original (0.42.1), this module follows Python, because
//! published stop words, idf tables and experience refer to Python's tokens:
//!
//! * letters and digits joined by `.`, `_` or `-` are cut as Python cuts them (`wi-fi` is `wi`, `-`, `fi`; `3.14` stays);
//! * search mode therefore emits no parts of such compounds;
//! * full mode is a new implementation over the [`Lexicon`], and needs no model.
//!
//! Promised not to change within a format version: the tokens. The text is passed to jieba in chunks that end where jieba itself
//! ends a block, so chunking does not change the tokens. The one exception is an unbroken block (Han, ASCII letters and digits,
//! `+#&._%-`) of more than [`MAX_BLOCK_CHARS`] characters, which is cut there: that bound is part of the format.

mod chunks;
mod full;

use std::sync::OnceLock;

use super::Token;
use super::house_words::HouseWord;
pub use super::lexicon::is_word;
use super::lexicon::{Lexicon, plain_tag};
use super::listed::ListedWord;
use crate::Result;
use chunks::Chunks;
pub use chunks::MAX_BLOCK_CHARS;

/// The three ways jieba cuts a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JiebaMode {
    /// The most probable words, side by side (`cut`).
    #[default]
    Exact,
    /// Every dictionary word, overlapping (`cut_all`).
    Full,
    /// The most probable words, each after the two- and three-character words inside it (`cut_for_search`).
    Search,
}

/// How jieba cuts a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JiebaOptions {
    /// Which words are handed out.
    pub mode: JiebaMode,
    /// Whether single characters left over are joined to new words by the hidden Markov model; full mode never does.
    pub hmm: bool,
}

impl Default for JiebaOptions {
    fn default() -> Self {
        Self { mode: JiebaMode::Exact, hmm: true }
    }
}

/// A jieba model: the default dictionary, or that with house words.
#[derive(Debug)]
pub struct Jieba {
    model: OnceLock<jieba_rs::Jieba>,
    lexicon: Option<Lexicon>,
    words: Vec<HouseWord>,
}

static SHARED: Jieba = Jieba { model: OnceLock::new(), lexicon: None, words: Vec::new() };

/// The default model of this process; making it is put off until a text is segmented or [`Jieba::load`] is called.
pub fn shared() -> &'static Jieba {
    &SHARED
}

impl Jieba {
    /// Makes a model from the default dictionary and house words; when it is needed first, it takes about 31 MB of its own.
    ///
    /// A word without frequency gets the smallest one that keeps it whole, given the words before it.
    ///
    /// # Errors
    /// Those of [`Lexicon::with_words`].
    pub fn with_words(words: &[ListedWord<'_>]) -> Result<Self> {
        let lexicon = Lexicon::standard().with_words(words.iter().copied())?;
        let words = words.iter().map(|&word| HouseWord::from(word)).collect();
        Ok(Self { model: OnceLock::new(), lexicon: Some(lexicon), words })
    }

    /// Makes the model now, if that has not happened yet (about 110 ms).
    pub fn load(&self) {
        self.model();
    }

    fn model(&self) -> &jieba_rs::Jieba {
        self.model.get_or_init(|| {
            if self.words.is_empty() {
                return jieba_rs::Jieba::new();
            }
            let mut model = shared().model().clone();
            for (word, frequency, tag) in self.words.iter().map(HouseWord::listed) {
                // Bounded, because jieba sums them up.
                let frequency = frequency.map(|frequency| frequency.min(1 << 40) as usize);
                model.add_word(word, frequency, tag);
            }
            model
        })
    }

    fn lexicon(&self) -> &Lexicon {
        self.lexicon.as_ref().unwrap_or_else(|| Lexicon::standard())
    }
}

/// Hands every token of `text` to `sink`, in jieba's order.
pub fn segment<'t>(jieba: &Jieba, text: &'t str, options: JiebaOptions, sink: &mut impl FnMut(Token<'t>)) {
    if options.mode == JiebaMode::Full {
        return full::segment(jieba.lexicon(), text, &mut |token, _| sink(token));
    }
    let model = jieba.model();
    let search = options.mode == JiebaMode::Search;
    for (base, chunk) in Chunks::new(text) {
        for token in model.cut(chunk, options.hmm) {
            exact(model, token.word, base + token.byte_start, options.hmm, &mut |token| {
                if search {
                    inner_words(model, token, sink);
                }
                sink(token);
            });
        }
    }
}

/// Hands every token of `text` with its part of speech (ICTCLAS tags, `x` for what has none) to `sink`.
///
/// In search mode an inner word carries the tag of the word around it.
pub fn segment_tagged<'t>(jieba: &Jieba, text: &'t str, options: JiebaOptions, sink: &mut impl FnMut(Token<'t>, &str)) {
    if options.mode == JiebaMode::Full {
        let lexicon = jieba.lexicon();
        return full::segment(lexicon, text, &mut |token, entry| {
            sink(token, entry.map_or_else(|| plain_tag(token.text), |entry| lexicon.tag(entry)));
        });
    }
    let model = jieba.model();
    let search = options.mode == JiebaMode::Search;
    for (base, chunk) in Chunks::new(text) {
        for tagged in model.tag(chunk, options.hmm) {
            let word = &chunk[tagged.byte_start..tagged.byte_end];
            exact(model, word, base + tagged.byte_start, options.hmm, &mut |token| {
                let tag = if token.text.len() == word.len() { tagged.tag } else { plain_tag(token.text) };
                if search {
                    inner_words(model, token, &mut |inner| sink(inner, tag));
                }
                sink(token, tag);
            });
        }
    }
}

/// Hands out one word of exact mode, cut as Python cuts it.
///
/// Python's pattern for what the model cannot cut is `[a-zA-Z0-9]+(?:\.\d+)?%?`; jieba-rs has
/// `[a-zA-Z0-9]+([._-][a-zA-Z0-9]+)*%?`, of which each match is a run of matches and single connectors of Python's.
#[inline]
fn exact<'t>(model: &jieba_rs::Jieba, word: &'t str, start: usize, hmm: bool, sink: &mut impl FnMut(Token<'t>)) {
    let bytes = word.as_bytes();
    // Most tokens are told by their first byte.
    if !bytes.first().is_some_and(u8::is_ascii_alphanumeric) || !hmm || !is_compound(model, word) {
        return sink(Token { text: word, start });
    }
    let mut from = 0;
    while from < bytes.len() {
        let to = if is_connector(bytes[from]) { from + 1 } else { part_end(bytes, from) };
        sink(Token { text: &word[from..to], start: start + from });
        from = to;
    }
}

/// Tells whether a word that starts with a letter or digit holds connectors and is none of the dictionary's.
fn is_compound(model: &jieba_rs::Jieba, word: &str) -> bool {
    word.bytes().any(is_connector) && !model.has_word(word)
}

fn is_connector(byte: u8) -> bool {
    matches!(byte, b'.' | b'_' | b'-')
}

/// Where the match of `[a-zA-Z0-9]+(?:\.\d+)?%?` that starts at `from` ends.
fn part_end(bytes: &[u8], from: usize) -> usize {
    let run = |at: usize, class: fn(&u8) -> bool| at + bytes[at..].iter().take_while(|b| class(b)).count();
    let mut end = run(from, u8::is_ascii_alphanumeric).max(from + 1);
    if bytes.get(end) == Some(&b'.') {
        let fraction = run(end + 1, u8::is_ascii_digit);
        if fraction > end + 1 {
            end = fraction;
        }
    }
    if bytes.get(end) == Some(&b'%') {
        end += 1;
    }
    end
}

/// Hands out the dictionary words of two, then of three characters inside a longer word.
fn inner_words<'t>(model: &jieba_rs::Jieba, token: Token<'t>, sink: &mut impl FnMut(Token<'t>)) {
    let word = token.text;
    for length in 2..=3 {
        let starts = word.char_indices().map(|(at, _)| at);
        let ends = word.char_indices().map(|(at, _)| at).skip(length).chain([word.len()]);
        for (from, to) in starts.zip(ends) {
            if to - from < word.len() && model.has_word(&word[from..to]) {
                sink(Token { text: &word[from..to], start: token.start + from });
            }
        }
    }
}

#[cfg(test)]
mod tests;
