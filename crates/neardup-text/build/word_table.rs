//! How each character behaves at word boundaries, found by asking the segmenter about it beside one character of each other kind.

use unicode_segmentation::UnicodeSegmentation;

use super::{classes, trie};

// Kinds of entries; `analysis::words` reads them by the same numbers.
const OTHER: u16 = 0;
const LETTER: u16 = 1;
const KATAKANA: u16 = 2;
const ALONE: u16 = 3;
const SPACE: u16 = 4;
const MIDDLE: u16 = 5;
const NOTHING: u16 = 6;

/// Writes a table of the kinds of all characters.
pub fn make() -> String {
    trie::of_characters(kind)
}

fn kind(c: char) -> u16 {
    let joined = |text: &[char]| String::from_iter(text).split_word_bounds().count() == 1;
    let beside = |other: char| (joined(&[other, c]), joined(&[c, other]));
    let says = classes::is_letter_or_number(c);
    let apart = |others: &[char]| others.iter().all(|&other| beside(other) == (false, false));
    let both = |others: &[char]| others.iter().all(|&other| beside(other) == (true, true));
    if !apart(&['中']) {
        OTHER
    } else if says && both(&['a', '1', 'é', c]) && apart(&['カ', ' ']) {
        LETTER
    } else if says && both(&['カ', c]) && apart(&['a', '1', ' ']) {
        KATAKANA
    } else if both(&[' ', c]) && apart(&['a', '1', 'カ']) && !says {
        SPACE
    } else if apart(&['a', '1', 'カ', ' ', c]) {
        let between = |other: char| joined(&[other, c, other]) || joined(&[other, c]);
        match says {
            _ if between('a') || between('1') || between('א') => MIDDLE,
            true => ALONE,
            // A mark that joins nothing is for the rules.
            false if classes::is_mark(c) => OTHER,
            false => NOTHING,
        }
    } else {
        OTHER
    }
}
