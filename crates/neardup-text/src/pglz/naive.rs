//! What Postgres does, byte by byte: the oracle for the tests of pglz and for its fuzz target.

/// The text of `length` bytes that these bytes stand for; `None` where Postgres would find them corrupt.
pub fn decompress(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bytes = compressed.iter().copied().peekable();
    while text.len() < length
        && let Some(control) = bytes.next()
    {
        for bit in 0..8 {
            if bytes.peek().is_none() || text.len() == length {
                break;
            }
            if control >> bit & 1 == 0 {
                text.extend(bytes.next());
                continue;
            }
            let (first, second) = (bytes.next()?, bytes.next()?);
            let mut copied = usize::from(first & 15) + 3;
            let distance = usize::from(first & 0xf0) * 16 + usize::from(second);
            if copied == 18 {
                copied += usize::from(bytes.next()?);
            }
            if distance == 0 {
                return None;
            }
            let from = text.len().checked_sub(distance)?;
            for at in from..from + copied.min(length - text.len()) {
                text.push(text[at]);
            }
        }
    }
    (bytes.next().is_none() && text.len() == length).then_some(text)
}
