//! The tokenizers `longest_match`, `shortest_path`, `n_shortest_path` and `index`: the HanLP family, over any lexicon.
//!
//! They cut a text along the words of a [`Lexicon`]; [`segment`] passes on the tokens of a [`Method`]. Text that no word covers
//! becomes runs of letters and digits (other than Han; with a `.` between two digits) and single characters. So the tokens of the
//! first three methods cover the text without gaps, including spaces and punctuation ([`is_word`](super::lexicon::is_word) tells
//! which ones are useful as features).
//!
//! HanLP weighs pairs of words and then looks for names. Here each word is weighed alone, and names are those in the lexicon. So
//! the tokens follow HanLP's methods but are not always the same.
//!
//! Costs are integers, so all platforms agree. The paths are searched from one position that every path passes through to the next
//! such position. A stretch without one is cut after [`MAX_STRETCH_CHARS`] characters, which is part of the format.

mod graph;
mod search;

use super::Token;
use super::lexicon::{Lexicon, Walker};
use crate::interrupt;
use graph::Graph;
pub use graph::MAX_STRETCH_CHARS;
use search::{Fewest, Likeliest, PathSearch};

/// The largest number of paths for [`Method::NShortestPath`].
pub const MAX_PATHS: u8 = 8;

/// How a text is cut along the words of a lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// From left to right, always the longest word (HanLP's `SpeedTokenizer`).
    LongestMatch,
    /// The most probable way, each word by its own frequency (HanLP's `ViterbiSegment` and `DijkstraSegment`). Of equally
    /// probable ways the one whose last word is the longest.
    ShortestPath,
    /// The most probable among the ways with the fewest words or up to `n - 1` more, within a stretch between punctuation
    /// (after HanLP's `NShortSegment`). `n` is 1 to [`MAX_PATHS`]; HanLP's is 2; other values are taken as the nearest.
    NShortestPath(u8),
    /// As `ShortestPath`; after each word of three or more characters come the words of two or more inside it, by start, the
    /// long ones first (HanLP's `IndexTokenizer`).
    Index,
}

/// Hands every token of `text` to `sink`.
pub fn segment<'t>(lexicon: &Lexicon, text: &'t str, method: Method, sink: &mut impl FnMut(Token<'t>)) {
    let walker = lexicon.walker();
    match method {
        Method::LongestMatch => longest_match(&walker, text, sink),
        Method::ShortestPath => search(&walker, text, Likeliest::default(), sink),
        Method::NShortestPath(n) => search(&walker, text, Fewest::new(n.clamp(1, MAX_PATHS)), sink),
        Method::Index => {
            let mut found = Vec::new();
            search(&walker, text, Likeliest::default(), &mut |token| {
                sink(token);
                inner_words(&walker, token, &mut found, sink);
            });
        }
    }
}

fn longest_match<'t>(walker: &Walker<'_>, text: &'t str, sink: &mut impl FnMut(Token<'t>)) {
    let mut start = 0;
    for number in 0_u32.. {
        if number.is_multiple_of(4096) {
            interrupt::check();
        }
        let mut length = graph::run_length(&text[start..]);
        walker.prefixes(&text[start..], &mut |word, _| length = length.max(word));
        if length == 0 {
            break;
        }
        sink(Token { text: &text[start..start + length], start });
        start += length;
    }
}

fn search<'t>(walker: &Walker<'_>, text: &'t str, mut search: impl PathSearch, sink: &mut impl FnMut(Token<'t>)) {
    let mut graph = Graph::new(*walker, text);
    let mut ends = Vec::new();
    while graph.next_stretch(&mut search) {
        interrupt::check();
        search.best(&mut ends);
        let mut start = graph.offset(0);
        for &end in ends.iter().rev() {
            let end = graph.offset(end);
            sink(Token { text: &text[start..end], start });
            start = end;
        }
    }
}

/// Hands out the words of two or more characters inside a word of three or more.
fn inner_words<'t>(walker: &Walker<'_>, word: Token<'t>, found: &mut Vec<usize>, sink: &mut impl FnMut(Token<'t>)) {
    if word.text.chars().nth(2).is_none() {
        return;
    }
    for (at, c) in word.text.char_indices() {
        found.clear();
        walker.prefixes(&word.text[at..], &mut |length, _| {
            if length > c.len_utf8() && length < word.text.len() {
                found.push(length);
            }
        });
        for length in found.iter().rev() {
            sink(Token { text: &word.text[at..at + length], start: word.start + at });
        }
    }
}

/// The cost of the most probable way through a text of at most [`MAX_STRETCH_CHARS`] characters (see [`PathSearch`]).
pub(super) fn cheapest(walker: &Walker<'_>, text: &str) -> u64 {
    let mut graph = Graph::new(*walker, text);
    let mut search = Likeliest::default();
    let mut cost = 0;
    while graph.next_stretch(&mut search) {
        cost += search.cost();
    }
    cost
}

#[cfg(test)]
mod tests;
