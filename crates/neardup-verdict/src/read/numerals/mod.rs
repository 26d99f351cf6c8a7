//! Numbers as they are written in the digits of any script and in Chinese numerals, read by value.
//!
//! [`read`] takes the longest number at a place: `12000`, `12,000`, `12 000` with a narrow space, `12'000`, `1.234.567`, `12,34,567`,
//! `١٢٬٠٠٠`, `１２０００`, `1.2万`, `一万二千`, `二〇二三`, `十九`; [`cardinal`] knows the words of English,
//! [`counted`] those of other languages. What value means: [`Number`]s are equal where their decimal values are, so `第九集` and `第9集` name the same part. [`minus`] and [`percent_sign`]
//! know what stands before a number and after it.
//!
//! A Chinese numeral character is not always a number (`一些`, `统一`, `万一`). Where it stands alone or is a bare unit,
//! the reader says so ([`Numeral::sure`] is false) and the caller decides by what is around it.

mod arabic;
mod chinese;
mod digits;
mod english;
mod number;
mod sign;
mod words;

use arabic::arabic;
use chinese::{chinese, digit, large_unit, small_unit};
pub use english::cardinal;
pub use number::Number;
pub use sign::{fraction, minus, percent_sign, quotient};
pub(crate) use words::counted;

/// The most characters that are read for one number; a longer run of digits is cut there.
const MAX_CHARS: usize = 4096;

/// One number found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numeral {
    /// Its value.
    pub number: Number,
    /// Its length in characters.
    pub len: usize,
    /// Number of digits in its first group, as written; `0` for Chinese numerals with units.
    pub width: usize,
    /// Whether it can only be a number: it has an Arabic digit, a unit between digits, or at least three digits.
    pub sure: bool,
    /// Whether it is written in Arabic digits.
    pub arabic: bool,
}

/// Returns the character that `c` stands for in a number: digits of other scripts, full-width signs and Arabic separators become ASCII.
#[must_use]
#[inline]
pub fn fold(c: char) -> char {
    match c {
        '\0'..'\u{660}' => c,
        '\u{66b}' => '.',
        '\u{66c}' => ',',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => digits::ascii(c).unwrap_or(c),
    }
}

/// Says whether a number may start with `c`, after [`fold`].
#[must_use]
pub fn may_start(c: char) -> bool {
    match u32::from(c).checked_sub(HAN) {
        Some(place) => STARTS.get(place as usize / 64).is_some_and(|word| (word >> (place % 64)) & 1 == 1),
        None => c.is_ascii_digit() || digit(c).is_some(),
    }
}

/// The first Han character of [`STARTS`].
const HAN: u32 = 0x4e00;

/// A bit for each Han character with which a number may start, because every character of every text is looked up.
static STARTS: [u64; (0xa000 - HAN as usize) / 64] = {
    let mut starts = [0; _];
    let mut code = HAN;
    while code < 0xa000 {
        if let Some(c) = char::from_u32(code)
            && (digit(c).is_some() || small_unit(c).is_some())
        {
            starts[(code - HAN) as usize / 64] |= 1 << ((code - HAN) % 64);
        }
        code += 1;
    }
    starts
};

/// Reads the longest number that `chars` starts with.
///
/// The characters are those of the text, folded or not.
#[must_use]
pub fn read(chars: impl Iterator<Item = char> + Clone) -> Option<Numeral> {
    let chars = chars.map(fold);
    let first = chars.clone().next()?;
    let group = if first.is_ascii_digit() { arabic(chars.clone()) } else { chinese(chars.clone()) }?;
    let mut total = group;
    let mut rest = skip(chars.clone(), group.len);
    let mut sum = None;
    // Groups and their large units: 3亿5000万, 一万二千, 1.2万亿.
    let mut last = i32::MAX;
    let mut part = group;
    loop {
        let mut power = 0;
        let mut spaced = rest.clone();
        if part.arabic && spaced.next() == Some(' ') && spaced.clone().next().and_then(large_unit).is_some() {
            // Some write 7 万 with a space.
            rest = spaced;
            total.len += 1;
        }
        while let Some(unit) = rest.clone().next().and_then(large_unit) {
            // 千 and 百 before a large unit, 3千万, belong to the group, so only large units follow here.
            power += unit;
            total.len += 1;
            total.sure = true;
            rest.next();
            if power > 16 {
                break;
            }
        }
        let value = part.number.times_ten_to(power);
        sum = Some(sum.map_or(value, |sum: Number| sum.add(value)));
        if power == 0 || power >= last {
            break;
        }
        last = power;
        let next = match rest.clone().next() {
            Some(c) if c.is_ascii_digit() && group.arabic => arabic(rest.clone()),
            Some(c) if !c.is_ascii_digit() && !group.arabic => chinese(rest.clone()),
            _ => None,
        };
        let Some(next) = next else { break };
        let after = skip(rest.clone(), next.len);
        let closed = after.clone().next().and_then(large_unit).is_some();
        // In 1万2, the 2 may be thousands or another number: it is taken only if a unit says so.
        if group.arabic && !closed {
            break;
        }
        total.len += next.len;
        rest = after;
        part = next;
    }
    Some(Numeral { number: sum?, ..total })
}

