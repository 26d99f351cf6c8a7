//! What the folds make of each character of 64 bytes of text, as far as a character and its neighbours show it: a mask for each kind.
//!
//! Nearly every word of running text has no other kinds than those of [`Kinds`]. Then [`fused`](super::fused) handles it as a whole,
//! without a branch for each character.

use super::fused::becomes_space;
use super::scan::{WORD, is_other};

/// Bytes that are looked at to judge a word: a character that begins in it ends within them, or has four bytes.
pub(super) const SEEN: usize = WORD + 2;

/// Masks over the bytes of a word, the first byte in the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    /// First bytes of characters that are not plain (see [`scan`](super::scan)).
    pub(super) others: u64,
    /// Bytes after the first one of their character.
    pub(super) followers: u64,
    /// ASCII digits.
    pub(super) digits: u64,
    /// ASCII capitals.
    pub(super) capitals: u64,
    /// First bytes of characters that become space, whatever is around them: white space and most punctuation.
    pub(super) spaces: u64,
    /// First bytes of points and commas, which may belong to a number.
    pub(super) signs: u64,
    /// Percent signs.
    pub(super) percents: u64,
    /// First bytes of characters from U+0080 to U+1FFF.
    pub(super) near: u64,
    /// First bytes of characters from U+2000 on.
    pub(super) far: u64,
}

impl Kinds {
    /// First bytes of characters of none of these kinds.
    #[inline(always)]
    pub(super) fn rest(&self) -> u64 {
        self.others & !(self.capitals | self.spaces | self.signs | self.percents)
    }

    /// Adds to first bytes of characters the other bytes of the same characters, which have three at most.
    #[inline(always)]
    pub(super) fn whole(&self, first: u64) -> u64 {
        let two = first | (first << 1 & self.followers);
        two | (two << 1 & self.followers)
    }
}

/// The fullwidth comma.
pub(super) const WIDE_COMMA: [u8; 3] = [0xef, 0xbc, 0x8c];

/// A bit for each character from U+2000 to U+FFFF that becomes space.
static WIDE_SPACES: [u64; 1 << 10] = {
    let mut bits = [0; 1 << 10];
    let mut code = 0x2000;
    while code < 1 << 16 {
        if becomes_space(code) {
            bits[code >> 6] |= 1 << (code & 63);
        }
        code += 1;
    }
    bits
};

/// Words with more characters of several bytes that are not plain are hardly ever signs only: Hangul, kana.
const MOST_WIDE: u32 = 8;

/// Says whether a character of three bytes becomes space.
#[inline(always)]
fn is_wide_space([first, second, third]: [u8; 3]) -> bool {
    let word = usize::from(first & 0xf) << 6 | usize::from(second & 0x3f);
    (first & 0xf0 == 0xe0) & (WIDE_SPACES[word] >> (third & 0x3f) & 1 == 1)
}

// Bits of a byte's kinds.
const OTHER: i32 = 0;
const FOLLOWER: i32 = 1;
const DIGIT: i32 = 2;
const CAPITAL: i32 = 3;
const SPACE: i32 = 4;
const SIGN: i32 = 5;
const PERCENT: i32 = 6;
const NEAR: i32 = 7;

/// Returns the kinds of a byte, with the next one after it.
#[inline(always)]
fn kinds_of(byte: u8, next: u8) -> u8 {
    let within = |first: u8, count: u8| byte.wrapping_sub(first) < count;
    let (small, digit, capital) = (within(b'a', 26), within(b'0', 10), within(b'A', 26));
    let (sign, percent) = ((byte == b'.') | (byte == b','), byte == b'%');
    // Printable ASCII with neither letters nor digits, and the controls that are white space.
    let space = (within(b' ', 0x5f) & !(small | digit | capital | sign | percent)) | within(b'\t', 5);
    u8::from(is_other(byte, next)) << OTHER
        | u8::from(within(0x80, 0x40)) << FOLLOWER
        | u8::from(digit) << DIGIT
        | u8::from(capital) << CAPITAL
        | u8::from(space) << SPACE
        | u8::from(sign) << SIGN
        | u8::from(percent) << PERCENT
        | u8::from(within(0xc2, 0x20)) << NEAR
}

