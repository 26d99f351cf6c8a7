//! Hexadecimal digits: the text form of the binary types.

use std::fmt;

/// Reads pairs of hexadecimal digits, upper or lower case; says what is wrong otherwise, as a sentence.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, &'static str> {
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
