//! Sentences of a text with their positions, for Chinese and for Latin script.
//!
//! [`sentences`] reads the original text, because normalisation removes the punctuation. A sentence ends
//!
//! * after `。` `！` `？` `；` `…` and the full stops of other scripts, with the further stops and closing quotes that follow;
//! * after `.` `!` `?` before white space, unless a lower-case letter follows it; not after an initial, a dotted or a common
//!   abbreviation, nor inside `3.5` or `example.com`; in CJK text no white space is needed;
//! * at a line end. A line of 40 or more characters that breaks off in a Latin word or number, and continues unindented, is only
//!   wrapped.
//!
//! Quotations and brackets are kept whole: no sentence ends inside `“”`, `‘’`, `「」`, `《》`, `（）` and similar pairs. A segment with
//! neither letter nor number is not a sentence.

mod quotes;

use super::normalize::{is_letter_or_number, is_white_space};

/// One sentence of a text, without white space at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence<'t> {
    /// The sentence itself, with its closing signs.
    pub text: &'t str,
    /// Where it starts, in bytes of the text.
    pub start: usize,
    /// Where it starts, in characters of the text.
    pub char_start: usize,
}

/// Lines shorter than this are not broken by an editor's margin, in characters.
const WRAPPED_CHARS: usize = 40;

/// Longest number of a list item (`12. Wash hands.`), in bytes.
const MAX_ITEM_BYTES: usize = 3;

/// Abbreviations after which a sentence goes on, in lower case; those that may end one are known by the letter that follows.
#[rustfmt::skip]
const ABBREVIATIONS: [&str; 48] = [
    "adm", "apr", "aug", "ave", "brig", "capt", "cf", "cmdr", "col", "dec", "dr", "eq", "esp", "feb", "fig", "figs", "fri",
    "gen", "gov", "hon", "jan", "jul", "jun", "lt", "maj", "mar", "messrs", "mr", "mrs", "ms", "mt", "no", "nos", "nov",
    "oct", "pp", "pres", "prof", "rep", "rev", "sec", "sen", "sep", "sept", "sgt", "st", "viz", "vs",
];

/// Hands out the sentences of `text` in text order.
pub fn sentences<'t>(text: &'t str, sink: &mut impl FnMut(Sentence<'t>)) {
    let mut spans = Vec::new();
    let mut start = Offset::default();
    let mut paragraph_start = 0;
    while let Some(rest) = text.get(paragraph_start..).filter(|rest| !rest.is_empty()) {
        let paragraph = rest.split_at(paragraph_len(rest)).0;
        quotes::spans(paragraph, &mut spans);
        let mut scan = Scan { paragraph, spans: &spans, at: 0, sentence: 0 };
        while let Some(end) = scan.next_end() {
            start = emit(text, start, paragraph_start + end, sink);
        }
        paragraph_start += paragraph.len();
        start = emit(text, start, paragraph_start, sink);
    }
}

/// A position in the text, counted both ways.
#[derive(Clone, Copy, Default)]
struct Offset {
    bytes: usize,
    chars: usize,
}

/// Hands out what lies between `from` and byte `end`, and returns the offset of `end`.
fn emit<'t>(text: &'t str, from: Offset, end: usize, sink: &mut impl FnMut(Sentence<'t>)) -> Offset {
    let whole = text.get(from.bytes..end).unwrap_or_default();
    let sentence = whole.trim_matches(is_white_space);
    if sentence.chars().any(is_letter_or_number) {
        let (indent, _) = whole.split_at(whole.len() - whole.trim_start_matches(is_white_space).len());
        let char_start = from.chars + indent.chars().count();
        sink(Sentence { text: sentence, start: from.bytes + indent.len(), char_start });
    }
    Offset { bytes: end, chars: from.chars + whole.chars().count() }
}

/// Returns the length of the first paragraph of `text`, with its line end.
fn paragraph_len(text: &str) -> usize {
    let mut line_start = 0;
    for (at, c) in text.match_indices(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let end = at + c.len();
        let (Some(line), Some(next)) = (text.get(line_start..at), text.get(end..)) else { break };
        if c != "\n" || !is_wrapped(line, next) {
            return end;
        }
        line_start = end;
    }
    text.len()
}

/// Says whether a line breaks off only because it is full: Latin or the like on both sides, nothing closed, no indent.
fn is_wrapped(line: &str, next: &str) -> bool {
    let goes_on = |c: char| !is_wide(c) && (c == ',' || is_letter_or_number(c));
    line.chars().next_back().is_some_and(goes_on)
        && next.chars().next().is_some_and(goes_on)
        && line.chars().count() >= WRAPPED_CHARS
}

/// Says whether `c` belongs to the scripts and signs of Chinese and Japanese, which go without spaces.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{abff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ff9f}' | '\u{20000}'..='\u{3fffd}')
}

