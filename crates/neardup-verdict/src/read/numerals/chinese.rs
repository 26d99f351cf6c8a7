//! Numbers in Chinese numerals.

use super::number::MAX_DIGITS;
use super::{MAX_CHARS, Number, Numeral};

/// Returns the value of a Chinese digit.
pub(super) const fn digit(c: char) -> Option<u128> {
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

/// Returns the power of ten of a unit inside a group of four digits.
pub(super) const fn small_unit(c: char) -> Option<i32> {
    Some(match c {
        '十' | '拾' => 1,
        '百' | '佰' => 2,
        '千' | '仟' => 3,
        _ => return None,
    })
}

/// Returns the power of ten of a unit that closes a group.
pub(super) fn large_unit(c: char) -> Option<i32> {
    Some(match c {
        '万' | '萬' => 4,
        '亿' | '億' => 8,
        _ => return None,
    })
}

/// Reads a group of Chinese digits, with units up to 千 or as a sequence of digits.
pub(super) fn chinese(chars: impl Iterator<Item = char> + Clone) -> Option<Numeral> {
    // The sequence of digits before the first unit.
    let mut row: u128 = 0;
    let mut row_len = 0;
    let mut significant = 0;
    let mut hash = 0_u64;
    let mut total: u128 = 0;
    let mut pending: Option<u128> = None;
    let mut units = 0;
    let mut len = 0;
    let mut zero = false;
    let mut last = i32::MAX;
    for c in chars.take(MAX_CHARS) {
        if let Some(value) = digit(c) {
            if units > 0 {
                // 三百二十 continues; after a unit, only one digit, or a zero and a digit, may follow.
                match pending {
                    Some(0) | None => pending = Some(value),
                    Some(_) => break,
                }
            } else {
                row_len += 1;
                significant += usize::from(significant > 0 || value > 0);
                if significant <= MAX_DIGITS {
                    row = row * 10 + value;
                }
                hash = hash.wrapping_mul(0x0100_0000_01b3) ^ value as u64;
            }
            zero |= value == 0 && c != '零';
        } else if let Some(power) = small_unit(c) {
            let count = if units == 0 {
                match row_len {
                    0 => 1,
                    1 => row,
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
            // 十零 is not a numeral: the zero belongs to what follows.
            len -= 1;
            pending = None;
        }
        total += pending.unwrap_or(0);
        return Some(Numeral { number: Number::new(total, 0), len, width: 0, sure: len > 1, arabic: false });
    }
    let number = if significant > MAX_DIGITS { Number::hashed(hash) } else { Number::new(row, 0) };
    Some(Numeral { number, len, width: len, sure: len > 2 || (len == 2 && zero), arabic: false })
}
