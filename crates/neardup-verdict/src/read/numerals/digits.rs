//! Decimal digits of every script: Arabic-Indic, Devanagari, Thai, full-width and some seventy more.
//!
//! The table holds the zero of each script ([Unicode, General_Category Nd]); the digits 1 to 9 follow it. It is made by `build/main.rs` from
//! the crate `unicode-properties`.
//!
//! [Unicode, General_Category Nd]: https://www.unicode.org/reports/tr44/#General_Category_Values

include!(concat!(env!("OUT_DIR"), "/zeros.rs"));

/// Returns the ASCII digit for a digit of another script.
pub(super) fn ascii(c: char) -> Option<char> {
    // No digit is among kana, Han characters and Hangul, which most other characters are.
    if matches!(c, '\0'..'\u{660}' | '\u{2000}'..'\u{a600}' | '\u{ac00}'..='\u{d7ff}') {
        return None;
    }
    let code = u32::from(c);
    let zero = ZEROS.get(ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?)?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    use super::ascii;

    #[test]
    fn every_decimal_digit_has_its_value() {
        for (value, digits) in
            ["٠१๒৩４", "۰۱۲۳۴", "០១២៣៤", "၀၁၂၃၄"].map(|digits| digits.chars().enumerate()).into_iter().flatten()
        {
            assert_eq!(ascii(digits), char::from_digit(value as u32, 10), "{digits}");
        }
        for c in '\u{80}'..=char::MAX {
            assert_eq!(ascii(c).is_some(), c.general_category() == GeneralCategory::DecimalNumber, "{c}");
        }
    }
}
