//! Word lists for the tokenizers that need more than jieba's own code gives: full mode, IK, the HanLP family.
//!
//! A [`Lexicon`] knows words, how frequent they are and their part of speech, and answers the one question such tokenizers
//! ask: which words start here ([`Lexicon::prefixes`], or step by step with a [`Walker`]).
//!
//! * [`Lexicon::standard`]: jieba's own dictionary, 349,045 words. It lies in the program's read-only data, so it costs no
//!   start-up time and no memory of a process's own.
//! * [`Lexicon::with_words`]: that one, or another, under a second layer of house words.
//! * [`Lexicon::from_words`]: any list.
//!
//! Promised not to change within a format version: the standard words and their weights.

mod automaton;
mod characters;
mod construct;

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::path;
use crate::{Error, ErrorKind, Result};
pub use automaton::Entry;
use automaton::{Automaton, ROOT, View};
pub use characters::{is_han, is_word_char};
pub use characters::{is_word, plain_tag};

/// The longest word a house dictionary may hold, in characters: the walks over hostile text cost that much per character.
pub const MAX_WORD_CHARS: usize = 64;

/// A word of a list: the word, its frequency, its part of speech.
///
/// Without frequency a word gets the smallest weight that keeps it whole on the most probable path through the lexicon
/// it is added to.
pub type ListedWord<'w> = (&'w str, Option<u64>, Option<&'w str>);

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

    /// Makes a lexicon of its own from a list; of a word given twice the later entry counts.
    ///
    /// # Errors
    /// As [`Lexicon::with_words`].
    pub fn from_words<'w>(words: impl IntoIterator<Item = ListedWord<'w>>) -> Result<Self> {
        let empty = Self { main: Automaton::from_vec(Vec::new()), extra: None, tags: Vec::new() };
        let Self { extra, tags, .. } = empty.with_words(words)?;
        let main = extra.unwrap_or_else(|| Automaton::from_vec(Vec::new()));
        Ok(Self { main, extra: None, tags })
    }

    /// Makes a lexicon of this one's words and house words, which count where both have a word; house words that this
    /// lexicon already has are dropped.
    ///
    /// # Errors
    /// `LimitExceeded` for a word longer than [`MAX_WORD_CHARS`], more than 255 different parts of speech, or more than
    /// 65,535 different characters.
    pub fn with_words<'w>(&self, words: impl IntoIterator<Item = ListedWord<'w>>) -> Result<Self> {
        let mut tags = self.tags.clone();
        let mut listed = Vec::new();
        let mut total = 0_u64;
        for (word, frequency, tag) in words {
            if word.chars().nth(MAX_WORD_CHARS).is_some() {
                let message = format!("word \"{word}\" is longer than {MAX_WORD_CHARS} characters");
                return Err(Error::new(ErrorKind::LimitExceeded, message));
            }
            let tag = tag_number(&mut tags, tag.unwrap_or(""))?;
            let value = match frequency {
                Some(frequency) => {
                    total = total.saturating_add(frequency);
                    construct::value(frequency, tag)
                }
                None => construct::value_of_weight(self.joining_weight(word), tag),
            };
            listed.push((word, value));
        }
        let bytes = construct::construct(&listed, total).ok_or_else(|| {
            Error::new(ErrorKind::LimitExceeded, "a word list may hold at most 65535 different characters")
        })?;
        Ok(Self { main: self.main.clone(), extra: Some(Automaton::from_vec(bytes)), tags })
    }

    /// The weight with which a word costs just less than its parts.
    fn joining_weight(&self, word: &str) -> u32 {
        let walker = self.walker();
        let parts = u32::try_from(path::cheapest(&walker, word)).unwrap_or(u32::MAX);
        (walker.log_total() + 1).saturating_sub(parts)
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

    /// The part of speech of a word: the lexicon's, or [`plain_tag`]'s.
    pub fn tag_of(&self, word: &str) -> &str {
        self.get(word).map_or_else(|| plain_tag(word), |entry| self.tag(entry))
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

fn tag_number(tags: &mut Vec<Cow<'static, str>>, tag: &str) -> Result<u8> {
    let number = tags.iter().position(|known| known == tag).unwrap_or_else(|| {
        tags.push(Cow::Owned(tag.to_owned()));
        tags.len() - 1
    });
    u8::try_from(number).ok().filter(|&number| number < u8::MAX).ok_or_else(|| {
        Error::new(ErrorKind::LimitExceeded, "a word list may hold at most 255 different parts of speech")
    })
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
