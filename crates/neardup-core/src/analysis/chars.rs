//! The tokenizer `chars:N`: every N characters in a row, as a reader counts characters.
//!
//! A character here is a unit: an extended grapheme cluster (UAX #29, Unicode 17), so that a letter with its marks or an emoji
//! sequence is one. [`shingles`] hands out tokens; [`unit_bounds`] gives the bounds alone, for a sketch that hashes
//! `text[bounds[i]..bounds[i + n]]` by itself.
//!
//! Promised not to change: a text of at least one but fewer than N units is one token, the whole text.

use unicode_segmentation::UnicodeSegmentation;

use super::Token;
use crate::{Error, ErrorKind, Result};

/// Largest N of `chars:N`.
pub const MAX_UNITS: usize = 64;

/// Hands out each run of `n` units of `text` in text order; all of the text where it has fewer, nothing where it is empty.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`] if `n` is not from 1 to [`MAX_UNITS`], [`ErrorKind::LimitExceeded`] for 4 GiB or more.
pub fn shingles<'t>(text: &'t str, n: usize, sink: &mut impl FnMut(Token<'t>)) -> Result<()> {
    if !(1..=MAX_UNITS).contains(&n) {
        return Err(Error::new(ErrorKind::InvalidParameter, format!("shingle size {n} is outside 1 to {MAX_UNITS}")));
    }
    let mut bounds = Vec::new();
    unit_bounds(text, &mut bounds)?;
    if bounds.len() <= n && !text.is_empty() {
        sink(Token { text, start: 0 });
    }
    for (start, end) in bounds.iter().zip(bounds.iter().skip(n)) {
        let start = *start as usize;
        if let Some(text) = text.get(start..*end as usize) {
            sink(Token { text, start });
        }
    }
    Ok(())
}

/// Fills `bounds` with the byte offset of each unit and, last, the length of the text: one number more than units.
///
/// # Errors
/// [`ErrorKind::LimitExceeded`] for a text of 4 GiB or more.
pub fn unit_bounds(text: &str, bounds: &mut Vec<u32>) -> Result<()> {
    bounds.clear();
    let len = u32::try_from(text.len())
        .map_err(|_| Error::new(ErrorKind::LimitExceeded, format!("text of {} bytes is too long", text.len())))?;
    for (count, (start, _)) in text.grapheme_indices(true).enumerate() {
        if count.is_multiple_of(4096) {
            crate::interrupt::check();
        }
        bounds.push(start as u32);
    }
    bounds.push(len);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{MAX_UNITS, shingles, unit_bounds};

    fn tokens(text: &str, n: usize) -> Vec<&str> {
        let mut tokens = Vec::new();
        shingles(text, n, &mut |token| {
            assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
            tokens.push(token.text);
        })
        .unwrap();
        tokens
    }

    #[test]
    fn shingles_are_runs_of_units() {
        assert_eq!(tokens("春天来了", 2), ["春天", "天来", "来了"]);
        assert_eq!(tokens("ab", 1), ["a", "b"]);
        assert_eq!(tokens("e\u{301}👨‍👩‍👧न\u{93f}", 2), ["e\u{301}👨‍👩‍👧", "👨‍👩‍👧न\u{93f}"]);
    }

    #[test]
    fn a_short_text_is_one_token_and_an_empty_one_none() {
        assert_eq!(tokens("春天", 5), ["春天"]);
        assert_eq!(tokens("春天", 2), ["春天"]);
        assert_eq!(tokens("春", 64), ["春"]);
        assert!(tokens("", 1).is_empty());
    }

    #[test]
    fn n_has_limits() {
        for n in [0, MAX_UNITS + 1] {
            let error = shingles("a", n, &mut |_| {}).unwrap_err();
            assert_eq!(error.message, format!("shingle size {n} is outside 1 to 64"));
        }
    }

    #[test]
    fn bounds_end_with_the_length() {
        let mut bounds = vec![7];
        unit_bounds("", &mut bounds).unwrap();
        assert_eq!(bounds, [0]);
        unit_bounds("a中", &mut bounds).unwrap();
        assert_eq!(bounds, [0, 1, 4]);
    }
}
