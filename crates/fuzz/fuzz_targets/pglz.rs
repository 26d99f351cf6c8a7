//! Compressed texts: the result is the same, bytes or refusal, as that of a decoder that works byte by byte.
#![no_main]

#[path = "../../neardup-text/src/pglz/naive.rs"]
mod naive;

use libfuzzer_sys::fuzz_target;
use neardup_text::pglz::{SLACK, decompress};

fuzz_target!(|input: (u16, &[u8])| {
    let (length, compressed) = (usize::from(input.0), input.1);
    let mut text = vec![0; length + SLACK];
    let read = decompress(compressed, &mut text, length).map(|()| &text[..length]);
    assert_eq!(read, naive::decompress(compressed, length).as_deref());
});
