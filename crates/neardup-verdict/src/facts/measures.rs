//! What a number counts, where it is a unit or a currency of `data/units.tsv` and `data/currencies.tsv`: words of one unit are the same
//! thing in any language, and 1 kg is 1000 g.

use std::sync::LazyLock;

use crate::read::reading::word_key;
use crate::read::word_table::WordTable;

include!(concat!(env!("OUT_DIR"), "/measures.rs"));

/// A unit or a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) id: u8,
    /// The power of ten by which it is more than the unit with the same id.
    pub(super) power: i8,
    pub(super) is_currency: bool,
}

static WORDS: LazyLock<WordTable<Measure>> =
    LazyLock::new(|| MEASURES.iter().map(|&(word, measure)| (word_key(word), measure)).collect());

/// Returns the unit or currency that a word names, by its key.
pub(super) fn measure(key: u64) -> Option<Measure> {
    WORDS.get(key).copied()
}

/// Returns the currency of a sign.
pub(super) fn of_sign(sign: char) -> Option<Measure> {
    if !matches!(sign, '$' | '£' | '¥' | '￥' | '\u{20a0}'..='\u{20cf}') {
        return None;
    }
    let found = MEASURES.iter().find(|(word, _)| word.chars().eq([sign]));
    found.map(|(_, measure)| *measure)
}