/// Judges a word. The loop over its bytes becomes vector instructions on any processor; a few signs of several bytes are looked up without a branch.
#[inline(always)]
pub(super) fn judge(seen: &[u8; SEEN]) -> Kinds {
    let mut kinds = [0; WORD];
    for ((kinds, &byte), &next) in kinds.iter_mut().zip(seen).zip(&seen[1..]) {
        *kinds = kinds_of(byte, next);
    }
    let (followers, near) = (gather::<FOLLOWER>(&kinds), gather::<NEAR>(&kinds));
    let mut all = Kinds {
        others: gather::<OTHER>(&kinds),
        followers,
        digits: gather::<DIGIT>(&kinds),
        capitals: 0,
        spaces: 0,
        signs: 0,
        percents: 0,
        near,
        far: top_bits(seen) & !(followers | near),
    };
    if all.others != 0 {
        all.capitals = gather::<CAPITAL>(&kinds);
        all.spaces = gather::<SPACE>(&kinds);
        all.signs = gather::<SIGN>(&kinds);
        all.percents = gather::<PERCENT>(&kinds);
        let mut wide = all.others & all.far;
        if wide.count_ones() > MOST_WIDE {
            return all;
        }
        while wide != 0 {
            let place = wide.trailing_zeros() as usize;
            wide &= wide - 1;
            let character = [seen[place], seen[place + 1], seen[place + 2]];
            all.spaces |= u64::from(is_wide_space(character)) << place;
            all.signs |= u64::from(character == WIDE_COMMA) << place;
        }
    }
    all
}

/// Gathers one bit of each byte.
#[inline(always)]
fn gather<const BIT: i32>(kinds: &[u8; WORD]) -> u64 {
    top_bits(&kinds.map(|kinds| kinds << (7 - BIT)))
}

/// Gathers the highest bit of each byte of a word.
#[inline(always)]
fn top_bits(bytes: &[u8]) -> u64 {
    let (sixteens, _) = bytes.as_chunks();
    sixteens.iter().zip(0..4).fold(0, |mask, (sixteen, place)| mask | u64::from(top_bits_16(sixteen)) << (16 * place))
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "instructions that every x86-64 CPU has")]
#[inline(always)]
fn top_bits_16(bytes: &[u8; 16]) -> u16 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    // SAFETY: SSE2 is part of x86-64; 16 bytes, unaligned loads are allowed.
    unsafe { _mm_movemask_epi8(_mm_loadu_si128(bytes.as_ptr().cast())) as u16 }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn top_bits_16(bytes: &[u8; 16]) -> u16 {
    let (eights, _) = bytes.as_chunks();
    eights.iter().rev().fold(0, |mask, eight| {
        mask << 8 | super::scan::pack(u64::from_le_bytes(*eight) >> 7 & 0x0101_0101_0101_0101) as u16
    })
}

#[cfg(test)]
mod tests {
    use super::super::scan::WORD;
    use super::{Kinds, SEEN, becomes_space, judge};

    /// The definition for a word that begins with `c` and has plain letters behind it.
    fn expected(c: char) -> Kinds {
        let length = c.len_utf8();
        let first = |is: bool| u64::from(is);
        let is_plain = matches!(c, 'a'..='z' | '0'..='9' | '\u{4000}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
        Kinds {
            others: first(!is_plain),
            followers: ((1 << length) - 1) & !1,
            digits: first(c.is_ascii_digit()),
            capitals: first(c.is_ascii_uppercase()),
            // Others are not looked up.
            spaces: first(matches!(c, '\0'..='\u{7f}' | '\u{2000}'..='\u{ffff}') && becomes_space(c as usize)),
            signs: first(matches!(c, '.' | ',' | '，')),
            percents: first(c == '%'),
            near: first(matches!(c, '\u{80}'..='\u{1fff}')),
            far: first(c >= '\u{2000}'),
        }
    }

    #[test]
    fn each_character_is_of_its_kinds() {
        for c in '\0'..=char::MAX {
            for place in [0, 30, WORD - 1] {
                let mut seen = [b'a'; SEEN];
                let mut encoded = [0; 4];
                // Of a character of four bytes at the end of a word three are seen.
                for (byte, encoded) in seen[place..].iter_mut().zip(c.encode_utf8(&mut encoded).bytes()) {
                    *byte = encoded;
                }
                let Kinds { others, followers, digits, capitals, spaces, signs, percents, near, far } = judge(&seen);
                let found = [others, followers, digits, capitals, spaces, signs, percents, near, far];
                let Kinds { others, followers, digits, capitals, spaces, signs, percents, near, far } = expected(c);
                let wanted = [others, followers, digits, capitals, spaces, signs, percents, near, far];
                assert_eq!(found, wanted.map(|mask| mask << place), "{c:?}");
            }
        }
    }
}
