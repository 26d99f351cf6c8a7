//! The tokenizer `words`: what Unicode calls a word (UAX #29, Unicode 17).
//!
//! That is a run of letters, digits and their marks in scripts that part words by spaces (Latin, Cyrillic, Hangul, Arabic,
//! Devanagari, ...), with the apostrophe of `don't` and the point of `3.5` inside; a run of katakana; and a single character
//! in scripts without spaces: Han, hiragana, Thai, Lao, Khmer, Burmese. Segments without a letter, number or mark are dropped.

use unicode_segmentation::UnicodeSegmentation;

use super::Token;
use super::normalize::{is_letter_or_number, is_mark};

/// Hands out the words of `text` in text order.
pub fn words<'t>(text: &'t str, sink: &mut impl FnMut(Token<'t>)) {
    for (count, (start, segment)) in text.split_word_bound_indices().enumerate() {
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        if segment.chars().any(|c| is_letter_or_number(c) || is_mark(c)) {
            sink(Token { text: segment, start });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

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
        assert_eq!(tokens("カタカナひら한국어 말"), ["カタカナ", "ひ", "ら", "한국어", "말"]);
        assert_eq!(tokens("привет мир"), ["привет", "мир"]);
        assert_eq!(tokens("ภาษา"), ["ภ", "า", "ษ", "า"]);
    }

    #[test]
    fn what_says_nothing_is_dropped() {
        assert!(tokens("").is_empty());
        assert!(tokens(" ,.!_ 😀 —— \r\n").is_empty());
    }
}
