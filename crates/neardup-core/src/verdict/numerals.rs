//! Numbers as they are written in Chinese and Latin text, read by value.
//!
//! [`read`] takes the longest number at a place: `12000`, `12,000`, `１２０００`, `1.2万`, `一万二千`, `二〇二三`, `十九`. What value
//! means: [`Number`]s are equal where their decimal values are, so `第九集` and `第9集` name the same part.
//!
//! A Chinese numeral character is not always a number (`一些`, `统一`, `万一`). Where it stands alone or is a bare unit,
//! the reader says so ([`Reading::sure`] is false) and the caller decides by what is around it.

use crate::sketch::hash::mix;

/// A decimal value: `digits` times ten to the power of `exponent`, without trailing zeros in `digits`.
///
/// Of more than 36 digits only a hash counts, with the exponent that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    digits: u128,
    exponent: i32,
}

/// The exponent of numbers that are too long to be held by value.
const HASHED: i32 = i32::MAX;

/// Most significant digits that are held by value.
const MAX_DIGITS: usize = 36;

/// Characters looked at for one number; a longer run of digits is cut there.
const MAX_CHARS: usize = 4096;

impl Number {
    /// Makes the number `digits * 10^exponent`.
    #[must_use]
    pub fn new(mut digits: u128, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self { digits, exponent: 0 };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    /// Gives the value as a small whole number, where it is one.
    #[must_use]
    pub fn small(self) -> Option<u32> {
        if !(0..=9).contains(&self.exponent) {
            return None;
        }
        let power = 10_u128.pow(self.exponent.unsigned_abs());
        u32::try_from(self.digits.checked_mul(power)?).ok()
    }

    /// Gives bits that are equal for equal values.
    #[must_use]
    pub fn bits(self) -> u64 {
        let [low, high] = [self.digits as u64, (self.digits >> 64) as u64];
        mix(mix(low, 1) ^ high, u64::from(self.exponent.unsigned_abs()) << 1 | u64::from(self.exponent < 0))
    }

    fn add(self, other: Self) -> Self {
        let least = self.exponent.min(other.exponent);
        let scaled = |number: Self| {
            let power = u32::try_from(number.exponent - least).ok().filter(|&power| power < 38)?;
            number.digits.checked_mul(10_u128.pow(power))
        };
        match (scaled(self), scaled(other)) {
            (Some(a), Some(b)) if a.checked_add(b).is_some() => Self::new(a + b, least),
            _ => self,
        }
    }

    fn times_ten_to(self, power: i32) -> Self {
        if self.digits == 0 || self.exponent == HASHED {
            return self;
        }
        Self { exponent: self.exponent + power, ..self }
    }
}

/// One number found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its value.
    pub number: Number,
    /// Characters it takes.
    pub len: usize,
    /// Digits in its first group, as written; `0` for Chinese numerals with units.
    pub width: usize,
    /// Whether it can be nothing else: it has an Arabic digit, or a unit between digits, or three digits and more.
    pub sure: bool,
    /// Whether it is written in Arabic digits.
    pub arabic: bool,
}

/// Gives the character that `c` stands for in a number: full-width digits and signs become ASCII.
#[must_use]
pub fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

