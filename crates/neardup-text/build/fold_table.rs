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
    } else if !stands_alone(c, &result) {
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
