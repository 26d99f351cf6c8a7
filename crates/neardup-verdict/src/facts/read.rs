//! Reads the facts that can be recognised in one text alone: figures, quotations, Latin words.

use std::ops::Range;

use super::capitals;
use super::east_asian::{self, is_hangul};
use super::fact::{ConflictKind, Date, Fact, MEASURED};
use super::measures::{self, Measure, measure};
use super::reader::FactReader;
use super::thai;
use super::vocabulary::Meaning;
use crate::read::characters;
use crate::read::hanset::HanSet;
use crate::read::numerals::{fold, percent_sign};
use crate::read::units::{Break, Kind, Text, Unit};
use neardup_text::hash::{mix, token_hash};
use neardup_text::lexicon::is_han;

/// Measures of a position in a series; a number before one is an ordinal, even without 第.
static SERIES: HanSet = HanSet::of(characters::SERIES);

/// Measures that hardly specify what a number counts: 一个, 一位.
static ARTICLES: HanSet = HanSet::of(characters::ARTICLE);

/// A number without a measure and with at least this number of digits is a telephone number or the like.
const PHONE_DIGITS: u8 = 7;

/// Figures joined by dashes are one number if they have at least this number of digits, as in 010-1234567 or 400-800-1234; 2019-2024
/// has fewer.
const JOINED_PHONE_DIGITS: u32 = 10;

/// The fewest digits of a telephone number in groups, and the most.
const GROUPED_PHONE_DIGITS: u32 = 9;
const MOST_PHONE_DIGITS: u32 = 15;

/// Reads the facts of a text, in its order; quotations come last.
pub(crate) fn read(text: &Text<'_>) -> Vec<Fact> {
    let mut reader = FactReader { text, at: 0, facts: Vec::new(), plain_capitals: capitals::plain(text) };
    let is_other = |unit: &Unit| unit.kind != Kind::Han;
    while let Some(han) = text.units.get(reader.at..).and_then(|rest| rest.iter().position(is_other)) {
        reader.at += han;
        reader.at = if reader.is_number(reader.at) { reader.figure() } else { reader.word() };
    }
    let thai = if text.unspaced { thai::weekdays(text) } else { Vec::new() };
    for (day, units) in east_asian::weekdays(text).into_iter().chain(thai) {
        reader.push_date(units, [None, None, None, Some(day)]);
    }
    let mut facts = reader.facts;
    for quote in &text.quotes {
        let units = text.units.get(quote.clone()).unwrap_or_default();
        let key = units.iter().fold(1, |key: u64, unit| mix(key ^ unit.key, 2));
        facts.push(Fact::new(ConflictKind::Quoted, quote.clone(), key));
    }
    facts
}

