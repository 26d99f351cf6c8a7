//! An analyzer made ready to run: normalisation, tokenizer, filters, word shingles, in that order.

use std::str::FromStr;

use ahash::AHashSet;

use super::ik::{self, Ik, IkMode};
use super::jieba::{self, JiebaMode, JiebaOptions};
use super::lexicon::{Lexicon, is_word};
use super::normalize::{self, Steps};
use super::path::{self, Method};
use super::spec::{Mode, Spec, StopWords, Tokenizer};
use super::{Token, chars, stop_words, words};
use crate::{Error, Result};

/// Room that analysis works in, kept from one document to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    normalized: normalize::Buffer,
    bounds: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Cutter {
    Jieba(JiebaOptions),
    Ik(&'static Ik, IkMode),
    Path(Method),
    Words,
    Chars(usize),
}

/// What stands between a document and its tokens; the same text always gives the same tokens.
#[derive(Clone, Debug)]
pub struct Analyzer {
    steps: Steps,
    cutter: Cutter,
    stop_words: AHashSet<String>,
    excluded_tags: Vec<String>,
    min_length: usize,
    shingle: usize,
}

/// The tokens of a document: a text cut at equal units, or words one by one.
#[derive(Debug)]
pub enum Cut<'t> {
    /// Shingles: every run of `size` units of `text`, or all of it where it has fewer.
    Shingles {
        /// The normalised text.
        text: &'t str,
        /// Units in a shingle.
        size: usize,
        /// Room for their bounds.
        room: &'t mut Vec<u32>,
    },
    /// Words of the normalised text, to be cut by [`Analyzer::words`] or [`Analyzer::features`].
    Words(&'t str),
}

impl Analyzer {
    /// Normalises a document.
    pub fn normalize<'t>(&self, document: &'t str, scratch: &'t mut Scratch) -> &'t str {
        normalize::normalize(document, self.steps, &mut scratch.normalized)
    }

    /// Normalises a document and says how its tokens are to be read.
    pub fn cut<'t>(&self, document: &'t str, scratch: &'t mut Scratch) -> Cut<'t> {
        let text = normalize::normalize(document, self.steps, &mut scratch.normalized);
        match self.cutter {
            // Stop words among shingles are looked up one by one, as words are.
            Cutter::Chars(size) if self.stop_words.is_empty() => {
                Cut::Shingles { text, size, room: &mut scratch.bounds }
            }
            _ => Cut::Words(text),
        }
    }

    /// Hands the words of a normalised text to `sink`: without spaces, punctuation and what the filters drop.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn words<'t>(&self, text: &'t str, sink: &mut impl FnMut(Token<'t>)) -> Result<()> {
        let mut keep = |token: Token<'t>| {
            let counts = is_word(token.text)
                && (self.min_length <= 1 || token.text.chars().nth(self.min_length - 1).is_some())
                && (self.stop_words.is_empty() || !self.stop_words.contains(token.text));
            if counts {
                sink(token);
            }
        };
        match self.cutter {
            Cutter::Jieba(options) if self.excluded_tags.is_empty() => {
                jieba::segment(jieba::shared(), text, options, &mut keep);
            }
            Cutter::Jieba(options) => jieba::segment_tagged(jieba::shared(), text, options, &mut |token, tag| {
                if !self.excluded_tags.iter().any(|excluded| tag.starts_with(excluded.as_str())) {
                    keep(token);
                }
            }),
            Cutter::Ik(ik, mode) => ik::segment(ik, text, mode, &mut keep),
            Cutter::Path(method) => path::segment(Lexicon::standard(), text, method, &mut keep),
            Cutter::Words => words::words(text, &mut keep),
            Cutter::Chars(size) => chars::shingles(text, size, &mut |token| {
                if !self.stop_words.contains(token.text) {
                    sink(token);
                }
            })?,
        }
        Ok(())
    }

    /// Hands what counts as a token to `sink`: the words, or each run of as many as the analyzer's shingle has.
    ///
    /// A text with fewer words than a shingle has one token, all of them.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn features(&self, text: &str, sink: &mut impl FnMut(&str)) -> Result<()> {
        if self.shingle <= 1 {
            return self.words(text, &mut |token| sink(token.text));
        }
        let mut run: Vec<&str> = Vec::with_capacity(self.shingle);
        let mut joined = String::new();
        let mut whole = false;
        let mut emit = |run: &[&str]| {
            joined.clear();
            for (i, word) in run.iter().enumerate() {
                if i > 0 {
                    joined.push(' ');
                }
                joined.push_str(word);
            }
            sink(&joined);
        };
        self.words(text, &mut |token| {
            if run.len() == self.shingle {
                run.remove(0);
            }
            run.push(token.text);
            if run.len() == self.shingle {
                whole = true;
                emit(&run);
            }
        })?;
        if !whole && !run.is_empty() {
            emit(&run);
        }
        Ok(())
    }

    /// Hands every token of a document to `sink`, as signatures see them.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn tokens(&self, document: &str, scratch: &mut Scratch, sink: &mut impl FnMut(&str)) -> Result<()> {
        match self.cut(document, scratch) {
            Cut::Words(text) => self.features(text, sink),
            Cut::Shingles { text, size, .. } => chars::shingles(text, size, &mut |token| sink(token.text)),
        }
    }
}

impl FromStr for Analyzer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let spec: Spec = text.parse()?;
        let steps = spec.steps()?;
        Ok(Self {
            steps,
            cutter: cutter(&spec)?,
            stop_words: stop_word_set(spec.stop_words.as_ref(), steps)?,
            excluded_tags: spec.exclude_tags.unwrap_or_default(),
            min_length: spec.min_length.unwrap_or(1) as usize,
            shingle: spec.shingle.unwrap_or(1) as usize,
        })
    }
}

fn cutter(spec: &Spec) -> Result<Cutter> {
    Ok(match spec.tokenizer {
        Tokenizer::Jieba => {
            let mode = match spec.mode {
                Some(Mode::Full) => JiebaMode::Full,
                Some(Mode::Search) => JiebaMode::Search,
                _ => JiebaMode::Exact,
            };
            Cutter::Jieba(JiebaOptions { mode, hmm: spec.hmm.unwrap_or(true) })
        }
        Tokenizer::Ik => {
            let mode = if spec.mode == Some(Mode::MaxWord) { IkMode::MaxWord } else { IkMode::Smart };
            Cutter::Ik(Ik::standard()?, mode)
        }
        Tokenizer::LongestMatch => Cutter::Path(Method::LongestMatch),
        Tokenizer::ShortestPath => Cutter::Path(Method::ShortestPath),
        Tokenizer::NShortestPath => Cutter::Path(Method::NShortestPath(spec.paths.unwrap_or(2))),
        Tokenizer::Index => Cutter::Path(Method::Index),
        Tokenizer::Words => Cutter::Words,
        Tokenizer::Chars => Cutter::Chars(spec.size.unwrap_or(1)),
    })
}

/// Normalises the stop words as documents are, so that they meet the tokens.
fn stop_word_set(stop_words: Option<&StopWords>, steps: Steps) -> Result<AHashSet<String>> {
    let mut buffer = normalize::Buffer::default();
    let mut normalized = |word: &str| normalize::normalize(word, steps, &mut buffer).to_owned();
    Ok(match stop_words {
        None => AHashSet::new(),
        Some(StopWords::Named(name)) if name == "none" => AHashSet::new(),
        Some(StopWords::Named(name)) => stop_words::list(name)?.iter().map(|word| normalized(word)).collect(),
        Some(StopWords::Own(words)) => words.iter().map(|word| normalized(word)).collect(),
    })
}
