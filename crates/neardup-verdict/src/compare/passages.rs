//! The passages of a text, by which rows of a table are compared: runs of units, read faster than the verdict reads them.

use std::ops::Range;

use crate::align::alignment::runs;
use crate::align::distinct::Distinct;
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
    pub(crate) keys: Vec<u32>,
    /// Each unit's stretch, in bytes.
    units: Vec<Range<u32>>,
}

/// Returns the distinct passages of a text, in the order in which they first occur.
pub(crate) fn distinct(text: &str) -> Vec<u32> {
    let units = units(text, |_, _| ());
    let mut distinct = Distinct::with_capacity((units.len() + 1).saturating_sub(UNITS));
    keys(&units).for_each(|passage| {
        distinct.insert(passage);
    });
    distinct.into_numbers()
}

/// Returns the keys of the passages that some units make up. They have 32 bits, because rows of a table are kept by them, as many as there is room for: of two
/// texts of a thousand passages, one pair in four thousand has an equal key by chance, and one such passage says nothing.
fn keys(units: &[u64]) -> impl Iterator<Item = u32> + '_ {
    runs(units, UNITS).map(|run| (run >> 32) as u32)
}

/// Returns the key of each unit of a text: Han characters and characters of scripts without spaces are units, and runs of other letters and digits.
/// The stretch of each character goes to `add`, with whether it goes on the unit before.
fn units(text: &str, mut add: impl FnMut(Range<u32>, bool)) -> Vec<u64> {
    let mut keys: Vec<u64> = Vec::with_capacity(text.len() / 3);
    let mut open = false;
    for (at, c) in text.char_indices() {
        if !is_letter(c) {
            open = false;
            continue;
        }
        let is_han = is_han(c);
        let lower = if is_han { c } else { c.to_lowercase().next().unwrap_or(c) };
        let code = u64::from(u32::from(simplified(lower)));
        let alone = is_han || unspaced(c);
        let goes_on = open && !alone;
        match keys.last_mut().filter(|_| goes_on) {
            Some(key) => *key = mix(*key, code),
            None => keys.push(mix(code, 0)),
        }
        add(at as u32..(at + c.len_utf8()) as u32, goes_on);
        open = !alone;
    }
    keys
}

impl Passages {
    /// Returns how much memory they take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u32>() + self.units.capacity() * size_of::<Range<u32>>()
    }

    pub(crate) fn of(text: &str) -> Self {
        let mut stretches: Vec<Range<u32>> = Vec::with_capacity(text.len() / 3);
        let numbers = units(text, |range, goes_on| match stretches.last_mut().filter(|_| goes_on) {
            Some(unit) => unit.end = range.end,
            None => stretches.push(range),
        });
        Self { keys: keys(&numbers).collect(), units: stretches }
    }

    /// Returns the stretches that wanted passages cover, in bytes; passages are told by their places in the text.
    pub(crate) fn stretches(&self, wanted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in (0..self.keys.len()).filter(|at| wanted(*at)) {
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
