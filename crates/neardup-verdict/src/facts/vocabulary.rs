//! Words that belong to a date or a number, in some thirty languages, and what they mean.
//!
//! Months and weekdays are those of CLDR, with their cases: `build/names.rs` asks the crate `icu_datetime` for them. Words for powers of ten,
//! percent, places in a series and parts of dates are in `data/`, each with its language. All are looked up by the key of their unit.

use std::sync::LazyLock;

use crate::read::reading::word_key;
use crate::read::units::{Kind, Text};
use crate::read::word_table::WordTable;
use ahash::AHashMap;
use neardup_text::hash::mix;
use neardup_text::lexicon::is_word_char;

include!(concat!(env!("OUT_DIR"), "/names.rs"));
include!(concat!(env!("OUT_DIR"), "/vocabulary.rs"));

/// A name of CLDR's calendars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) kind: NameKind,
    /// Months count from 1, those of the Persian calendar from 21, weekdays from Monday, 1.
    pub(super) value: u8,
    /// Whether a language writes it with a small letter; with a capital it may be a person's then: Julio, Domingo.
    pub(super) small: bool,
    /// Whether a language writes it with a capital.
    pub(super) capital: bool,
}

impl Name {
    /// Says whether a word begins as the name does in one of its languages.
    pub(super) fn is_cased_as(self, word: &str) -> bool {
        word.starts_with(|c: char| if c.is_lowercase() { self.small } else { !c.is_uppercase() || self.capital })
    }
}

/// What a [`Name`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Month,
    /// A shortened month, which may be a word of its own: `set`, `out`, `ago`.
    ShortMonth,
    Weekday,
}

/// What a word means beside a number or in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Name(Name),
    /// A power of ten.
    Scale(i8),
    Percent,
    /// A word between day, month and year: `5 de março de 2031`.
    Link,
    /// A word before the number of a month, or of a year: `5 tháng 3 năm 2031`.
    MonthFollows,
    YearFollows,
    /// Half a day, before a time or after it: 0 or 12 hours.
    Half(u8),
    /// Between the ends of a range: 3 bis 5.
    Range,
    /// Before a number: Part 2, Teil 2.
    Series,
    /// A word that orders.
    Ordinal(u8),
}

/// The meanings of a word alone and of a group that begins with it.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    alone: Option<Meaning>,
    begins: bool,
}

/// All words, and all groups of words under the key of the whole group.
static WORDS: LazyLock<WordTable<Entry>> = LazyLock::new(|| {
    let names = NAMES.iter().map(|&(name, meaning)| (name, Meaning::Name(meaning)));
    let mut known: AHashMap<u64, Entry> = AHashMap::new();
    for (word, meaning) in names.chain(WORDS_OF_DATA.iter().copied()) {
        let mut words = word.split(|c| !is_word_char(c)).filter(|word| !word.is_empty());
        let mut key = words.next().map_or(0, word_key);
        for next in words {
            known.entry(key).or_default().begins = true;
            key = joined(key, word_key(next));
        }
        known.entry(key).or_default().alone.get_or_insert(meaning);
    }
    known.into_iter().collect()
});

/// Words that name nothing, with the bits of their languages.
static COMMON_WORDS: LazyLock<WordTable<u32>> =
    LazyLock::new(|| COMMON.iter().map(|&(word, languages)| (word_key(word), languages)).collect());

/// The language of a text is told from this number of words at its start.
const FIRST: usize = 256;

/// A language needs at least this number of its common words among them.
const LEAST: u32 = 3;

impl Text<'_> {
    /// Returns the bits of the languages that the text may be in: those of which it has most common words, or nearly as many; all, if it has
    /// too few.
    pub(super) fn languages(&self) -> u32 {
        *self.languages.get_or_init(|| languages(self))
    }
}

fn languages(text: &Text<'_>) -> u32 {
    let mut counts = [0_u32; u32::BITS as usize];
    let words = text.units.iter().filter(|unit| unit.kind == Kind::Word).take(FIRST);
    for &languages in words.filter_map(|unit| COMMON_WORDS.get(unit.key)) {
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += languages >> bit & 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or_default();
    if most < LEAST {
        return u32::MAX;
    }
    counts.iter().enumerate().filter(|(_, count)| **count * 5 >= most * 4).map(|(bit, _)| 1 << bit).sum()
}

/// Says whether a word, by its key, names nothing even with a capital letter.
pub(super) fn is_common(key: u64) -> bool {
    COMMON_WORDS.get(key).is_some()
}

fn joined(first: u64, next: u64) -> u64 {
    mix(first, 9) ^ next
}

/// Returns the meaning of the longest group of words at the start of `keys`, and its length in words.
pub(super) fn meaning(mut keys: impl Iterator<Item = u64>) -> Option<(Meaning, usize)> {
    let mut key = keys.next()?;
    let mut entry = WORDS.get(key)?;
    let mut longest = entry.alone.map(|meaning| (meaning, 1));
    for len in 2.. {
        if !entry.begins {
            break;
        }
        let Some(next) = keys.next() else { break };
        key = joined(key, next);
        let Some(longer) = WORDS.get(key) else { break };
        entry = longer;
        longest = entry.alone.map(|meaning| (meaning, len)).or(longest);
    }
    longest
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "tests")]

    use super::*;

    fn of(words: &str) -> Option<(Meaning, usize)> {
        meaning(words.split(' ').map(word_key))
    }

    #[test]
    fn words_of_many_languages_have_a_meaning() {
        for (word, expected) in [
            ("мая", 5),
            ("марте", 3),
            ("март", 3),
            ("março", 3),
            ("août", 8),
            ("märz", 3),
            ("مارس", 3),
            ("آذار", 3),
            ("मार्च", 3),
            ("فروردین", 21),
            ("كانون الثاني", 1),
            ("segunda feira", 1),
            ("среду", 3),
        ] {
            let Some((Meaning::Name(name), len)) = of(word) else { panic!("{word}") };
            assert_eq!((name.value, len), (expected, word.split(' ').count()), "{word}");
        }
        assert_eq!(of("млрд"), Some((Meaning::Scale(9), 1)));
        assert_eq!(of("por ciento de"), Some((Meaning::Percent, 2)));
        assert_eq!((of("por"), of("bridge")), (None, None));
    }
}
