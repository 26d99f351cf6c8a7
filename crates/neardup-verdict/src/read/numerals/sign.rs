//! What turns a number's value: a minus before it, a percent sign after it.

use super::fold;
use neardup_text::lexicon::is_han;

/// Gives the length of the percent sign with which `after`, the text after a number, begins; a space may precede it.
#[must_use]
pub fn percent_sign(after: &str) -> Option<usize> {
    let sign = after.strip_prefix([' ', '\u{a0}', '\u{2009}', '\u{202f}', '\u{3000}']).unwrap_or(after);
    let sign = sign.strip_prefix(['%', '％', '‰', '٪', '﹪'])?;
    Some(after.len() - sign.len())
}

/// Says whether the number in Arabic digits between `before` and `after` is negative, and gives the length of its minus sign.
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
    fn a_percent_sign_may_stand_apart() {
        assert_eq!(
            ["%", " %", "\u{a0}％了", "‰", "", "  %", "折", " 5%"].map(percent_sign),
            [Some(1), Some(2), Some(5), Some(3), None, None, None, None]
        );
    }
}
