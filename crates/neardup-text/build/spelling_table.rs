//! What the step `spelling` makes of each character, by its rules.

use super::{array, spelling_rules, trie};

// Kinds of entries; `normalize::spelling` reads them by the same numbers.
const KEEP: u16 = 0;
const DROP: u16 = 1;
const CONTEXT: u16 = 2;
const TEXT: u16 = 3;

/// Writes a table of what becomes of all characters, and `TEXTS`.
pub fn make() -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut entries = Vec::new();
    for code in 0..=u32::from(char::MAX) {
        let becomes = char::from_u32(code).and_then(spelling_rules::spelling);
        entries.push(match becomes {
            None if depends(code) => CONTEXT,
            None => KEEP,
            Some(text) if text.is_empty() => DROP,
            Some(text) => {
                let known = texts.iter().position(|known| *known == text);
                let number = known.unwrap_or_else(|| {
                    texts.push(text);
                    texts.len() - 1
                });
                TEXT + number as u16
            }
        });
    }
    trie::write(&entries) + &array("TEXTS", "&str", &texts)
}

/// Says whether what becomes of a character can depend on the one before it.
fn depends(code: u32) -> bool {
    // A vowel after one with a tone; accents; the Devanagari virama; a Thai vowel.
    matches!(code, 0x61 | 0x65 | 0x79 | 0x300..=0x36f | 0x94d | 0xe40)
}
