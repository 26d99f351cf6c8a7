//! The day that the dateline of a Chinese agency names: `新华社北京5月9日电`.
//!
//! A dateline does not count between copies, because another agency puts its own. But a short notice that comes again, a rainstorm warning or a
//! figure of the exchange, has the same words each time, and only its dateline says that it is another one.

use std::ops::Range;

use super::credits::dateline;
use super::numerals::fold;

/// Copies are sent within this many days of each other.
const DAYS: u32 = 1;

/// The days before each month in a year of 365 days.
const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// Days in that year, the most days in a month, and the least.
const YEAR: u32 = 365;
const MONTH: u32 = 31;
const SHORTEST_MONTH: u32 = 28;

/// A day as a dateline has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Day {
    year: Option<u32>,
    month: Option<u32>,
    day: u32,
}

/// Returns the days that the datelines of two texts name, in bytes of each, if both do and the days are not next to each other.
pub(crate) fn days_apart(texts: [&str; 2]) -> Option<[Range<usize>; 2]> {
    let [a, b] = texts.map(day);
    let ((at_a, a), (at_b, b)) = (a?, b?);
    a.is_apart(b).then_some([at_a, at_b])
}

/// Returns the day that the dateline of a text names.
fn day(text: &str) -> Option<(Range<usize>, Day)> {
    let dateline = dateline(text)?;
    let written = text.get(dateline.clone())?;
    let end = written.find('日')?;
    let (start, day) = number_before(written, end)?;
    let mut found = (start, Day { year: None, month: None, day });
    if let Some(before) = written.get(..start)?.strip_suffix('月') {
        let (start, month) = number_before(before, before.len())?;
        found = (start, Day { month: Some(month), ..found.1 });
        if let Some(before) = written.get(..start)?.strip_suffix('年') {
            let (start, year) = number_before(before, before.len())?;
            found = (start, Day { year: Some(year), ..found.1 });
        }
    }
    let (start, day) = found;
    let is_one = (1..=MONTH).contains(&day.day) && day.month.is_none_or(|month| (1..=12).contains(&month));
    is_one.then(|| (dateline.start + start..dateline.start + end + '日'.len_utf8(), day))
}

/// Reads the figures that end at `end`: where they begin, and the number.
fn number_before(text: &str, end: usize) -> Option<(usize, u32)> {
    let head = text.get(..end)?;
    let start = head.trim_end_matches(|c| fold(c).is_ascii_digit()).len();
    let figures: String = head.get(start..)?.chars().map(fold).collect();
    figures.parse().ok().map(|number| (start, number))
}

impl Day {
    fn is_apart(self, other: Self) -> bool {
        let of_year = |day: Self| Some(BEFORE.get(day.month?.checked_sub(1)? as usize)? + day.day);
        let (direct, all) = match (of_year(self), of_year(other)) {
            (Some(day), Some(other)) => (day.abs_diff(other), YEAR),
            _ => (self.day.abs_diff(other.day), MONTH),
        };
        // From the last days of a year or month to the first days of the next one.
        let wraps = direct > all / 2;
        let days = if wraps { all - direct } else { direct };
        let most = if wraps && all == MONTH { DAYS + MONTH - SHORTEST_MONTH } else { DAYS };
        let years = self.year.zip(other.year).map(|(year, other)| year.abs_diff(other));
        days > most || years.is_some_and(|years| years != u32::from(wraps))
    }
}

#[cfg(test)]
mod tests {
    use super::days_apart;

    fn are_apart(a: &str, b: &str) -> bool {
        let text = |day: &str| format!("【大桥通车】某社北京{day}电，大桥今天通车。");
        days_apart([&text(a), &text(b)]).is_some()
    }

    #[test]
    fn days_of_datelines() {
        for (a, b) in [
            ("6月8日", "6月8日"),
            ("6月8日", "8日"),
            ("6月8日", "6月9日"),
            ("6月30日", "7月1日"),
            ("2月28日", "3月1日"),
            ("2月29日", "3月1日"),
            ("28日", "1日"),
            ("31日", "1日"),
            ("2026年12月31日", "2027年1月1日"),
            ("2025年6月8日", "6月8日"),
            ("６月８日", "6月9日"),
        ] {
            assert!(!are_apart(a, b) && !are_apart(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("6月8日", "6月18日"),
            ("6月8日", "9月8日"),
            ("8日", "10日"),
            ("2025年6月8日", "2026年6月8日"),
            ("2025年6月8日", "2026年6月9日"),
            ("1月3日", "12月30日"),
            ("2026年1月1日", "2026年12月31日"),
        ] {
            assert!(are_apart(a, b) && are_apart(b, a), "{a} {b}");
        }
        let found = days_apart(["某社6月8日电，雨。", "某社6月18日电，雨。"]).map(|[a, b]| [a.len(), b.len()]);
        assert_eq!(found, Some(["6月8日".len(), "6月18日".len()]));
        assert_eq!(days_apart(["6月8日，雨。", "某社6月18日电，雨。"]), None);
        assert_eq!(days_apart(["某社99999999999月8日电，雨。", "某社12月18日电，雨。"]), None);
    }
}
