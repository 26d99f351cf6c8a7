//! Dates with a month in words, and weekdays, in the languages of the [vocabulary](super::vocabulary).
//!
//! A month in small letters that may be another word (`may`, and shortened ones: `set`, `out`) counts only before a year.

use super::fact::{ConflictKind, Date};
use super::reader::FactReader;
use super::vocabulary::{Meaning, NameKind, meaning};
use crate::read::units::{Break, Kind, Unit};

/// Months in small letters that are other words in English.
const ENGLISH_WORDS: [&str; 3] = ["may", "march", "august"];

/// What the month of another calendar begins with: the Persian months are 21 to 32.
const PERSIAN: u32 = 20;

/// A month in a text.
struct Month {
    number: u32,
    /// The unit after it.
    end: usize,
    /// Whether it is one without a year.
    sure: bool,
    /// Whether it can be one without a day and a year.
    alone: bool,
    /// Whether a day may come after it, as in English.
    before_day: bool,
}

impl FactReader<'_> {
    /// Returns the meaning of the words at a position, and the position after them.
    pub(super) fn meaning(&self, at: usize) -> Option<(Meaning, usize)> {
        let is_word = |unit: &&Unit| unit.kind == Kind::Word;
        let first = self.unit(at).filter(is_word)?;
        let rest = self.text.units.get(at + 1..).unwrap_or_default().iter();
        let rest = rest.take_while(|unit| is_word(unit) && unit.before <= Break::Space);
        let (meaning, len) = meaning(std::iter::once(first).chain(rest).map(|unit| unit.key))?;
        Some((meaning, at + len))
    }

    /// Returns the month that is named at a position.
    fn month(&self, at: usize) -> Option<Month> {
        if let Some(month) = self.thai_month(at) {
            let (number, end) = month;
            return Some(Month { number, end, sure: true, alone: true, before_day: false });
        }
        let (Meaning::Name(name), end) = self.meaning(at)? else { return None };
        let unit = self.unit(at)?;
        let written = self.written(unit);
        let first = written.chars().next()?;
        let (capital, ascii) = (first.is_uppercase(), first.is_ascii());
        let (sure, alone) = match name.kind {
            NameKind::Month => {
                let sure = capital || !ENGLISH_WORDS.contains(&written);
                // mai is tomorrow in Vietnamese, مه is fog.
                (sure, sure && name.is_cased_as(written) && (capital || written.chars().nth(3).is_some()))
            }
            NameKind::ShortMonth => (capital || !ascii, capital && ascii),
            NameKind::Weekday => return None,
        };
        Some(Month { number: u32::from(name.value), end, sure, alone, before_day: capital && ascii })
    }

    /// Says whether the unit follows in the same sentence; a comma may come between.
    fn follows(&self, at: usize) -> bool {
        self.unit(at).is_some_and(|unit| unit.before <= Break::Clause)
    }

    /// Returns the position after a word like `de`, if there is one.
    fn after_link(&self, at: usize) -> usize {
        match self.meaning(at) {
            Some((Meaning::Link, end)) if self.follows(at) => end,
            _ => at,
        }
    }

    /// Returns the year at a position and the position after it; the Persian years are some six hundred less.
    fn year(&self, at: usize, month: u32) -> Option<(u32, usize)> {
        if let Some(year) = self.thai_year(at) {
            return Some(year);
        }
        let years = if month > PERSIAN { 1200..=1500 } else { 1900..=2100 };
        let at = self.after_link(at);
        self.small(at).filter(|year| years.contains(year) && self.follows(at)).map(|year| (year, at + 1))
    }

    /// Reads a date with a month in words: `5 March 1987`, `March 5, 1987`, `5 de março`, `5 tháng 3`, `March 1987`, `March`.
    pub(super) fn date_in_words(&mut self) -> Option<usize> {
        let at = self.at;
        if let Some(end) = self.numbered_month() {
            return Some(end);
        }
        let day = |at: usize| self.small(at).filter(|day| (1..=31).contains(day));
        // 5th: the letters are a word of their own.
        let after_day = |at: usize| at + 1 + usize::from(self.suffix(at + 1));
        let (date, month, end) = if let Some(of_day) = day(at) {
            let month_at = self.after_link(after_day(at));
            let month = self.month(month_at).filter(|_| self.follows(month_at))?;
            let (year, end) =
                self.year(month.end, month.number).map_or((None, month.end), |(year, end)| (Some(year), end));
            ([year, Some(month.number), Some(of_day), None], month, end)
        } else {
            let month = self.month(at)?;
            let of_day = day(month.end).filter(|_| month.before_day && self.follows(month.end));
            let end = if of_day.is_some() { after_day(month.end) } else { month.end };
            let (year, end) = self.year(end, month.number).map_or((None, end), |(year, end)| (Some(year), end));
            ([year, Some(month.number), of_day, None], month, end)
        };
        // Without a day or a year it may be a verb, or a name.
        let bare = date[0].is_none() && date[2].is_none();
        let unsure = date[0].is_none() && !month.sure;
        if unsure || bare && (!month.alone || !self.text.latin || self.unit(at)?.before == Break::Stop) {
            return None;
        }
        Some(self.push_date(at..end, date))
    }

    /// Reads a date whose month has a number and a word before it: `5 tháng 3 năm 2031`, `tháng 3`.
    fn numbered_month(&mut self) -> Option<usize> {
        let at = self.at;
        let of_day = self.small(at).filter(|day| (1..=31).contains(day));
        let word = at + usize::from(of_day.is_some());
        let (Meaning::MonthFollows, month_at) = self.meaning(word)? else { return None };
        let month = self.small(month_at).filter(|month| (1..=12).contains(month) && self.follows(month_at))?;
        let year = match self.meaning(month_at + 1) {
            Some((Meaning::YearFollows, year_at)) => self.small(year_at).map(|year| (year, year_at + 1)),
            _ => None,
        };
        let end = year.map_or(month_at + 1, |(_, end)| end);
        Some(self.push_date(at..end, [year.map(|(year, _)| year), Some(month), of_day, None]))
    }

    /// Reads a weekday in words.
    pub(super) fn weekday(&mut self) -> Option<usize> {
        let at = self.at;
        let (Meaning::Name(name), end) = self.meaning(at)? else { return None };
        let unit = self.unit(at).filter(|_| name.kind == NameKind::Weekday)?;
        // Domingo may be a person, domingo is not; cuma and sali are words of many languages.
        let fits = unit.before == Break::Stop || name.is_cased_as(self.written(unit));
        let value = name.value;
        let date: Date = [None, None, None, Some(u32::from(value))];
        fits.then(|| self.push_date(at..end, date))
    }

    /// Reads a date in figures that ends with the year, `05.03.2031`, `05-03-2031`, `05/03/31`. After a slash the month may come first: if
    /// both numbers can be one, the date says so, and is read in both ways.
    pub(super) fn date_to_year(&mut self) -> Option<usize> {
        let at = self.at;
        let first = self.small(at).filter(|first| (1..=31).contains(first))?;
        let joint = self.joint(at + 1)?;
        let two = |at: usize| self.unit(at).is_some_and(|unit| self.written(unit).len() == 2);
        // 03.2031 is read as a decimal fraction.
        let (second, year, end, short) = if joint == '.' {
            let (month, year) = self.written(self.unit(at + 1)?).split_once('.')?;
            let short = year.len() == 2 && month.len() == 2 && two(at);
            (month.parse().ok()?, year.parse().ok()?, at + 2, short)
        } else if matches!(joint, '/' | '-') && self.joint(at + 2) == Some(joint) {
            (self.small(at + 1)?, self.small(at + 2)?, at + 3, joint == '/' && two(at + 2))
        } else {
            return None;
        };
        let (day, month) = match (joint, first, second) {
            ('/', _, 13..) => (second, first),
            _ => (first, second),
        };
        let year = if short { year + if year < 50 { 2000 } else { 1900 } } else { year };
        let is_date = (1..=31).contains(&day) && (1..=12).contains(&month) && (1900..=2100).contains(&year);
        let either = joint == '/' && day != month && day <= 12;
        is_date.then(|| {
            let end = self.push_date(at..end, [Some(year), Some(month), Some(day), None]);
            if let Some(fact) = self.facts.last_mut() {
                fact.measure = u64::from(either);
            }
            end
        })
    }

    /// Says whether a unit is what stands behind the figures of an ordinal: the `rd` of `3rd`, the `го` of `5-го`.
    pub(super) fn suffix(&self, at: usize) -> bool {
        let is = |written: &str, ends: &[&str]| ends.iter().any(|end| written.eq_ignore_ascii_case(end));
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word);
        unit.is_some_and(|unit| match unit.before {
            Break::None => is(self.written(unit), &["st", "nd", "rd", "th", "er", "re", "ère", "º", "ª"]),
            _ => self.joint(at) == Some('-') && is(self.written(unit), &["го", "й", "я", "е", "ое", "ая", "му", "м"]),
        })
    }

    /// Says whether a word before a number or after it says which half of the day is meant, and returns its hours.
    pub(super) fn half_of_day(&self, at: usize) -> Option<(u32, usize)> {
        match self.meaning(at)? {
            (Meaning::Half(hours), end) => Some((u32::from(hours), end)),
            _ => None,
        }
    }

    /// Adds a time, `half` of the day if it is known, and returns the position after it.
    pub(super) fn push_time(
        &mut self,
        units: std::ops::Range<usize>,
        hour: u32,
        minute: u32,
        half: Option<u32>,
    ) -> usize {
        let hour = half.map_or(hour, |half| hour % 12 + half);
        let key = neardup_text::hash::mix(u64::from(hour * 60 + minute), 5);
        let end = self.push(ConflictKind::Time, units, key, 0);
        if let Some(fact) = self.facts.last_mut() {
            fact.date = [Some(hour), Some(minute), half, None];
        }
        end
    }
}
