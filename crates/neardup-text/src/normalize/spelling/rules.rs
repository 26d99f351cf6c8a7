//! The rules of the step `spelling`, one script after another: what becomes of a letter or mark, whatever is around it.
//!
//! Each rule makes one of several accepted spellings of the same word. Letters that only some readers leave out or write in another
//! way count as spellings; accents that tell words apart (French, Spanish, Vietnamese) do not. The sources are named beside the
//! rules: chapters of the Unicode Standard, and the normalisers of Lucene, whose rules are known from years of search engines.
//!
//! The build script makes a table of this file, so a rule costs nothing at run time. Letters are lower case and in form C.

use unicode_normalization::UnicodeNormalization;

/// Returns what `c` becomes: `None` if it stays, an empty text if it goes.
pub fn spelling(c: char) -> Option<String> {
    if let Some(digit) = digit(c) {
        return Some(digit.into());
    }
    let becomes = match c {
        'ä' | 'æ' => "ae",
        'ö' | 'ø' | 'œ' => "oe",
        'ü' => "ue",
        'å' => "aa",
        'ß' => "ss",
        // İ folds to i and a dot above, which goes (`is_dropped`).
        'ı' => "i",
        // Romanian, with a comma or with a cedilla below (Unicode Standard, chapter 7.1).
        'ș' => "ş",
        'ț' => "ţ",
        'ς' => "σ",
        'ё' => "е",
        _ if is_dropped(c) => "",
        _ => arabic(c).or_else(|| indic(c)).or_else(|| greek(c))?,
    };
    Some(becomes.to_owned())
}

/// Marks that readers add or leave out at will, and letters that only stretch a word.
fn is_dropped(c: char) -> bool {
    // Hebrew points and accents (Unicode Standard, chapter 9.1).
    matches!(c, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        // Arabic tatweel, vowel signs and signs of recitation (chapter 9.2; ArabicNormalizer of Lucene).
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
        | '\u{898}'..='\u{89f}' | '\u{8ca}'..='\u{8e1}' | '\u{8e3}'..='\u{8ff}'
        // Devanagari nukta (chapter 12.1; HindiNormalizer of Lucene).
        | '\u{93c}')
}

/// Forms of alef, yeh, kaf and heh (Unicode Standard, chapter 9.2; ArabicNormalizer and PersianNormalizer of Lucene).
fn arabic(c: char) -> Option<&'static str> {
    Some(match c {
        'آ' | 'أ' | 'إ' | 'ٱ' => "ا",
        'ى' | 'ی' => "ي",
        'ک' => "ك",
        'ة' | 'ۀ' | 'ہ' | 'ۂ' | 'ۃ' => "ه",
        _ => return None,
    })
}

/// Letters with nukta and the sign of nasal vowels (Unicode Standard, chapter 12.1; HindiNormalizer of Lucene); letters without a
/// vowel that have a code of their own since Unicode 4.1 and 5.1 (chapters 12.2 and 12.9).
fn indic(c: char) -> Option<&'static str> {
    Some(match c {
        'ऩ' => "न",
        'ऱ' => "र",
        'ऴ' => "ळ",
        'ँ' => "ं",
        'ৎ' => "ত্",
        'ൺ' => "ണ്",
        'ൻ' => "ന്",
        'ർ' => "ര്",
        'ൽ' => "ല്",
        'ൾ' => "ള്",
        'ൿ' => "ക്",
        _ => return None,
    })
}

/// Greek letters without accents, breathings and diaereses, which capitals lack (Unicode Standard, chapter 7.2;
/// GreekLowerCaseFilter of Lucene).
fn greek(c: char) -> Option<&'static str> {
    const LETTERS: [&str; 8] = ["α", "ε", "η", "ι", "ο", "υ", "ω", "ρ"];
    if !matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') {
        return None;
    }
    let base = [c].into_iter().nfd().next().filter(|&base| base != c)?;
    LETTERS.into_iter().find(|letter| letter.starts_with(base))
}

/// The zeros of the decimal digits from U+0660 to U+1FFF; the digits 1 to 9 follow each.
const ZEROS: [u32; 28] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50,
];

fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.into_iter().find(|&zero| (zero..zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    use super::{digit, spelling};

    #[test]
    fn digits_are_those_of_unicode() {
        for c in '\u{80}'..'\u{2000}' {
            assert_eq!(digit(c).is_some(), c.general_category() == GeneralCategory::DecimalNumber, "{c:?}");
        }
    }

    #[test]
    fn once_is_as_good_as_twice() {
        for c in '\0'..=char::MAX {
            for c in spelling(c).unwrap_or_default().chars() {
                assert_eq!(spelling(c), None, "{c:?}");
            }
            assert!(spelling(c).is_none() || ('\u{80}'..'\u{2000}').contains(&c), "{c:?}");
        }
    }
}