/// Says whether `c` ends a sentence whatever follows.
fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '；' | '｡' | '…' | '‼' | '⁇' | '⁈' | '⁉' | '।' | '॥' | '؟' | '۔')
}

/// Says whether `c` ends a sentence where what is around it agrees.
fn is_latin_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '．')
}

/// A search for sentence ends inside one paragraph.
struct Scan<'p> {
    paragraph: &'p str,
    /// Quotations still ahead.
    spans: &'p [(usize, usize)],
    at: usize,
    /// Where the current sentence starts, after its indent.
    sentence: usize,
}

impl Scan<'_> {
    /// Returns the next sentence end before the end of the paragraph.
    fn next_end(&mut self) -> Option<usize> {
        let mut steps = 0_u32;
        loop {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(4096) {
                crate::interrupt::check();
            }
            let end = match self.spans.split_first() {
                Some((&(open, close), spans)) if open == self.at => {
                    self.spans = spans;
                    self.at = close;
                    self.ends_after_quotation(open).then_some(close)
                }
                _ => {
                    let stop = self.at;
                    let c = self.rest(stop).chars().next()?;
                    self.at += c.len_utf8();
                    if stop == self.sentence && is_white_space(c) {
                        self.sentence = self.at;
                    }
                    if is_full_stop(c) || is_latin_stop(c) { self.end_at(stop) } else { None }
                }
            };
            if let Some(end) = end {
                self.at = end;
                self.sentence = end;
                return Some(end);
            }
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.paragraph.get(at..).unwrap_or_default()
    }

    /// Returns the sentence end that the stop sign at `stop` makes, if it makes one.
    fn end_at(&mut self, stop: usize) -> Option<usize> {
        let next_quotation = self.spans.first().map_or(usize::MAX, |&(open, _)| open);
        let mut full = false;
        let mut end = stop;
        let mut chars = self.rest(stop).chars().peekable();
        while let Some(c) = chars.next() {
            let quotes_end = matches!(c, '"' | '\'') && !chars.peek().copied().is_some_and(is_letter_or_number);
            if end == next_quotation || !(is_full_stop(c) || is_latin_stop(c) || quotes::is_closing(c) || quotes_end) {
                break;
            }
            full |= is_full_stop(c);
            end += c.len_utf8();
        }
        self.at = end;
        (full || self.latin_stop_ends(stop, end)).then_some(end)
    }

    /// Says whether the Latin stop signs and closing signs from `stop` to `end` end a sentence.
    fn latin_stop_ends(&self, stop: usize, end: usize) -> bool {
        let before = self.paragraph.get(self.sentence..stop).unwrap_or_default();
        let after = self.rest(end);
        let Some(next) = after.chars().next() else { return true };
        let previous = before.chars().next_back();
        let numbered = previous.is_some_and(|c| c.is_ascii_digit() || matches!(c, '０'..='９'));
        let single = self.rest(stop).starts_with(['.', '．']) && !self.rest(stop + 1).starts_with(['.', '!', '?']);
        if is_white_space(next) {
            let goes_on = after.chars().find(|&c| !is_white_space(c)).is_none_or(char::is_lowercase);
            let item = before.len() <= MAX_ITEM_BYTES && before.bytes().all(|b| b.is_ascii_digit());
            !goes_on && !(single && (is_abbreviation(before) || item))
        } else {
            let wide = is_wide(next) || previous.is_some_and(is_wide);
            wide && !(single && (numbered || is_abbreviation(before)))
        }
    }

    /// Says whether the quotation that opened at `open` and closes at `self.at` also closes its sentence.
    fn ends_after_quotation(&self, open: usize) -> bool {
        let quoted = self.paragraph.get(open..self.at).unwrap_or_default();
        let inside = quoted.trim_end_matches(|c| quotes::is_closing(c) || matches!(c, '"'));
        let words = inside.trim_end_matches(|c| is_full_stop(c) || is_latin_stop(c));
        // In Chinese the narrator goes on right after the quotation; a space says that he does not.
        words.len() < inside.len()
            && self.rest(self.at).starts_with(is_white_space)
            && self.latin_stop_ends(open + words.len(), self.at)
    }
}

/// Says whether the full stop after `before` belongs to a short form: an initial, `U.S.`, `Prof.`.
fn is_abbreviation(before: &str) -> bool {
    let tail = before.bytes().rev().take(12).take_while(|b| b.is_ascii_alphabetic() || *b == b'.').count();
    let word = before.get(before.len() - tail..).unwrap_or_default();
    match word.as_bytes() {
        [letter] => letter.is_ascii_uppercase() && *letter != b'I',
        _ if word.contains('.') => word.split('.').all(|part| part.len() <= 2),
        _ => ABBREVIATIONS.contains(&word.to_ascii_lowercase().as_str()),
    }
}

#[cfg(test)]
mod tests;
