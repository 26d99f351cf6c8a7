//! Scans a text 64 bytes at a time, without a branch for each byte.
//!
//! [`others`] finds the characters that are not plain. Plain characters are those that no default step changes and that make up
//! almost all of Chinese news: ASCII letters `a` to `z`, digits, and U+4000 to U+9FFF without the symbols U+4DC0 to U+4DFF. Except
//! for one pair of bytes, each byte by itself shows whether it belongs to a plain character.

/// Bytes that one call of [`others`] judges.
pub(crate) const WORD: usize = 64;

/// Bytes judged at once; the loop over them becomes a few vector instructions on any processor.
const BLOCK: usize = 16;

/// Returns a bit for each of the [`WORD`] bytes at `at` that begins a character that is not plain; `bytes` are a UTF-8 text.
#[inline]
pub(crate) fn others(bytes: &[u8], at: usize) -> u64 {
    judge(bytes, at, is_other)
}

/// Says whether `byte`, with `next` after it, begins a character that is not plain.
#[inline(always)]
pub(super) fn is_other(byte: u8, next: u8) -> bool {
    let within = |first: u8, count: u8| byte.wrapping_sub(first) < count;
    // What follows the first byte of any character counts as plain.
    let han = (within(0x80, 0x40) | within(0xe4, 6)) & !((byte == 0xe4) & (next == 0xb7));
    !(han | within(b'a', 26) | within(b'0', 10))
}

/// Returns a bit for each of the [`WORD`] bytes at `at` that begins a character; `bytes` are a UTF-8 text.
///
/// Eight bytes to a number: of [`judge`] with so short a question compilers make no vector instructions (rustc 1.97: 581
/// instructions for aarch64 where this takes 80).
#[inline]
pub(crate) fn starts(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    // Behind the end nothing begins.
    let mut end = [0x80; WORD];
    let word = rest.first_chunk().unwrap_or_else(|| {
        end.iter_mut().zip(rest).for_each(|(end, &byte)| *end = byte);
        &end
    });
    let mut bits = 0;
    for (place, eight) in word.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // What follows the first byte of a character begins with the bits 10.
        let following = (eight >> 7) & !(eight >> 6);
        bits |= pack(!following & 0x0101_0101_0101_0101) << (8 * place);
    }
    bits
}

/// Returns a bit for each byte of a word that begins a character of three bytes or more.
#[inline]
pub(super) fn wide_starts(word: &[u8; WORD]) -> u64 {
    let mut bits = 0;
    for (place, eight) in word.as_chunks::<8>().0.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // Such a byte begins with the bits 111.
        let wide = (eight >> 7) & (eight >> 6) & (eight >> 5);
        bits |= pack(wide & 0x0101_0101_0101_0101) << (8 * place);
    }
    bits
}

/// Returns the places of the ASCII characters of which `is` is true, and of their fullwidth forms (U+FF01 to U+FF3F), in text order.
pub(super) fn find_sign(bytes: &[u8], is: impl Fn(u8) -> bool + Copy) -> impl Iterator<Item = usize> {
    find(bytes, move |byte, next| is(byte) | ((byte == 0xef) & (next == 0xbc))).filter(move |&at| {
        // Nearly all fullwidth forms are commas.
        match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            Some([0xef, 0xbc, last]) => is(last - 0x60),
            _ => true,
        }
    })
}

/// Returns the places of the bytes of which `is`, asked of the byte and of the next, is true.
pub(super) fn find(bytes: &[u8], is: impl Fn(u8, u8) -> bool) -> impl Iterator<Item = usize> {
    (0..bytes.len()).step_by(WORD).flat_map(move |at| {
        if at.is_multiple_of(1 << 16) {
            crate::interrupt::check();
        }
        let mut bits = judge(bytes, at, &is);
        std::iter::from_fn(move || {
            let place = at + bits.trailing_zeros() as usize;
            let found = bits != 0;
            bits &= bits.wrapping_sub(1);
            found.then_some(place)
        })
    })
}

/// Returns a bit for each of the [`WORD`] bytes at `at` of which `is`, asked of the byte and of the next, is true.
#[inline(always)]
fn judge(bytes: &[u8], at: usize, is: impl Fn(u8, u8) -> bool) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(word) = rest.first_chunk() {
        return judge_word(word, is);
    }
    // The end of the text is filled up with plain characters.
    let mut word = [b'a'; WORD + 1];
    if let Some(filled) = word.get_mut(..rest.len()) {
        filled.copy_from_slice(rest);
    }
    judge_word(&word, is)
}

/// Judges all bytes but the last, which is only looked at.
#[inline(always)]
fn judge_word(word: &[u8; WORD + 1], is: impl Fn(u8, u8) -> bool) -> u64 {
    let mut bits = 0;
    for start in (0..WORD).step_by(BLOCK) {
        let mut found = [0; BLOCK];
        for ((found, &byte), &next) in found.iter_mut().zip(&word[start..]).zip(&word[start + 1..]) {
            *found = u8::from(is(byte, next));
        }
        let found = u128::from_le_bytes(found);
        bits |= (pack(found as u64) | (pack((found >> 64) as u64) << 8)) << start;
    }
    bits
}

/// Gathers the lowest bits of eight bytes, of which no other is set: the product moves them into the highest byte.
#[inline(always)]
pub(super) fn pack(bytes: u64) -> u64 {
    bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WORD, find, others, starts};

    fn is_plain(c: char) -> bool {
        c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '\u{4000}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
    }

    fn places(text: &str, judge: fn(&[u8], usize) -> u64) -> Vec<usize> {
        let bits =
            |at| (0..WORD).filter(move |bit| judge(text.as_bytes(), at) >> bit & 1 == 1).map(move |bit| at + bit);
        (0..text.len()).step_by(WORD).flat_map(bits).collect()
    }

    fn oracle(text: &str) -> Vec<usize> {
        text.char_indices().filter(|&(_, c)| !is_plain(c)).map(|(place, _)| place).collect()
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_definition(text in "([中国一鿿䷀䶿a-z0-9]{0,40}[䷀，A—é㐀Ꙁ😀/:`{ ]{0,9}){0,5}") {
            prop_assert_eq!(places(&text, others), oracle(&text));
            prop_assert_eq!(places(&text, starts), text.char_indices().map(|(place, _)| place).collect::<Vec<_>>());
        }
    }

    #[test]
    fn each_character_is_judged_by_its_kind() {
        let all = String::from_iter('\0'..=char::MAX);
        assert_eq!(places(&all, others), oracle(&all));
        assert_eq!(find(b"a@b@", |byte, next| byte == b'@' && next == b'b').collect::<Vec<_>>(), [1]);
        assert!(places("", others).is_empty());
    }
}
