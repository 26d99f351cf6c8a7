//! An analyzer ready to run. It applies normalisation, tokenizer, filters and word shingles, in this order.

use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use ahash::AHashSet;

use super::house_words::HouseWord;
use super::ik::{self, Ik, IkMode};
use super::jieba::{self, Jieba, JiebaMode, JiebaOptions};
use super::lexicon::{Lexicon, is_word};
use super::listed::ListedWord;
use super::normalize::{self, Steps};
use super::path::{self, Method};
use super::spec::{Mode, Spec, StopWords, Tokenizer};
use super::{Token, chars, runs, stop_words, words};
use crate::{Error, ErrorKind, Result};

/// Room that analysis works in, kept from one document to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    normalized: normalize::Buffer,
    bounds: Vec<u32>,
    joined: runs::Room,
}

#[derive(Clone, Debug)]
enum Cutter {
    Jieba(Dictionary<Jieba>, JiebaOptions),
    Ik(Dictionary<Ik>, IkMode),
    Path(Dictionary<Lexicon>, Method),
    Words,
    Chars(usize),
}

/// The words that a tokenizer knows: those of every analyzer, or an analyzer's own besides.
#[derive(Debug)]
enum Dictionary<T: 'static> {
    Standard(&'static T),
    House(Arc<T>),
}

impl<T> Clone for Dictionary<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Standard(words) => Self::Standard(words),
            Self::House(words) => Self::House(Arc::clone(words)),
        }
    }
}

impl<T> Deref for Dictionary<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Standard(words) => words,
            Self::House(words) => words,
        }
    }
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
    /// Runs of consecutive words of the normalised text, to be cut by [`Analyzer::runs`].
    Runs(&'t str, &'t mut runs::Room),
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
            _ if self.shingle > 1 => Cut::Runs(text, &mut scratch.joined),
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
            Cutter::Jieba(ref jieba, options) if self.excluded_tags.is_empty() => {
                jieba::segment(jieba, text, options, &mut keep);
            }
            Cutter::Jieba(ref jieba, options) => jieba::segment_tagged(jieba, text, options, &mut |token, tag| {
                if !self.excluded_tags.iter().any(|excluded| tag.starts_with(excluded.as_str())) {
                    keep(token);
                }
            }),
            Cutter::Ik(ref ik, mode) => ik::segment(ik, text, mode, &mut keep),
            Cutter::Path(ref lexicon, method) => path::segment(lexicon, text, method, &mut keep),
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
        self.runs(text, &mut runs::Room::default(), &mut |joined, starts, ends| {
            for (&start, &end) in starts.iter().zip(ends) {
                sink(joined.get(start as usize..end as usize).unwrap_or_default());
            }
        })
    }

    /// Hands out the shingles of words of a normalised text: the words joined as [`runs`] says, and the byte offsets at which
    /// shingles start and end in them, two slices of equal length a call.
    ///
    /// A text with fewer words than a shingle has one, all of them.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn runs(&self, text: &str, room: &mut runs::Room, sink: &mut impl FnMut(&str, &[u32], &[u32])) -> Result<()> {
        runs::runs(text.len(), self.shingle, room, sink, |writer| match self.cutter {
            // Nothing to filter: the way of most texts to their sketch.
            Cutter::Words if self.min_length <= 1 && self.stop_words.is_empty() => {
                words::each(text, writer);
                Ok(())
            }
            Cutter::Words => self.words(text, &mut |token| words::Sink::word(writer, token)),
            _ => self.words(text, &mut |token| writer.push(token.text)),
        })
    }

    /// Hands every token of a document to `sink`, as signatures see them.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn tokens(&self, document: &str, scratch: &mut Scratch, sink: &mut impl FnMut(&str)) -> Result<()> {
        match self.cut(document, scratch) {
            Cut::Words(text) | Cut::Runs(text, _) => self.features(text, sink),
            Cut::Shingles { text, size, .. } => chars::shingles(text, size, &mut |token| sink(token.text)),
        }
    }
}

impl Analyzer {
    /// Makes the analyzer of a specification whose dictionary knows these words too; they are normalised as documents are.
    ///
    /// # Errors
    /// `InvalidParameter` for words where the tokenizer has no dictionary, and for one that normalisation leaves nothing of
    /// or cuts in two; those of [`Lexicon::with_words`].
    pub fn with_words(spec: Spec, words: &[HouseWord]) -> Result<Self> {
        let steps = spec.steps()?;
        Ok(Self {
            steps,
            cutter: cutter(&spec, &HouseWord::normalized(words, steps)?)?,
            stop_words: stop_word_set(spec.stop_words.as_ref(), steps)?,
            excluded_tags: spec.exclude_tags.unwrap_or_default(),
            min_length: spec.min_length.unwrap_or(1) as usize,
            shingle: spec.shingle.unwrap_or(1) as usize,
        })
    }
}

impl FromStr for Analyzer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::with_words(text.parse()?, &[])
    }
}

fn cutter(spec: &Spec, words: &[HouseWord]) -> Result<Cutter> {
    let listed: Vec<ListedWord<'_>> = words.iter().map(HouseWord::listed).collect();
    let lexicon = || match &listed[..] {
        [] => Ok(Dictionary::Standard(Lexicon::standard())),
        listed => Lexicon::standard().with_words(listed.iter().copied()).map(Arc::new).map(Dictionary::House),
    };
    Ok(match spec.tokenizer {
        Tokenizer::Jieba => {
            let mode = match spec.mode {
                Some(Mode::Full) => JiebaMode::Full,
                Some(Mode::Search) => JiebaMode::Search,
                _ => JiebaMode::Exact,
            };
            let jieba = match &listed[..] {
                [] => Dictionary::Standard(jieba::shared()),
                listed => Dictionary::House(Arc::new(Jieba::with_words(listed)?)),
            };
            Cutter::Jieba(jieba, JiebaOptions { mode, hmm: spec.hmm.unwrap_or(true) })
        }
        Tokenizer::Ik => {
            let mode = if spec.mode == Some(Mode::MaxWord) { IkMode::MaxWord } else { IkMode::Smart };
            let ik = match &listed[..] {
                [] => Dictionary::Standard(Ik::standard()?),
                // IK reads letters in lower case and half width, and looks its words up so.
                _ => {
                    let words = HouseWord::normalized(words, Steps::WIDTH.union(Steps::CASEFOLD))?;
                    let words = Lexicon::standard().with_words(words.iter().map(HouseWord::listed))?;
                    Dictionary::House(Arc::new(Ik::over(words)?))
                }
            };
            Cutter::Ik(ik, mode)
        }
        Tokenizer::LongestMatch => Cutter::Path(lexicon()?, Method::LongestMatch),
        Tokenizer::ShortestPath => Cutter::Path(lexicon()?, Method::ShortestPath),
        Tokenizer::NShortestPath => Cutter::Path(lexicon()?, Method::NShortestPath(spec.paths.unwrap_or(2))),
        Tokenizer::Index => Cutter::Path(lexicon()?, Method::Index),
        Tokenizer::Words | Tokenizer::Chars if !words.is_empty() => {
            let message = "house words need a tokenizer with a dictionary";
            return Err(Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("The tokenizers \"words\" and \"chars\" have none."));
        }
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
