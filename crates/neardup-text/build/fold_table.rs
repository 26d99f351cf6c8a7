//! What control, nfkc, casefold and punctuation make of each character that can be treated without its neighbours.

use std::collections::BTreeMap;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::{Result, array, classes, trie, unicode};

// Kinds of entries; `analysis::normalize::fused` reads them by the same numbers.
const COPY: u16 = 0;
const DROP: u16 = 1;
const SPACE: u16 = 2;
const SLOW: u16 = 3;
const SIGN: u16 = 4;
const PERCENT: u16 = 5;
const MARK: u16 = 0x100;
const MAP: u16 = 0x200;

/// Writes the trie of entries and, for entries from `MAP` on, `MAP_ENDS` into the string `MAP_TEXT`.
pub fn make() -> Result<String> {
    let mut maps = BTreeMap::new();
    let mut entries = Vec::new();
    let mut ends = vec![0];
    let mut texts = String::new();
    for code in 0..=u32::from(char::MAX) {
        let Some(c) = char::from_u32(code) else {
            entries.push(SLOW);
            continue;
        };
        entries.push(match treat(c) {
            Treatment::Fixed(entry) => entry,
            Treatment::Map(text) => match maps.get(&text) {
                Some(&entry) => entry,
                None => {
                    texts.push_str(&text);
                    ends.push(u16::try_from(texts.len())?);
                    let entry = MAP + u16::try_from(maps.len())?;
                    maps.insert(text, entry);
                    entry
                }
            },
        });
    }
    Ok(trie::write(&entries) + &array("MAP_ENDS", "u16", &ends) + &format!("pub static MAP_TEXT: &str = {texts:?};\n"))
}

enum Treatment {
    Fixed(u16),
    Map(String),
}

fn treat(c: char) -> Treatment {
    let text = c.to_string();
    let folded = [unicode::control, unicode::nfkc, unicode::casefold, unicode::nfkc]
        .iter()
        .fold(text, |text, step| run(*step, &text));
    let result = run(unicode::punctuation, &folded);
    let itself = folded.chars().eq([c]);
    Treatment::Fixed(if folded.is_empty() {
        DROP
    } else if classes::is_mark(c) && itself && !joins(c) {
        MARK + u16::from(canonical_combining_class(c))
    } else if let Some(sign) = sign(&folded) {
        sign
    } else if !stands_alone(c, &result) || may_lend_a_sign(&folded) {
        SLOW
    } else if result.chars().all(classes::is_white_space) {
        SPACE
    } else if itself {
        COPY
    } else {
        return Treatment::Map(result);
    })
}

fn run(step: fn(&str, &mut String), text: &str) -> String {
    let mut out = String::new();
    step(text, &mut out);
    out
}

/// Returns the entry of a character that becomes one of the signs of numbers.
fn sign(folded: &str) -> Option<u16> {
    match folded {
        "%" => Some(PERCENT),
        "." | "," => Some(SIGN),
        _ => None,
    }
}

/// Says whether a sign in `folded` may belong to a number whose other part is another character: `⒈` before a digit.
fn may_lend_a_sign(folded: &str) -> bool {
    let bytes = folded.as_bytes();
    let is_sign = |byte: &u8| matches!(byte, b'.' | b',' | b'%');
    let of_number = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_digit() || *byte == b' ');
    let starts = bytes.first().is_some_and(is_sign) && (bytes.first() == Some(&b'%') || of_number(bytes.get(1)));
    starts || bytes.last().is_some_and(is_sign) && of_number(bytes.iter().nth_back(1))
}

/// Says whether nothing before `c` can change it or be changed by it, neither before the steps nor after them.
fn stands_alone(c: char, result: &str) -> bool {
    let decomposed = [c].into_iter().nfkd().next();
    let parts = result.split(classes::is_white_space).filter_map(|part| part.chars().next());
    parts
        .chain(decomposed)
        .all(|first| canonical_combining_class(first) == 0 && !joins(first) && !classes::is_mark(first))
}

/// Says whether `c` may compose with a character before it.
fn joins(c: char) -> bool {
    is_nfc_quick([c].into_iter()) == IsNormalized::Maybe
}
