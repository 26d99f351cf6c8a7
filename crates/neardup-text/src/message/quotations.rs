//! Quoted lines: by their marks, after the line that says whose they are, or to the end of the text below a mail's head.

use super::Kind;
use super::heads::{self, Certainty};
use super::lines::{Line, Mark};

/// The least length of a line that a program may have broken, and the greatest of what is left of it, in bytes.
const BROKEN: (usize, usize) = (60, 40);

/// The least length of a lone line that is quoted without another sign, in bytes.
const LONE: usize = 24;

/// A lone line quoted in a text that is longer by this factor is more likely a decoration.
const LONE_SHARE: usize = 12;

/// Sets the kinds of the lines that are quoted.
pub(super) fn find(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    marked(text, lines, kinds);
    announced(text, lines, kinds);
}

/// A run of lines with one mark, by their numbers.
struct Run {
    start: usize,
    end: usize,
    /// Where its attribution begins, if it has one.
    head: Option<(usize, Certainty)>,
    /// Whether it has words.
    has_words: bool,
    level: u8,
}

/// Finds the lines with marks.
fn marked(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    let runs = runs(text, lines);
    let sure = |run: &Run| is_quotation(text, lines, run);
    let accepted: Vec<bool> = runs.iter().map(sure).collect();
    // A mark that is once known to quote always does.
    let mut known: Vec<Mark> = Vec::new();
    for (run, _) in runs.iter().zip(&accepted).filter(|(_, accepted)| **accepted) {
        let mark = lines[run.start].mark;
        if known.len() < 16 && !known.iter().any(|known| known.is_like(mark)) {
            known.push(mark);
        }
    }
    for run in runs {
        if known.iter().any(|known| known.is_like(lines[run.start].mark)) {
            let head = run.head.map_or(run.start, |(start, _)| start);
            kinds[head..run.start].fill(Some(Kind::Attribution));
            kinds[run.start..run.end].fill(Some(Kind::Quotation));
        }
    }
}

fn runs(text: &str, lines: &[Line]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    while let Some(first) = lines.get(start) {
        if first.mark == Mark::None {
            start += 1;
            continue;
        }
        let mut end = start + 1;
        let mut level = first.level();
        while let Some(line) = lines.get(end) {
            let broken = || {
                let next = lines.get(end + 1).is_some_and(|next| next.mark.is_like(first.mark) && !next.apart);
                let whole = lines[end - 1].end - lines[end - 1].start;
                let small = line.text(text).chars().next().is_some_and(char::is_lowercase);
                let size = (line.end - line.start) as usize;
                next && !line.apart
                    && small
                    && line.mark == Mark::None
                    && whole as usize >= BROKEN.0
                    && size <= BROKEN.1
            };
            if line.mark.is_like(first.mark) && !line.apart {
                level = level.min(line.level());
                end += 1;
            } else if broken() {
                end += 1;
            } else {
                break;
            }
        }
        let head = heads::before(text, lines, start);
        let has_words = lines[start..end].iter().any(|line| line.text(text).contains(char::is_alphanumeric));
        runs.push(Run { start, end, head, has_words, level });
        start = end;
    }
    runs
}

/// Says whether a run is a quotation by itself.
fn is_quotation(text: &str, lines: &[Line], run: &Run) -> bool {
    let first = lines[run.start];
    let head = run.head.map(|(_, certainty)| certainty);
    let whole = run.start == 0 && run.end == lines.len();
    let plural = run.end - run.start > 1;
    match first.mark {
        _ if head >= Some(Certainty::Likely) => true,
        Mark::Angle(_) if whole => true,
        // An ornament, or a prompt of Python.
        Mark::Angle(_) if !run.has_words || run.level > 1 && head.is_none() => false,
        Mark::Angle(_) => {
            let size = (lines[run.end - 1].end - first.start) as usize;
            let opens = run.start == 0 && lines.get(run.end).is_some_and(|next| next.apart);
            let is_long = size >= LONE;
            plural || head.is_some() || is_long && (opens || first.apart && text.len() / LONE_SHARE <= size)
        }
        Mark::Initials(_) => plural && (head.is_some() || first.is_capital(text)),
        Mark::Bar | Mark::Colon | Mark::None => false,
    }
}

/// Finds what is quoted without marks: below the line that announces a message, below a mail's head, below `On … wrote:`.
fn announced(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    let marks = kinds.iter().rposition(|kind| *kind == Some(Kind::Quotation));
    let mut at = 0;
    while at < lines.len() {
        if kinds[at].is_some() || !heads::may_announce(lines[at].text(text)) {
            at += 1;
            continue;
        }
        if let Some(end) = heads::forum(text, lines, at) {
            // To the end of the paragraph.
            let body = end + lines.iter().skip(end).take_while(|line| !line.apart).count();
            fill(kinds, at, end, Kind::Attribution);
            fill(kinds, end, body, Kind::Quotation);
            at = body;
        } else if let Some(end) = heads::original(text, lines, at) {
            let dated = || heads::sure(text, lines, end) == Some(end);
            let end = heads::fields(text, lines, end).unwrap_or_else(|| end + usize::from(dated()));
            let body = (end..lines.len()).find(|&line| heads::ends_original(text, lines[line])).unwrap_or(lines.len());
            fill(kinds, at, end, Kind::Attribution);
            fill(kinds, end, body, Kind::Quotation);
            fill(kinds, body, body + 1, Kind::Attribution);
            at = body + 1;
        } else if let Some(end) = heads::fields(text, lines, at) {
            let rule =
                at.checked_sub(1).filter(|&rule| kinds[rule].is_none() && heads::is_rule(lines[rule].text(text)));
            fill(kinds, rule.unwrap_or(at), end, Kind::Attribution);
            // The head of the text itself, if nothing is before it.
            if at > 0 {
                fill(kinds, end, lines.len(), Kind::Quotation);
                return;
            }
            at = end;
        } else if let Some(start) = heads::sure(text, lines, at) {
            let start = (start..at).rev().take_while(|&line| kinds[line].is_none()).last().unwrap_or(at);
            let next = at + 1;
            fill(kinds, start, next, Kind::Attribution);
            let indent = lines[at].indent();
            let indented = lines.iter().skip(next).take_while(|line| line.indent() > indent + 1).count();
            if indented > 0 {
                fill(kinds, next, next + indented, Kind::Quotation);
            } else if marks.is_none_or(|last| last < at) {
                fill(kinds, next, lines.len(), Kind::Quotation);
                return;
            }
            at = next + indented;
        } else {
            at += 1;
        }
    }
}

fn fill(kinds: &mut [Option<Kind>], from: usize, to: usize, kind: Kind) {
    let to = to.min(kinds.len());
    if let Some(kinds) = kinds.get_mut(from..to) {
        kinds.fill(Some(kind));
    }
}

impl Line {
    fn level(self) -> u8 {
        if let Mark::Angle(level) = self.mark { level } else { 1 }
    }

    fn is_capital(self, text: &str) -> bool {
        self.text(text).starts_with(|c: char| c.is_ascii_uppercase())
    }
}
