//! The step `simplified`: maps traditional Han characters to simplified ones, one by one.
//!
//! The table is made at build time from the dictionaries of OpenCC (through ferrous-opencc), so nothing is loaded at run time. It
//! maps single characters, not phrases. Both sides of every comparison are mapped in the same way, so a character with two readings
//! (乾 in 乾坤 and in 乾燥) only has to become the same character everywhere. Text for readers would need a converter of phrases.
//!
//! Most texts have no traditional character at all. [`first_traditional`] finds that out by a bit for each character, in 8 kB that stay in
//! the first-level cache.

use super::Pair;
use super::scan::{WORD, wide_starts};

mod table {
    include!(concat!(env!("OUT_DIR"), "/simplified_table.rs"));
}

/// First character of the dense table.
const DENSE_START: u32 = 0x3400;

/// For the last two bytes of a character of three, as a number, a bit for each first byte with which it changes. All that is read of it
/// lies in 64 places, of 128 bytes each.
static CHANGES: [u16; 1 << 16] = {
    let mut bits = [0; 1 << 16];
    let mut place = 0;
    while place < table::DENSE.len() {
        if table::DENSE[place] != 0 {
            let code = DENSE_START as usize + place;
            bits[0x8080 | (code & 0x3f) << 8 | code >> 6 & 0x3f] |= 1 << (code >> 12);
        }
        place += 1;
    }
    bits
};

/// Says whether [`apply`] leaves `text` as it is.
pub(super) fn is_done(text: &str) -> bool {
    first_traditional(text.as_bytes(), 0).is_none()
}

/// Carries out the step on `pair.text`.
pub(super) fn apply_in(pair: &mut Pair) {
    if !is_done(&pair.text) {
        pair.spare.clear();
        apply(&pair.text, &mut pair.spare);
        std::mem::swap(&mut pair.text, &mut pair.spare);
    }
}

/// Writes each traditional character of `text` simplified.
pub(super) fn apply(text: &str, out: &mut String) {
    let mut copied = 0;
    let (mut from, mut count) = (0, 0_u32);
    while let Some(at) = first_traditional(text.as_bytes(), from)
        && let Some(c) = text.get(at..).and_then(|rest| rest.chars().next())
    {
        count = count.wrapping_add(1);
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        from = at + c.len_utf8();
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push(simplified(c));
        copied = from;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
}

/// Returns the place of the first character at `from` or after it that changes, or that is beyond U+FFFF and may change.
///
/// Han characters among others are looked up without a branch for each: on Chinese news with its spaces, a loop over the characters takes
/// twice as long.
#[inline]
fn first_traditional(bytes: &[u8], from: usize) -> Option<usize> {
    /// Bytes between two chances to cancel.
    const STRETCH: usize = 1 << 16;
    let mut at = from;
    let mut check = from + STRETCH;
    loop {
        if at >= check {
            crate::interrupt::check();
            check = at + STRETCH;
        }
        // Eight bytes of ASCII at a time, or eight Han characters.
        while at < check
            && let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk())
        {
            if u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080 != 0 {
                break;
            }
            at += 8;
        }
        while at < check
            && let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<24>())
        {
            let (characters, _) = eight.as_chunks::<3>();
            if !are_wide(eight) || characters.iter().any(|&character| changes(character)) {
                break;
            }
            at += 24;
        }
        // Then a word of characters of any kind.
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let mut end = [0; WORD + 2];
        let word = rest.first_chunk().unwrap_or_else(|| {
            end.iter_mut().zip(rest).for_each(|(end, &byte)| *end = byte);
            &end
        });
        let starts = wide_starts(word.first_chunk()?);
        let (mut any, mut left) = (false, starts);
        while left != 0 {
            any |= may_change(word, left.trailing_zeros() as usize);
            left &= left - 1;
        }
        if any {
            let mut places = (0..WORD).filter(|place| starts >> place & 1 == 1);
            return places.find(|&place| may_change(word, place)).map(|place| at + place);
        }
        // The last character may go on behind the word.
        let last = WORD - starts.leading_zeros() as usize;
        at += WORD.max(last + 2).min(rest.len());
    }
}

