//! What of a text is its own message: quotations, signatures, salutations and openings, marked and not removed.
//!
//! A reply repeats the mail that it answers, a list adds its footer, a portal its "Breaking:". None of these is what the row says.
//! [`Layout::of`] finds them in a plain text, line by line, in one pass whose time grows with the length of the text. The marks of
//! mail programs, forums and microblogs are known for the languages of `data/message_words.tsv`.
//!
//! A text that only passes on another one, such as a bare forward, has no own words ([`Layout::has_own_words`]); it should be
//! compared as a whole. [`Message::read`] is for texts that may have markup. [`links`] finds the addresses in a text.
//!
//! ```
//! use neardup_text::message::Layout;
//!
//! let text = "I agree.\n\nOn 3 May, Ann wrote:\n> The bridge is open\n> since noon.\n";
//! let own: Vec<&str> = Layout::of(text).own().map(|range| text[range].trim()).collect();
//! assert_eq!(own, ["I agree."]);
//! ```

mod chats;
mod ends;
mod heads;
mod lines;
mod links;
mod markup;
mod openings;
mod quotations;
mod words;

use std::borrow::Cow;
use std::ops::Range;

pub use heads::ends_attribution;
use lines::Line;
pub use links::{Link, LinkKind, links};

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Words of another message.
    Quotation,
    /// The lines that say whose words are quoted: `On … wrote:`, the head of a forwarded mail.
    Attribution,
    /// What stands below every message of a writer, a program or a list.
    Signature,
    /// The line that addresses the reader.
    Greeting,
    /// The line that takes leave, with the names after it.
    Closing,
    /// What comes before a message that is passed on or announced: `RT @name:`, `Fwd:`, `Breaking:`.
    Opening,
}

/// A stretch of a text that is not its own message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// In bytes, at character boundaries.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// A text without markup, and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'t> {
    /// The text; the one that was read if it has no markup.
    pub text: Cow<'t, str>,
    /// Its parts.
    pub layout: Layout,
}

impl<'t> Message<'t> {
    /// Reads a text that may have markup: what was a line in a browser is one in the text, and what was a block quotation is one of
    /// its quotations.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        if !may_have_markup(text) {
            return Self { text: Cow::Borrowed(text), layout: Layout::of(text) };
        }
        let (text, quoted) = markup::plain(text);
        let may_quote = !quoted.is_empty() || may_have_quotation(&text);
        let layout = Layout::with(&text, quoted, may_quote);
        Self { text: Cow::Owned(text), layout }
    }
}

fn may_have_markup(text: &str) -> bool {
    memchr::memchr2(b'<', b'&', text.as_bytes()).is_some()
}

/// Returns the text of [`Message::read`], without looking for its parts.
#[must_use]
pub fn without_markup(text: &str) -> Cow<'_, str> {
    if may_have_markup(text) { Cow::Owned(markup::plain(text).0) } else { Cow::Borrowed(text) }
}

/// The parts of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Ascending and disjoint.
    parts: Vec<Part>,
    /// The length of the text, in bytes.
    len: usize,
    has_own_words: bool,
}

impl Layout {
    /// Finds the parts of a text.
    ///
    /// The text may still have markup. Nothing is found in a text of 4 GB or more.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::with(text, Vec::new(), may_have_quotation(text))
    }

    fn with(text: &str, quoted: Vec<Range<usize>>, may_quote: bool) -> Self {
        let parts =
            if u32::try_from(text.len()).is_ok() { disjoint(find(text, quoted, may_quote)) } else { Vec::new() };
        let mut layout = Self { parts, len: text.len(), has_own_words: true };
        layout.has_own_words = layout.parts.is_empty() || layout.own().any(|range| has_words(text, range));
        layout
    }

    /// Returns the parts, ascending and disjoint.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Says whether something is quoted.
    #[must_use]
    pub fn has_quotation(&self) -> bool {
        self.parts.iter().any(|part| part.kind == Kind::Quotation)
    }

    /// Says whether the text has a letter or digit outside all parts, or no part at all. A bare forward or repost has none.
    #[must_use]
    pub fn has_own_words(&self) -> bool {
        self.has_own_words
    }

    /// Returns what is outside all parts, in bytes, ascending.
    pub fn own(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = [0].into_iter().chain(self.parts.iter().map(|part| part.range.end));
        let ends = self.parts.iter().map(|part| part.range.start).chain([self.len]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|range| !range.is_empty())
    }
}

/// Says whether a text may quote another one, without looking at most of its characters.
#[must_use]
pub fn may_have_quotation(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_sign = |at: usize| match bytes.get(at) {
        Some(b'@') => openings::may_repost(bytes, at),
        _ => markup::may_begin(bytes, at),
    };
    memchr::memchr3_iter(b'[', b'<', b'@', bytes).any(is_sign) || lines::may_be_quoted(text)
}

/// Returns the parts of a text, some of which is known to be quoted. They may overlap.
fn find(text: &str, quoted: Vec<Range<usize>>, may_quote: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = quoted.into_iter().map(|range| Part { range, kind: Kind::Quotation }).collect();
    if may_quote {
        let lines = lines::lines(text);
        let mut kinds = vec![None; lines.len()];
        markup::find(text, &mut parts);
        openings::reposts(text, &mut parts);
        parts = disjoint(parts);
        cover(&parts, &lines, &mut kinds);
        quotations::find(text, &lines, &mut kinds);
        chats::find(text, &lines, &mut kinds, &mut parts);
        around(text, &lines, &mut kinds, parts)
    } else {
        let mut room = [Line::default(); lines::EDGES];
        let lines = lines::edges(text, &mut room);
        let kinds = &mut [None; lines::EDGES][..lines.len()];
        if openings::may_open(text, lines) || ends::may_end(text, lines) {
            parts = around(text, lines, kinds, parts);
        }
        parts
    }
}

/// Adds what stands around the own words, and returns all parts.
fn around(text: &str, lines: &[Line], kinds: &mut [Option<Kind>], mut parts: Vec<Part>) -> Vec<Part> {
    openings::find(text, lines, kinds, &mut parts);
    ends::find(text, lines, kinds);
    let mut from = 0;
    for group in kinds.chunk_by(|a, b| a == b) {
        let (first, last) = (lines[from], lines[from + group.len() - 1]);
        let one_line = matches!(group[0], Some(Kind::Greeting | Kind::Opening));
        let next = lines.get(from + group.len()).map_or(text.len(), |next| next.whole as usize);
        if let Some(kind) = group[0] {
            let end = if one_line { last.end as usize } else { next };
            parts.push(Part { range: first.whole as usize..end, kind });
        }
        from += group.len();
    }
    parts
}

/// Sets the kinds of the lines that lie inside a part.
fn cover(parts: &[Part], lines: &[Line], kinds: &mut [Option<Kind>]) {
    let mut parts = parts.iter().peekable();
    for (line, kind) in lines.iter().zip(kinds) {
        while parts.next_if(|part| part.range.end < line.end as usize).is_some() {}
        *kind = parts.peek().filter(|part| part.range.start <= line.start as usize).map(|part| part.kind);
    }
}

/// Sorts parts, and lets each begin where those before it end.
fn disjoint(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by_key(|part| (part.range.start, std::cmp::Reverse(part.range.end), part.kind));
    let mut end = 0;
    parts.retain_mut(|part| {
        part.range.start = part.range.start.max(end);
        end = end.max(part.range.end);
        !part.range.is_empty()
    });
    parts
}

/// Says whether a stretch of a text has a letter or a digit.
fn has_words(text: &str, range: Range<usize>) -> bool {
    text.get(range).unwrap_or_default().chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
