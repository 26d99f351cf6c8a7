//! The lines of a text that have something in them, and the marks of quotations before them.

use std::ops::Range;

use super::openings::FIRST;
use super::words;
use super::{chats, heads};
use crate::interrupt;

/// The deepest indent of a quotation mark, in characters.
const MAX_INDENT: usize = 12;

/// The longest initials before a `>`.
const MAX_INITIALS: usize = 6;

/// What stands before the words of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mark {
    #[default]
    None,
    /// `>`, and how deep it is nested; 0 if it may as well be a sign of its own, as in `>=`.
    Angle(u8),
    /// One of the signs by which some programs mark quotations, and the writers of lists and tables other things.
    Sign(u8),
    /// The writer's initials and `>`, by their hash.
    Initials(u32),
}

impl Mark {
    /// Says whether two lines may belong to one quotation.
    pub(super) fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => false,
            (Self::Angle(_), Self::Angle(_)) => true,
            _ => self == other,
        }
    }
}

/// A line that is not blank, without white space at its ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// Where it begins, in bytes, before its indent.
    pub(super) whole: u32,
    /// Where its first character is.
    pub(super) start: u32,
    /// Where its last character ends.
    pub(super) end: u32,
    pub(super) mark: Mark,
    /// Whether a blank line is before it.
    pub(super) apart: bool,
}

impl Line {
    pub(super) fn text(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The length of its words, in bytes.
    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(super) fn indent(self) -> u32 {
        self.start - self.whole
    }
}

/// Returns the lines of a text of less than 4 GB that are not blank.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut from = 0;
    let mut apart = true;
    let mut fenced = false;
    for (number, end) in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]).enumerate() {
        if number.is_multiple_of(4096) {
            interrupt::check();
        }
        match line(text, from..end) {
            None => apart = true,
            Some(line) => {
                let fence = line.text(text).starts_with("```");
                fenced ^= fence;
                let mark = if fenced || fence { Mark::None } else { mark(line.text(text), line.indent() as usize) };
                lines.push(Line { mark, apart, ..line });
                apart = false;
            }
        }
        from = end + 1;
    }
    if fenced {
        // A fence that is never closed is none.
        for line in &mut lines {
            line.mark = mark(line.text(text), line.indent() as usize);
        }
    }
    lines
}

/// Returns the line in a range of a text, unless it is blank, without a mark.
fn line(text: &str, range: Range<usize>) -> Option<Line> {
    let whole = text.get(range.clone())?;
    let words = trim_start(whole);
    let start = range.end - words.len();
    let words = trim_end(words);
    let [whole, start, end] = [range.start, start, start + words.len()].map(|at| at as u32);
    (!words.is_empty()).then_some(Line { whole, start, end, mark: Mark::None, apart: true })
}

/// Returns a line without what is blank before it.
fn trim_start(line: &str) -> &str {
    if line.starts_with(is_blank) { line.trim_start_matches(is_blank) } else { line }
}

/// Returns a line without what is blank after it.
fn trim_end(line: &str) -> &str {
    if line.ends_with(is_blank) { line.trim_end_matches(is_blank) } else { line }
}

