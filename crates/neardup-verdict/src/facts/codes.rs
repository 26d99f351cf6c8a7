//! Codes: what is written in letters and figures without a space, and names one thing of many: an article (`POL023`), a version
//! (`1.2.3-4`), a commit (`3f2a91c`), a file (`src/read/units.rs`), an identifier (`max_rows`), a reference (`#3627`).

use super::fact::ConflictKind;
use super::measures::measure;
use super::reader::FactReader;
use crate::read::units::{Break, Kind, Unit};
use neardup_text::hash::mix;

/// The longest code that is read, in units.
const MOST: usize = 40;

/// A word of more letters after a number is no part of a code: 19yearold.
const LETTERS: usize = 3;

/// The least number of changes between capitals, small letters and figures in a random code, as a mailer or a crawler adds one.
const TURNS: usize = 3;

/// How the parts of a code are joined so far.
#[derive(Default)]
struct Parts {
    units: usize,
    words: usize,
    numbers: usize,
    /// Whether letters and figures stand side by side.
    mixed: bool,
    underscore: bool,
    slash: bool,
    /// A point between words, and one between numbers, which is no decimal point.
    name_ends: bool,
    version: bool,
}

impl Parts {
    fn are_code(&self) -> bool {
        self.units > 1 && (self.mixed || self.underscore || self.version || self.slash && self.name_ends)
    }
}

impl FactReader<'_> {
    /// Reads the code that starts here, and returns the position after it.
    pub(super) fn code(&mut self) -> Option<usize> {
        let at = self.at;
        let first = *self.unit(at).filter(|unit| self.is_part(unit))?;
        // The T05 of 2031-03-05T05:30 belongs to the date.
        if at > 0 && first.before == Break::None && self.is_number(at - 1) {
            return None;
        }
        let reference = matches!(first.kind, Kind::Number { .. })
            && self.text.text.get(..first.start as usize).is_some_and(|before| before.ends_with('#'));
        let mut parts = Parts { units: 1, ..Parts::default() };
        parts.words += usize::from(first.kind == Kind::Word);
        parts.numbers += usize::from(first.kind != Kind::Word);
        let (mut end, mut key) = (at + 1, first.key);
        while let Some(&unit) = self.unit(end).filter(|unit| self.is_part(unit) && end - at < MOST) {
            if !self.joins(end, &unit, &mut parts) {
                break;
            }
            parts.words += usize::from(unit.kind == Kind::Word);
            parts.numbers += usize::from(unit.kind != Kind::Word);
            parts.units += 1;
            key = mix(key, 6) ^ unit.key;
            end += 1;
        }
        if reference && parts.units == 1 {
            return Some(self.push(ConflictKind::Code, at..end, first.key, 0));
        }
        if !parts.are_code() || self.is_counted(at, end) {
            return None;
        }
        if self.is_random(at..end) {
            return Some(end);
        }
        Some(self.push(ConflictKind::Code, at..end, key, 0))
    }

    /// Says whether a unit belongs to the code before it, and notes how.
    fn joins(&self, end: usize, unit: &Unit, parts: &mut Parts) -> bool {
        let Some(last) = self.unit(end - 1) else { return false };
        let (is_word, was_word) = (unit.kind == Kind::Word, last.kind == Kind::Word);
        if unit.before == Break::None {
            parts.mixed |= is_word != was_word;
            return true;
        }
        let has_capital = |unit: &Unit| self.written(unit).chars().any(char::is_uppercase);
        match self.joint(end) {
            Some('_') => parts.underscore = true,
            Some('/') if is_word && was_word => parts.slash = true,
            Some('.') if is_word && was_word => parts.name_ends = true,
            Some('.') if !is_word && !was_word => parts.version = true,
            Some('.') => return parts.version || parts.mixed || parts.underscore || parts.slash,
            // COVID-19, F-16, GPT-4; not mid-2031, 5-year, 3-5.
            Some('-') if is_word != was_word => {
                let joined = parts.mixed || parts.version || has_capital(if is_word { unit } else { last });
                parts.mixed |= joined;
                return joined;
            }
            Some('-') => return parts.mixed || parts.version || parts.underscore || parts.slash,
            _ => return false,
        }
        true
    }

    /// Says whether two units are a number with what it counts, or an ordinal: 5km, 3rd, 10k, 19yearold.
    fn is_counted(&self, at: usize, end: usize) -> bool {
        let (Some(number), Some(word)) = (self.unit(at), self.unit(at + 1)) else { return false };
        if end != at + 2 || number.kind == Kind::Word || word.kind != Kind::Word || word.before != Break::None {
            return false;
        }
        let letters = self.written(word).chars().count();
        letters > LETTERS
            || self.suffix(at + 1)
            || measure(word.key).is_some()
            || self.meaning(at + 1).is_some()
            || matches!(self.written(word), "k" | "m" | "b" | "x" | "t" | "h" | "s" | "d" | "K" | "M" | "B" | "X" | "e")
    }

    /// Says whether a code is random.
    fn is_random(&self, units: std::ops::Range<usize>) -> bool {
        let class = |c: char| match c {
            _ if c.is_lowercase() => 1,
            _ if c.is_uppercase() => 2,
            _ if c.is_numeric() => 3,
            _ => 0,
        };
        let (mut turns, mut seen, mut last) = (0, [false; 4], 0);
        for class in self.text.written(units).chars().map(class).filter(|&class| class > 0) {
            turns += usize::from(last != 0 && class != last);
            seen[class] = true;
            last = class;
        }
        seen[1] && seen[2] && seen[3] && turns >= TURNS
    }

    /// Says whether a unit may be a part of a code: of words, those in letters that have capitals.
    fn is_part(&self, unit: &Unit) -> bool {
        match unit.kind {
            Kind::Word => self.written(unit).starts_with(|c: char| c.is_lowercase() || c.is_uppercase()),
            Kind::Number { arabic, .. } => arabic,
            Kind::Han => false,
        }
    }
}
