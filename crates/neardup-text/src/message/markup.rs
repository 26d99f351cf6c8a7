//! Quotations in markup: `[quote]…[/quote]` of forums, `<blockquote>…</blockquote>` of HTML; and the text of HTML with its lines.

use std::ops::Range;

use super::{Kind, Part};
use crate::normalize::{extract, is_block};

/// The names, each in a list of brackets.
const OPENINGS: [(&str, &str); 2] = [("[quote", "[/quote"), ("<blockquote", "</blockquote")];

/// Says whether a quotation in markup begins with the bracket at `at`.
pub(super) fn may_begin(text: &[u8], at: usize) -> bool {
    OPENINGS.iter().any(|(opening, _)| starts(text, at, opening))
}

/// Finds the outermost quotations that are closed.
pub(super) fn find(text: &str, parts: &mut Vec<Part>) {
    let bytes = text.as_bytes();
    for (opening, closing) in OPENINGS {
        let mut open = Vec::new();
        let from = parts.len();
        for at in memchr::memchr_iter(opening.as_bytes()[0], bytes) {
            if starts(bytes, at, opening) {
                open.push(at);
            } else if starts(bytes, at, closing)
                && let Some(start) = open.pop()
            {
                let end = at + closing.len();
                let end = end
                    + bytes
                        .get(end..)
                        .and_then(|rest| rest.iter().take(2).position(|byte| matches!(byte, b']' | b'>')))
                        .map_or(0, |at| at + 1);
                // Those inside it are no others.
                while parts.len() > from && parts.pop_if(|inner| inner.range.start > start).is_some() {}
                parts.push(Part { range: start..end, kind: Kind::Quotation });
            }
        }
    }
}

/// Returns the text of some markup, a line for each line that a browser would begin, and what is between `<blockquote>` and its end.
pub(super) fn plain(markup: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(markup.len());
    let (mut open, mut quoted) = (Vec::new(), Vec::<Range<usize>>::new());
    // In HTML a line end is a space; in a text that only has something like a tag it is one.
    let markup_lines = has_blocks(markup) && !quotes_lines(markup);
    let mut done = 0;
    let mut between = |tag: &[u8], is_end: bool, text: &mut String| {
        if markup_lines {
            spaces(text, done);
        }
        match tag {
            b"td" | b"th" => text.push(' '),
            b"blockquote" | b"p" | b"table" | b"ul" | b"ol" | b"hr" => text.push_str("\n\n"),
            _ if is_block(tag) => text.push('\n'),
            _ => {}
        }
        done = text.len();
        if tag == b"blockquote" && !is_end {
            open.push(done);
        } else if tag == b"blockquote"
            && let Some(start) = open.pop()
        {
            // Those inside it are no others.
            while quoted.pop_if(|inner| inner.start >= start).is_some() {}
            quoted.push(start..done);
        }
    };
    extract(markup, &mut text, &mut between);
    if markup_lines {
        spaces(&mut text, done);
    }
    (text, quoted)
}

/// Puts spaces in place of the line ends from a byte on.
fn spaces(text: &mut String, from: usize) {
    if text.get(from..).is_some_and(|new| new.contains('\n')) {
        let new = text.split_off(from);
        text.push_str(&new.replace('\n', " "));
    }
}

/// Says whether lines are quoted as mail programs quote them: a text with that is no HTML, whatever tags it is about.
fn quotes_lines(markup: &str) -> bool {
    markup.lines().filter(|line| line.starts_with("> ")).nth(1).is_some()
}

/// Says whether some markup has a tag that ends a line.
fn has_blocks(markup: &str) -> bool {
    let bytes = markup.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| {
        let tag = bytes.get(at + 1..).unwrap_or_default();
        let tag = tag.strip_prefix(b"/").unwrap_or(tag);
        let len = tag.iter().take(MAX_TAG).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, rest) = tag.split_at(len);
        let closed = rest.first().is_some_and(|next| matches!(next, b'>' | b'/' | b' ' | b'\n' | b'\r' | b'\t'));
        closed && is_block(&name.to_ascii_lowercase())
    })
}

/// The longest name of a tag that ends a line, in bytes.
const MAX_TAG: usize = 12;

fn starts(text: &[u8], at: usize, tag: &str) -> bool {
    let found = text.get(at..at + tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()));
    found && text.get(at + tag.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
}
