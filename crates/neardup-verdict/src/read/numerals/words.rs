//! Words that count in the languages of `data/numbers.tsv`: zwei, три, quatre.
//!
//! A text does not say its language, so that only words are listed that mean nothing else in any of these languages. The crate `text2num`
//! reads longer numbers in eight languages, but has to be told the language, copies every word, and can panic.

use std::sync::LazyLock;

use super::Number;
use crate::read::reading::word_key;
use crate::read::word_table::WordTable;

include!(concat!(env!("OUT_DIR"), "/number_words.rs"));

static WORDS: LazyLock<WordTable<Number>> = LazyLock::new(|| {
    NUMBERS.iter().map(|&(word, number)| (word_key(word), Number::new(u128::from(number), 0))).collect()
});

/// Returns the value of a word that counts, by its key.
pub(crate) fn counted(key: u64) -> Option<Number> {
    WORDS.get(key).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_languages_count() {
        for (word, number) in [("zwölf", 12), ("три", 3), ("dwadzieścia", 20), ("quatre", 4), ("bảy", 7), ("dört", 4)]
        {
            assert_eq!(counted(word_key(word)), Some(Number::new(number, 0)), "{word}");
        }
        for word in ["on", "once", "due", "sei", "dix", "bridge"] {
            assert_eq!(counted(word_key(word)), None, "{word}");
        }
    }

    #[test]
    fn no_word_has_two_values() {
        for (word, number) in NUMBERS {
            assert_eq!(counted(word_key(word)), Some(Number::new(u128::from(*number), 0)), "{word}");
        }
    }
}
