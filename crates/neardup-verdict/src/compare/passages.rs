//! The passages of a text, by which rows of a table are compared: runs of units, read faster than the verdict reads them.

use std::ops::Range;

use crate::align::alignment::runs;
use crate::read::lines::is_letter;
use crate::read::reading::unspaced;
use neardup_text::hash::mix;
use neardup_text::lexicon::is_han;
use neardup_text::normalize::simplified;

/// Units in a passage, as in the shingles of a sketch.
const UNITS: usize = 5;

/// The passages of a text.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    /// The key of each passage, in order.
    pub(crate) keys: Vec<u64>,
    /// Each unit's stretch, in bytes.
    units: Vec<Range<u32>>,
}

impl Passages {
    /// Reads a text: Han characters and characters of scripts without spaces are units, and runs of other letters and digits.
    pub(crate) fn of(text: &str) -> Self {
        let most = text.len() / 3;
        let (mut keys, mut units): (Vec<u64>, Vec<Range<u32>>) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut open = false;
        for (at, c) in text.char_indices() {
            if !is_letter(c) {
                open = false;
                continue;
            }
            let is_han = is_han(c);
            let lower = if is_han { c } else { c.to_lowercase().next().unwrap_or(c) };
            let code = u64::from(u32::from(simplified(lower)));
            let end = (at + c.len_utf8()) as u32;
            let alone = is_han || unspaced(c);
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

    /// Returns the stretches that wanted passages cover, in bytes.
    pub(crate) fn stretches(&self, wanted: impl Fn(u64) -> bool) -> Vec<Range<usize>> {
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
