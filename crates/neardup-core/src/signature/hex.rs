//! Hexadecimal digits: the text form of the binary types.

use std::fmt;

use neardup_text::{Error, ErrorKind, Result};

/// Reads a value of the named type: its binary form in hexadecimal digits, upper or lower case, from which `read` makes it.
///
/// # Errors
/// `InvalidText` for other text, and for bytes that `read` refuses.
pub(super) fn parse<T>(name: &str, text: &str, read: impl FnOnce(Vec<u8>) -> Result<T>) -> Result<T> {
    let invalid = |detail: String| {
        let message = format!("invalid input syntax for type {name}: \"{}\"", shorten(text));
        Error::new(ErrorKind::InvalidText, message).with_detail(detail)
    };
    let bytes = decode(text).map_err(|detail| invalid(detail.to_owned()))?;
    read(bytes).map_err(|error| invalid(error.detail.unwrap_or(error.message)))
}

/// Reads pairs of digits; says what is wrong otherwise, as a sentence.
fn decode(text: &str) -> std::result::Result<Vec<u8>, &'static str> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return Err("The number of hexadecimal digits is odd.");
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    pairs
        .iter()
        .map(|&[high, low]| Some(((digit(high)? << 4) | digit(low)?) as u8))
        .collect::<Option<Vec<u8>>>()
        .ok_or("There is something else than hexadecimal digits.")
}

/// Writes two lower-case digits a byte.
pub(super) fn encode(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut piece = String::with_capacity(128);
    for chunk in bytes.chunks(64) {
        piece.clear();
        for byte in chunk {
            piece.push(char::from(DIGITS[usize::from(byte >> 4)]));
            piece.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        f.write_str(&piece)?;
    }
    Ok(())
}

/// Shortens a rejected text for an error message.
pub(super) fn shorten(text: &str) -> String {
    const SHOWN: usize = 64;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
