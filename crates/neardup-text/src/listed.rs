//! Lexicons from lists of words: house words on top of the standard words, or a list alone.
//!
//! A word without a frequency must still stay whole in the text. The weight that this takes depends on the paths through the
//! lexicon below it. So lists are read in this module, which imports [`lexicon`](super::lexicon) and [`path`](super::path).

use std::borrow::Cow;

use super::lexicon::{Lexicon, value, value_of_weight};
use super::path;
use crate::{Error, ErrorKind, Result};

/// The longest word a house dictionary may hold, in characters: the walks over hostile text cost that much per character.
pub const MAX_WORD_CHARS: usize = 64;

/// A word of a list: the word, its frequency, its part of speech.
///
/// Without frequency a word gets the smallest weight that keeps it whole on the most probable path through the lexicon
/// it is added to.
pub type ListedWord<'w> = (&'w str, Option<u64>, Option<&'w str>);

impl Lexicon {
    /// Makes a lexicon of its own from a list; of a word given twice the later entry counts.
    ///
    /// # Errors
    /// As [`Lexicon::with_words`].
    pub fn from_words<'w>(words: impl IntoIterator<Item = ListedWord<'w>>) -> Result<Self> {
        layer(&Self::empty(), words)
    }

    /// Makes a lexicon of this one's words and house words, which count where both have a word.
    ///
    /// # Errors
    /// `LimitExceeded` for a word longer than [`MAX_WORD_CHARS`], more than 255 different parts of speech, or more than
    /// 65,535 different characters.
    pub fn with_words<'w>(&self, words: impl IntoIterator<Item = ListedWord<'w>>) -> Result<Self> {
        Ok(self.under(layer(self, words)?))
    }
}

/// The words of a list that lies above another lexicon.
fn layer<'w>(below: &Lexicon, words: impl IntoIterator<Item = ListedWord<'w>>) -> Result<Lexicon> {
    let mut tags = below.tags().to_vec();
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
                value(frequency, tag)
            }
            None => value_of_weight(joining_weight(below, word), tag),
        };
        listed.push((word, value));
    }
    Lexicon::new(&listed, total, tags)
}

/// The weight with which a word costs just less than its parts.
fn joining_weight(lexicon: &Lexicon, word: &str) -> u32 {
    let walker = lexicon.walker();
    let parts = u32::try_from(path::cheapest(&walker, word)).unwrap_or(u32::MAX);
    (walker.log_total() + 1).saturating_sub(parts)
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