/// Says whether eight characters have three bytes each.
#[inline(always)]
fn are_wide(eight: &[u8; 24]) -> bool {
    // Their first bytes, three in each of two numbers and two in the last, begin with the bits 1110.
    const FIRST: [u64; 3] = [0x00f0_0000_f000_00f0, 0xf000_00f0_0000_f000, 0x0000_f000_00f0_0000];
    let (numbers, _) = eight.as_chunks();
    let wrong = numbers.iter().zip(FIRST).fold(0, |wrong, (&number, first)| {
        wrong | (u64::from_le_bytes(number) & first) ^ (first & 0xe0e0_e0e0_e0e0_e0e0)
    });
    wrong == 0
}

/// Says whether the character of three bytes or more at a place of a word changes, or may change.
#[inline(always)]
fn may_change(word: &[u8; WORD + 2], place: usize) -> bool {
    let character = word.get(place..).and_then(|rest| rest.first_chunk());
    character.is_some_and(|character| (character[0] >= 0xf0) | changes(*character))
}

/// Says whether a character of three bytes changes.
#[inline(always)]
fn changes([first, second, third]: [u8; 3]) -> bool {
    changes_by(first, u16::from_le_bytes([second, third]))
}

/// Says whether a character of three bytes changes, by its first byte and the others as a number; one of four does not.
#[inline(always)]
pub(super) fn changes_by(first: u8, last: u16) -> bool {
    // The first byte is 0xe0 to 0xf4: the shift is by its lowest five bits.
    u32::from(CHANGES[usize::from(last)]).wrapping_shr(first.into()) & 1 == 1
}

/// Returns the simplified form of `c`, or `c`.
#[inline]
pub fn simplified(c: char) -> char {
    let code = u32::from(c);
    let Some(place) = code.checked_sub(DENSE_START) else { return c };
    let simplified = match table::DENSE.get(place as usize) {
        Some(0) => code,
        Some(&simplified) if simplified > 1 => u32::from(simplified),
        _ => {
            let place = table::SPARSE.binary_search_by_key(&code, |&(traditional, _)| traditional);
            place.ok().and_then(|place| table::SPARSE.get(place)).map_or(code, |&(_, simplified)| simplified)
        }
    };
    char::from_u32(simplified).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{apply, first_traditional, is_done, simplified, table};

    proptest! {
        #[test]
        fn each_traditional_character_is_found(text in "([中国一鿿㐀]{0,40}[a-zé ，がＡ]{0,9}[後臺麼𠁞😀㑳]{0,2}){0,7}", from in 0_usize..40) {
            let from = text.char_indices().map(|(at, _)| at).nth(from).unwrap_or(text.len());
            let found = text.char_indices().find(|&(at, c)| at >= from && (simplified(c) != c || u32::from(c) >= 0x1_0000));
            prop_assert_eq!(first_traditional(text.as_bytes(), from), found.map(|(at, _)| at));
            let mut out = String::new();
            apply(&text, &mut out);
            prop_assert_eq!(&out, &text.chars().map(simplified).collect::<String>());
            let is_in_plane = out.chars().all(|c| u32::from(c) < 0x1_0000);
            prop_assert!(is_done(&out) || !is_in_plane);
        }
    }

    #[test]
    fn traditional_becomes_simplified() {
        let mut out = String::new();
        apply("後來裏裡麼隻餘於，臺灣台湾 ABC 𠁞", &mut out);
        assert_eq!(out, "后来里里么只余于，台湾台湾 ABC 𠀾");
    }

    /// Once is as good as twice, and the table holds the about 4,100 characters of OpenCC.
    #[test]
    fn the_table_is_sorted_and_closed() {
        assert!(table::SPARSE.is_sorted_by(|a, b| a.0 < b.0));
        let changed = ('\0'..=char::MAX).filter(|&c| simplified(c) != c).collect::<Vec<_>>();
        assert!((4_000..5_000).contains(&changed.len()), "{}", changed.len());
        for c in changed {
            assert_eq!(simplified(simplified(c)), simplified(c));
        }
        assert_eq!(simplified('薴'), '苎');
    }
}
