//! Word lists for the tokenizers that need more than jieba's own code offers: full mode, IK, the HanLP family.
//!
//! A [`Lexicon`] knows words with their frequency and part of speech. It answers the one question that such tokenizers ask: which
//! words start at this position ([`Lexicon::prefixes`], or step by step with a [`Walker`]).
//!
//! * [`Lexicon::standard`]: jieba's own dictionary, 349,045 words. It is in the program's read-only data, so it costs no start-up
//!   time and no private memory.
//! * [`Lexicon::with_words`]: the standard or another lexicon, with house words as a second layer ([`listed`](super::listed)).
//! * [`Lexicon::from_words`]: any list of words.
//!
//! Promised not to change within a format version: the standard words and their weights.

mod automaton;
mod characters;
mod construct;

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::{Error, ErrorKind, Result};
pub use automaton::Entry;
use automaton::{Automaton, ROOT, View};
pub use characters::{is_han, is_word_char};
pub use characters::{is_word, plain_tag};
pub(super) use construct::{value, value_of_weight};

/// A set of words with weights and parts of speech.
#[derive(Clone, Debug)]
pub struct Lexicon {
    main: Automaton,
    extra: Option<Automaton>,
    tags: Vec<Cow<'static, str>>,
}

static STANDARD: LazyLock<Lexicon> = LazyLock::new(|| Lexicon {
    main: Automaton::from_static(include_bytes!(concat!(env!("OUT_DIR"), "/lexicon.bin"))),
    extra: None,
    tags: include_str!(concat!(env!("OUT_DIR"), "/lexicon_tags.txt")).lines().map(Cow::Borrowed).collect(),
});

impl Lexicon {
    /// The dictionary of jieba 0.11.0.
    pub fn standard() -> &'static Self {
        &STANDARD
    }

    /// Makes a lexicon without words.
    pub(super) fn empty() -> Self {
        Self { main: Automaton::from_vec(Vec::new()), extra: None, tags: Vec::new() }
    }

    /// Makes a lexicon of words with their values ([`value`]), the sum of their frequencies, and the parts of speech.
    ///
    /// # Errors
    /// `LimitExceeded` for more than 65,535 different characters.
    pub(super) fn new(words: &[(&str, u32)], total: u64, tags: Vec<Cow<'static, str>>) -> Result<Self> {
        let bytes = construct::construct(words, total).ok_or_else(|| {
            Error::new(ErrorKind::LimitExceeded, "a word list may hold at most 65535 different characters")
        })?;
        Ok(Self { main: Automaton::from_vec(bytes), extra: None, tags })
    }

    /// Makes a lexicon of this one's own words and those of another, which count where both have a word, and whose parts of speech begin
    /// with this one's.
    pub(super) fn under(&self, layer: Self) -> Self {
        Self { main: self.main.clone(), extra: Some(layer.main), tags: layer.tags }
    }

    /// The parts of speech, by their numbers.
    pub(super) fn tags(&self) -> &[Cow<'static, str>] {
        &self.tags
    }

    /// Hands the length, in bytes, and the entry of every word that `text` starts with to `found`, the short ones first.
    pub fn prefixes(&self, text: &str, mut found: impl FnMut(usize, Entry)) {
        self.walker().prefixes(text, &mut found);
    }

    /// Tells whether the lexicon has this word.
    pub fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// Looks a word up.
    pub fn get(&self, word: &str) -> Option<Entry> {
        let walker = self.walker();
        let end = word.chars().try_fold(walker.root(), |state, c| walker.step(state, c))?;
        walker.entry(end)
    }

    /// The part of speech of an entry of this lexicon; empty where none was given.
    pub fn tag(&self, entry: Entry) -> &str {
        self.tags.get(entry.tag()).map_or("", |tag| tag)
    }

    /// Size of the word lists, bytes, of which the standard list's share is not this process's own.
    pub fn size(&self) -> usize {
        self.main.size() + self.extra.as_ref().map_or(0, Automaton::size)
    }

    /// Borrows the lexicon for many steps.
    pub fn walker(&self) -> Walker<'_> {
        let main = self.main.view();
        let extra = self.extra.as_ref().map(Automaton::view);
        let total = main.total.saturating_add(extra.map_or(0, |extra| extra.total));
        Walker { main, extra, log_total: construct::log2(total.max(1)) }
    }
}

/// A borrowed lexicon, for walks character by character.
#[derive(Clone, Copy)]
pub struct Walker<'a> {
    main: View<'a>,
    extra: Option<View<'a>>,
    log_total: u32,
}

/// Where a walk stands: after some characters that at least one word starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    main: Option<u32>,
    extra: Option<u32>,
}

impl Walker<'_> {
    /// The state before the first character.
    #[inline]
    pub fn root(&self) -> State {
        State { main: Some(ROOT), extra: self.extra.map(|_| ROOT) }
    }

    /// The state after one more character, if any word goes on with it.
    #[inline]
    pub fn step(&self, state: State, c: char) -> Option<State> {
        let main = state.main.and_then(|state| self.main.step(state, c));
        let extra = match (self.extra, state.extra) {
            (Some(extra), Some(state)) => extra.step(state, c),
            _ => None,
        };
        (main.is_some() || extra.is_some()).then_some(State { main, extra })
    }

    /// The entry of the word that ends here, if one does.
    #[inline]
    pub fn entry(&self, state: State) -> Option<Entry> {
        let extra = match (self.extra, state.extra) {
            (Some(extra), Some(state)) => extra.entry(state),
            _ => None,
        };
        extra.or_else(|| self.main.entry(state.main?))
    }

    /// Tells whether any word goes on after this state.
    #[inline]
    pub fn goes_on(&self, state: State) -> bool {
        state.main.is_some_and(|state| self.main.goes_on(state))
            || matches!((self.extra, state.extra), (Some(extra), Some(state)) if extra.goes_on(state))
    }

    /// As [`Lexicon::prefixes`].
    #[inline]
    pub fn prefixes(&self, text: &str, found: &mut impl FnMut(usize, Entry)) {
        let mut state = self.root();
        for (at, c) in text.char_indices() {
            let Some(next) = self.step(state, c) else { break };
            state = next;
            if let Some(entry) = self.entry(state) {
                found(at + c.len_utf8(), entry);
            }
        }
    }

    /// Base-2 logarithm of the sum of all frequencies, in units of 2^-16: a word's probability is
    /// `2^((weight - log_total) / 2^16)`.
    #[inline]
    pub fn log_total(&self) -> u32 {
        self.log_total
    }
}

#[cfg(test)]
mod tests;
