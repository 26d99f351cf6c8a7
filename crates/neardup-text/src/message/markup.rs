//! Quotations in markup: `[quote]…[/quote]` of forums, `<blockquote>…</blockquote>` of HTML.

use super::{Kind, Part};

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
                while parts.len() > from && parts.last().is_some_and(|inner| inner.range.start > start) {
                    parts.pop();
                }
                parts.push(Part { range: start..end, kind: Kind::Quotation });
            }
        }
    }
}

fn starts(text: &[u8], at: usize, tag: &str) -> bool {
    let found = text.get(at..at + tag.len()).is_some_and(|head| head.eq_ignore_ascii_case(tag.as_bytes()));
    found && text.get(at + tag.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
}
