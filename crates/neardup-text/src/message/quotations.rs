//! Quoted lines: by their marks, after the line that says whose they are, or to the end of the text below a mail's head.

use super::Kind;
use super::heads::{self, Certainty};
use super::lines::{Line, Mark};
use crate::interrupt;

/// The least length of a line that a program may have broken, and the greatest of what is left of it, in bytes.
const BROKEN: (usize, usize) = (60, 40);

/// The least length of a lone line that is quoted without another sign, in bytes.
const LONE: usize = 24;

/// A lone line quoted in a text that is longer by this factor is more likely a decoration.
const LONE_SHARE: usize = 40;

/// Sets the kinds of the lines that are quoted.
pub(super) fn find(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    marked(text, lines, kinds);
    announced(text, lines, kinds);
}

/// A run of lines with one mark, by their numbers.
struct Run {
    start: usize,
    end: usize,
    mark: Mark,
    /// Where its attribution begins, if it has one.
    head: Option<(usize, Certainty)>,
    /// Whether one of its lines is itself an attribution.
    attributes: bool,
    /// The lines that have words after the mark, and of these the ones that look like prose.
    words: usize,
    prose: usize,
}

/// The most marks that are counted.
const MARKS: usize = 16;

/// Finds the lines with marks.
fn marked(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    let runs = runs(text, lines);
    let mut counts: Vec<(Mark, usize)> = Vec::new();
    for run in &runs {
        if let Some((_, count)) = counts.iter_mut().find(|(mark, _)| mark.is_like(run.mark)) {
            *count += run.words;
        } else if counts.len() < MARKS {
            counts.push((run.mark, run.words));
        }
    }
    // A mark that is once known to quote always does.
    let mut known: Vec<Mark> = Vec::new();
    for run in &runs {
        let count = counts.iter().find(|(mark, _)| mark.is_like(run.mark)).map_or(0, |(_, count)| *count);
        let is_new = known.len() < MARKS && !known.iter().any(|known| known.is_like(run.mark));
        if is_new && is_quotation(text, lines, run, count) {
            known.push(run.mark);
        }
    }
    for run in runs.iter().filter(|run| known.iter().any(|known| known.is_like(run.mark))) {
        let head = run.head.map_or(run.start, |(start, _)| start);
        kinds[head..run.start].fill(Some(Kind::Attribution));
        kinds[run.start..run.end].fill(Some(Kind::Quotation));
    }
}

fn runs(text: &str, lines: &[Line]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut start = 0;
    while let Some(first) = lines.get(start) {
        if runs.len() % 4096 == 4095 {
            interrupt::check();
        }
        if first.mark == Mark::None {
            start += 1;
            continue;
        }
        let mut end = start + 1;
        while let Some(line) = lines.get(end).filter(|line| !line.apart)
            && (line.mark.is_like(first.mark) || is_broken(text, lines, end, first.mark))
        {
            end += 1;
        }
        let of_run = &lines[start..end];
        let words = of_run.iter().filter(|line| line.text(text).contains(char::is_alphanumeric)).count();
        let prose = of_run.iter().filter(|line| is_prose(line.text(text))).count();
        let attributes =
            matches!(first.mark, Mark::Angle(_)) && of_run.iter().any(|line| heads::attributes(line.text(text)));
        // The strictest mark of the run decides what it is.
        let level = of_run.iter().filter_map(|line| line.level()).filter(|level| *level > 0).min();
        let mark = if let Mark::Angle(_) = first.mark { Mark::Angle(level.unwrap_or(0)) } else { first.mark };
        let head = heads::before(text, lines, start);
        runs.push(Run { start, end, mark, head, attributes, words, prose });
        start = end;
    }
    runs
}

/// Says whether a line is the rest of the quoted line before it, which a program broke.
fn is_broken(text: &str, lines: &[Line], at: usize, mark: Mark) -> bool {
    let (before, line, after) = (lines[at - 1], lines[at], lines.get(at + 1));
    line.mark == Mark::None
        && line.len() <= BROKEN.1
        && before.len() >= BROKEN.0
        && after.is_some_and(|after| after.mark.is_like(mark) && !after.apart)
        && line.text(text).starts_with(char::is_lowercase)
}

/// Says whether a line has several words one after the other, as no command or ornament has.
fn is_prose(line: &str) -> bool {
    let is_word = |word: &&str| {
        word.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !word.contains(['(', '=', '/', '_', '{', ';'])
    };
    line.split(' ').filter(is_word).nth(3).is_some()
        || line.chars().filter(|&c| crate::lexicon::is_han(c)).nth(7).is_some()
}

