//! An analyzer made ready to run: normalisation, tokenizer, filters, in that order.

use std::str::FromStr;

use super::chars;
use super::jieba::{self, JiebaMode, JiebaOptions};
use super::normalize::{self, Steps};
use super::spec::{Mode, Spec, Tokenizer};
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
    Chars(usize),
}

/// What stands between a document and its tokens; the same text always gives the same tokens.
#[derive(Clone, Debug)]
pub struct Analyzer {
    steps: Steps,
    cutter: Cutter,
}

/// The tokens of a document: a text cut at equal units, or words one by one.
pub enum Cut<'t> {
    /// Shingles: every run of `size` units of `text`, whose boundaries are `bounds`.
    Shingles {
        /// The normalised text.
        text: &'t str,
        /// Byte offsets of the units, and the end of the last one.
        bounds: &'t [u32],
        /// Units in a shingle; never more than there are.
        size: usize,
    },
    /// Words of the normalised text, to be cut by [`Analyzer::words`].
    Words(&'t str),
}

impl Analyzer {
    /// Normalises a document and says how its tokens are to be read.
    ///
    /// A document with fewer characters than a shingle has one token, all of it.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn cut<'t>(&self, document: &'t str, scratch: &'t mut Scratch) -> Result<Cut<'t>> {
        let text = normalize::normalize(document, self.steps, &mut scratch.normalized);
        match self.cutter {
            Cutter::Chars(size) => {
                chars::unit_bounds(text, &mut scratch.bounds)?;
                let units = scratch.bounds.len().saturating_sub(1);
                Ok(Cut::Shingles { text, bounds: &scratch.bounds, size: size.min(units) })
            }
            Cutter::Jieba(_) => Ok(Cut::Words(text)),
        }
    }

    /// Hands the words of a normalised text to `sink`, without spaces and punctuation.
    pub fn words<'t>(&self, text: &'t str, sink: &mut impl FnMut(&'t str)) {
        match self.cutter {
            Cutter::Jieba(options) => jieba::segment(jieba::shared(), text, options, &mut |token| {
                if jieba::is_word(token.text) {
                    sink(token.text);
                }
            }),
            Cutter::Chars(_) => {}
        }
    }
}

impl FromStr for Analyzer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let spec: Spec = text.parse()?;
        let cutter = match spec.tokenizer {
            Tokenizer::Jieba => {
                let mode = match spec.mode.unwrap_or_default() {
                    Mode::Exact => JiebaMode::Exact,
                    Mode::Full => JiebaMode::Full,
                    Mode::Search => JiebaMode::Search,
                };
                Cutter::Jieba(JiebaOptions { mode, hmm: spec.hmm.unwrap_or(true) })
            }
            Tokenizer::Chars => Cutter::Chars(spec.size.unwrap_or(1)),
        };
        Ok(Self { steps: spec.steps()?, cutter })
    }
}