fn skip<I: Iterator<Item = char>>(mut chars: I, n: usize) -> I {
    for _ in 0..n {
        chars.next();
    }
    chars
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Number {
        let reading = read(text.chars()).unwrap();
        assert_eq!(reading.len, text.chars().count(), "{text}");
        reading.number
    }

    #[test]
    fn equal_values_in_any_writing() {
        for (a, b) in [
            ("12000", "1.2万"),
            ("12,000", "１２０００"),
            ("1,234,567,890", "1234567890"),
            ("225,400", "22.54万"),
            ("一万二千", "12000"),
            ("3亿5000万", "三亿五千万"),
            ("九", "9"),
            ("十九", "19"),
            ("二十", "20"),
            ("一百零八", "108"),
            ("二〇二三", "2023"),
            ("1.50", "1.5"),
            ("两千", "2000"),
            ("5百", "500"),
            ("007", "7"),
            ("1.2万亿", "1200000000000"),
            ("3千万", "三千万"),
            ("7 万", "70000"),
            ("6-1/4", "6.25"),
            ("١٢٬٠٠٠", "12000"),
            ("۱٫۵", "1.5"),
            ("१२,३४,५६७", "1234567"),
            ("๒๕๖๗", "2567"),
            ("12\u{202f}500", "12500"),
            ("1’234’567", "1234567"),
            ("1.234.567", "1234567"),
            ("1.234.567,89", "1234567.89"),
            ("6 3/16", "6.1875"),
        ] {
            assert_eq!(value(a), value(b), "{a} {b}");
        }
        assert_ne!(value("1.5"), value("15"));
        let long = "1".repeat(50);
        assert_eq!(value(&long), value(&long));
        assert_ne!(value(&long), value(&"1".repeat(51)));
    }

    #[test]
    fn numbers_start_with_digits_and_units() {
        for c in '\0'..=char::MAX {
            assert_eq!(may_start(c), c.is_ascii_digit() || digit(c).is_some() || small_unit(c).is_some(), "{c}");
        }
    }

    #[test]
    fn a_number_ends_where_another_thing_begins() {
        for (text, len) in [
            ("3千米", 1),
            ("2018.5.22", 4),
            ("1,2", 1),
            ("1,2345", 1),
            ("1234,567", 4),
            ("1,234,56", 5),
            ("5.", 1),
            ("三五年", 2),
            ("十分", 1),
            ("1万2", 2),
            ("百分之五", 1),
            ("6-2/4", 1),
            ("1-1/3", 1),
            ("1999-1/2", 4),
            ("2-1", 1),
            ("12 500", 2),
            ("12 500 человек", 6),
            ("12 500 €", 6),
            ("1,23,45", 1),
            ("1'23", 1),
        ] {
            assert_eq!(read(text.chars()).unwrap().len, len, "{text}");
        }
        assert_eq!(read("万一".chars()), None);
        assert_eq!(read("".chars()), None);
    }

    /// Writes a number below 10,000 as a schoolbook does.
    fn in_words(number: u32) -> String {
        let digits = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
        let mut out = String::new();
        let mut gap = false;
        for (unit, power) in [("千", 1000), ("百", 100), ("十", 10), ("", 1)] {
            let digit = number / power % 10;
            if digit == 0 {
                gap = true;
                continue;
            }
            if gap && !out.is_empty() {
                out.push('零');
            }
            gap = false;
            out.push_str(digits[digit as usize]);
            out.push_str(unit);
        }
        out
    }

    proptest! {
        #[test]
        fn words_are_read_as_figures(number in 1_u32..10_000, myriads in 0_u32..10_000) {
            prop_assert_eq!(value(&in_words(number)), Number::new(u128::from(number), 0));
            if myriads > 0 && number >= 1000 {
                let whole = format!("{}万{}", in_words(myriads), in_words(number));
                prop_assert_eq!(value(&whole), Number::new(u128::from(myriads) * 10_000 + u128::from(number), 0));
            }
        }

        #[test]
        fn figures_are_read_by_value(whole in 0_u64.., fraction in 0_u32..1000) {
            prop_assert_eq!(value(&whole.to_string()), Number::new(u128::from(whole), 0));
            let written = format!("{whole}.{fraction:03}");
            prop_assert_eq!(value(&written), Number::new(u128::from(whole) * 1000 + u128::from(fraction), -3));
            prop_assert_eq!(value(&format!("{written}万")), value(&written).times_ten_to(4));
        }

        #[test]
        fn any_text_is_read_without_harm(text in "[0-9,.一二十百千万亿零〇两年]{0,40}") {
            if let Some(reading) = read(text.chars()) {
                prop_assert!(reading.len <= text.chars().count() && reading.len > 0);
            }
        }
    }
}
