//! The graph of a text's words. Its nodes are the positions between characters; its edges are words, runs and single characters.
//!
//! The whole graph is never in memory. Its edges are passed to a [`PathSearch`] in order of their starts. As soon as all edges so far
//! end at one position, the stretch up to that position can be decided independently.

use super::search::PathSearch;
use crate::lexicon::{Walker, is_han, is_word_char};

/// The longest stretch that is searched as a whole, in characters.
pub const MAX_STRETCH_CHARS: usize = 4096;

/// Characters decoded ahead: two stretches, so that there is enough to look at while one is under way.
const WINDOW: usize = 2 * MAX_STRETCH_CHARS;

/// A walk over the graph of a text, one stretch at a time.
pub(super) struct Graph<'a, 't> {
    walker: Walker<'a>,
    text: &'t str,
    /// Byte offset and value of the characters decoded ahead, and the offset after them.
    window: Vec<(usize, char)>,
    decoded: usize,
    /// Number of the stretch's first and of its last character but one, in the window.
    start: usize,
    end: usize,
}

impl<'a, 't> Graph<'a, 't> {
    pub(super) fn new(walker: Walker<'a>, text: &'t str) -> Self {
        Self { walker, text, window: Vec::new(), decoded: 0, start: 0, end: 0 }
    }

    /// Byte offset of a node of the stretch, counted in characters from its start.
    pub(super) fn offset(&self, node: usize) -> usize {
        self.window.get(self.start + node).map_or(self.decoded, |&(offset, _)| offset)
    }

    /// Hands the edges of the next stretch to the search; false at the end of the text.
    pub(super) fn next_stretch(&mut self, search: &mut impl PathSearch) -> bool {
        self.start = self.end;
        self.decode();
        let chars = self.window.get(self.start..).unwrap_or_default();
        let chars = chars.get(..MAX_STRETCH_CHARS).unwrap_or(chars);
        if chars.is_empty() {
            return false;
        }
        search.begin();
        // The place that the longest edge so far reaches, and the end of the run that this character is in.
        let mut reach = 0;
        let mut run_end = 0;
        for (node, &(_, c)) in chars.iter().enumerate() {
            if node > 0 && node == reach && search.settles(chars[node - 1].1, c) {
                break;
            }
            if !search.reaches(node) {
                continue;
            }
            let mut edge = |end: usize, cost: u32| {
                search.edge(node, end, cost);
                reach = reach.max(end);
            };
            if node >= run_end {
                run_end = node + run_chars(&chars[node..]);
            }
            edge(run_end, self.walker.log_total());
            let mut state = self.walker.root();
            for (end, &(_, c)) in (node + 1..).zip(&chars[node..]) {
                let Some(next) = self.walker.step(state, c) else { break };
                state = next;
                if let Some(entry) = self.walker.entry(state) {
                    edge(end, self.walker.log_total().saturating_sub(entry.weight()));
                }
            }
        }
        self.end = self.start + reach;
        true
    }

    /// Decodes ahead when less than a stretch is left, forgetting what lies behind.
    fn decode(&mut self) {
        if self.window.len() - self.start < MAX_STRETCH_CHARS && self.decoded < self.text.len() {
            self.window.drain(..self.start);
            self.start = 0;
            let wanted = WINDOW - self.window.len();
            let base = self.decoded;
            let rest = self.text[base..].char_indices().take(wanted);
            self.window.extend(rest.map(|(at, c)| (base + at, c)));
            self.decoded = self.window.last().map_or(base, |&(at, c)| at + c.len_utf8());
        }
    }
}

/// Length of the run that the characters start with.
fn run_chars(chars: &[(usize, char)]) -> usize {
    if chars.first().is_some_and(|&(_, c)| is_han(c)) {
        return 1;
    }
    run(chars.iter().map(|&(_, c)| c))
}

/// Length, in bytes, of the run that a text starts with; of a run without end, up to the bound of a stretch.
pub(super) fn run_length(text: &str) -> usize {
    text.chars().take(run(text.chars().take(MAX_STRETCH_CHARS))).map(char::len_utf8).sum()
}

/// A run: letters, digits and marks other than Han, with a `.` between two digits and a `%` after one at its end; or any other single
/// character.
fn run(chars: impl Iterator<Item = char>) -> usize {
    let mut length = 0;
    let mut previous = ' ';
    let mut chars = chars.peekable();
    while let Some(c) = chars.next() {
        let point = c == '.' && previous.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        if !(point || is_word_char(c) && !is_han(c)) {
            length += usize::from(c == '%' && previous.is_ascii_digit());
            break;
        }
        previous = c;
        length += 1;
    }
    length.max(1)
}
