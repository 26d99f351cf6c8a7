//! The tokenizer `words`: words as Unicode defines them (UAX #29, Unicode 17).
//!
//! A word is a run of letters, digits and their marks in scripts that separate words by spaces (Latin, Cyrillic, Hangul, Arabic,
//! Devanagari, ...), including the apostrophe of `don't` and the point of `3.5`; or a run of katakana; or a single character in
//! scripts without spaces: Han, hiragana, Thai, Lao, Khmer, Burmese. Segments without a letter, number or mark are dropped, but a
//! percent sign directly after a digit 0 to 9 belongs to its word.
//!
//! A table made at build time finds runs of letters and digits, runs of katakana and single characters. Only where a sign may join
//! words, or a mark occurs, is the text cut by the rules of UAX #29.

use unicode_segmentation::UnicodeSegmentation;

use super::Token;
use super::normalize::{is_letter_or_number, is_mark};

mod table {
    include!(concat!(env!("OUT_DIR"), "/word_table.rs"));
}

/// How a character behaves at word boundaries, by `build/word_table.rs`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It follows the rules.
    Other,
    /// A letter or digit that makes words with its like.
    Letter,
    /// Katakana, which makes words with its like.
    Katakana,
    /// A letter or number that is a word by itself: Han, hiragana, Thai.
    Alone,
    /// Space, which joins space.
    Space,
    /// A sign that may join letters or digits on both sides, and nothing else.
    Middle,
    /// A sign that joins nothing.
    Nothing,
}

fn kind(c: char) -> Kind {
    let code = u32::from(c) as usize;
    let block = table::INDEX.get(code >> 6).copied().unwrap_or_default();
    match table::BLOCKS.get((usize::from(block) << 6) | (code & 63)) {
        Some(1) => Kind::Letter,
        Some(2) => Kind::Katakana,
        Some(3) => Kind::Alone,
        Some(4) => Kind::Space,
        Some(5) => Kind::Middle,
        Some(6) => Kind::Nothing,
        _ => Kind::Other,
    }
}

/// Takes the words of a text in text order.
pub(super) trait Sink<'t> {
    /// Takes one word.
    fn word(&mut self, token: Token<'t>);

    /// Takes Han characters, three bytes each, that are words one by one, the first at `start`.
    fn characters(&mut self, characters: &'t str, start: usize);
}

impl<'t, F: FnMut(Token<'t>)> Sink<'t> for F {
    #[inline]
    fn word(&mut self, token: Token<'t>) {
        self(token);
    }

    #[inline]
    fn characters(&mut self, characters: &'t str, start: usize) {
        for at in (0..characters.len()).step_by(3) {
            if let Some(text) = characters.get(at..at + 3) {
                self(Token { text, start: start + at });
            }
        }
    }
}

/// Hands out the words of `text` in text order.
pub fn words<'t>(text: &'t str, sink: &mut impl FnMut(Token<'t>)) {
    each(text, sink);
}

/// Hands out the words of `text` in text order, stretches of Han characters as such.
pub(super) fn each<'t>(text: &'t str, sink: &mut impl Sink<'t>) {
    let mut at = 0;
    let mut checked = 0;
    while at < text.len() {
        if at - checked > 1 << 14 {
            checked = at;
            crate::interrupt::check();
        }
        at = plain(text, at, sink);
        at = match by_kind(text, at) {
            Some((end, says)) => {
                if says && let Some(text) = text.get(at..end) {
                    sink.word(Token { text, start: at });
                }
                end
            }
            None => by_rule(text, at, sink),
        };
    }
}

/// The most bytes taken before the next look at the clock.
const STRETCH: usize = 1 << 14;

/// Whether a Han character from U+4E00 to U+9FFF starts here: a word by itself, unless a mark follows.
#[inline(always)]
fn starts_han(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..at + 2) {
        Some(&[first, second]) => matches!(first, 0xe5..=0xe9) || (first == 0xe4 && second >= 0xb8),
        _ => false,
    }
}

/// Whether a word is one such character.
#[inline(always)]
pub(super) fn is_han(word: &str) -> bool {
    word.len() == 3 && starts_han(word.as_bytes(), 0)
}