/// Says whether `c` is white space or only says in which direction the text runs.
#[inline]
fn is_blank(c: char) -> bool {
    // Most characters are none of either.
    let may = matches!(c, '\0'..=' ' | '\u{80}'..='\u{a0}' | '\u{1600}'..='\u{20ff}' | '\u{3000}' | '\u{feff}');
    may && (c.is_whitespace()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

/// Returns the mark at the beginning of a line, which is trimmed.
fn mark(line: &str, indent: usize) -> Mark {
    if indent > MAX_INDENT {
        return Mark::None;
    }
    let bytes = line.as_bytes();
    match bytes.first() {
        Some(b'>' | b'&') => {
            let (mut rest, mut level, mut has_angle) = (line, 0_u8, false);
            while let Some(after) = rest.strip_prefix('>').or_else(|| rest.strip_prefix("&gt;")) {
                has_angle = true;
                rest = after.trim_start_matches(' ');
                let spaced = rest.len() < after.len();
                // Comparisons, arrows and faces.
                if !spaced && rest.starts_with(['=', ':', '_', ';', '.']) && !rest.starts_with("..") {
                    break;
                }
                level = level.saturating_add(1);
            }
            if has_angle { Mark::Angle(level) } else { Mark::None }
        }
        Some(&sign @ (b'|' | b':' | b'#' | b'+' | b'%' | b']' | b'}' | b'!' | b'=' | b'~' | b'^')) => Mark::Sign(sign),
        Some(b'-') if bytes.iter().take(4).any(|byte| matches!(byte, b'>' | b']')) => Mark::Sign(b'-'),
        Some(first) if first.is_ascii_alphabetic() => initials(bytes),
        _ => Mark::None,
    }
}

fn initials(line: &[u8]) -> Mark {
    let letters = line.iter().take(MAX_INITIALS + 1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (name, rest) = line.split_at(letters);
    let goes_on = |next: &u8| {
        matches!(next, b' ' | b'>' | b'"' | b'\'' | b'.' | b'(' | b'*') || next.is_ascii_alphanumeric() || *next >= 0x80
    };
    if letters > MAX_INITIALS || rest.first() != Some(&b'>') || !rest.get(1).is_none_or(goes_on) {
        return Mark::None;
    }
    let name = name.to_ascii_lowercase();
    match str::from_utf8(&name) {
        Ok(name) if !words::has(&words::PROMPT, name) => Mark::Initials(crate::hash::token_hash(name) as u32),
        _ => Mark::None,
    }
}

/// The most lines of [`edges`].
pub(super) const EDGES: usize = FIRST + TAIL.0;

/// Puts the first lines of a text that quotes nothing into `room`, and the last ones: as many as may be openings, and as [`tail`] may
/// take.
pub(super) fn edges<'r>(text: &str, room: &'r mut [Line; EDGES]) -> &'r [Line] {
    let bytes = text.as_bytes();
    let mut count = 0;
    let mut add = |line: Line| {
        room[count] = line;
        count += 1;
        count
    };
    let (mut head, mut first) = (0, 0);
    while first < FIRST && head < bytes.len() {
        let end = memchr::memchr(b'\n', bytes.get(head..).unwrap_or_default()).map_or(bytes.len(), |at| head + at);
        first = line(text, head..end).map_or(first, &mut add);
        head = end + 1;
    }
    let (mut end, mut all) = (bytes.len(), first);
    while all - first < TAIL.0 && end > head {
        let start = memchr::memrchr(b'\n', bytes.get(head..end).unwrap_or_default()).map_or(head, |at| head + at + 1);
        let line = line(text, start..end);
        all = line.map_or(all, &mut add);
        if line.is_some_and(|line| line.len() > TAIL.1) {
            break;
        }
        end = start.saturating_sub(1);
    }
    room[first..all].reverse();
    &room[..all]
}

/// The most lines at the end of a text that may take leave, and the longest of them but the first, in bytes.
const TAIL: (usize, usize) = (8, 160);

/// Returns the numbers of the last lines before `end`, at most `most`, of which only the first may be long.
pub(super) fn tail(lines: &[Line], end: usize, most: usize) -> Range<usize> {
    let before = lines.get(..end).unwrap_or_default().iter().rev().take(most.min(TAIL.0));
    let count = before.clone().count();
    let short = before.take_while(|line| line.len() <= TAIL.1).count();
    end - count.min(short + 1)..end
}

/// Says whether a line of the text may be quoted, or announce a quotation or a footer.
pub(super) fn may_be_quoted(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut from = 0;
    memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).any(|end| {
        let whole = text.get(from..end).unwrap_or_default();
        from = end + 1;
        let line = trim_end(trim_start(whole));
        !line.is_empty() && (may_be_marked(line) || heads::may_announce(line) || chats::may_head(line))
    })
}

/// Says whether a line may have a mark before its words.
fn may_be_marked(line: &str) -> bool {
    let angle = || line.bytes().take(MAX_INITIALS + 1).any(|byte| byte == b'>');
    line.starts_with(['>', '&', '|', ':']) || line.starts_with(|c: char| c.is_ascii_alphabetic()) && angle()
}
