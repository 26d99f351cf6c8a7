//! Words that belong to a date or a number, in some thirty languages, and what they mean.
//!
//! Months and weekdays are those of CLDR, with their cases: `build.rs` asks the crate `icu_datetime` for them. The library `icu_datetime`
//! itself writes dates and does not read them, so that linking it (some 2 MB of data) would bring nothing more. Words for powers of
//! ten and percent are the long and short forms of CLDR's `decimalFormats`, of which the stable crates of ICU4X know nothing.
//!
//! Words are looked up by the key of their unit, which is the hash of the word in small letters, so that nothing is copied or folded.

use std::sync::LazyLock;

use crate::read::reading::word_key;
use ahash::AHashMap;
use neardup_text::hash::mix;
use neardup_text::lexicon::is_word_char;

include!(concat!(env!("OUT_DIR"), "/names.rs"));

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
    /// An English word that orders.
    Ordinal(u8),
}

/// Powers of ten.
const SCALES: [(i8, &[&str]); 6] = [
    (
        3,
        &[
            "tausend",
            "mille",
            "mila",
            "mil",
            "тыс",
            "тысяч",
            "тысяча",
            "тысячи",
            "тысячу",
            "тисяч",
            "тисячі",
            "tys",
            "tysięcy",
            "tysiące",
            "bin",
            "ribu",
            "nghìn",
            "ngàn",
            "ألف",
            "آلاف",
            "هزار",
            "हज़ार",
            "हजार",
            "হাজার",
            "duizend",
            "tusen",
            "tisíc",
        ],
    ),
    (5, &["lakh", "lakhs", "लाख", "লাখ"]),
    (
        6,
        &[
            "mio",
            "millionen",
            "millón",
            "millones",
            "milhão",
            "milhões",
            "milione",
            "milioni",
            "milioane",
            "миллион",
            "миллиона",
            "миллионов",
            "млн",
            "мільйон",
            "мільйона",
            "мільйонів",
            "milion",
            "miliony",
            "milionów",
            "milyon",
            "juta",
            "triệu",
            "مليون",
            "ملايين",
            "میلیون",
            "miljoen",
            "miljoner",
            "milionů",
        ],
    ),
    (7, &["crore", "crores", "करोड़", "करोड", "কোটি"]),
    (
        9,
        &[
            "mrd",
            "milliarde",
            "milliarden",
            "milliard",
            "milliards",
            "bilhão",
            "bilhões",
            "miliardo",
            "miliardi",
            "миллиард",
            "миллиарда",
            "миллиардов",
            "млрд",
            "мільярд",
            "мільярда",
            "мільярдів",
            "miliard",
            "miliardy",
            "miliardów",
            "mld",
            "milyar",
            "miliar",
            "tỷ",
            "tỉ",
            "مليار",
            "مليارات",
            "میلیارد",
            "अरब",
            "miljard",
            "miljarder",
            "miliarde",
        ],
    ),
    (
        12,
        &[
            "billionen",
            "trilhão",
            "trilhões",
            "триллион",
            "триллиона",
            "триллионов",
            "трлн",
            "трильйонів",
            "trilyon",
            "triliun",
            "تريليون",
            "تریلیون",
            "खरब",
            "biljoen",
            "bilionów",
            "billones",
        ],
    ),
];

/// Words for percent.
const PERCENT: [&str; 25] = [
    "prozent",
    "pour cent",
    "por ciento",
    "por cento",
    "per cento",
    "percento",
    "процент",
    "процента",
    "процентов",
    "відсоток",
    "відсотка",
    "відсотків",
    "procent",
    "procenta",
    "procentu",
    "persen",
    "peratus",
    "phần trăm",
    "في المئة",
    "في المائة",
    "بالمئة",
    "بالمائة",
    "درصد",
    "प्रतिशत",
    "শতাংশ",
];

/// Other words.
const OTHERS: [(Meaning, &[&str]); 5] = [
    (Meaning::Link, &["de", "del", "of"]),
    (Meaning::MonthFollows, &["tháng", "thg"]),
    (Meaning::YearFollows, &["năm"]),
    (Meaning::Half(0), &["am", "오전", "a m"]),
    (Meaning::Half(12), &["pm", "오후", "p m"]),
];

/// English words that order, from 1 on.
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];

/// The meanings of a word alone and of a group that begins with it.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    alone: Option<Meaning>,
    begins: bool,
}

/// Entries by their keys, with a bit for the last digits of each key: most words of a text are none of these.
struct Words {
    entries: AHashMap<u64, Entry>,
    bits: [u64; 256],
}

impl Words {
    fn new(entries: AHashMap<u64, Entry>) -> Self {
        let mut words = Self { entries, bits: [0; 256] };
        words.entries.keys().for_each(|&key| words.bits[Self::place(key)] |= 1 << (key % 64));
        words
    }

    const fn place(key: u64) -> usize {
        (key / 64 % 256) as usize
    }

    fn get(&self, key: u64) -> Option<&Entry> {
        if self.bits[Self::place(key)] >> (key % 64) & 1 == 0 {
            return None;
        }
        self.entries.get(&key)
    }
}

/// All words, and all groups of words under the key of the whole group.
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let names = NAMES.iter().map(|&(name, meaning)| (name, Meaning::Name(meaning)));
    let scales = SCALES.iter().flat_map(|&(power, words)| words.iter().map(move |&word| (word, Meaning::Scale(power))));
    let others = OTHERS.iter().flat_map(|&(meaning, words)| words.iter().map(move |&word| (word, meaning)));
    let mut known: AHashMap<u64, Entry> = AHashMap::new();
    let ordinals = ORDINALS.iter().zip(1..).map(|(&word, place)| (word, Meaning::Ordinal(place)));
    let percent = PERCENT.map(|word| (word, Meaning::Percent));
    for (word, meaning) in names.chain(scales).chain(percent).chain(others).chain(ordinals) {
        let mut words = word.split(|c| !is_word_char(c)).filter(|word| !word.is_empty());
        let mut key = words.next().map_or(0, word_key);
        for next in words {
            known.entry(key).or_default().begins = true;
            key = joined(key, word_key(next));
        }
        known.entry(key).or_default().alone.get_or_insert(meaning);
    }
    Words::new(known)
});

fn joined(first: u64, next: u64) -> u64 {
    mix(first, 9) ^ next
}

/// Gives the meaning of the longest group of words at the start of `keys`, and its length in words.
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