impl FactReader<'_> {
    /// Reads the figure that starts here, and returns the position after it.
    fn figure(&mut self) -> usize {
        let at = self.at;
        let Some(unit @ &Unit { key, kind: Kind::Number { width, arabic }, before, .. }) = self.unit(at) else {
            return at + 1;
        };
        let Some(number) = self.text.number(unit) else { return at + 1 };
        if let Some(end) = self.date() {
            return end;
        }
        // Most numbers of Chinese and Japanese stand before a Han character, and need not be tried as anything in words.
        let counted = self.han(at + 1).is_some_and(is_han);
        let in_words = |reader: &mut Self| {
            let date = reader.date_to_year().or_else(|| reader.date_in_words());
            date.or_else(|| reader.ordinal_in_words())
        };
        if !counted && let Some(end) = in_words(self) {
            return end;
        }
        let code = |reader: &mut Self| if reader.text.latin { reader.code() } else { None };
        if let Some(end) = self.phone_in_groups().or_else(|| code(self)) {
            return end;
        }
        let next = self.mark(at + 1);
        let ordinal = at > 0 && self.unit(at - 1).is_some_and(|unit| self.written(unit) == "第");
        if let Some(end) = self.joined(ordinal) {
            return end;
        }
        if ordinal || next.is_some_and(|next| SERIES.has(next)) {
            let start = at - usize::from(ordinal);
            let measure = next.map_or(0, u64::from);
            return self.push(ConflictKind::Ordinal, start..at + 1 + usize::from(next.is_some()), key, measure);
        }
        if let Some(end) = self.time(next) {
            return end;
        }
        let (number, last) = match self.fraction(at) {
            Some(number) => (number, at + 1),
            None if counted => (number, at),
            None => self.with_decimals(at, number),
        };
        if self.is_percent(last) {
            return self.push_number(ConflictKind::Percent, at..last + 1, [number; 2], (0, 0));
        }
        if arabic && width >= PHONE_DIGITS && next.is_none_or(|next| !"元人例户件吨亿万".contains(next)) {
            return self.push_phone(at..at + 1);
        }
        // A list's own numbers: 1、 or (2) at the start of a sentence.
        let counts = self.text.latin && self.joint(at + 1) == Some(' ');
        let item = before == Break::Stop && !counts && number.small().is_some_and(|number| number < 100);
        if item && self.unit(at + 1).is_some_and(|unit| unit.before != Break::None) && next.is_none() {
            return at + 1;
        }
        // 一个 is an article.
        if !arabic
            && !self.text.latin
            && number.small().is_some_and(|number| number <= 2)
            && next.is_none_or(|next| ARTICLES.has(next))
        {
            return at + 1;
        }
        let written = number;
        if let Some((number, measure, end)) = self.korean_number(last, number) {
            return self.push_number(ConflictKind::Number, at..end, [written, number], (measure, 0));
        }
        let (number, end) = if counted { (number, at + 1) } else { self.scaled(last + 1, number) };
        if !counted && self.percent_in_words(end) {
            return self.push_number(ConflictKind::Percent, at..end, [written, number], (0, 0));
        }
        if !counted && let Some((measure, end)) = self.measured(at, end) {
            let counted = (MEASURED + u64::from(measure.id), measure.power.into());
            return self.push_number(ConflictKind::Number, at..end, [written, number], counted);
        }
        let measure = next.map_or_else(|| self.latin_measure(end), u64::from);
        // A letter of Thai is no word.
        let counted = usize::from(next.is_some_and(|next| is_han(next) && !"的了和与及在是，".contains(next)));
        self.push_number(ConflictKind::Number, at..end + counted, [written, number], (measure, 0))
    }

    /// Returns what the number from `at` to `end` counts, if that is a unit or a currency, and the position after it.
    fn measured(&self, at: usize, end: usize) -> Option<(Measure, usize)> {
        let (first, last) = (self.unit(at)?, self.unit(end.checked_sub(1)?)?);
        let after = self.text.text.get(last.end as usize..)?;
        let before = self.text.text.get(..first.start as usize)?;
        let sign = |sign: Option<char>| sign.and_then(measures::of_sign).map(|sign| (sign, end));
        let word = |at: usize| {
            let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before <= Break::Space)?;
            measure(unit.key)
        };
        let named = word(end).map(|measure| (measure, end + 1));
        let signed = || sign(after.strip_prefix(' ').unwrap_or(after).chars().next());
        let sign_before = || sign(before.strip_suffix(' ').unwrap_or(before).chars().next_back());
        // Rs 500, USD 99: the currency is a unit before the number.
        let word_before = || {
            let measure = measure(self.unit(at.checked_sub(1)?).filter(|unit| unit.kind == Kind::Word)?.key)?;
            (measure.is_currency && first.before <= Break::Space).then_some((measure, end))
        };
        named.or_else(signed).or_else(sign_before).or_else(word_before)
    }

    /// Reads a telephone number in groups: 0400 006 510, +49 30 1234567, and that of a Chinese mobile, 138 0013 8000.
    fn phone_in_groups(&mut self) -> Option<usize> {
        let at = self.at;
        let first = self.unit(at)?;
        let plus = self.text.text.get(..first.start as usize)?.ends_with('+');
        let is_mobile = || {
            let starts = self.written(first).starts_with('1');
            starts && [3, 4, 4].into_iter().zip(at..).all(|(digits, at)| self.digits(at) == Some(digits))
        };
        if !plus && !self.written(first).starts_with('0') && !is_mobile() {
            return None;
        }
        let (mut digits, mut end) = (self.digits(at)?, at + 1);
        while digits <= MOST_PHONE_DIGITS
            && let Some(more) = self.digits(end).filter(|_| matches!(self.joint(end), Some(' ' | '-' | '.' | '/')))
        {
            digits += more;
            end += 1;
        }
        let is_phone = end > at + 1 && (GROUPED_PHONE_DIGITS..=MOST_PHONE_DIGITS).contains(&digits);
        is_phone.then(|| self.push_phone(at..end))
    }

    /// Returns how many digits a number of two and more has.
    fn digits(&self, at: usize) -> Option<u32> {
        match self.unit(at)?.kind {
            Kind::Number { width: width @ 2.., arabic: true } => Some(u32::from(width)),
            _ => None,
        }
    }

    /// Adds a telephone number, which is the same however its digits are grouped.
    fn push_phone(&mut self, units: Range<usize>) -> usize {
        let of = self.text.units.get(units.clone()).unwrap_or_default();
        let digits: String = of.iter().flat_map(|unit| self.written(unit).chars()).map(fold).collect();
        let digits = digits.replace(|c: char| !c.is_ascii_digit(), "");
        self.push(ConflictKind::Phone, units, token_hash(&digits), 0)
    }

    /// Reads a Latin word after a number as its measure: `5km`, and in a Latin text `5 tons`.
    fn latin_measure(&self, at: usize) -> u64 {
        let near = if self.text.latin { Break::Space } else { Break::None };
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before <= near);
        // Korean counters have particles after them: 3명이, 3명은.
        let syllable = |unit: &Unit| self.written(unit).chars().next().filter(|c| is_hangul(*c));
        unit.map_or(0, |unit| syllable(unit).map_or(unit.key % MEASURED, u64::from))
    }

    fn is_percent(&self, at: usize) -> bool {
        let Some(unit) = self.unit(at) else { return false };
        let (before, after) = self.text.text.split_at(unit.end as usize);
        let start = before.get(..unit.start as usize).unwrap_or_default();
        let spaced = after.strip_prefix(' ').unwrap_or(after);
        percent_sign(after).is_some()
            || ["パーセント", "퍼센트", "เปอร์เซ็นต์"].iter().any(|word| spaced.starts_with(word))
            || start.strip_suffix('%').is_some_and(|start| !start.ends_with(|c: char| c.is_numeric()))
            || after.starts_with('成')
            || after.starts_with("个百分点")
            || after.starts_with("个点")
            || start.ends_with("百分之")
    }

    /// Reads a date: `2023年5月22日`, `5月`, `22日`, `2023-05-22`, `2023.5`.
    fn date(&mut self) -> Option<usize> {
        let at = self.at;
        let mut date: Date = [None; 4];
        let (mut start, mut end) = (at, at);
        let first = self.small(at)?;
        if (1900..=2100).contains(&first)
            && self.is_number(at + 1)
            && let Some(joint @ ('-' | '.' | '/' | '－')) = self.joint(at + 1)
        {
            date[0] = Some(first);
            date[1] = Some(self.small(at + 1).filter(|month| (1..=12).contains(month))?);
            end = at + 2;
            if self.is_number(at + 2) && self.joint(at + 2) == Some(joint) {
                date[2] = self.small(at + 2).filter(|day| (1..=31).contains(day));
                end += usize::from(date[2].is_some());
            }
        } else {
            let mut field = 0;
            while field < 3 && self.is_number(end) && (end == at || self.unit(end)?.before <= Break::Space) {
                let value = self.small(end)?;
                let mark = self.mark(end + 1);
                let era = if mark == Some('年') && end == at && value < 100 { self.era(at) } else { None };
                let place = match mark {
                    Some('年')
                        if (1900..=2100).contains(&value)
                            || era.is_some()
                            || (end == at && self.small(end + 2).is_some() && self.mark(end + 3) == Some('月')) =>
                    {
                        0
                    }
                    Some('月') if (1..=12).contains(&value) => 1,
                    Some('日' | '号') if (1..=31).contains(&value) => 2,
                    // 6月16(日)
                    _ if field == 2 && (1..=31).contains(&value) && self.bracketed_weekday(end + 1).is_some() => {
                        date[2] = Some(value);
                        end += 1;
                        break;
                    }
                    _ => break,
                };
                if place < field {
                    break;
                }
                // In a date, 98年 means 1998年.
                date[place] = Some(if let Some(before) = era.filter(|_| place == 0) {
                    start = at - 2;
                    before + value
                } else if place == 0 && value < 100 {
                    1900 + value + if value < 50 { 100 } else { 0 }
                } else {
                    value
                });
                field = place + 1;
                end += 2;
            }
        }
        if end == at {
            return None;
        }
        if date[2].is_some() {
            end = self.with_weekday(&mut date, end);
        }
        Some(self.push_date(start..end.min(self.text.units.len()), date))
    }

    /// Reads two numbers joined by a sign: a score, a range of episodes, a time with a colon.
    fn joined(&mut self, ordinal: bool) -> Option<usize> {
        let at = self.at;
        let (joint, second) = if self.is_number(at + 1) {
            (self.joint(at + 1).or_else(|| self.joined_years(at))?, at + 1)
        } else if self.han(at + 1) == Some('比') && self.is_number(at + 2) && self.unit(at + 2)?.before == Break::None
        {
            (':', at + 2)
        } else if self.text.latin
            && let Some((Meaning::Range, end)) = self.meaning(at + 1)
            && self.is_number(end)
            && [at + 1, end].iter().all(|&at| self.unit(at).is_some_and(|unit| unit.before <= Break::Space))
        {
            ('-', end)
        } else {
            return None;
        };
        let (low, high) = (self.unit(at)?.key, self.unit(second)?.key);
        let series = self.han(second + 1).filter(|&next| SERIES.has(next));
        let colon = matches!(joint, ':' | '：' | '∶');
        if !(colon || matches!(joint, '-' | '－' | '–' | '—' | '~' | '～')) {
            return None;
        }
        let both = mix(low, 4) ^ high;
        let start = at - usize::from(ordinal);
        if ordinal || series.is_some() {
            let measure = series.map_or(0, u64::from);
            return Some(self.push(
                ConflictKind::Ordinal,
                start..second + 1 + usize::from(series.is_some()),
                both,
                measure,
            ));
        }
        if self.is_percent(second) {
            return Some(self.push(ConflictKind::Percent, at..second + 1, both, 0));
        }
        let minutes = matches!(self.unit(second)?.kind, Kind::Number { width: 2, .. }) && self.small(second)? < 60;
        let kind = if colon && minutes && self.small(at)? <= 24 { ConflictKind::Time } else { ConflictKind::Score };
        // A third part, as in 11:56:04 or in a long telephone number, belongs to it.
        let mut end = second + 1;
        let mut key = both;
        while self.is_number(end) && self.joint(end) == Some(joint) {
            key = mix(key, 4) ^ self.unit(end)?.key;
            end += 1;
        }
        if kind == ConflictKind::Time && end == second + 1 {
            return Some(self.time_of_day(at, end, self.small(at)?, self.small(second)?));
        }
        if !colon && self.is_telephone(at..end) {
            return Some(self.push_phone(at..end));
        }
        Some(self.push(kind, at..end, key, 0))
    }

    /// Returns the dash between two years, beside which spaces may stand: 1933 -2015.
    fn joined_years(&self, at: usize) -> Option<char> {
        let is_year = |at: usize| self.small(at).is_some_and(|year| (1000..=2100).contains(&year));
        let between = self.text.text.get(self.unit(at)?.end as usize..self.unit(at + 1)?.start as usize)?;
        let mut joint = between.trim_matches(' ').chars();
        joint.next().filter(|_| joint.next().is_none() && is_year(at) && is_year(at + 1))
    }

    /// Says whether joined figures are a telephone number: it begins with an area code and has more digits than a range.
    fn is_telephone(&self, parts: Range<usize>) -> bool {
        let widths = || {
            parts.clone().filter_map(|at| self.unit(at)).map(|unit| match unit.kind {
                Kind::Number { width, arabic: true, .. } => width,
                _ => 0,
            })
        };
        let digits: u32 = widths().map(u32::from).sum();
        digits >= JOINED_PHONE_DIGITS && widths().next().is_some_and(|first| (3..=4).contains(&first))
    }

    /// Reads a time of day: `9点30分`, `15时`, `午後3時`, `오후 3시`, `3 pm`.
    fn time(&mut self, next: Option<char>) -> Option<usize> {
        let at = self.at;
        let hour = self.small(at).filter(|&hour| hour <= 24)?;
        if next.is_none() && (1..=12).contains(&hour) && self.half_of_day(at + 1).is_some() {
            return Some(self.time_of_day(at, at + 1, hour, 0));
        }
        if !matches!(next, Some('时' | '点')) || matches!(self.mark(at + 2), Some('间' | '候' | '钟' | '的')) {
            return None;
        }
        let minute = self.small(at + 2).filter(|&minute| minute < 60 && self.mark(at + 3) == Some('分'));
        let end = if minute.is_some() { at + 4 } else { at + 2 };
        Some(self.time_of_day(at, end, hour, minute.unwrap_or(0)))
    }

    /// Adds the time at a position with the half of the day that is named before or after it, and returns the position after it.
    fn time_of_day(&mut self, at: usize, end: usize, hour: u32, minute: u32) -> usize {
        let before = self.half_before(at);
        let after = self.half_of_day(end).filter(|_| before.is_none() && hour <= 12);
        let (start, end) = (at - before.map_or(0, |(_, units)| units), after.map_or(end, |(_, end)| end));
        let half = before.or(after).map(|(half, _)| half).filter(|_| hour <= 12);
        self.push_time(start..end, hour, minute, half)
    }

    /// Reads a Latin word, with the figures that make it the name of a model.
    fn word(&mut self) -> usize {
        let at = self.at;
        // Most words have no meaning in dates and numbers.
        let known = self.meaning(at).is_some();
        let date =
            if known { self.date_in_words().or_else(|| self.weekday()).or_else(|| self.in_series()) } else { None };
        let korean = date.or_else(|| self.korean_weekday()).or_else(|| self.korean_ordinal());
        if let Some(end) = korean.or_else(|| if known { self.ordinal_in_words() } else { None }) {
            return end;
        }
        if self.text.latin
            && let Some(end) = self.code().or_else(|| self.roman_ordinal())
        {
            return end;
        }
        let mut end = at + 1;
        let mut key = self.unit(at).map_or(0, |unit| unit.key);
        let joins = |unit: &Unit| unit.before == Break::None;
        // In FC3-1 the figures are a score.
        let score = |at: usize| self.is_number(at + 1) && matches!(self.joint(at + 1), Some('-' | ':' | '：'));
        // 약3만 is no model: only letters with case join figures.
        let cased = self
            .unit(at)
            .is_some_and(|unit| self.written(unit).contains(|c: char| c.is_lowercase() || c.is_uppercase()));
        while let Some(unit) = self.unit(end).filter(|unit| cased && unit.kind != Kind::Han && joins(unit)) {
            if score(end) {
                break;
            }
            key = mix(key, 6) ^ unit.key;
            end += 1;
        }
        let first = self.unit(at).map_or("", |unit| self.written(unit));
        let has = |letters: usize| first.chars().nth(letters - 1).is_some();
        // A lone letter is a blood type or an artefact of crawling; a measure belongs to its number.
        let measure = at > 0 && self.is_number(at - 1) && self.unit(at).is_some_and(joins) && !has(4);
        if end > at + 1 || (!measure && has(2) && self.names(at)) {
            self.push(ConflictKind::Latin, at..end, key, 0);
        }
        end
    }
}