/// Whether a word is a letter of a script that is written without spaces, except Han: it says about half as much as a Han character or a
/// word.
///
/// Hiragana, Thai, Lao, Burmese, Khmer, and the lesser scripts of which Unicode says the same (Line_Break=SA). Tibetan marks its
/// syllables and katakana makes words of itself.
#[inline(always)]
pub(super) fn is_half(word: &str) -> bool {
    match word.as_bytes() {
        // U+3040 to U+309F.
        [0xe3, 0x81, ..] => true,
        [0xe3, 0x82, third, ..] => *third < 0xa0,
        // U+0E00 to U+0EFF.
        [0xe0, 0xb8..=0xbb, ..] => true,
        [0xe1 | 0xea | 0xf0, ..] => is_half_letter(word.chars().next().unwrap_or_default()),
        _ => false,
    }
}

fn is_half_letter(c: char) -> bool {
    matches!(c, '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}' | '\u{1a20}'..='\u{1aaf}'
        | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}' | '\u{11700}'..='\u{1174f}')
}

/// Whether a point between two digits is here.
#[inline(always)]
fn is_point(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    bytes.get(at) == Some(&b'.') && is_digit(at.wrapping_sub(1)) && is_digit(at + 1)
}

/// Hands out the words from `at` on for which bytes are enough to know, most of a normalised text: Han characters, and runs of ASCII letters
/// and digits and of numbers, one space between them or none. Returns where it stopped.
#[inline]
fn plain<'t>(text: &'t str, mut at: usize, sink: &mut impl Sink<'t>) -> usize {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let until = at.saturating_add(STRETCH);
    while at < until {
        let start = at;
        if starts_han(bytes, at) {
            while at < until && starts_han(bytes, at + 3) {
                at += 3;
            }
            // The last one may belong to a mark after it.
            let next = at + 3;
            let ends = is_letter(next) || (bytes.get(next) == Some(&b' ')) || next == bytes.len();
            at += if ends { 3 } else { 0 };
            if let Some(characters) = text.get(start..at).filter(|characters| !characters.is_empty()) {
                sink.characters(characters, start);
            }
            if !ends {
                return at;
            }
        } else {
            while is_letter(at) || is_point(bytes, at) {
                at += 1;
            }
            at += usize::from(bytes.get(at) == Some(&b'%') && at > start && bytes[at - 1].is_ascii_digit());
            // What else may join letters.
            if at == start || !(bytes.get(at) == Some(&b' ') || at == bytes.len() || starts_han(bytes, at)) {
                return start;
            }
            if let Some(text) = text.get(start..at) {
                sink.word(Token { text, start });
            }
        }
        // A mark after a space would be of one segment with it.
        if bytes.get(at) == Some(&b' ') {
            if !(is_letter(at + 1) || starts_han(bytes, at + 1)) {
                return at;
            }
            at += 1;
        }
    }
    at
}

/// Returns the end of the segment at `start` and whether it is a word, if kinds are enough to know.
#[inline]
fn by_kind(text: &str, start: usize) -> Option<(usize, bool)> {
    let mut chars = text.get(start..)?.chars();
    let first = kind(chars.next()?);
    let runs = matches!(first, Kind::Letter | Kind::Katakana | Kind::Space);
    loop {
        let end = text.len() - chars.as_str().len();
        let says = matches!(first, Kind::Letter | Kind::Katakana | Kind::Alone);
        match chars.next().map(kind) {
            Some(next) if runs && next == first => {}
            Some(Kind::Nothing) if first == Kind::Letter && is_percent(text, end) => return None,
            Some(Kind::Other) => return None,
            Some(Kind::Middle) if first == Kind::Letter => return None,
            _ if first == Kind::Other => return None,
            _ => return Some((end, says)),
        }
    }
}

/// Hands out the words from `start` on by the rules, up to where a segment ends before a character that needs none.
#[cold]
fn by_rule<'t>(text: &'t str, start: usize, sink: &mut impl Sink<'t>) -> usize {
    let mut at = start;
    let mut segments = text.get(start..).unwrap_or_default().split_word_bounds().enumerate().peekable();
    while let Some((count, mut segment)) = segments.next() {
        if count & 0xfff == 0xfff {
            crate::interrupt::check();
        }
        if is_percent(text, at + segment.len()) && segments.next_if(|&(_, next)| next == "%").is_some() {
            segment = text.get(at..at + segment.len() + 1).unwrap_or(segment);
        }
        if segment.chars().any(|c| is_letter_or_number(c) || is_mark(c)) {
            sink.word(Token { text: segment, start: at });
        }
        at += segment.len();
        // Where a segment ends, the rules ask for nothing before it.
        if text.get(at..).and_then(|rest| rest.chars().next()).is_some_and(|c| kind(c) != Kind::Other) {
            break;
        }
    }
    at
}

