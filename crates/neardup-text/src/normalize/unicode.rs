//! The steps that Unicode defines: `control`, `nfkc`, `width`, `casefold`, `punctuation`, `space`, `nospace`.
//!
//! Each appends to `out`, and reads only the part of `out` that it wrote itself.

use caseless::Caseless;
use unicode_normalization::char::{canonical_combining_class, compose};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::classes::{is_control, is_mark, is_punctuation, is_white_space};
use super::numbers::{Fate, fate};

/// Returns the characters of `text`, with a chance to cancel now and then.
pub(crate) fn characters(text: &str) -> impl Iterator<Item = char> {
    text.chars().enumerate().map(|(count, c)| {
        if count & 0xfff == 0xfff {
            crate::interrupt::check();
        }
        c
    })
}

/// Removes control, format and ignorable characters.
pub(crate) fn control(text: &str, out: &mut String) {
    out.extend(characters(text).filter(|&c| !is_control(c)));
}

/// Combining marks that may follow one character, in canonical order only up to this many; it bounds the memory of sorting them.
const MAX_MARKS: usize = 1024;

/// Writes normalisation form KC; a run of more than [`MAX_MARKS`] marks is put in order piece by piece.
pub(crate) fn nfkc(text: &str, out: &mut String) {
    if is_nfkc_quick(characters(text)) == IsNormalized::Yes {
        out.push_str(text);
        return;
    }
    for piece in pieces(text) {
        out.extend(characters(piece).nfkc());
    }
}

/// Writes normalisation form C in the same way.
pub(crate) fn nfc(text: &str, out: &mut String) {
    for piece in pieces(text) {
        out.extend(characters(piece).nfc());
    }
}

/// Cuts a text after each run of [`MAX_MARKS`] marks.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut marks = 0;
        let cut = rest.char_indices().find(|&(_, c)| {
            marks = if canonical_combining_class(c) == 0 { 0 } else { marks + 1 };
            marks > MAX_MARKS
        });
        let (piece, more) = rest.split_at(cut.map_or(rest.len(), |(at, _)| at));
        rest = more;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Writes fullwidth ASCII and signs narrow, halfwidth katakana wide, and U+3000 as a space, without touching anything else.
pub(crate) fn width(text: &str, out: &mut String) {
    let mut last = None;
    for c in characters(text) {
        let narrowed = match c {
            '\u{3000}' | '\u{ff01}'..='\u{ff9f}' | '\u{ffe0}'..='\u{ffe6}' => c.nfkc().next().unwrap_or(c),
            _ => c,
        };
        // A halfwidth sound mark is a character of its own; the wide letter has it built in.
        let voiced = if matches!(c, 'ﾞ' | 'ﾟ') { last.and_then(|last| compose(last, narrowed)) } else { None };
        if voiced.is_some() {
            out.pop();
        }
        let written = voiced.unwrap_or(narrowed);
        out.push(written);
        last = Some(written);
    }
}

/// Writes full case foldings (`ß` as `ss`), not normalised.
pub(crate) fn casefold(text: &str, out: &mut String) {
    out.extend(characters(text).default_case_fold().map(fold_new));
}

/// Folds the letters that Unicode 17 added after the tables of the pinned `caseless`, which are of Unicode 16.
fn fold_new(c: char) -> char {
    let code = u32::from(c);
    let folded = match code {
        0xa7ce | 0xa7d2 | 0xa7d4 => code + 1,
        0x16ea0..=0x16eb8 => code + 0x1b,
        _ => code,
    };
    char::from_u32(folded).unwrap_or(c)
}

/// Writes a space for each character of P* or S* that belongs to no number; marks that thereby or before stand alone go.
pub(crate) fn punctuation(text: &str, out: &mut String) {
    // Marks without a letter come from signs such as U+00A8, which NFKC writes as a space and a mark.
    let mut alone = true;
    let mut at = 0;
    for c in characters(text) {
        let place = at;
        at += c.len_utf8();
        if is_punctuation(c) {
            match fate(text.as_bytes(), place) {
                Fate::Stays => out.push(c),
                Fate::Joins => {
                    out.pop();
                    out.push(c);
                }
                Fate::Goes => {}
                Fate::Space => out.push(' '),
            }
            alone = true;
        } else if !(alone && is_mark(c)) {
            out.push(c);
            alone = is_white_space(c);
        }
    }
}

/// Writes each run of white space as one space, and none at the ends.
pub(crate) fn space(text: &str, out: &mut String) {
    let start = out.len();
    let mut count = 0_u32;
    let parts = text.split(|c| {
        count = count.wrapping_add(1);
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        is_white_space(c)
    });
    for word in parts.filter(|word| !word.is_empty()) {
        if out.len() > start {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Removes all white space.
pub(crate) fn nospace(text: &str, out: &mut String) {
    out.extend(characters(text).filter(|&c| !is_white_space(c)));
}
