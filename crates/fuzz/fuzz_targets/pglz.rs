//! Compressed texts: the same bytes or the same refusal as a decoder that does one byte at a time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use neardup_core::pglz::{SLACK, decompress};

fuzz_target!(|input: (u16, &[u8])| {
    let (length, compressed) = (usize::from(input.0), input.1);
    let mut text = vec![0; length + SLACK];
    let read = decompress(compressed, &mut text, length).map(|()| &text[..length]);
    assert_eq!(read, naive(compressed, length).as_deref());
});

fn naive(compressed: &[u8], length: usize) -> Option<Vec<u8>> {
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
            let (first, second) = (usize::from(bytes.next()?), usize::from(bytes.next()?));
            let mut copied = (first & 15) + 3;
            if copied == 18 {
                copied += usize::from(bytes.next()?);
            }
            let distance = (first & 0xf0) << 4 | second;
            let from = text.len().checked_sub(distance).filter(|_| distance > 0)?;
            for at in from..from + copied.min(length - text.len()) {
                text.push(text[at]);
            }
        }
    }
    (bytes.next().is_none() && text.len() == length).then_some(text)
}
