//! Character classes that several steps use.
//!
//! White space and invisible characters are listed here, because their Unicode properties are stable. The other classes come from
//! the general categories of the pinned `unicode-properties`.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Says whether `c` has the property White_Space (25 characters, U+3000 among them, no zero-width one).
pub(crate) fn is_white_space(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
            | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Says whether `c` has the property Default_Ignorable_Code_Point: joiners, selectors, fillers, tags.
fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Says whether the step `control` removes `c`: categories Cc and Cf and what is ignorable, but no white space.
pub(crate) fn is_control(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !is_white_space(c);
    }
    is_default_ignorable(c)
        || (matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format) && !is_white_space(c))
}

/// Says whether `c` is of a category P* or S*.
pub(crate) fn is_punctuation(c: char) -> bool {
    matches!(c.general_category_group(), GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol)
}

/// Says whether `c` is of a category M*.
pub(crate) fn is_mark(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Says whether `c` is of a category L* or N*.
pub(crate) fn is_letter_or_number(c: char) -> bool {
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

/// Says whether `c` is of a category N*.
pub(crate) fn is_number(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Number
}
