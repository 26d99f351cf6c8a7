//! What stands before a message: `RT @name:`, `Fwd:`, `Breaking:`, a salutation; and the chains of reposts on microblogs.

use super::lines::Line;
use super::words::{self, lower, may_start, prefix};
use super::{Kind, Part};

/// The most openings one after the other.
const MOST: usize = 4;

/// The most lines that may be openings, and the salutation after them.
pub(super) const FIRST: usize = 3;

/// The longest name on a microblog, in characters.
const NAME: usize = 30;

/// The longest emoticon in brackets, in characters.
const EMOTICON: usize = 8;

/// The most letters of a comment that says nothing beside what is reposted.
const COMMENT: usize = 8;

/// Says whether the at sign at `at` may be that of a repost.
pub(super) fn may_repost(text: &[u8], at: usize) -> bool {
    matches!(text.get(..at).map(<[u8]>::trim_ascii_end), Some([.., b'/' | b'T']))
}

/// Finds what is reposted below a comment: `comment//@name:message`, `comment RT @name: message`.
pub(super) fn reposts(text: &str, parts: &mut Vec<Part>) {
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'@', text.as_bytes().get(from..).unwrap_or_default()).map(|at| at + from) {
        from = at + 1;
        let (before, after) = text.split_at(at);
        let head = before.trim_end_matches(' ');
        let chain = head.strip_suffix("//").filter(|comment| !comment.ends_with(':'));
        let retweet = || {
            head.strip_suffix("RT").filter(|comment| comment.ends_with([' ', '\n', '"', '“', '|', '.', '!', ':', '…']))
        };
        let Some(comment) = chain.or_else(retweet) else { continue };
        let Some(name) = name_len(after.get(1..).unwrap_or_default()) else { continue };
        let message = at + 1 + name;
        let letters = letters(comment);
        if letters == 0 {
            // Nothing but the mark is added; what follows is the message, or the next comment.
            parts.push(Part { range: 0..message, kind: Kind::Opening });
            if chain.is_some() { continue } else { return }
        }
        if letters <= COMMENT {
            parts.push(Part { range: 0..comment.len(), kind: Kind::Opening });
        }
        parts.push(Part { range: comment.len()..message, kind: Kind::Attribution });
        parts.push(Part { range: message..text.len(), kind: Kind::Quotation });
        return;
    }
}

/// Returns the number of letters of a comment, up to one more than [`COMMENT`], without emoticons in brackets.
fn letters(comment: &str) -> usize {
    let mut inside = 0;
    let of_words = |c: &char| {
        inside = match c {
            '[' => EMOTICON,
            ']' => 0,
            _ => inside - usize::from(inside > 0),
        };
        inside == 0 && c.is_alphanumeric()
    };
    comment.chars().filter(of_words).take(COMMENT + 1).count()
}

/// Returns the length of a name and of the colon after it.
fn name_len(text: &str) -> Option<usize> {
    let letters =
        text.chars().take(NAME + 1).take_while(|&c| c.is_alphanumeric() || matches!(c, '_' | '-' | '·' | '.'));
    let (count, len) = letters.fold((0, 0), |(count, len), c| (count + 1, len + c.len_utf8()));
    let colon = [":", "：", " :"].into_iter().find(|colon| text.get(len..).is_some_and(|rest| rest.starts_with(colon)));
    (1..=NAME).contains(&count).then_some(len + colon.map_or(0, str::len))
}

/// Says whether the first of some lines may be an opening or a salutation.
pub(super) fn may_open(text: &str, lines: &[Line]) -> bool {
    lines.first().map(|line| line.text(text)).is_some_and(|line| {
        may_start(&words::FIRST_STARTS, line) || line.starts_with(['"', '“', '@']) || line.starts_with("RT")
    })
}

/// Finds the openings and the salutation of the first own lines.
pub(super) fn find(text: &str, lines: &[Line], kinds: &mut [Option<Kind>], parts: &mut Vec<Part>) {
    for _ in 0..FIRST {
        let Some(first) = kinds.iter().position(Option::is_none) else { return };
        let (start, end) = (lines[first].start as usize, lines[first].end as usize);
        let mut at = start;
        for _ in 0..MOST {
            let Some(len) = opening(text.get(at..end).unwrap_or_default()) else { break };
            at += len;
        }
        if at >= end {
            kinds[first] = Some(Kind::Opening);
        } else if at > start {
            parts.push(Part { range: start..at, kind: Kind::Opening });
            return;
        } else {
            // A salutation alone is the message.
            if first + 1 < lines.len() && is_greeting(lines[first].text(text)) {
                kinds[first] = Some(Kind::Greeting);
            }
            return;
        }
    }
}

/// Returns the length of the opening at the beginning of a text, with the white space after it.
fn opening(text: &str) -> Option<usize> {
    let spaced = |len: usize| {
        let rest = text.get(len..).unwrap_or_default();
        len + (rest.len() - rest.trim_start().len())
    };
    let quoted = text.strip_prefix(['"', '“']).unwrap_or(text);
    let repost =
        quoted.strip_prefix("RT").map(str::trim_start).unwrap_or(if quoted.len() < text.len() { quoted } else { "" });
    if let Some(name) = repost.strip_prefix('@') {
        let len = name_len(name)?;
        return Some(spaced(text.len() - name.len() + len));
    }
    if !may_start(&words::FIRST_STARTS, text) {
        return None;
    }
    let head = text.get(..text.floor_char_boundary(60)).unwrap_or_default();
    let small = lower(head);
    let found = prefix(&words::OPENING, &small)?;
    // The case may change the length of a letter, but only of some that no opening has.
    let rest = text.split_at_checked(found.len()).filter(|(words, _)| lower(words) == found)?.1;
    if found.starts_with('[') && !found.ends_with(']') {
        let name = rest.get(..rest.floor_char_boundary(60)).unwrap_or_default().find(']')?;
        return Some(spaced(found.len() + name + 1));
    }
    let closed = found.ends_with(|c: char| !c.is_alphanumeric());
    (closed || rest.trim_start().is_empty() || rest.starts_with([':', '：'])).then(|| {
        let colon = if closed { 0 } else { rest.len() - rest.trim_start_matches([':', '：']).len() };
        spaced(found.len() + colon)
    })
}

/// Says whether a line is a salutation.
fn is_greeting(line: &str) -> bool {
    if line.len() > 120 || !may_start(&words::FIRST_STARTS, line) {
        return false;
    }
    let lower = lower(line);
    let Some(found) = prefix(&words::GREETING, &lower) else { return false };
    let rest = lower.get(found.len()..).unwrap_or_default();
    let closed = rest.ends_with([',', '，', '!', '！', ':', '：', '.', '。', '~', '～', '、', '،', '-', '–']);
    let words = rest.trim_matches(|c: char| !c.is_alphanumeric());
    let inner = words.contains([',', '，', '。', '!', '！', '?', '？']);
    match words.split(' ').count() {
        _ if words.is_empty() => closed || line.len() <= 2 || line.contains(char::is_lowercase) || !line.is_ascii(),
        count if closed => count <= 5 && words.chars().count() <= 40 && !inner,
        count => count == 1 && rest.starts_with(' ') && !words.contains(|c: char| c.is_numeric()),
    }
}
