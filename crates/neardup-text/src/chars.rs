//! The tokenizer `chars:N`: every run of N consecutive characters, as a reader counts characters.
//!
//! A character here is a unit: an extended grapheme cluster (UAX #29, Unicode 17), so that a letter with its marks or an emoji
//! sequence is one. [`shingles`] passes on tokens. [`shingle_bounds`] passes on the byte positions where tokens start and end, many
//! at a time, for a sketch that hashes the bytes itself.
//!
//! Nearly all characters are units of their own, whatever their neighbours; a table made at build time lists them. Only around the
//! others is the text cut by the rules of UAX #29.
//!
//! Promised not to change: a text of at least one but fewer than N units is one token, the whole text.

use unicode_segmentation::UnicodeSegmentation;

use super::Token;
use super::normalize::scan::{WORD, others, starts};
use crate::{Error, ErrorKind, Result};

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

mod table {
    include!(concat!(env!("OUT_DIR"), "/unit_table.rs"));
}

/// Largest N of `chars:N`.
pub const MAX_UNITS: usize = 64;

/// Units that are cut before their shingles are handed out; they fit into the first-level cache.
const BLOCK_UNITS: usize = 2048;

/// Hands out each run of `n` units of `text` in text order; all of the text where it has fewer, nothing where it is empty.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`] if `n` is not from 1 to [`MAX_UNITS`], [`ErrorKind::LimitExceeded`] for 4 GiB or more.
pub fn shingles<'t>(text: &'t str, n: usize, sink: &mut impl FnMut(Token<'t>)) -> Result<()> {
    shingle_bounds(text, n, &mut Vec::new(), &mut |starts, ends| {
        for (&start, &end) in starts.iter().zip(ends) {
            let start = start as usize;
            if let Some(text) = text.get(start..end as usize) {
                sink(Token { text, start });
            }
        }
    })
}

/// Hands out the byte offsets at which the shingles of [`shingles`] start and end: two slices of equal length a call.
///
/// `room` is a place to work in that can be used again; it holds a few thousand numbers, however long the text.
///
/// # Errors
/// As [`shingles`].
pub fn shingle_bounds(text: &str, n: usize, room: &mut Vec<u32>, sink: &mut impl FnMut(&[u32], &[u32])) -> Result<()> {
    if !(1..=MAX_UNITS).contains(&n) {
        return Err(Error::new(
            ErrorKind::InvalidParameter,
            format!("shingle size must be between 1 and {MAX_UNITS}: {n}"),
        ));
    }
    let mut units = Units::new(text)?;
    room.clear();
    let mut handed_out = false;
    while units.fill(room) {
        crate::interrupt::check();
        if let (Some(starts), Some(ends)) = (room.get(..room.len().saturating_sub(n)), room.get(n..))
            && !starts.is_empty()
        {
            sink(starts, ends);
            handed_out = true;
            room.drain(..starts.len());
        }
    }
    if let (false, [first, .., last]) = (handed_out, room.as_slice()) {
        sink(&[*first], &[*last]);
    }
    Ok(())
}

/// Fills `bounds` with the byte offset of each unit and, last, the length of the text: one number more than units.
///
/// # Errors
/// [`ErrorKind::LimitExceeded`] for a text of 4 GiB or more.
pub fn unit_bounds(text: &str, bounds: &mut Vec<u32>) -> Result<()> {
    let mut units = Units::new(text)?;
    bounds.clear();
    while units.fill(bounds) {
        crate::interrupt::check();
    }
    Ok(())
}

/// The bounds of units, a block at a time.
struct Units<'t> {
    text: &'t str,
    /// Up to here the starts of units are known; may lie inside a character that is a unit.
    at: usize,
    ended: bool,
}

impl<'t> Units<'t> {
    fn new(text: &'t str) -> Result<Self> {
        match u32::try_from(text.len()) {
            Ok(_) => Ok(Self { text, at: 0, ended: false }),
            Err(_) => Err(Error::new(ErrorKind::LimitExceeded, format!("text of {} bytes is too long", text.len()))),
        }
    }

