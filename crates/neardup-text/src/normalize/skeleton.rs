//! The step `skeleton`: characters that look like Latin letters become these, in words that are Latin or look so.
//!
//! A table made at build time has what a character looks like: its skeleton by UTS #39, in lower case. It is asked only in words that have
//! a letter of ASCII, and in words all of whose characters look like letters and digits of ASCII. So a word in Cyrillic, Greek or Arabic
//! letters mostly stays as it is, and so does a number.

use super::classes::{is_letter_or_number, is_mark, is_number};

mod table {
    include!(concat!(env!("OUT_DIR"), "/skeleton_table.rs"));
}

/// Writes each word as it looks.
pub(super) fn apply(text: &str, out: &mut String) {
    let mut start = 0;
    for (count, (at, c)) in text.char_indices().enumerate() {
        if count & 0xfff == 0xfff {
            crate::interrupt::check();
        }
        if !is_part_of_word(c) {
            word(text.get(start..at).unwrap_or_default(), out);
            out.push(c);
            start = at + c.len_utf8();
        }
    }
    word(text.get(start..).unwrap_or_default(), out);
}

fn is_part_of_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { is_letter_or_number(c) || is_mark(c) }
}

/// Writes a run of letters, digits and marks.
fn word(word: &str, out: &mut String) {
    let is_latin = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let looks_latin = || {
        word.chars().all(|c| c.is_ascii() || look(c).is_some())
            && word.chars().any(|c| look(c).is_some_and(|_| !is_number(c)))
    };
    if !is_latin && !looks_latin() {
        out.push_str(word);
        return;
    }
    for c in word.chars() {
        match look(c) {
            Some(look) => out.push_str(look),
            None => out.push(c),
        }
    }
}

/// Returns the letters or digits of ASCII that a character looks like, if it is no such letter itself.
#[inline]
fn look(c: char) -> Option<&'static str> {
    let code = u32::from(c) as usize;
    let block = table::INDEX.get(code >> 6).copied().unwrap_or_default();
    let number = table::BLOCKS.get((usize::from(block) << 6) | (code & 63)).copied().unwrap_or_default();
    usize::from(number).checked_sub(1).and_then(|number| table::TEXTS.get(number)).copied()
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn skeleton(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn look_alikes_become_one_word() {
        for (disguised, plain) in [
            ("рауpаl", "paypal"),
            ("аррlе", "apple"),
            ("rek1am", "reklam"),
            ("f0rex", "forex"),
            ("сосо", "coco"),
            ("вank", "bank"),
            ("тhe", "the"),
            ("ｍodern", "modern"),
            ("v1agra", "viagra"),
            ("modem", "modern"),
            ("мodern", "modern"),
        ] {
            assert_eq!(skeleton(disguised), skeleton(plain), "{disguised}");
            assert_eq!(skeleton(&skeleton(disguised)), skeleton(disguised), "{disguised}");
        }
    }

    #[test]
    fn other_words_and_numbers_stay() {
        for text in ["", "2010 10.01", "привет мир, ещё", "αθήνα", "محمد 10", "中国 2010年", "한국어", "１０"]
        {
            assert_eq!(skeleton(text), text);
        }
    }
}
