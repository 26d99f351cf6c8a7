//! Where in a text something else stands than the characters that no default step changes: Han characters, small Latin letters, digits.
//!
//! Nearly every byte of Chinese news is of these plain characters, so they decide the speed. They are the ASCII letters `a` to `z` and
//! digits, and U+4000 to U+9FFF but for the symbols U+4DC0 to U+4DFF. Their bytes are told from all others one by one, but for one pair
//! of bytes, so [`others`] judges many at once and without a branch.

/// Bytes that one call of [`others`] judges.
pub(super) const WORD: usize = 64;

/// Bytes judged at once; the loop over them becomes a few vector instructions on any processor.
const BLOCK: usize = 16;

/// Gives a bit for each of the [`WORD`] bytes at `at` that begins a character that is not plain; `bytes` are a UTF-8 text.
#[inline]
pub(super) fn others(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(word) = rest.first_chunk() {
        return judge(word);
    }
    // The end of the text is filled up with plain characters.
    let mut word = [b'a'; WORD + 1];
    word.iter_mut().zip(rest).for_each(|(byte, &text)| *byte = text);
    judge(&word)
}

/// Judges all bytes but the last, which is only looked at.
#[inline]
fn judge(word: &[u8; WORD + 1]) -> u64 {
    let mut bits = 0;
    for start in (0..WORD).step_by(BLOCK) {
        let mut other = [0; BLOCK];
        for ((other, &byte), &next) in other.iter_mut().zip(&word[start..]).zip(&word[start + 1..]) {
            let within = |first: u8, count: u8| byte.wrapping_sub(first) < count;
            // What follows the first byte of any character counts as plain.
            let han = (within(0x80, 0x40) | within(0xe4, 6)) & !((byte == 0xe4) & (next == 0xb7));
            *other = u8::from(!(han | within(b'a', 26) | within(b'0', 10)));
        }
        let other = u128::from_le_bytes(other);
        // The product moves the lowest bit of each byte into the highest byte.
        let pack = |bytes: u64| bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= (pack(other as u64) | (pack((other >> 64) as u64) << 8)) << start;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WORD, others};

    fn is_plain(c: char) -> bool {
        c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '\u{4000}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
    }

    fn places(text: &str) -> Vec<usize> {
        let bits =
            |at| (0..WORD).filter(move |bit| others(text.as_bytes(), at) >> bit & 1 == 1).map(move |bit| at + bit);
        (0..text.len()).step_by(WORD).flat_map(bits).collect()
    }

    fn oracle(text: &str) -> Vec<usize> {
        text.char_indices().filter(|&(_, c)| !is_plain(c)).map(|(place, _)| place).collect()
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_definition(text in "([中国一鿿䷀䶿a-z0-9]{0,40}[䷀，A—é㐀Ꙁ😀/:`{ ]{0,9}){0,5}") {
            prop_assert_eq!(places(&text), oracle(&text));
        }
    }

    #[test]
    fn each_character_is_judged_by_its_kind() {
        let all = String::from_iter('\0'..=char::MAX);
        assert_eq!(places(&all), oracle(&all));
        assert!(places("").is_empty());
    }
}
