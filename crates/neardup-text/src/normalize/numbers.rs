//! Signs that belong to a number: the point of `2.5`, the commas of `1,234`, the percent sign of `20 %`.
//!
//! [`fate`] says what the step `punctuation` does with such a sign. It reads at most [`REACH`] bytes on either side, so that a text
//! can be processed in pieces. Only ASCII matters here: `nfkc` or `width` has already converted fullwidth forms.
//!
//! Promised not to change: it is part of the signature format.

/// What becomes of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays: it belongs to the number before it.
    Stays,
    /// It stays, and the space before it goes: `20 %`.
    Joins,
    /// It goes without a trace: a separator of thousands.
    Goes,
    /// It becomes a space, as other punctuation does.
    Space,
}

/// How many bytes before a sign and after it decide on it.
pub(crate) const REACH: usize = 4;

/// Says what becomes of the character at `at`.
///
/// A point stays between digits. A comma goes after one to three digits, which follow neither a digit nor a point, and before exactly
/// three. A percent sign stays after a digit, or after a digit and one space.
pub(crate) fn fate(text: &[u8], at: usize) -> Fate {
    let byte = |place: usize| text.get(place).copied().unwrap_or_default();
    let before = |distance: usize| at.checked_sub(distance).map_or(0, byte);
    let (digit_before, digit_after) = (before(1).is_ascii_digit(), byte(at + 1).is_ascii_digit());
    match byte(at) {
        b'.' if digit_before && digit_after => Fate::Stays,
        b',' if digit_before && digit_after => {
            let digits = (1..=REACH).take_while(|&distance| before(distance).is_ascii_digit()).count();
            let group = (1..=REACH).take_while(|&distance| byte(at + distance).is_ascii_digit()).count();
            let goes = digits <= 3 && before(digits + 1) != b'.' && group == 3;
            if goes { Fate::Goes } else { Fate::Space }
        }
        b'%' if digit_before => Fate::Stays,
        b'%' if before(1) == b' ' && before(2).is_ascii_digit() => Fate::Joins,
        _ => Fate::Space,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Buffer, Steps, normalize};

    fn words(text: &str) -> String {
        normalize(text, Steps::WORDS, &mut Buffer::default()).to_owned()
    }

    #[test]
    fn numbers_are_whole() {
        for (text, expected) in [
            ("增长2.5%，达1,234.5亿", "增长2.5% 达1234.5亿"),
            ("增长２．５％，达１，２３４．５亿", "增长2.5% 达1234.5亿"),
            ("20 %, 20\u{a0}%, 20\u{3000}％", "20% 20% 20%"),
            ("1,234,567 and 12,345", "1234567 and 12345"),
            ("v2.0 and 1.2.3 at 10.0.0.1, 2023.5.22", "v2.0 and 1.2.3 at 10.0.0.1 2023.5.22"),
            ("3\u{200b}.\u{ad}5 %", "3.5%"),
            ("⒈5 ①.② ½.5", "1.5 1.2 1 2.5"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(normalize("2.5 %", Steps::CHARS, &mut Buffer::default()), "2.5%");
    }

    #[test]
    fn other_signs_are_punctuation() {
        for (text, expected) in [
            ("3.14。 In 2020. Next .5 5.", "3.14 in 2020 next 5 5"),
            ("1,2,3 1,23 1,2345 2019,202", "1 2 3 1 23 1 2345 2019 202"),
            ("0.1,234 1..2 1,,234 1.,234", "0.1 234 1 2 1 234 1 234"),
            ("10:30 2:1 9·11 5-7 -5", "10 30 2 1 9 11 5 7 5"),
            ("5%% 5  % a% % 5.% 5,%", "5% 5 a 5 5"),
            ("3·5 3。5 3、5 5‰", "3 5 3 5 3 5 5"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
