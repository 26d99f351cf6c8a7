//! What Japanese and Korean write beside figures: 年月日 and 년월일, 時分 and 시분, 令和, 午後 and 오후, 曜日 and 요일, 만 and 억, 제3차.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::fact::{ConflictKind, Date};
use super::reader::FactReader;
use crate::read::numerals::Number;
use crate::read::units::{Break, Kind, Text};
use neardup_text::normalize::simplified;

/// Weekdays from Monday on, as characters and as syllables.
const WEEKDAYS: [(char, u32); 14] = [
    ('月', 1),
    ('火', 2),
    ('水', 3),
    ('木', 4),
    ('金', 5),
    ('土', 6),
    ('日', 7),
    ('월', 1),
    ('화', 2),
    ('수', 3),
    ('목', 4),
    ('금', 5),
    ('토', 6),
    ('일', 7),
];

/// Japanese eras with the year before their first (CLDR, calendarData japanese).
const ERAS: [(&str, u32); 5] = [("令和", 2018), ("平成", 1988), ("昭和", 1925), ("大正", 1911), ("明治", 1867)];

/// Syllables after 년, 월, 일, 시, 분 that make another word of them: 3일간, 3시간, 5시즌, 2월호.
const OTHER_WORDS: &str = "간째차즌리민장호";

/// Korean powers of ten.
const SCALES: [(char, i32); 6] = [('십', 1), ('백', 2), ('천', 3), ('만', 4), ('억', 8), ('조', 12)];

/// Finds what stands behind a weekday.
static SIGN: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("曜"));

fn weekday(c: char) -> Option<u32> {
    WEEKDAYS.iter().find(|(day, _)| *day == c).map(|(_, value)| *value)
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣')
}

