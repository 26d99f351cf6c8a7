//! Numbers in Arabic digits, with the separators of any country.
//!
//! A comma, an apostrophe or a narrow space separates groups of three digits, a comma also groups of two before the last three
//! (`12,34,567`), a point only two groups and more (`1.234.567`), because `1.234` is a decimal fraction elsewhere. A space of full width
//! separates groups only before a Cyrillic word or a currency sign, since it may stand between two numbers.

use super::chinese::small_unit;
use super::number::MAX_DIGITS;
use super::{MAX_CHARS, Number, Numeral, skip};

/// Reads Arabic digits with thousands separators and a decimal part, then 百 or 千 if they are not part of a measure.
pub(super) fn arabic(chars: impl Iterator<Item = char> + Clone) -> Option<Numeral> {
    let mut digits: u128 = 0;
    let mut significant = 0;
    let mut hash = 0_u64;
    let mut exponent = 0;
    let mut width = 0;
    // Digits since the last thousands separator.
    let mut group = 0;
    let mut grouping = None;
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
                width += usize::from(!fraction && grouping.is_none());
                group += 1;
                len += 1;
                rest = ahead;
            }
            Some(sign)
                if !fraction
                    && len > 0
                    && grouping.map_or_else(
                        || Grouping::starts(sign, group, ahead.clone()),
                        |grouping: Grouping| grouping.continues(sign, group, ahead.clone()),
                    ) =>
            {
                grouping = Some(grouping.unwrap_or(Grouping { sign, pairs: !thousands(ahead.clone()) }));
                group = 0;
                len += 1;
                rest = ahead;
            }
            Some(',')
                if grouping.is_some_and(|grouping| grouping.sign == '.') && !fraction && decimals(ahead.clone()) =>
            {
                fraction = true;
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
    let mut number = if significant > MAX_DIGITS { Number::hashed(hash) } else { Number::new(digits, exponent) };
    // 6-1/4 and 6 1/4, but not the 1999-1/2 of an issue.
    if !fraction && width <= 3 {
        let mut ahead = rest.clone();
        if matches!(ahead.next(), Some('-' | ' '))
            && let Some((part, of_part)) = common_fraction(ahead)
        {
            number = number.add(part);
            len += 1 + of_part;
            return Some(Numeral { number, len, width, sure: true, arabic: true });
        }
    }
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
    Some(Numeral { number, len, width, sure: true, arabic: true })
}

/// How the digits of a number are grouped.
#[derive(Clone, Copy)]
struct Grouping {
    sign: char,
    /// Whether groups have two digits and only the last one three.
    pairs: bool,
}

/// The most groups of two digits before the last three that are read: enough for crores of crores.
const MAX_PAIRS: usize = 6;

impl Grouping {
    /// Says whether `sign`, after `digits` digits, is the first separator of a number that continues with `rest`.
    fn starts(sign: char, digits: usize, rest: impl Iterator<Item = char> + Clone) -> bool {
        let three = (1..=3).contains(&digits) && thousands(rest.clone());
        match sign {
            ',' => three || (1..=2).contains(&digits) && pairs(rest),
            '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}' => three,
            ' ' => three && is_alone(rest),
            '.' => three && { rest.clone().nth(3) == Some('.') && thousands(rest.skip(4)) },
            _ => false,
        }
    }

    /// Says whether `sign` separates another group.
    fn continues(self, sign: char, digits: usize, rest: impl Iterator<Item = char> + Clone) -> bool {
        let three = thousands(rest.clone());
        sign == self.sign && if self.pairs { digits == 2 && (three || pairs(rest)) } else { digits == 3 && three }
    }
}

/// Says whether groups of two digits, each with a comma, and three digits follow.
fn pairs(mut rest: impl Iterator<Item = char> + Clone) -> bool {
    for _ in 0..MAX_PAIRS {
        let group = rest.by_ref().take(3);
        if !group.map(|c| if c.is_ascii_digit() { '0' } else { c }).eq(['0', '0', ',']) {
            return false;
        }
        if thousands(rest.clone()) {
            return true;
        }
    }
    false
}

/// The most groups after a space that are read: a number of 21 digits.
const MAX_SPACED: usize = 6;

/// Says whether a Cyrillic word or a currency sign follows the last group, so that the spaces before it are no gaps between numbers.
fn is_alone(mut rest: impl Iterator<Item = char> + Clone) -> bool {
    for _ in 0..MAX_SPACED {
        rest = skip(rest, 3);
        let mut ahead = rest.clone();
        let next = ahead.next();
        if next != Some(' ') || !thousands(ahead.clone()) {
            let unit = if next == Some(' ') { ahead.next() } else { next };
            return unit.is_some_and(|c| matches!(c, '\u{400}'..='\u{52f}' | '\u{20a0}'..='\u{20cf}'));
        }
        rest = ahead;
    }
    false
}

/// Reads a proper fraction in halves, quarters, … sixty-fourths, as in prices of securities, with its length.
fn common_fraction(chars: impl Iterator<Item = char>) -> Option<(Number, usize)> {
    let mut parts = [0_u32; 2];
    let mut lens = [0_usize; 2];
    let mut part = 0;
    for c in chars {
        match c.to_digit(10) {
            Some(digit) if lens[part] < 2 => {
                parts[part] = parts[part] * 10 + digit;
                lens[part] += 1;
            }
            None if c == '/' && part == 0 => part = 1,
            None if c != '/' => break,
            _ => return None,
        }
    }
    let [above, below] = parts;
    let proper = (2..=64).contains(&below) && below.is_power_of_two() && above % 2 == 1 && above < below;
    // 1/2^k is 5^k/10^k.
    let power = below.checked_ilog2()?;
    let value = Number::new(u128::from(above) * 5_u128.pow(power), -power.cast_signed());
    proper.then_some((value, lens[0] + 1 + lens[1]))
}

/// Says whether exactly three digits follow a thousands separator.
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
