//! The step `simplified`: maps traditional Han characters to simplified ones, one by one.
//!
//! The table is made at build time from the dictionaries of OpenCC (through ferrous-opencc), so nothing is loaded at run time. It
//! maps single characters, not phrases. Both sides of every comparison are mapped in the same way, so a character with two readings
//! (乾 in 乾坤 and in 乾燥) only has to become the same character everywhere. Text for readers would need a converter of phrases.
//!
//! Most texts have no traditional character at all. [`first_traditional`] finds that out by a bit for each character, 3.5 kB that stay in
//! the first-level cache.

use super::Pair;

mod table {
    include!(concat!(env!("OUT_DIR"), "/simplified_table.rs"));
}

/// First character of the dense table.
const DENSE_START: u32 = 0x3400;

/// A bit for each character up to U+FFFF that changes.
static CHANGES: [u64; 1 << 10] = {
    let mut bits = [0; 1 << 10];
    let mut place = 0;
    while place < table::DENSE.len() {
        if table::DENSE[place] != 0 {
            let code = DENSE_START as usize + place;
            bits[code / 64] |= 1 << (code % 64);
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

/// Gives the place of the first character at `from` or after it that changes, or that is beyond U+FFFF and may change.
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
            let is_wide = characters.iter().fold(true, |all, [first, ..]| all & (first & 0xf0 == 0xe0));
            if !is_wide || characters.iter().fold(false, |any, character| any | changes(*character)) {
                break;
            }
            at += 24;
        }
        match bytes.get(at..)? {
            [] => return None,
            [0..0x80, ..] => at += 1,
            [0x80..0xe0, ..] => at += 2,
            &[first @ 0xe0..0xf0, second, third, ..] => {
                if changes([first, second, third]) {
                    return Some(at);
                }
                at += 3;
            }
            _ => return Some(at),
        }
    }
}

/// Says whether a character of three bytes changes.
#[inline(always)]
fn changes([first, second, third]: [u8; 3]) -> bool {
    let word = usize::from(first & 0xf) << 6 | usize::from(second & 0x3f);
    CHANGES[word & 0x3ff] >> (third & 0x3f) & 1 == 1
}

/// Gives the simplified form of `c`, or `c`.
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
    use super::{apply, simplified, table};

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
