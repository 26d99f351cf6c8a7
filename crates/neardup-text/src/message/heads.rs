//! The lines before a quotation: `On … wrote:`, `-----Original Message-----`, the fields of a mail's head.

use super::lines::{Line, Mark};
use super::words::{self, has, lower, lower_head, may_start, prefix};

/// The longest line that may say whose words follow, in bytes.
const LONGEST: usize = 300;

/// The longest line that may announce a message, and a quotation in a forum, in bytes.
const ANNOUNCEMENT: usize = 160;
const FORUM: usize = 120;

/// The longest note of what was left out of a quotation, in bytes.
const NOTE: usize = 80;

/// The longest name of a field, in bytes.
const FIELD: usize = 48;

/// The most lines of a head.
const HEAD: usize = 40;

/// The least number of different fields that make a head.
const FIELDS: u32 = 3;

/// The signs that rules are made of, and lines around an announcement.
const DASHES: [char; 9] = ['-', '_', '=', '*', '—', '–', '─', '+', '#'];

/// Whether a line needs a quotation after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It has a verb, and may be prose.
    Weak,
    /// It may also be prose, unless marked lines follow.
    Likely,
    /// It has a verb, and a date, an address or the first word of such a line.
    Dated,
    /// It has a verb, and a date and a time or an address.
    Sure,
}

/// Returns where the attribution begins that ends before the line `at`.
pub(super) fn before(text: &str, lines: &[Line], at: usize) -> Option<(usize, Certainty)> {
    let last = at.checked_sub(1)?;
    let found = attribution(text, lines, last).or_else(|| above(text, lines, last));
    // What was left out may be noted below it: `[...]`.
    let note = lines.get(last)?.text(text);
    let is_note = note.len() <= NOTE && note.starts_with(['[', '(', '<']) && note.ends_with([']', ')', '>']);
    found.or_else(|| attribution(text, lines, last.checked_sub(1).filter(|_| is_note)?))
}

/// Returns where the fields of a mail's head begin that end with the line `last`.
fn above(text: &str, lines: &[Line], last: usize) -> Option<(usize, Certainty)> {
    let is_field = |line: &Line| line.mark == Mark::None && (field(line.text(text)).is_some() || line.indent() > 0);
    let count = lines.get(..=last)?.iter().rev().take(HEAD).take_while(|line| is_field(line)).count();
    let first = last + 1 - count;
    (first..=last).find(|&line| fields(text, lines, line) == Ok(last + 1)).map(|line| (line, Certainty::Dated))
}

/// Returns where the attribution begins whose last line is `last`, if it needs no marked lines after it: it is sure to be one, or at
/// least names an address.
pub(super) fn alone(text: &str, lines: &[Line], last: usize) -> Option<(usize, Certainty)> {
    let line = lines.get(last)?.text(text);
    let found = ends_head(line).then(|| attribution(text, lines, last))??;
    (found.1 == Certainty::Sure || found.1 == Certainty::Dated && line.contains('@')).then_some(found)
}

/// Says whether a line has a mark and is an attribution all the same: `>>>>> "M" == Mike <…> writes:`.
pub(super) fn attributes(line: &str) -> bool {
    ends_head(line) && line.len() <= LONGEST && Signs::of(line).verb
}

/// Says whether words before a colon say whose words follow: somebody, and then a verb such as `wrote`.
#[must_use]
pub fn ends_attribution(words: &str) -> bool {
    let words = lower(words.trim());
    let is_after = |before: &str| before.contains(char::is_alphanumeric);
    let ending = || words::ENDING.iter().any(|ending| words.strip_suffix(ending).is_some_and(is_after));
    words.rsplit_once(char::is_whitespace).is_some_and(|(before, last)| is_after(before) && has(&words::VERB, last))
        || ending()
}

/// Says whether a line ends as an attribution does.
pub(super) fn ends_head(line: &str) -> bool {
    line.ends_with([':', '：']) || line.ends_with(":*")
}

/// What a line has of what an attribution needs.
#[derive(Default)]
struct Signs {
    verb: bool,
    /// Whether the verb is its last word.
    ends: bool,
    mail: bool,
    time: bool,
    digits: usize,
    start: bool,
}

