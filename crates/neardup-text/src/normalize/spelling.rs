//! The step `spelling`: one spelling for each word that is written in several ways, in any language.
//!
//! [`rules`] says what becomes of a letter or mark by itself; a table of it is made at build time. [`fold`] adds the few rules about
//! two neighbours. `docs/languages.md` describes all of them for users.
//!
//! All rules are about characters from U+0080 to U+1FFF, which Chinese, Japanese, Korean and English texts hardly have. Only runs of
//! them, with marks and with the letters and digits of ASCII beside them, are looked at.

use std::borrow::Cow;

use unicode_normalization::char::compose;
use unicode_normalization::{IsNormalized, is_nfc_quick};

use super::classes::{is_mark, is_white_space};
use super::{Pair, unicode};

#[cfg(test)]
mod rules;

mod table {
    include!(concat!(env!("OUT_DIR"), "/spelling_table.rs"));
}

/// Composing after a change can make a letter that changes again, hardly ever and no more often than this.
const MAX_ROUNDS: usize = 4;

/// How many bytes are read from one check for cancellation to the next.
const UNCHECKED: usize = 4096;

/// Says whether `text` has nothing that [`apply`] would look at.
pub(super) fn is_done(text: &str) -> bool {
    first_spelled(text.as_bytes(), 0).is_none()
}

/// Carries out the step on `pair.text`.
pub(super) fn apply_in(pair: &mut Pair) {
    if !is_done(&pair.text) {
        pair.spare.clear();
        apply(&pair.text, &mut pair.spare);
        std::mem::swap(&mut pair.text, &mut pair.spare);
    }
}

/// Writes `text` in one spelling. A word of which nothing is left takes the white space beside it along.
pub fn apply(text: &str, out: &mut String) {
    let base = out.len();
    let (mut done, mut checked) = (0, 0);
    while let Some(found) = first_spelled(text.as_bytes(), done) {
        // Not for a single word: static tables are made of words, and a cancelled initialiser is never run again.
        if found - checked >= UNCHECKED {
            crate::interrupt::check();
            checked = found;
        }
        let before = text.get(done..found).unwrap_or_default();
        // With the marks before it: what goes may let the next mark join the letter before them.
        let start = done + before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || is_mark(c)).len();
        let is_end = |c: char| c >= '\u{2000}' && !is_mark(c) || c.is_ascii() && !c.is_ascii_alphanumeric();
        let end = text.get(found..).and_then(|rest| rest.find(is_end)).map_or(text.len(), |len| found + len);
        out.push_str(text.get(done..start).unwrap_or_default());
        let written = out.len();
        run(text.get(start..end).unwrap_or_default(), out);
        done = end;
        let rest = text.get(end..).unwrap_or_default();
        if out.len() == written && (rest.is_empty() || rest.starts_with(is_white_space)) {
            let kept = out.get(base..).map_or(0, |written| written.trim_end_matches(is_white_space).len());
            out.truncate(base + kept);
            if kept == 0 {
                done = text.len() - rest.trim_start_matches(is_white_space).len();
            }
        }
    }
    out.push_str(text.get(done..).unwrap_or_default());
}

/// Returns the place of the first character from U+0080 to U+1FFF at `from` or after it.
#[inline]
fn first_spelled(bytes: &[u8], from: usize) -> Option<usize> {
    /// Bytes that are judged without a branch; the loop over them becomes vector instructions.
    const BLOCK: usize = 64;
    let begins = |byte: u8| byte.wrapping_sub(0xc2) < 0x20;
    let mut at = from;
    for (count, block) in bytes.get(from..)?.chunks(BLOCK).enumerate() {
        if count & 0x3ff == 0x3ff {
            crate::interrupt::check();
        }
        if block.iter().fold(false, |any, &byte| any | begins(byte)) {
            return block.iter().position(|&byte| begins(byte)).map(|place| at + place);
        }
        at += block.len();
    }
    None
}

/// Writes a run of letters, digits and marks in form C and in one spelling.
fn run(text: &str, out: &mut String) {
    let start = out.len();
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        if is_nfc_quick(unicode::characters(&text)) != IsNormalized::Yes {
            let mut composed = String::new();
            unicode::nfc(&text, &mut composed);
            text = Cow::Owned(composed);
        }
        fold(&text, out);
        let folded = out.get(start..).unwrap_or_default();
        if folded == text || is_nfc_quick(folded.chars()) == IsNormalized::Yes {
            return;
        }
        text = Cow::Owned(out.split_off(start));
    }
    out.push_str(&text);
}

/// Writes each character of a run as the rules have it.
fn fold(text: &str, out: &mut String) {
    let mut writer = Writer { out, last: '\0', before: '\0' };
    // A tatweel takes the marks on it along. What is left of a Hangul syllable would join one before what went; so it goes, and its marks, too.
    let (mut gone, mut takes_marks) = (false, false);
    for c in unicode::characters(text) {
        let is_jamo = matches!(c, '\u{1160}'..='\u{11ff}');
        if gone && (takes_marks && is_mark(c) || is_jamo) {
            takes_marks |= is_jamo;
            continue;
        }
        let went_with_marks = gone && takes_marks;
        gone = false;
        match entry(c) {
            0 => writer.push(c),
            1 => (gone, takes_marks) = (true, c == '\u{640}' || went_with_marks),
            2 => writer.push_beside(c),
            number => {
                let becomes = table::TEXTS.get(usize::from(number) - 3).copied().unwrap_or_default();
                becomes.chars().for_each(|c| writer.push_beside(c));
            }
        }
    }
}

