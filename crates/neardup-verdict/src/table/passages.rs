//! The passages of a text, by which rows of a table are compared: runs of units, read faster than the verdict reads them.

use std::ops::Range;

use super::align::runs;
use super::reading::{is_selector, unspaced};
use neardup_text::hash::mix;
use neardup_text::lexicon::{is_han, is_word_char};
use neardup_text::normalize::simplified;

/// Units in a passage, as in the shingles of a sketch.
const UNITS: usize = 5;

fn is_letter(c: char) -> bool {
    is_word_char(c) && !is_selector(c)
}

/// The passages of a text.
#[derive(Debug, Default)]
pub(super) struct Passages {
    /// The key of each passage, in order.
    pub(super) keys: Vec<u64>,
    /// Each unit's stretch, in bytes.
    units: Vec<Range<u32>>,
}

impl Passages {
    /// Reads a text: Han characters and characters of scripts without spaces are units, and runs of other letters and digits.
    pub(super) fn of(text: &str) -> Self {
        let (mut keys, mut units): (Vec<u64>, Vec<Range<u32>>) = (Vec::new(), Vec::new());
        let mut open = false;
        for (at, c) in text.char_indices() {
            if !is_letter(c) {
                open = false;
                continue;
            }
            let code = u64::from(u32::from(simplified(c.to_lowercase().next().unwrap_or(c))));
            let end = (at + c.len_utf8()) as u32;
            let alone = is_han(c) || unspaced(c);
            match (keys.last_mut(), units.last_mut()) {
                (Some(key), Some(unit)) if open && !alone => {
                    *key = mix(*key, code);
                    unit.end = end;
                }
                _ => {
                    keys.push(mix(code, 0));
                    units.push(at as u32..end);
                }
            }
            open = !alone;
        }
        Self { keys: runs(&keys, UNITS).collect(), units }
    }

    /// Gives the stretches that wanted passages cover, in bytes.
    pub(super) fn stretches(&self, wanted: impl Fn(u64) -> bool) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, _) in self.keys.iter().enumerate().filter(|&(_, &key)| wanted(key)) {
            let (Some(first), Some(last)) = (self.units.get(at), self.units.get(at + UNITS - 1)) else { continue };
            let (start, end) = (first.start as usize, last.end as usize);
            match found.last_mut() {
                Some(before) if start <= before.end => before.end = end,
                _ => found.push(start..end),
            }
        }
        found
    }
}

/// The longest line that may be furniture, in bytes.
const LINE: usize = 240;

/// Gives the short lines of a text that have letters, by their letters and their stretch in bytes.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u64, Range<usize>)> + '_ {
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