/// Whether a percent sign after a digit is here.
fn is_percent(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    bytes.get(at) == Some(&b'%') && bytes.get(at.wrapping_sub(1)).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use super::words;
    use crate::hash::token_hash;
    use crate::normalize::{is_letter_or_number, is_mark};

    fn tokens(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        words(text, &mut |token| {
            assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
            tokens.push(token.text);
        });
        tokens
    }

    #[test]
    fn words_of_many_scripts() {
        assert_eq!(tokens("Don't pay 3.5 dollars, U.S.A."), ["Don't", "pay", "3.5", "dollars", "U.S.A"]);
        assert_eq!(tokens("春天ab12来了"), ["春", "天", "ab12", "来", "了"]);
        assert_eq!(
            tokens("20% 3.5%降 v2.0 5%% 5 % a% 10.0.0.1 5%\u{301} 1,5%"),
            ["20%", "3.5%", "降", "v2.0", "5%", "5", "a", "10.0.0.1", "5", "%\u{301}", "1,5%"]
        );
        assert_eq!(tokens("カタカナひら한국어 말"), ["カタカナ", "ひ", "ら", "한국어", "말"]);
        assert_eq!(tokens("привет мир"), ["привет", "мир"]);
        assert_eq!(tokens("ภาษา"), ["ภ", "า", "ษ", "า"]);
    }

    #[test]
    fn what_says_nothing_is_dropped() {
        assert!(tokens("").is_empty());
        assert!(tokens(" ,.!_ 😀 —— \r\n").is_empty());
    }

    fn oracle(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for (start, word) in text.split_word_bound_indices() {
            let last = words.pop_if(|last: &mut &str| {
                word == "%" && text[..start].ends_with(&**last) && last.ends_with(|c: char| c.is_ascii_digit())
            });
            match last {
                Some(last) => words.push(&text[start - last.len()..=start]),
                None if word.chars().any(|c| is_letter_or_number(c) || is_mark(c)) => words.push(word),
                None => {}
            }
        }
        words
    }

    const JOINING: &str =
        "aé1中ひカーｶﾞ한א'\".,:;_%·’ \u{3000}\t\r\n\u{301}\u{200d}\u{ad}\u{200b}👩🏽🇨🇳ภา\u{e31}क\u{94d}\u{600}²½Ⅳ゛ˆ٠,٫-+";

    fn joining_text() -> impl Strategy<Value = String> {
        let joining = JOINING.chars().collect::<Vec<_>>();
        let piece = prop_oneof![
            6 => proptest::sample::select(joining).prop_map(String::from),
            1 => any::<char>().prop_map(String::from),
            1 => "[中国a-z0-9 ，.']{1,10}"
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn words_are_those_of_the_rules(text in joining_text()) {
            prop_assert_eq!(tokens(&text), oracle(&text));
        }
    }

    #[test]
    fn every_character_beside_others() {
        let all = String::from_iter(
            ('\0'..=char::MAX).flat_map(|c| [c, c, 'a', c, '1', c, ' ', c, '.', 'カ', c, '中', c, '\u{301}']),
        );
        assert!(tokens(&all) == oracle(&all));
    }

    /// Frozen: a change here is a new version of the signature format.
    #[test]
    fn every_character_has_its_golden_words() {
        let all = String::from_iter(('\0'..=char::MAX).flat_map(|c| [c, 'a', c, '1', 'カ']));
        let found = tokens(&all);
        assert_eq!((found.len(), token_hash(&found.join("\n"))), (3_524_379, 13_564_469_507_557_292_875));
    }

    #[test]
    fn hostile_text_ends() {
        for piece in ["a.", "a.\u{301}", "\u{301}", "🇨", "👩\u{200d}", "中\u{301}", "_", "1,", "א\"", " \u{301}", "中"]
        {
            let text = piece.repeat(50_000);
            assert!(tokens(&text).len() <= 50_000);
        }
    }
}