/// Says whether a run is a quotation by itself; `count` is the number of lines with this mark in the text.
fn is_quotation(text: &str, lines: &[Line], run: &Run, count: usize) -> bool {
    let first = lines[run.start];
    let head = run.head.map(|(_, certainty)| certainty);
    let size = (lines[run.end - 1].end - first.start) as usize;
    let plural = run.end - run.start > 1;
    let opens = run.start == 0 && lines.get(run.end).is_some_and(|next| next.apart);
    match run.mark {
        Mark::Angle(_) if run.start == 0 && run.end == lines.len() => run.words > 0,
        Mark::Angle(0) => head >= Some(Certainty::Likely) && size >= LONE,
        Mark::Angle(_) | Mark::Initials(_) if head >= Some(Certainty::Likely) || run.attributes => true,
        Mark::Angle(_) if run.words == 0 => false,
        Mark::Angle(1) => {
            plural
                || head.is_some()
                || size >= LONE && (opens || first.apart && run.prose > 0 && text.len() / LONE_SHARE <= size)
        }
        // Ornaments and the prompts of Python are as deep.
        Mark::Angle(_) => run.prose > 0 && (plural || count > 2),
        Mark::Initials(_) if first.is_capital(text) => plural || count > 1,
        Mark::Initials(_) => plural && head.is_some() || run.prose > 0 && count > 2,
        Mark::Sign(b'|' | b':') if head >= Some(Certainty::Likely) => run.words > 0,
        Mark::Sign(b'|' | b':') => opens && plural && run.prose * 2 > run.end - run.start,
        Mark::Sign(_) => plural && head >= Some(Certainty::Dated),
        Mark::None => false,
    }
}

/// Finds what is quoted without marks: below the line that announces a message, below a mail's head, below `On … wrote:`.
fn announced(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    let marks = kinds.iter().rposition(|kind| *kind == Some(Kind::Quotation));
    let mut at = 0;
    // Fields that are too few to be a head are not counted again from their second line.
    let mut counted = 0;
    let mut steps = 0_u32;
    while at < lines.len() {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(4096) {
            interrupt::check();
        }
        let mut head = |at: usize| {
            let found = (at >= counted).then(|| heads::fields(text, lines, at))?;
            counted = found.unwrap_or_else(|end| end);
            found.ok()
        };
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
            let dated = || heads::alone(text, lines, end).is_some_and(|(start, _)| start == end);
            let fields = heads::fields(text, lines, end).ok();
            let end =
                fields.or_else(|| heads::some_fields(text, lines, end)).unwrap_or_else(|| end + usize::from(dated()));
            fill(kinds, at, end, Kind::Attribution);
            // Some programs announce the message and mark its lines all the same; then the answer is below it.
            let is_marked = kinds.get(end) == Some(&Some(Kind::Quotation));
            if is_marked && (fields.is_none() || kinds.iter().take(at).all(Option::is_some)) {
                at = end;
                continue;
            }
            let body = (end..lines.len()).find(|&line| heads::ends_original(text, lines[line])).unwrap_or(lines.len());
            fill(kinds, end, body, Kind::Quotation);
            fill(kinds, body, body + 1, Kind::Attribution);
            at = body + 1;
        } else if let Some(end) = head(at) {
            let rule =
                at.checked_sub(1).filter(|&rule| kinds[rule].is_none() && heads::is_rule(lines[rule].text(text)));
            fill(kinds, rule.unwrap_or(at), end, Kind::Attribution);
            // The head of the text itself, if nothing is before it.
            if at > 0 {
                fill(kinds, end, lines.len(), Kind::Quotation);
                return;
            }
            at = end;
        } else if let Some((start, certainty)) = heads::alone(text, lines, at) {
            let start = (start..at).rev().take_while(|&line| kinds[line].is_none()).last().unwrap_or(at);
            let next = at + 1;
            fill(kinds, start, next, Kind::Attribution);
            let indent = lines[at].indent();
            let indented = lines.iter().skip(next).take_while(|line| line.indent() > indent + 1).count();
            if indented > 0 {
                fill(kinds, next, next + indented, Kind::Quotation);
            } else if certainty == Certainty::Sure && marks.is_none_or(|last| last < at) {
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
    fn level(self) -> Option<u8> {
        if let Mark::Angle(level) = self.mark { Some(level) } else { None }
    }

    fn is_capital(self, text: &str) -> bool {
        self.text(text).starts_with(|c: char| c.is_ascii_uppercase())
    }
}