    /// Appends about [`BLOCK_UNITS`] further starts, at the end of the text its length; returns `false` once nothing is left.
    ///
    /// The last number that a former call appended must still be the last.
    fn fill(&mut self, bounds: &mut Vec<u32>) -> bool {
        self.fill_with(append_simple, bounds)
    }

    /// Does what [`Self::fill`] does, with `simple` in the place of [`append_simple`].
    #[inline]
    fn fill_with(
        &mut self,
        simple: impl Fn(&[u8], usize, &mut Vec<u32>, usize) -> usize,
        bounds: &mut Vec<u32>,
    ) -> bool {
        if self.ended {
            return false;
        }
        let full = bounds.len() + BLOCK_UNITS;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && bounds.len() < full {
            self.at = simple(bytes, self.at, bounds, full);
            if self.at >= bytes.len() || bounds.len() >= full {
                break;
            }
            let place = self.at;
            let joining = self.first_joining();
            let known = starts(bytes, place) & joining.map_or(u64::MAX, |joining| (1 << (joining - place)) - 1);
            append(known, place, bounds);
            self.at = place + WORD;
            if let Some(joining) = joining {
                self.by_rule(joining, bounds, full);
            }
        }
        if self.at >= bytes.len() {
            bounds.push(bytes.len() as u32);
            self.ended = true;
        }
        true
    }

    /// Finds the first character from `at` on, within a word, that may join others.
    fn first_joining(&self) -> Option<usize> {
        let mut bits = others(self.text.as_bytes(), self.at);
        while bits != 0 {
            let place = self.at + bits.trailing_zeros() as usize;
            if !self.text.get(place..).and_then(|rest| rest.chars().next()).is_none_or(is_simple) {
                return Some(place);
            }
            bits &= bits - 1;
        }
        None
    }

    /// Cuts by the rules from the unit before the character at `joining` on, until two neighbours do not join.
    fn by_rule(&mut self, joining: usize, bounds: &mut Vec<u32>, full: usize) {
        let start = bounds.last().map_or(0, |&last| last as usize);
        self.at = start;
        for unit in self.text.get(start..).unwrap_or_default().graphemes(true) {
            if self.at > start || bounds.is_empty() {
                bounds.push(self.at as u32);
            }
            self.at += unit.len();
            let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
            let free =
                self.at > joining && unit.chars().next_back().is_none_or(is_simple) && next.is_none_or(is_simple);
            if free || bounds.len() >= full {
                break;
            }
        }
    }
}

/// Appends starts from `at` on as long as that is simple, until there are `full` numbers or a few more; returns where it stopped.
#[inline]
fn append_simple(bytes: &[u8], at: usize, bounds: &mut Vec<u32>, full: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    return x86::append_simple(bytes, at, bounds, full);
    #[cfg(target_arch = "aarch64")]
    return neon::append_simple(bytes, at, bounds, full);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = (bytes, bounds, full);
        at
    }
}