impl Signs {
    fn of(line: &str) -> Self {
        let lower = lower(line);
        let words = lower.trim_end_matches([':', '：', '.', '…', ' ', '\u{a0}', '>', '*', '_', '，', ',']);
        let trimmed = |word: &str| -> bool {
            has(&words::VERB, word.trim_matches([':', '*', '_', '.', '"', ',', '\u{200f}', '\u{200e}', '(', ')']))
                || has(&words::VERB, word)
        };
        let verb =
            words.split([' ', '\u{a0}']).any(trimmed) || words::ENDING.iter().any(|ending| words.ends_with(ending));
        let ends = !line.ends_with('.') && words.rsplit([' ', '\u{a0}']).next().is_some_and(trimmed);
        let bytes = lower.as_bytes();
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let time = |at: usize| {
            let h = matches!(bytes.get(at), Some(b':' | b'.' | b'h'))
                || bytes.get(at..).is_some_and(|rest| rest.starts_with("：".as_bytes()));
            let wide = if bytes.get(at) == Some(&0xef) { 3 } else { 1 };
            h && digit(at.wrapping_sub(1)) && digit(at + wide) && digit(at + wide + 1)
        };
        Self {
            verb,
            ends,
            mail: lower.contains('@'),
            time: (0..bytes.len()).any(time) || lower.contains('時') || lower.contains('时'),
            digits: bytes.iter().filter(|byte| byte.is_ascii_digit()).count(),
            start: prefix(
                &words::START,
                lower.trim_start_matches(['>', '-', '*', ' ', '"', '=', '\u{200f}', '\u{200e}']),
            )
            .is_some(),
        }
    }
}

/// Returns where the attribution begins whose last line is `last`, if it is one.
fn attribution(text: &str, lines: &[Line], last: usize) -> Option<(usize, Certainty)> {
    let line = lines.get(last).filter(|line| !matches!(line.mark, Mark::Initials(_)))?;
    let words = line.text(text);
    if words.len() > LONGEST {
        return None;
    }
    if words.starts_with('@') && !words.contains(' ') {
        return Some((last, Certainty::Likely));
    }
    let colon = ends_head(words) || words.ends_with("...") || words.ends_with('…');
    let signs = Signs::of(words);
    if !signs.verb && !(colon && (signs.mail || signs.time && signs.digits >= 8)) {
        return None;
    }
    let dated = |signs: &Signs| signs.mail || signs.digits >= 5;
    let mut start = last;
    let mut all = signs;
    // The line may have been broken.
    while !(all.start && dated(&all)) && last - start < 2 {
        let Some(previous) = start.checked_sub(1).filter(|_| !lines[start].apart).map(|previous| lines[previous])
        else {
            break;
        };
        let broken = previous.text(text);
        if previous.mark != Mark::None || broken.len() > LONGEST || broken.ends_with(['.', '!', '?', '。', ':', '：'])
        {
            break;
        }
        let signs = Signs::of(broken);
        if !(signs.start || signs.mail && dated(&signs)) || !(dated(&signs) || dated(&all)) {
            break;
        }
        start -= 1;
        all = Signs {
            verb: all.verb,
            ends: all.ends,
            mail: all.mail || signs.mail,
            time: all.time || signs.time,
            digits: all.digits + signs.digits,
            start: signs.start,
        };
    }
    let begins = all.start || lines[start].text(text).starts_with(|c: char| c.is_ascii_digit());
    let dated = all.digits >= 6 && all.time && all.mail;
    if colon && (dated || all.verb && all.digits >= 3 && (all.time || all.mail) && (begins || all.mail)) {
        return Some((start, Certainty::Sure));
    }
    let quoting = all.start && all.verb;
    let certainty = match colon || quoting {
        true if all.verb && (all.mail || all.digits >= 3 || all.start) => Certainty::Dated,
        true => Certainty::Likely,
        false => Certainty::Weak,
    };
    (certainty > Certainty::Weak || words.len() <= 60 && all.ends).then_some((start, certainty))
}

/// Returns the end of the announcement of a message that is quoted whole, if the line `at` is one.
pub(super) fn original(text: &str, lines: &[Line], at: usize) -> Option<usize> {
    let line = lines.get(at).filter(|line| line.len() <= ANNOUNCEMENT)?.text(text);
    let dashes = line.len() - line.trim_start_matches(DASHES).len();
    if dashes < 2 && !line.ends_with(['*', ':', '：']) {
        return None;
    }
    let inner = line.trim_matches(DASHES).trim_matches(['>', '<', ' ', '\u{a0}']);
    let colon = inner.strip_suffix([':', '：']);
    if dashes < 2 && colon.is_none() {
        return None;
    }
    let inner = lower(colon.unwrap_or(inner).trim());
    let found = prefix(&words::ORIGINAL, &inner)?;
    let rest = inner.get(found.len()..).unwrap_or_default();
    // After dashes it may say from whom.
    (rest.is_empty() || dashes >= 2 && rest.starts_with([' ', ':', '(', '-'])).then_some(at + 1)
}