/// Gives the value of a Chinese digit.
fn digit(c: char) -> Option<u128> {
    Some(match c {
        '零' | '〇' | '○' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '贰' | '兩' | '貳' => 2,
        '三' | '叁' | '參' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' | '陸' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    })
}

/// Gives the power of ten of a unit inside a group of four digits.
fn small_unit(c: char) -> Option<i32> {
    Some(match c {
        '十' | '拾' => 1,
        '百' | '佰' => 2,
        '千' | '仟' => 3,
        _ => return None,
    })
}

/// Gives the power of ten of a unit that closes a group.
fn large_unit(c: char) -> Option<i32> {
    Some(match c {
        '万' | '萬' => 4,
        '亿' | '億' => 8,
        _ => return None,
    })
}

/// Says whether a number may start with `c`, after [`fold`].
#[must_use]
pub fn may_start(c: char) -> bool {
    c.is_ascii_digit() || digit(c).is_some() || small_unit(c).is_some()
}

/// Reads the longest number that `chars` starts with.
///
/// The characters are those of the text, folded or not.
#[must_use]
pub fn read(chars: impl Iterator<Item = char> + Clone) -> Option<Reading> {
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
        // In 1万2 the 2 may be thousands or another number: taken only where a unit says.
        if group.arabic && !closed {
            break;
        }
        total.len += next.len;
        rest = after;
        part = next;
    }
    Some(Reading { number: sum?, ..total })
}

fn skip<I: Iterator<Item = char>>(mut chars: I, n: usize) -> I {
    for _ in 0..n {
        chars.next();
    }
    chars
}

/// Reads Arabic digits with separators of thousands and a decimal part, then 百 or 千 where they are no part of a measure.
fn arabic(chars: impl Iterator<Item = char> + Clone) -> Option<Reading> {
    let mut digits: u128 = 0;
    let mut significant = 0;
    let mut hash = 0_u64;
    let mut exponent = 0;
    let mut width = 0;
    let mut len = 0;
    let mut fraction = false;
    let mut rest = chars;
    while len < MAX_CHARS {
        let mut ahead = rest.clone();
        match ahead.next() {
            Some(c) if c.is_ascii_digit() => {
                let value = u128::from(u32::from(c) - u32::from('0'));
                if significant > 0 || value > 0 {
                    significant += 1;
                }
                if significant <= MAX_DIGITS {
                    digits = digits * 10 + value;
                }
                hash = hash.wrapping_mul(0x0100_0000_01b3) ^ value as u64;
                exponent -= i32::from(fraction);
                width += usize::from(!fraction);
                len += 1;
                rest = ahead;
            }
            Some(',') if !fraction && (1..=3).contains(&(width % 4)) && thousands(ahead.clone()) => {
                len += 1;
                rest = ahead;
            }
            Some('.') if !fraction && decimals(ahead.clone()) => {
                fraction = true;
                len += 1;
                rest = ahead;
            }
            _ => break,
        }
    }
    if len == 0 {
        return None;
    }
    let mut number = if significant > MAX_DIGITS {
        Number { digits: u128::from(hash), exponent: HASHED }
    } else {
        Number::new(digits, exponent)
    };
    let mut units = rest.clone();
    if let Some(c) = units.next()
        && let Some(power @ 2..) = small_unit(c)
        && !units.next().is_some_and(|next| {
            matches!(next, '米' | '克' | '瓦' | '伏' | '焦' | '卡' | '赫' | '帕' | '分' | '字' | '度')
        })
    {
        number = number.times_ten_to(power);
        len += 1;
    }
    Some(Reading { number, len, width, sure: true, arabic: true })
}

/// Says whether a separator of thousands goes on with three digits and no fourth.
fn thousands(chars: impl Iterator<Item = char>) -> bool {
    let next: Vec<bool> = chars.take(4).map(|c| c.is_ascii_digit()).collect();
    matches!(next.as_slice(), [true, true, true] | [true, true, true, false])
}

/// Says whether a point is a decimal one: digits follow, and no second point with digits, as in a version or a date.
fn decimals(chars: impl Iterator<Item = char>) -> bool {
    let mut digits = 0;
    let mut chars = chars.skip_while(|c| {
        digits += u32::from(c.is_ascii_digit());
        c.is_ascii_digit()
    });
    let stop = chars.next();
    let second = stop == Some('.') && chars.next().is_some_and(|c| c.is_ascii_digit());
    drop(chars);
    digits > 0 && !second
}

/// Reads a group of Chinese digits, with units up to 千 or as a row of digits.
fn chinese(chars: impl Iterator<Item = char> + Clone) -> Option<Reading> {
    let mut row: Vec<u128> = Vec::new();
    let mut total: u128 = 0;
    let mut pending: Option<u128> = None;
    let mut units = 0;
    let mut len = 0;
    let mut zero = false;
    let mut last = i32::MAX;
    for c in chars.take(MAX_CHARS) {
        if let Some(value) = digit(c) {
            if units > 0 {
                // 三百二十 goes on; after a unit only one digit, or a zero and a digit, may stand.
                match pending {
                    Some(0) | None => pending = Some(value),
                    Some(_) => break,
                }
            } else {
                row.push(value);
            }
            zero |= value == 0 && c != '零';
        } else if let Some(power) = small_unit(c) {
            let count = if units == 0 {
                match row.as_slice() {
                    [] => 1,
                    [one] => *one,
                    _ => break,
                }
            } else {
                match pending.take() {
                    Some(count) if power < last => count,
                    other => {
                        pending = other;
                        break;
                    }
                }
            };
            units += 1;
            last = power;
            total += count * 10_u128.pow(power.unsigned_abs());
        } else {
            break;
        }
        len += 1;
    }
    if len == 0 {
        return None;
    }
    if units > 0 {
        if pending == Some(0) {
            // 十零 is no numeral: the zero belongs to what follows.
            len -= 1;
            pending = None;
        }
        total += pending.unwrap_or(0);
        return Some(Reading { number: Number::new(total, 0), len, width: 0, sure: len > 1, arabic: false });
    }
    let significant = row.iter().skip_while(|&&value| value == 0).count();
    let number = if significant > MAX_DIGITS {
        let hash = row.iter().fold(0_u64, |hash, &value| hash.wrapping_mul(0x0100_0000_01b3) ^ value as u64);
        Number { digits: u128::from(hash), exponent: HASHED }
    } else {
        Number::new(row.iter().fold(0, |number, value| number * 10 + value), 0)
    };
    Some(Reading { number, len, width: len, sure: len > 2 || (len == 2 && zero), arabic: false })
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
        ] {
            assert_eq!(value(a), value(b), "{a} {b}");
        }
        assert_ne!(value("1.5"), value("15"));
        let long = "1".repeat(50);
        assert_eq!(value(&long), value(&long));
        assert_ne!(value(&long), value(&"1".repeat(51)));
    }

    #[test]
    fn a_number_ends_where_another_thing_begins() {
        for (text, len) in [
            ("3千米", 1),
            ("2018.5.22", 4),
            ("1,2", 1),
            ("1,2345", 1),
            ("5.", 1),
            ("三五年", 2),
            ("十分", 1),
            ("1万2", 2),
            ("百分之五", 1),
        ] {
            assert_eq!(read(text.chars()).unwrap().len, len, "{text}");
        }
        assert_eq!(read("万一".chars()), None);
        assert_eq!(read("".chars()), None);
    }

    /// The way a schoolbook writes a number below 10,000.
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
