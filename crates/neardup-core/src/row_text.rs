//! Values as Postgres writes them in the text of a row (`record_out`): in quotes where they are empty or have a byte that would
//! be taken for something else, quotes and backslashes doubled.

use std::collections::TryReserveError;

/// In quotes.
const QUOTED: u8 = 1;
/// In quotes, and twice.
const DOUBLED: u8 = 2;

/// What becomes of each byte.
#[derive(Debug)]
pub struct Quoting {
    classes: [u8; 256],
}

impl Quoting {
    /// Makes the table; which bytes are white space is up to the locale of the database.
    pub fn new(is_space: impl Fn(u8) -> bool) -> Self {
        let mut byte = 0;
        let classes = [(); 256].map(|()| {
            let class = match byte {
                b'"' | b'\\' => DOUBLED,
                b'(' | b')' | b',' => QUOTED,
                other => u8::from(is_space(other)) * QUOTED,
            };
            byte = byte.wrapping_add(1);
            class
        });
        Self { classes }
    }

    fn class(&self, byte: u8) -> u8 {
        self.classes[usize::from(byte)]
    }

    /// Appends a value that is not NULL.
    ///
    /// # Errors
    /// Where there is no memory for it; the text is then as it was.
    pub fn append(&self, value: &[u8], text: &mut Vec<u8>) -> Result<(), TryReserveError> {
        let seen = value.iter().fold(0, |seen, &byte| seen | self.class(byte));
        // Room for the quotes and the comma behind.
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
                text.push(byte);
                if self.class(byte) == DOUBLED {
                    text.push(byte);
                }
            }
        }
        text.push(b'"');
        Ok(())
    }
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

    fn is_space(byte: u8) -> bool {
        matches!(byte, b' ' | 9..=13)
    }

    proptest! {
        #[test]
        fn as_postgres_writes_it(value in proptest::collection::vec(prop_oneof![any::<u8>(), proptest::sample::select(b"\"\\(), \tx".to_vec())], 0..40)) {
            let mut text = b"(".to_vec();
            Quoting::new(is_space).append(&value, &mut text).unwrap();
            prop_assert_eq!(&text[1..], by_the_book(&value));
        }
    }

    #[test]
    fn each_byte_alone() {
        for byte in 0..=u8::MAX {
            let mut text = vec![];
            Quoting::new(is_space).append(&[byte], &mut text).unwrap();
            assert_eq!(text, by_the_book(&[byte]), "byte {byte}");
        }
    }

    #[test]
    fn white_space_of_the_locale() {
        let mut text = vec![];
        Quoting::new(|byte| byte == 0xa0).append(&[b' ', 0xa0], &mut text).unwrap();
        assert_eq!(text, [b'"', b' ', 0xa0, b'"']);
        text.clear();
        Quoting::new(|byte| byte == 0xa0).append(b" ", &mut text).unwrap();
        assert_eq!(text, b" ");
    }
}
