//! Dates and powers of ten in Thai, which has no spaces between words: they are looked for in the text beside a number.
//!
//! Months and weekdays are those of CLDR. Years are Buddhist, 543 more than those of the common era, unless the text says otherwise.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::reader::FactReader;
use super::vocabulary::{Name, NameKind, THAI_NAMES};
use crate::read::units::{Kind, Text};

/// A Buddhist year minus the same year of the common era.
const BUDDHIST: u32 = 543;

/// Powers of ten, the longer words first.
const SCALES: [(&str, i32); 10] = [
    ("ล้านล้าน", 12),
    ("แสนล้าน", 11),
    ("หมื่นล้าน", 10),
    ("พันล้าน", 9),
    ("ร้อยล้าน", 8),
    ("ล้าน", 6),
    ("แสน", 5),
    ("หมื่น", 4),
    ("พัน", 3),
    ("ร้อย", 2),
];

/// What may stand before a year.
const ERAS: [&str; 5] = ["พ.ศ.", "ค.ศ.", "พศ.", "ปี", "พุทธศักราช"];

/// Finds what stands before a weekday.
static DAY: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("วัน"));

fn is_thai(text: &str) -> bool {
    text.starts_with(|c| matches!(c, '\u{e00}'..='\u{e7f}'))
}

/// Returns the name with which a text begins, the longest one.
fn name(text: &str) -> Option<(Name, usize)> {
    let fits = THAI_NAMES.iter().filter(|(name, _)| text.starts_with(name));
    fits.max_by_key(|(name, _)| name.len()).map(|&(name, meaning)| (meaning, name.len()))
}

impl FactReader<'_> {
    /// Returns the text from a unit on, if it is Thai.
    fn thai(&self, at: usize) -> Option<&str> {
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Han)?;
        self.text.text.get(unit.start as usize..).filter(|rest| is_thai(rest))
    }

    /// Returns the position after `len` bytes from the start of a unit.
    fn after(&self, at: usize, len: usize) -> usize {
        let end = self.unit(at).map_or(0, |unit| unit.start as usize) + len;
        let rest = self.text.units.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|unit| (unit.start as usize) < end).count()
    }

    /// Returns the month that a Thai text names at a position, and the position after it.
    pub(super) fn thai_month(&self, at: usize) -> Option<(u32, usize)> {
        let (Name { kind, value, .. }, len) = name(self.thai(at)?)?;
        (kind != NameKind::Weekday).then(|| (u32::from(value), self.after(at, len)))
    }

    /// Returns the year after a Thai month, in the common era, and the position after it.
    pub(super) fn thai_year(&self, at: usize) -> Option<(u32, usize)> {
        self.thai(at.checked_sub(1)?)?;
        let era = self.thai(at).and_then(|rest| ERAS.iter().find(|era| rest.starts_with(**era)));
        let at = era.map_or(at, |era| self.after(at, era.len()));
        let year = self.small(at)?;
        let year = if (1900 + BUDDHIST..=2100 + BUDDHIST).contains(&year) { year - BUDDHIST } else { year };
        (1900..=2100).contains(&year).then_some((year, at + 1))
    }

    /// Returns the power of ten that a Thai text names at a position, and the position after it.
    pub(super) fn thai_scale(&self, at: usize) -> Option<(i32, usize)> {
        let rest = self.thai(at)?;
        let (word, power) = SCALES.iter().find(|(word, _)| rest.starts_with(word))?;
        Some((*power, self.after(at, word.len())))
    }
}

/// Returns the weekdays of a Thai text with their units.
pub(super) fn weekdays(text: &Text<'_>) -> Vec<(u32, Range<usize>)> {
    let days = DAY.find_iter(text.text.as_bytes());
    let found = days.filter_map(|start| {
        let (Name { kind: NameKind::Weekday, value, .. }, len) = name(text.text.get(start..)?)? else { return None };
        let unit = |byte: usize| text.units.partition_point(|unit| (unit.start as usize) < byte);
        let units = unit(start)..unit(start + len);
        (!units.is_empty()).then_some((u32::from(value), units))
    });
    found.collect()
}