impl FactReader<'_> {
    /// Returns the Han character, simplified, that follows a number without a break, or the one for a Korean syllable: 年 for 년.
    pub(super) fn mark(&self, at: usize) -> Option<char> {
        let unit = self.unit(at)?;
        if unit.kind != Kind::Word {
            return self.han(at).map(simplified);
        }
        let mut word = self.text.text.get(unit.start as usize..unit.end as usize)?.chars();
        let mark = match word.next().filter(|_| unit.before == Break::None)? {
            '년' => '年',
            '월' => '月',
            '일' => '日',
            '시' => '时',
            '분' => '分',
            _ => return None,
        };
        (!word.next().is_some_and(|next| OTHER_WORDS.contains(next))).then_some(mark)
    }

    /// Returns the year before the first of the Japanese era that precedes a number.
    pub(super) fn era(&self, at: usize) -> Option<u32> {
        let unit = self.unit(at).filter(|_| at >= 2)?;
        let before = self.text.text.get(..unit.start as usize)?;
        ERAS.iter().find(|(era, _)| before.ends_with(era)).map(|(_, year)| *year)
    }

    /// Returns the weekday in brackets before a position: that of 5月3日(土) after 日.
    pub(super) fn bracketed_weekday(&self, end: usize) -> Option<u32> {
        let last = self.unit(end.checked_sub(1)?)?;
        let mut after = self.text.text.get(last.end as usize..)?.chars();
        after.next().filter(|open| matches!(open, '(' | '（'))?;
        let day = weekday(after.next()?)?;
        after.next().filter(|next| matches!(next, ')' | '）' | '・' | '祝')).map(|_| day)
    }

    /// Adds the weekday in brackets after a date, 5月3日(土), to it, and returns the position after it.
    pub(super) fn with_weekday(&self, date: &mut Date, end: usize) -> usize {
        match self.bracketed_weekday(end) {
            Some(day) => {
                date[3] = Some(day);
                end + 1
            }
            None => end,
        }
    }

    /// Says which half of the day is named before a time, with the number of units: 午後, 오후.
    pub(super) fn half_before(&self, at: usize) -> Option<(u32, usize)> {
        let before = self.text.text.get(..self.unit(at)?.start as usize)?;
        if before.ends_with("午後") {
            return Some((12, 2));
        }
        if before.ends_with("午前") {
            return Some((0, 2));
        }
        let hangul = at > 0 && before.trim_end().ends_with(['전', '후']);
        self.half_of_day(at - usize::from(hangul)).filter(|_| hangul).map(|(half, _)| (half, 1))
    }

    /// Reads a weekday in Korean: 월요일, 월요일에.
    pub(super) fn korean_weekday(&mut self) -> Option<usize> {
        let at = self.at;
        let written = self.written(self.unit(at)?);
        let day = weekday(written.chars().next().filter(|c| is_hangul(*c))?)?;
        written
            .get('가'.len_utf8()..)?
            .starts_with("요일")
            .then(|| self.push_date(at..at + 1, [None, None, None, Some(day)]))
    }

    /// Reads a Korean ordinal: 제3차.
    pub(super) fn korean_ordinal(&mut self) -> Option<usize> {
        let at = self.at;
        let number = self.unit(at + 1).filter(|number| number.before == Break::None)?;
        let key = self.text.number(number)?.bits();
        if self.written(self.unit(at)?) != "제" {
            return None;
        }
        let counter = self.unit(at + 2).filter(|unit| unit.kind == Kind::Word && unit.before == Break::None);
        let measure = counter.and_then(|unit| self.written(unit).chars().next()).map_or(0, u64::from);
        let end = at + 2 + usize::from(counter.is_some());
        Some(self.push(ConflictKind::Ordinal, at..end, key, measure))
    }

    /// Returns the power of ten at the start of a Korean word after a number, and whether the word is more: 6 and 원 for 백만원.
    fn korean_power(&self, at: usize) -> Option<(i32, Option<char>)> {
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Word && unit.before == Break::None)?;
        let mut word = self.written(unit).chars();
        let mut power = 0;
        let mut next = word.next();
        while let Some(scale) = next.and_then(|c| SCALES.iter().find(|(syllable, _)| *syllable == c)) {
            power += scale.1;
            if power > 16 {
                return None;
            }
            next = word.next();
        }
        (power > 0).then_some((power, next))
    }

    /// Returns the number at a position with its Korean powers of ten, 3만 5000명, what it counts, and the position after it.
    pub(super) fn korean_number(&self, at: usize, number: Number) -> Option<(Number, u64, usize)> {
        let (mut power, mut counted) = self.korean_power(at + 1)?;
        let (mut total, mut end) = (number.times_ten_to(power), at + 2);
        while counted.is_none() && power >= 4 {
            let Some(more) = self.unit(end).filter(|unit| unit.before <= Break::Space) else { break };
            let Some(more) = self.text.number(more) else { break };
            let Some((less, after)) = self.korean_power(end + 1).or_else(|| {
                let word = self.unit(end + 1).filter(|unit| unit.kind == Kind::Word && unit.before == Break::None)?;
                Some((0, self.written(word).chars().next()))
            }) else {
                break;
            };
            if less >= power || more.small().is_none_or(|more| more >= 10_000) {
                break;
            }
            total = total.and(more.times_ten_to(less));
            end += if less > 0 { 2 } else { 1 };
            (power, counted) = (less, after);
        }
        Some((total, counted.map_or(0, u64::from), end))
    }
}

/// Returns the weekdays that a Japanese text names by 曜, with their units.
pub(super) fn weekdays(text: &Text<'_>) -> Vec<(u32, Range<usize>)> {
    let signs = SIGN.find_iter(text.text.as_bytes());
    let found = signs.filter_map(|at| {
        let before = text.text.get(..at)?.chars().next_back()?;
        let value = weekday(before)?;
        let unit = text.units.partition_point(|unit| (unit.start as usize) < at);
        (unit > 0 && unit < text.units.len()).then(|| (value, unit - 1..unit + 1))
    });
    found.collect()
}
