//! Numbers in Arabic digits.

use super::chinese::small_unit;
use super::number::MAX_DIGITS;
use super::{MAX_CHARS, Number, Reading};

/// Reads Arabic digits with thousands separators and a decimal part, then 百 or 千 if they are not part of a measure.
pub(super) fn arabic(chars: impl Iterator<Item = char> + Clone) -> Option<Reading> {
    let mut digits: u128 = 0;
    let mut significant = 0;
    let mut hash = 0_u64;
    let mut exponent = 0;
    let mut width = 0;
    // Digits since the last thousands separator.
    let mut group = 0;
    let mut grouped = false;
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
                width += usize::from(!fraction && !grouped);
                group += 1;
                len += 1;
                rest = ahead;
            }
            Some(',')
                if !fraction
                    && (if grouped { group == 3 } else { (1..=3).contains(&group) })
                    && thousands(ahead.clone()) =>
            {
                (group, grouped) = (0, true);
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
            return Some(Reading { number, len, width, sure: true, arabic: true });
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
    Some(Reading { number, len, width, sure: true, arabic: true })
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
