//! The heads of messages that were copied out of a chat: `[12/05/21, 10:33] Ann: `, `Ann, [12.05.21 10:33]`.
//!
//! They say who wrote what follows, and are not its words. The dates of logs, `[2021-05-12 10:33:17] error: `, are none.

use super::lines::Line;
use super::{Kind, Part};

/// The longest time in brackets, and the longest name, in bytes.
const TIME: usize = 32;
const NAME: usize = 64;

/// Says whether a line may have such a head.
pub(super) fn may_head(line: &str) -> bool {
    let bytes = line.as_bytes();
    matches!(bytes, [b'[', next, ..] if next.is_ascii_digit())
        || matches!(bytes, [.., before, b']'] if before.is_ascii_alphanumeric())
}

/// Finds the heads of the lines of a text.
pub(super) fn find(text: &str, lines: &[Line], kinds: &mut [Option<Kind>], parts: &mut Vec<Part>) {
    for (line, kind) in lines.iter().zip(kinds).filter(|(line, kind)| kind.is_none() && may_head(line.text(text))) {
        let words = line.text(text);
        if is_head(words) {
            *kind = Some(Kind::Attribution);
        } else if let Some(len) = before_words(words) {
            let start = line.start as usize;
            parts.push(Part { range: start..start + len, kind: Kind::Attribution });
        }
    }
}

/// Returns the length of the head before a line's words.
fn before_words(line: &str) -> Option<usize> {
    let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (name, words) = rest.split_once(": ")?;
    let is_name = name.starts_with(' ') && name.len() <= NAME && name.contains(char::is_alphanumeric);
    (is_name && is_time(time)).then(|| line.len() - words.len())
}

/// Says whether a line is nothing but a head.
fn is_head(line: &str) -> bool {
    let parts = line.strip_suffix(']').and_then(|line| line.split_once(", ["));
    parts.is_some_and(|(name, time)| name.len() <= NAME && is_time(time))
}

/// Says whether the words between brackets are a date and a time as chats write them.
fn is_time(words: &str) -> bool {
    let count = |is: fn(&u8) -> bool| words.bytes().filter(is).count();
    words.len() <= TIME
        && count(u8::is_ascii_digit) >= 6
        && count(u8::is_ascii_alphabetic) <= 4
        && (count(|byte| matches!(byte, b'/' | b'.')) >= 2 || words.contains('年'))
        && words.contains(':')
        && !words.contains('-')
}
