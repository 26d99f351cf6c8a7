//! Cuts a text into chunks of bounded size, at positions where jieba starts a new block anyway.

use crate::interrupt;

/// The longest unbroken block jieba gets to see, in characters; a longer one is cut at every multiple of it.
pub const MAX_BLOCK_CHARS: usize = 1 << 16;

/// Aimed-at chunk size, bytes: long enough that a call costs nothing, short enough that its tokens stay in the cache.
const CHUNK_BYTES: usize = 1 << 13;

/// Chunks of a text with their byte offsets; checks for a cancel before each.
pub(super) struct Chunks<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Chunks<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'t> Iterator for Chunks<'t> {
    type Item = (usize, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        interrupt::check();
        let start = self.at;
        let rest = &self.text[start..];
        if rest.is_empty() {
            return None;
        }
        let length = if rest.len() <= CHUNK_BYTES { rest.len() } else { chunk_length(rest) };
        self.at = start + length;
        Some((start, &rest[..length]))
    }
}

/// Length of the first chunk of a text longer than a chunk, bytes.
fn chunk_length(text: &str) -> usize {
    let aim = text.floor_char_boundary(CHUNK_BYTES);
    // A character outside every block is emitted alone, so a cut after it changes nothing; save that CR LF is one token.
    if let Some((at, c)) = text[..aim].char_indices().rev().find(|&(_, c)| !is_block_char(c) && c != '\r') {
        return at + c.len_utf8();
    }
    // CR all the way, perhaps with a block after them: between two CR, never between CR and LF.
    let carriage_returns = text[..aim].bytes().take_while(|&b| b == b'\r').count();
    if carriage_returns > 0 {
        return carriage_returns.min(aim - 1);
    }
    // One block reaches past the chunk: take all of it, up to the bound.
    let block = text.char_indices().take(MAX_BLOCK_CHARS).take_while(|&(_, c)| is_block_char(c));
    block.last().map_or(aim, |(at, c)| at + c.len_utf8())
}

/// The characters jieba-rs keeps in one block: Han, ASCII letters and digits, `+#&._%-`.
#[inline]
pub(super) fn is_block_char(c: char) -> bool {
    match c {
        '\u{4E00}'..='\u{9FFF}' => true,
        '\0'..='\x7F' => c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '&' | '.' | '_' | '%' | '-'),
        '\u{3400}'..='\u{4DBF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2A6DF}' => true,
        '\u{2A700}'..='\u{2EBEF}' | '\u{2F800}'..='\u{2FA1F}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        Chunks::new(text).map(|(_, chunk)| chunk.len()).collect()
    }

    #[test]
    fn chunks_end_after_a_character_outside_every_block() {
        let text = "汉字，".repeat(2000);
        let chunks: Vec<_> = Chunks::new(&text).collect();
        assert!(chunks.len() > 1);
        assert_eq!(chunks.iter().map(|(_, chunk)| *chunk).collect::<String>(), text);
        for (start, chunk) in chunks {
            assert!(chunk.len() <= CHUNK_BYTES);
            assert!(chunk.ends_with('，'), "chunk at {start}");
        }
    }

    #[test]
    fn a_block_is_cut_only_at_multiples_of_the_bound() {
        assert_eq!(lengths(&"a".repeat(MAX_BLOCK_CHARS)), [MAX_BLOCK_CHARS]);
        assert_eq!(lengths(&"a".repeat(2 * MAX_BLOCK_CHARS + 9000)), [MAX_BLOCK_CHARS, MAX_BLOCK_CHARS, 9000]);
        let han = format!("，{}，", "汉".repeat(MAX_BLOCK_CHARS + 1));
        assert_eq!(lengths(&han), [3, 3 * MAX_BLOCK_CHARS, 6]);
    }

    #[test]
    fn carriage_return_and_line_feed_stay_together() {
        for pad in 0..4 {
            let text = format!("{}{}", "a".repeat(pad), "\r\n".repeat(CHUNK_BYTES));
            for (_, chunk) in Chunks::new(&text) {
                assert!(!chunk.starts_with('\n'));
            }
        }
        for count in 3 * CHUNK_BYTES - 5..3 * CHUNK_BYTES + 5 {
            let text = "\r".repeat(count) + "\n";
            assert_eq!(Chunks::new(&text).map(|(_, chunk)| chunk).collect::<String>(), text);
            assert!(Chunks::new(&text).all(|(_, chunk)| chunk != "\n"));
        }
    }
}
