//! Status words, which change the meaning of a statement: 将 or 已, 新增 or 无, 半场 or 全场, `rose` or `fell`, `not`.
//!
//! A status word counts where it touches a difference. Two words of other groups of a line of `data/status.tsv` contradict each other; a
//! word that turns a statement contradicts a text that has nothing in its place.

use std::ops::Range;
use std::sync::LazyLock;

use crate::read::units::{Kind, Text};

/// The line and the group of a word among opposites, if it is one, whether it turns a statement by itself, and the bits of its languages.
type Known = (Option<(usize, usize)>, bool, u32);

include!(concat!(env!("OUT_DIR"), "/status.rs"));

/// The second part of `isn't` after segmentation.
const NOT: &str = "t";

/// A status word in a text: the units, and its line and column in the lists, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) units: Range<usize>,
    place: Option<(usize, usize)>,
}

impl Status {
    /// Says whether two words, each in its own text, have the same meaning.
    pub(super) fn agrees(&self, text: &Text<'_>, other: &Self, other_text: &Text<'_>) -> bool {
        let (own, others) = (text.written(self.units.clone()), other_text.written(other.units.clone()));
        own == others
            || own.to_lowercase() == others.to_lowercase()
            || self.place.is_some() && self.place == other.place
    }

    /// Says whether two words that do not agree contradict each other.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        self.place.zip(other.place).is_some_and(|(own, other)| own.0 == other.0)
    }
}

/// A bit for the first character of each status word: most words begin with another one.
static STARTS: LazyLock<[u64; STARTS_BITS / 64]> = LazyLock::new(|| {
    let mut starts = [0; STARTS_BITS / 64];
    for first in STATUS.iter().filter_map(|(word, _)| word.chars().next()) {
        let (word, mask) = place_of(first);
        starts[word] |= mask;
    }
    starts
});

const STARTS_BITS: usize = 1 << 12;

const fn place_of(first: char) -> (usize, u64) {
    let bit = first as usize % STARTS_BITS;
    (bit / 64, 1 << (bit % 64))
}

/// Returns the small form of a letter of the scripts with case, which come first; most characters of Chinese texts need no look-up.
fn small(letter: char) -> char {
    const NO_CASE: char = '\u{2000}';
    if letter < NO_CASE { letter.to_lowercase().next().unwrap_or(letter) } else { letter }
}

/// Says whether a word is written in capitals: a heading says `NOT`, but `May` is a month.
fn is_loud(word: &str) -> bool {
    word.chars().nth(1).is_some() && word.chars().all(|letter| letter != small(letter))
}

/// Returns what is known of a word.
fn known(word: &str) -> Option<Known> {
    let small = is_loud(word).then(|| word.to_lowercase());
    let word = small.as_deref().unwrap_or(word);
    let place = STATUS.binary_search_by_key(&word, |(word, _)| *word).ok()?;
    STATUS.get(place).map(|(_, known)| *known)
}

/// Says whether a status word changes the statement in which it occurs, or from which it is missing.
pub(super) fn turns(text: &Text<'_>, status: &Status) -> bool {
    let last = status.units.end.saturating_sub(1);
    let turning = |word: &str| known(word).is_some_and(|(_, turns, _)| turns);
    turning(text.written(status.units.clone())) || text.written(last..status.units.end) == NOT
}

/// The longest status word, in units.
const LONGEST: usize = 4;

/// Finds the status words of the languages that `text` may be in which touch units `span`, the longest at each position.
pub(super) fn find(text: &Text<'_>, span: Range<usize>, spoken: u32) -> Vec<Status> {
    let mut found: Vec<Status> = Vec::new();
    let from = span.start.saturating_sub(LONGEST - 1);
    let mut at = from;
    while at < span.end {
        let begins = |first: char| {
            let (word, mask) = place_of(small(first));
            STARTS[word] & mask != 0
        };
        if !text.written(at..at + 1).starts_with(begins) {
            at += 1;
            continue;
        }
        let longest = (1..=LONGEST).rev().find_map(|len| {
            let units = at..at + len;
            if units.end <= span.start || units.end > text.units.len() {
                return None;
            }
            let kinds = text.units.get(units.clone())?;
            let is = |kind: Kind| kinds.iter().all(|unit| unit.kind == kind);
            if !(is(Kind::Han) || len == 1 && is(Kind::Word)) {
                return None;
            }
            let word = text.written(units.clone());
            let (place, ..) = known(word).filter(|(.., languages)| languages & spoken != 0)?;
            // isn't is segmented into isn and t.
            let units = if word == NOT && at > 0 { at - 1..at + 1 } else { units };
            Some(Status { units, place })
        });
        match longest {
            Some(status) => {
                at = status.units.end;
                found.push(status);
            }
            None => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use neardup_text::lexicon::is_han;

    #[test]
    fn finds_words_that_touch_the_span() {
        let text = Text::read("全场战罢主队战胜客队").unwrap();
        let written = |span| -> Vec<String> {
            find(&text, span, u32::MAX).into_iter().map(|status| text.written(status.units).to_owned()).collect()
        };
        assert_eq!(written(0..10), ["全场", "战胜"]);
        assert_eq!(written(1..2), ["全场"]);
        assert_eq!(written(2..4), Vec::<String>::new());
    }

    #[test]
    fn no_word_is_longer_than_the_search() {
        for (word, _) in STATUS {
            assert!(!word.contains(is_han) || word.chars().count() <= LONGEST, "{word}");
        }
        assert!(STATUS.is_sorted());
    }
}
