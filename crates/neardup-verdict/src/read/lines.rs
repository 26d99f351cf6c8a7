//! The short lines of a text, by which the footers, menus and disclaimers of a table are found.

use std::ops::Range;

use super::reading::is_selector;
use neardup_text::hash::mix;
use neardup_text::lexicon::is_word_char;

/// Says whether a character counts where rows of a table are compared.
pub(crate) fn is_letter(c: char) -> bool {
    is_word_char(c) && !is_selector(c)
}

/// The longest line that may be furniture, in bytes.
const LINE: usize = 240;

/// Returns the short lines of a text that have letters, by their letters and their stretch in bytes.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, Range<usize>)> + '_ {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut from = 0;
    ends.filter_map(move |end| {
        let range = from..end;
        from = end + 1;
        let line = text.get(range.clone()).filter(|line| line.len() <= LINE)?;
        let mut letters = line.chars().filter(|&c| is_letter(c)).peekable();
        letters.peek()?;
        Some((letters.fold(0, |key, c| mix(key, u64::from(u32::from(c)))), range))
    })
}