/// Says whether a line may announce what is quoted without marks, or be a rule above a footer.
pub(super) fn may_announce(line: &str) -> bool {
    let bytes = line.as_bytes();
    let named = || {
        let head = bytes.get(..FIELD).unwrap_or(bytes);
        let colon = || head.contains(&b':') || head.windows(3).any(|sign| sign == "：".as_bytes());
        may_start(&words::ANNOUNCING_STARTS, line.trim_start_matches('*')) && (line.len() <= FORUM || colon())
    };
    let rule = || {
        let mut chars = line.chars();
        let is_first = chars.next().is_some_and(|first| DASHES.contains(&first));
        is_first && chars.next().is_none_or(|second| DASHES.contains(&second))
    };
    let head = || {
        let dated = || bytes.iter().filter(|byte| byte.is_ascii_digit()).nth(2).is_some() || bytes.contains(&b'@');
        ends_head(line) && line.len() <= LONGEST && (dated() || may_start(&words::ORIGINAL_STARTS, line))
    };
    named() || rule() || head()
}

/// Says whether a line ends a message that was quoted whole.
pub(super) fn ends_original(text: &str, line: Line) -> bool {
    let line = line.text(text);
    line.len() <= ANNOUNCEMENT && line.starts_with(['-', '_', '=', '*']) && {
        let inner = lower(line.trim_matches(['-', '_', '=', '*', ' ']));
        prefix(&words::ORIGINAL_END, &inner).is_some()
    }
}

/// Returns the end of a forum's line that announces a quotation, if the line `at` is one.
pub(super) fn forum(text: &str, lines: &[Line], at: usize) -> Option<usize> {
    let line = lines.get(at).filter(|line| line.len() <= FORUM)?.text(text);
    if !may_start(&words::ANNOUNCING_STARTS, line) {
        return None;
    }
    let found = prefix(&words::FORUM, &lower_head(line))?;
    (line.len() > found.len()).then_some(at + 1)
}

/// Returns the end of the fields of a mail's head that begin with the line `at`; as an error, the end of what are too few of them.
pub(super) fn fields(text: &str, lines: &[Line], at: usize) -> Result<usize, usize> {
    let role = |line: usize| lines.get(line).and_then(|line| field(line.text(text)));
    let mut end = at;
    let (mut roles, mut count) = (0_u32, 0_u32);
    while let Some(line) = lines.get(end).filter(|_| end - at < HEAD) {
        if let Some(role) = role(end) {
            roles |= role;
            count += 1;
        } else {
            // A long field goes on in the next line.
            let goes_on =
                line.indent() > 0 || lines.get(end + 1).is_some_and(|next| !next.apart) && role(end + 1).is_some();
            if count == 0 || line.apart || line.mark != Mark::None || !goes_on {
                break;
            }
        }
        end += 1;
    }
    let is_head = roles & FROM != 0 && roles & (DATE | SUBJECT) != 0 && count.min(roles.count_ones()) >= FIELDS;
    if is_head { Ok(end) } else { Err(end) }
}

/// Returns the end of the fields that begin with the line `at`, if it is one, however few they are.
pub(super) fn some_fields(text: &str, lines: &[Line], at: usize) -> Option<usize> {
    let is_field = |line: &&Line| line.mark == Mark::None && field(line.text(text)).is_some();
    let count = lines.iter().skip(at).take(HEAD).take_while(is_field).count();
    (count > 0).then_some(at + count)
}

const FROM: u32 = 1;
const DATE: u32 = 2;
const TO: u32 = 4;
const SUBJECT: u32 = 8;
const OTHER: u32 = 16;

/// Returns what fields the name before a line's colon may stand for.
fn field(line: &str) -> Option<u32> {
    let line = line.trim_start_matches(['*', '>', ' ', '|', '_']);
    if !may_start(&words::ANNOUNCING_STARTS, line) {
        return None;
    }
    let head = line.get(..line.floor_char_boundary(FIELD)).unwrap_or_default();
    let (name, _) = head.split_once([':', '：'])?;
    let name = lower(name.trim_matches(['*', '_', ' ', '\u{a0}', '\u{3000}', '\u{200f}']));
    let roles: [(&[&str], u32); 5] = [
        (&words::FROM, FROM),
        (&words::DATE, DATE),
        (&words::TO, TO),
        (&words::SUBJECT, SUBJECT),
        (&words::FIELD, OTHER),
    ];
    let found = roles.into_iter().filter(|(names, _)| has(names, &name)).fold(0, |all, (_, role)| all | role);
    (found != 0).then_some(found)
}

/// Says whether a line has nothing but the signs that rules are made of.
pub(super) fn is_rule(line: &str) -> bool {
    line.chars().all(|c| DASHES.contains(&c))
}
