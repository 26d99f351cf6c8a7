//! What each character looks like in letters and digits of ASCII: its skeleton by UTS #39, in lower case.

use super::{array, trie, unicode};

/// Rounds in which a skeleton has become its own: a look-alike in another case may look like a third letter.
const ROUNDS: usize = 8;

/// Writes a table of the numbers of what all characters look like, counted from 1, 0 where that is nothing else; and `TEXTS`.
pub fn make() -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut entries = Vec::new();
    for code in 0..=u32::from(char::MAX) {
        entries.push(char::from_u32(code).and_then(look).map_or(0, |look| {
            let known = texts.iter().position(|known| *known == look);
            let number = known.unwrap_or_else(|| {
                texts.push(look);
                texts.len() - 1
            });
            number as u16 + 1
        }));
    }
    trie::write(&entries) + &array("TEXTS", "&str", &texts)
}

/// Returns what a character looks like, if that is letters or digits of ASCII other than itself.
fn look(c: char) -> Option<String> {
    // A capital letter has its own look; case is none of this step's. Nothing of what follows U+3400 in large blocks looks like ASCII.
    let is_other =
        matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{e000}'..='\u{f8ff}' | '\u{20000}'..);
    if is_other || c.is_ascii_uppercase() && c != 'I' {
        return None;
    }
    let mut text = c.to_string();
    for _ in 0..ROUNDS {
        let skeleton: String = unicode_security::skeleton(&text).collect();
        let (mut folded, mut composed) = (String::new(), String::new());
        unicode::casefold(&skeleton, &mut folded);
        unicode::nfkc(&folded, &mut composed);
        let looks: String = composed.chars().map(plain).collect();
        if looks == text {
            break;
        }
        text = looks;
    }
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_plain && text != c.to_string()).then_some(text)
}

/// Returns the letter whose capital form another one looks like. Case is folded, so a small capital stands for both, and `i` looks like `l`
/// because `I` does.
fn plain(c: char) -> char {
    match c {
        'i' => 'l',
        'ᴀ' => 'a',
        'ʙ' => 'b',
        'ᴄ' => 'c',
        'ᴅ' => 'd',
        'ᴇ' => 'e',
        'ꜰ' => 'f',
        'ɢ' => 'g',
        'ʜ' => 'h',
        'ɪ' => 'l',
        'ᴊ' => 'j',
        'ᴋ' | 'ĸ' => 'k',
        'ʟ' => 'l',
        // The skeleton of a small capital M.
        'ᴍ' | 'ʍ' => 'm',
        'ɴ' => 'n',
        'ᴏ' => 'o',
        'ᴘ' => 'p',
        'ʀ' => 'r',
        'ꜱ' => 's',
        'ᴛ' => 't',
        'ᴜ' => 'u',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'ʏ' => 'y',
        'ᴢ' => 'z',
        _ => c,
    }
}
