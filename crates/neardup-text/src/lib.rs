//! From a text to tokens: decompression, normalisation steps, tokenizers, sentences, and the token hash.
//!
//! Everything here is a pure function of the text and the analyzer, so a stored signature never becomes wrong. Tokens are slices of
//! the normalised text, in text order. A tokenizer passes them to a closure instead of building a list.
//!
//! ```
//! use neardup_text::{Analyzer, Scratch};
//!
//! let analyzer: Analyzer = "chars:2".parse()?;
//! let mut tokens = Vec::new();
//! analyzer.tokens("灯塔熄了", &mut Scratch::default(), &mut |token| tokens.push(token.to_owned()))?;
//! assert_eq!(tokens, ["灯塔", "塔熄", "熄了"]);
//! # Ok::<(), neardup_text::Error>(())
//! ```
//!
//! # Which entry to choose
//! * [`Analyzer`] is the front door: normalisation and tokenizer, by the name of a preset or as JSON ([`Spec`]). Keep one, and one
//!   [`Scratch`], for many texts.
//! * [`message`] marks what of a text is quoted, signed or greeted, and which words are its own.
//! * [`normalize`] and [`sentences`] are steps by themselves; [`hash`] is the hash of a token.
//! * [`chars`], [`runs`], [`words`], [`jieba`], [`ik`] and [`path`] are the tokenizers, over a [`lexicon`] where they need one.
//! * [`pglz`] decompresses a text as Postgres stores it.

mod analyzer;
pub mod chars;
mod error;
pub mod hash;
mod house_words;
pub mod ik;
pub mod interrupt;
pub mod jieba;
pub mod lexicon;
mod listed;
pub mod message;
pub mod normalize;
pub mod path;
pub mod pglz;
pub mod presets;
pub mod runs;
pub mod sentences;
mod spec;
pub mod stop_words;
pub mod words;

pub use analyzer::{Analyzer, Cut, Scratch};
pub use error::{Error, ErrorKind, Result};
pub use house_words::HouseWord;
pub use listed::{ListedWord, MAX_WORD_CHARS};
pub use spec::{Mode, Spec, StopWords, Tokenizer};

/// One token of a normalised text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// The token itself.
    pub text: &'t str,
    /// Where it starts in the normalised text, in bytes.
    pub start: usize,
}
