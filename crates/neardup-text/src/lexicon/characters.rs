//! Decides which tokens are words, and gives the parts of speech of words that are in no lexicon.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Tells whether a token holds a letter, a number or a mark (general categories L, N, M); what holds none is space,
/// punctuation or symbols.
#[inline]
pub fn is_word(token: &str) -> bool {
    match token.as_bytes().first() {
        // U+5000 to U+9FFF: told by the first byte, as most tokens of Chinese text are.
        Some(0xE5..=0xE9) => true,
        Some(_) => token.chars().any(is_word_char),
        None => false,
    }
}

/// Tells whether a character is a letter, a number or a mark.
#[inline]
pub fn is_word_char(c: char) -> bool {
    match c {
        '\u{4E00}'..='\u{9FFF}' => true,
        '\0'..='\x7F' => c.is_ascii_alphanumeric(),
        // The punctuation of Chinese text, so that the search below stays rare.
        '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' => false,
        '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' => false,
        _ => is_word_category(c),
    }
}

fn is_word_category(c: char) -> bool {
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark
    )
}

/// Tells whether a character is Han: one that is cut by words, not by runs.
#[inline]
pub fn is_han(c: char) -> bool {
    match c {
        '\u{4E00}'..='\u{9FFF}' => true,
        '\0'..='\u{33FF}' => false,
        '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2EBEF}' | '\u{2F800}'..='\u{323AF}' => {
            true
        }
        _ => false,
    }
}

/// The part of speech, as jieba writes it, of what no lexicon has: `m` for digits, `eng` for letters, `x` for the rest.
pub fn plain_tag(text: &str) -> &'static str {
    let mut alphanumeric = text.bytes().filter(u8::is_ascii_alphanumeric).peekable();
    if alphanumeric.peek().is_none() {
        "x"
    } else if alphanumeric.all(|b| b.is_ascii_digit()) {
        "m"
    } else {
        "eng"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_a_letter_number_or_mark() {
        for word in ["汉", "a", "7", "é", "々", "〇", "①", "\u{300}", "+1", "𠀀", "ㄅ", "％5"] {
            assert!(is_word(word), "{word}");
        }
        for other in ["", " ", "，", "\u{3000}", "-", "...", "…", "％", "😀", "\r\n", "￥", "《"] {
            assert!(!is_word(other), "{other}");
        }
    }

    #[test]
    fn quick_ranges_agree_with_the_categories() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_word_char(c), is_word_category(c), "{c:?}");
        }
    }

    #[test]
    fn plain_tags_are_jiebas() {
        assert_eq!(["12", "a1", "-", "和"].map(plain_tag), ["m", "eng", "x", "x"]);
    }
}
