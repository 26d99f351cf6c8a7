//! Values as Postgres writes them in the text of a row (`record_out`): in quotes where they are empty or have a byte that would
//! be taken for something else, quotes and backslashes doubled.

use std::collections::TryReserveError;

const QUOTED: u8 = 1;
const DOUBLED: u8 = 2;

/// Whether a byte wants quotes around the value, and itself twice. In UTF-8 no other byte is white space. (Comparisons, not a table: so the
/// loop over a value takes 16 bytes at a time.)
const fn class(byte: u8) -> u8 {
    let doubled = (byte == b'"') | (byte == b'\\');
    let quoted = (byte == b'(') | (byte == b')') | (byte == b',') | (byte == b' ') | (byte.wrapping_sub(9) < 5);
    (doubled as u8 * DOUBLED) | (quoted as u8 * QUOTED)
}

/// Appends a value that is not NULL.
///
/// # Errors
/// Where there is no memory for it; the text is then as it was.
pub fn append(value: &[u8], text: &mut Vec<u8>) -> Result<(), TryReserveError> {
    let seen = value.iter().fold(0, |seen, &byte| seen | class(byte));
    // Room for the quotes and what stands behind.
    let room = if seen & DOUBLED == 0 { value.len() } else { 2 * value.len() };
    text.try_reserve(room + 3)?;
    if seen == 0 && !value.is_empty() {
        text.extend_from_slice(value);
        return Ok(());
    }
    text.push(b'"');
    if seen & DOUBLED == 0 {
        text.extend_from_slice(value);
    } else {
        for &byte in value {
            if class(byte) == DOUBLED {
                text.push(byte);
            }
            text.push(byte);
        }
    }
    text.push(b'"');
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use proptest::prelude::*;

    /// Postgres's own code, byte by byte.
    fn by_the_book(value: &[u8]) -> Vec<u8> {
        let marks = |byte: u8| matches!(byte, b'"' | b'\\' | b'(' | b')' | b',' | b' ' | 9..=13);
        let quoted = value.is_empty() || value.iter().any(|&byte| marks(byte));
        let mut text = vec![];
        text.extend(quoted.then_some(b'"'));
        for &byte in value {
            text.extend((byte == b'"' || byte == b'\\').then_some(byte));
            text.push(byte);
        }
        text.extend(quoted.then_some(b'"'));
        text
    }

    proptest! {
        #[test]
        fn as_postgres_writes_it(value in proptest::collection::vec(prop_oneof![any::<u8>(), proptest::sample::select(b"\"\\(), \tx".to_vec())], 0..40)) {
            let mut text = b"(".to_vec();
            append(&value, &mut text).unwrap();
            prop_assert_eq!(&text[1..], by_the_book(&value));
        }
    }

    #[test]
    fn each_byte_alone() {
        for byte in 0..=u8::MAX {
            let mut text = vec![];
            append(&[byte], &mut text).unwrap();
            assert_eq!(text, by_the_book(&[byte]), "byte {byte}");
        }
    }
}