/// Appends the places of the bits, counted from `place`.
#[inline]
fn append(mut bits: u64, place: usize, bounds: &mut Vec<u32>) {
    let count = bits.count_ones() as usize;
    let mut found = [0; WORD];
    let mut take = |found: &mut u32| {
        *found = (place as u32).wrapping_add(bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
    };
    // Han characters come 21 or 22 to the word: a loop of fixed length is faster than one that is often mispredicted.
    let (usual, more) = found.split_at_mut(24);
    usual.iter_mut().for_each(&mut take);
    if count > usual.len() {
        more.iter_mut().for_each(take);
    }
    bounds.extend_from_slice(found.get(..count).unwrap_or_default());
}

/// Says whether `c` never joins another such character.
fn is_simple(c: char) -> bool {
    let code = u32::from(c) as usize;
    let block = table::INDEX.get(code >> 6).copied().unwrap_or_default();
    table::BLOCKS.get((usize::from(block) << 6) | (code & 63)) == Some(&1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    use crate::hash::token_hash;

    use super::{BLOCK_UNITS, MAX_UNITS, Units, shingle_bounds, shingles, unit_bounds};

    fn tokens(text: &str, n: usize) -> Vec<&str> {
        let mut tokens = Vec::new();
        shingles(text, n, &mut |token| {
            assert_eq!(&text[token.start..token.start + token.text.len()], token.text);
            tokens.push(token.text);
        })
        .unwrap();
        tokens
    }

    fn bounds(text: &str) -> Vec<u32> {
        let mut bounds = vec![7];
        unit_bounds(text, &mut bounds).unwrap();
        bounds
    }

    /// The bounds without a kernel.
    fn portable_bounds(text: &str) -> Vec<u32> {
        let mut bounds = Vec::new();
        let mut units = Units::new(text).unwrap();
        while units.fill_with(|_, at, _, _| at, &mut bounds) {}
        bounds
    }

    fn oracle(text: &str) -> Vec<u32> {
        text.grapheme_indices(true).map(|(start, _)| start as u32).chain([text.len() as u32]).collect()
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
            assert_eq!(error.message, format!("shingle size must be between 1 and 64: {n}"));
        }
    }

    #[test]
    fn bounds_end_with_the_length() {
        assert_eq!(bounds(""), [0]);
        assert_eq!(bounds("a中"), [0, 1, 4]);
    }

    const JOINING: &str = "\r\n\u{300}\u{200d}\u{fe0f}👩🏽🇨🇳\u{600}\u{93e}क\u{94d}नᄀ가각ᅡᆨ\u{1f3fb}ｶﾞ\u{e33}中a é";

    fn joining_text() -> impl Strategy<Value = String> {
        let joining = JOINING.chars().collect::<Vec<_>>();
        let piece = prop_oneof![
            3 => proptest::sample::select(joining).prop_map(String::from),
            1 => any::<char>().prop_map(String::from),
            2 => "[中国a-z，]{1,30}"
        ];
        proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn bounds_are_those_of_grapheme_clusters(text in joining_text(), simple in "[中国一鿿a-z0-9 ]{0,300}") {
            let text = simple + &text;
            prop_assert_eq!(bounds(&text), oracle(&text));
            prop_assert_eq!(portable_bounds(&text), oracle(&text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn blocks_hand_out_each_shingle_once(text in joining_text(), times in 1_usize..60, n in 1_usize..65) {
            let text = text.repeat(times);
            let bounds = oracle(&text);
            let mut found = Vec::new();
            shingle_bounds(&text, n, &mut Vec::new(), &mut |starts, ends| {
                assert_eq!(starts.len(), ends.len());
                found.extend(starts.iter().copied().zip(ends.iter().copied()));
            })
            .unwrap();
            let expected = match bounds.len() - 1 {
                0 => vec![],
                units if units < n => vec![(0, text.len() as u32)],
                _ => bounds.iter().copied().zip(bounds.iter().skip(n).copied()).collect(),
            };
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn every_character_beside_itself_and_others() {
        let all = String::from_iter(('\0'..=char::MAX).flat_map(|c| [c, c, 'a', c, '\u{301}', '中']));
        assert!(bounds(&all) == oracle(&all));
        assert!(portable_bounds(&all) == oracle(&all));
    }

    /// Frozen: a change here is a new version of the signature format.
    #[test]
    fn every_character_has_its_golden_units() {
        let all = String::from_iter(('\0'..=char::MAX).flat_map(|c| [c, 'a', c, c]));
        let found = tokens(&all, 1);
        assert_eq!((found.len(), token_hash(&found.join("\n"))), (4_439_587, 16_608_460_250_348_227_894));
    }

    #[test]
    fn hostile_text_ends_in_little_room() {
        for piece in ["\u{301}", "🇨", "👩\u{200d}", "क\u{94d}", "\u{600}", "ᄀ", "中\u{301}", "\r", "中"] {
            let text = piece.repeat(50_000);
            let mut room = Vec::new();
            let mut count = 0;
            shingle_bounds(&text, 64, &mut room, &mut |starts, _| count += starts.len()).unwrap();
            assert_eq!(count, text.graphemes(true).count().saturating_sub(63).max(1));
            assert!(room.capacity() < 4 * BLOCK_UNITS);
        }
    }
}