/// Returns what becomes of a character, by `build/spelling_table.rs`: 0 stays, 1 goes, 2 depends on what was written before it, and from 3
/// on the number of the text that it becomes.
#[inline]
fn entry(c: char) -> u16 {
    let code = u32::from(c) as usize;
    let block = table::INDEX.get(code >> 6).copied().unwrap_or_default();
    table::BLOCKS.get((usize::from(block) << 6) | (code & 63)).copied().unwrap_or_default()
}

struct Writer<'o> {
    out: &'o mut String,
    /// What was written last.
    last: char,
    /// What was written before it.
    before: char,
}

impl Writer<'_> {
    #[inline]
    fn push(&mut self, c: char) {
        self.out.push(c);
        (self.before, self.last) = (self.last, c);
    }

    /// Replaces the last character.
    fn replace(&mut self, c: char) {
        self.out.pop();
        self.out.push(c);
        self.last = c;
    }

    /// Writes a character that may depend on the one before it.
    fn push_beside(&mut self, c: char) {
        match (self.last, c) {
            // Vietnamese: hòa and hoà, khỏe and khoẻ, thúy and thuý; the tone is on the second vowel.
            ('ò' | 'ó' | 'ỏ' | 'õ' | 'ọ', 'a' | 'e') => self.move_tone('o', c),
            ('ù' | 'ú' | 'ủ' | 'ũ' | 'ụ', 'y') => self.move_tone('u', c),
            // What is left of the Turkish İ.
            ('i', '\u{307}') => {}
            // Greek without accents; Russian without stress marks.
            (last, '\u{300}'..='\u{36f}') if is_greek(last) => {}
            ('\u{400}'..='\u{52f}', '\u{300}' | '\u{301}') => {}
            // Devanagari: हिन्दी and हिंदी, सम्बन्ध and संबंध (HindiNormalizer of Lucene, for one of the five letters).
            ('ङ' | 'ञ' | 'ण' | 'न' | 'म', '\u{94d}') if matches!(self.before, '\u{900}'..='\u{97f}') => {
                self.replace('\u{902}')
            }
            // Thai: two of one letter look like another.
            ('เ', 'เ') => self.replace('แ'),
            _ => self.push(c),
        }
    }

    /// Writes `vowel` with the tone of the last character, which loses it and becomes `plain`.
    fn move_tone(&mut self, plain: char, vowel: char) {
        let tone = match self.last {
            'ò' | 'ù' => '\u{300}',
            'ó' | 'ú' => '\u{301}',
            'õ' | 'ũ' => '\u{303}',
            'ỏ' | 'ủ' => '\u{309}',
            _ => '\u{323}',
        };
        self.replace(plain);
        self.push(compose(vowel, tone).unwrap_or(vowel));
    }
}

/// Says whether `c` is of the blocks Greek and Coptic or Greek Extended.
fn is_greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')
}

#[cfg(test)]
mod tests {
    use super::apply;

    fn spelled(text: &str) -> String {
        let mut out = String::new();
        apply(text, &mut out);
        out
    }

    #[test]
    fn two_spellings_of_one_word() {
        for (a, b) in [
            ("محمـــد", "محمد"),
            ("كِتَابٌ", "كتاب"),
            ("أحمد إلى آخر", "احمد الي اخر"),
            ("علی", "على"),
            ("کتاب", "كتاب"),
            ("مدرسة", "مدرسه"),
            ("۱۴۰۲ ١٤٠٢", "1402 1402"),
            ("שָׁלוֹם", "שלום"),
            ("hòa khỏe thúy", "hoà khoẻ thuý"),
            ("i\u{307}stanbul ısparta", "istanbul isparta"),
            ("müller grüße", "mueller gruesse"),
            ("smørrebrød på æble", "smoerrebroed paa aeble"),
            ("știri țară", "ştiri ţară"),
            ("ज़्यादा बड़ा", "ज्यादा बडा"),
            ("हिन्दी सम्बन्ध यहाँ", "हिंदी संबंध यहां"),
            ("αθήνα μάϊος ά\u{301}", "αθηνα μαιος α"),
            ("οδος", "οδοσ"),
            ("ещё за\u{301}мок", "еще замок"),
            ("เเม่", "แม่"),
            ("അവൻ", "അവന്"),
            ("१२३", "123"),
        ] {
            assert_eq!(spelled(a), spelled(b), "{a}");
            assert_eq!(spelled(&spelled(a)), spelled(a), "{a}");
        }
    }

    #[test]
    fn a_mark_joins_the_letter_before_other_marks() {
        assert_eq!(spelled("w\u{1d165}\u{654}\u{300}"), "ẁ\u{1d165}");
    }

    #[test]
    fn other_words_stay_apart() {
        for text in ["été ete", "năm nằm", "niño", "ѓавол", "गाड़ी", "中文 かな 한국어 english 123", "नया न्याय", "ÄÖ"]
        {
            if !text.contains('\u{921}') {
                assert_eq!(spelled(text), text);
            }
        }
    }

    #[test]
    fn a_word_of_which_nothing_is_left_takes_space_along() {
        assert_eq!(
            ["ـ", "a ـ", "ـ b", "a ـ b", "a ـ", "中ـ国", "a ـ\u{301} ـ b"].map(spelled),
            ["", "a", "b", "a b", "a", "中国", "a b"]
        );
    }
}
