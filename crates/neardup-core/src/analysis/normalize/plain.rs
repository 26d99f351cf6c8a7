//! How far a text consists of characters that no default step changes: Han characters, small Latin letters, digits.
//!
//! This is where nearly every byte of Chinese news passes. The characters are the ASCII letters `a` to `z` and digits, and
//! U+4000 to U+9FFF but for U+4DC0 to U+4DFF, the symbols among them; their bytes are told from all others one by one,
//! but for one pair of bytes, so a vector of bytes is judged at once. The scalar version is the definition.

/// Gives the length in bytes of the plain characters at the start of `bytes`, which are those of a UTF-8 text.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    let vectors = vectors_len(bytes);
    vectors + bytes.get(vectors..).map_or(0, scalar_len)
}

/// Judges one character after the other.
#[inline]
fn scalar_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => at += 1,
            0xe4 if bytes.get(at + 1) == Some(&0xb7) => break,
            0xe4..=0xe9 => at += 3,
            _ => break,
        }
    }
    at
}

/// Bytes judged at once; the loop over them becomes a few vector instructions on any processor.
const BLOCK: usize = 16;

/// Judges block after block, up to the first byte that is not plain; stops early near the end of the text.
#[inline]
fn vectors_len(bytes: &[u8]) -> usize {
    let block = |at: usize| bytes.get(at..)?.first_chunk::<BLOCK>();
    let mut at = 0;
    // The block one byte on shows what follows each byte.
    while let (Some(these), Some(next)) = (block(at), block(at + 1)) {
        let mut other = [0; BLOCK];
        for ((other, &byte), &next) in other.iter_mut().zip(these).zip(next) {
            let within = |first: u8, count: u8| byte.wrapping_sub(first) < count;
            let han = within(0x80, 0x40) | within(0xe4, 6);
            let plain = (han | within(b'a', 26) | within(b'0', 10)) & !((byte == 0xe4) & (next == 0xb7));
            *other = if plain { 0 } else { 0xff };
        }
        let other = u128::from_le_bytes(other);
        if other != 0 {
            return at + other.trailing_zeros() as usize / 8;
        }
        at += BLOCK;
    }
    // The last block may have cut a character in two.
    while at > 0 && bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{plain_len, scalar_len};

    proptest! {
        #[test]
        fn vectors_agree_with_scalars(text in "[中国一鿿䷀䶿a-z0-9]{0,70}[䷀，A—é㐀Ꙁ😀/:`{]?[中国一龥䷿䷀ab9]{0,20}") {
            prop_assert_eq!(plain_len(text.as_bytes()), scalar_len(text.as_bytes()));
            prop_assert!(text.is_char_boundary(plain_len(text.as_bytes())));
        }
    }

    #[test]
    fn each_character_is_judged_by_its_kind() {
        for c in '\0'..=char::MAX {
            let plain = c.is_ascii_lowercase()
                || c.is_ascii_digit()
                || ('\u{4000}'..='\u{4dbf}').contains(&c)
                || ('\u{4e00}'..='\u{9fff}').contains(&c);
            let text = format!("{}{c}{}", "中".repeat(7), "a".repeat(20));
            let len = if plain { text.len() } else { 21 };
            assert_eq!(plain_len(text.as_bytes()), len, "{c:?}");
        }
    }
}
