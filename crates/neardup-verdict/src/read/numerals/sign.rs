//! What turns a number's value: a minus before it, a percent sign after it.

use super::{Number, fold};
use neardup_text::lexicon::is_han;

/// Returns the length of the percent sign with which `after`, the text after a number, begins; a space may precede it.
#[must_use]
pub fn percent_sign(after: &str) -> Option<usize> {
    let sign = after.strip_prefix([' ', '\u{a0}', '\u{2009}', '\u{202f}', '\u{3000}']).unwrap_or(after);
    let sign = sign.strip_prefix(['%', '％', '‰', '٪', '﹪'])?;
    Some(after.len() - sign.len())
}

/// Returns the value of a character that is a fraction: ½, ⅔. A third is cut off after six decimals.
#[must_use]
pub fn fraction(c: char) -> Option<Number> {
    let [above, below] = match c {
        '¼' => [1, 4],
        '½' => [1, 2],
        '¾' => [3, 4],
        '⅐' => [1, 7],
        '⅑' => [1, 9],
        '⅒' => [1, 10],
        '⅓' => [1, 3],
        '⅔' => [2, 3],
        '⅕'..='⅘' => [u32::from(c) - u32::from('⅕') + 1, 5],
        '⅙' => [1, 6],
        '⅚' => [5, 6],
        '⅛' => [1, 8],
        '⅜' => [3, 8],
        '⅝' => [5, 8],
        '⅞' => [7, 8],
        _ => return None,
    };
    Some(quotient(above, below))
}

/// Returns the value of a fraction, with six decimals; `below` must not be 0.
#[must_use]
pub fn quotient(above: u32, below: u32) -> Number {
    Number::new(u128::from(above) * 1_000_000 / u128::from(below.max(1)), -6)
}

/// Says whether the number in Arabic digits between `before` and `after` is negative, and returns the length of its minus sign.
///
/// A hyphen is a minus sign if nothing precedes it that it could join, or if Han characters precede it and degrees or percent
/// follow: 歼-20 is a plane, 同比-20% a loss. 零下 and 负 are words of their own, and have no length.
#[must_use]
pub fn minus(before: &str, after: &str) -> Option<usize> {
    if before.ends_with("零下") || before.ends_with('负') {
        return Some(0);
    }
    let rest = before.strip_suffix(['-', '－', '−'])?;
    let sign = before.len() - rest.len();
    // 1933 -2015
    if rest.trim_end_matches(' ').ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let opens =
        |c: char| c.is_whitespace() || matches!(fold(c), '(' | '[' | ':' | ',' | ';' | '~' | '、' | '至' | '到');
    let measured = || percent_sign(after).is_some() || after.starts_with(['℃', '°', '度']) || after.starts_with("摄氏");
    rest.chars().next_back().is_none_or(|last| opens(last) || (is_han(last) && measured())).then_some(sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minus_is_no_hyphen() {
        for (before, after) in
            [("今晨 -", "℃"), ("（－", "度"), ("同比-", "％"), ("零下", "度"), ("-5~−", "℃"), ("负", "")]
        {
            assert!(minus(before, after).is_some(), "{before} {after}");
        }
        for (before, after) in
            [("", "℃"), ("歼-", "战机"), ("5-", "℃"), ("A-", ""), ("5%-", "%"), ("--", ""), ("和", "")]
        {
            assert_eq!(minus(before, after), None, "{before} {after}");
        }
        assert_eq!((minus("x −", ""), minus("零下", "")), (Some(3), Some(0)));
    }

    #[test]
    fn a_character_may_be_a_fraction() {
        for (c, number) in [('½', Number::new(5, -1)), ('⅘', Number::new(8, -1)), ('⅝', Number::new(625, -3))] {
            assert_eq!(fraction(c), Some(number), "{c}");
        }
        assert_eq!(fraction('⅓'), Some(quotient(1, 3)));
        assert_eq!(['1', '²', 'a'].map(fraction), [None; 3]);
    }

    #[test]
    fn a_percent_sign_may_stand_apart() {
        assert_eq!(
            ["%", " %", "\u{a0}％了", "‰", "", "  %", "折", " 5%"].map(percent_sign),
            [Some(1), Some(2), Some(5), Some(3), None, None, None, None]
        );
    }
}
