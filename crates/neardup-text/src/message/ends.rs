//! What stands at the end of a message: the writer's signature, the footer of a list, a program's note, the words of leave.

use super::Kind;
use super::lines::{Line, tail};
use super::words::{self, lower, lower_head, may_start, prefix};

/// The most lines of a footer, of a signature after `--`, of a program's note, of the words of leave.
const FOOTER: usize = 24;
const SIGNATURE: usize = 14;
const NOTE: usize = 8;
const CLOSING: usize = 7;

/// The beginning of a signature that proves who wrote a message.
const SIGNED: &str = "-----BEGIN PGP SIGNATURE";

/// The least length of a rule above a footer, in bytes.
const RULE: usize = 20;

/// Says whether one of some lines may take leave or sign, where none is a rule or announces a quotation.
pub(super) fn may_end(text: &str, lines: &[Line]) -> bool {
    lines.iter().map(|line| line.text(text)).any(|line| may_start(&words::END_STARTS, line) || line.starts_with("http"))
}

/// Sets the kinds of the lines at the end of each stretch of own lines.
pub(super) fn find(text: &str, lines: &[Line], kinds: &mut [Option<Kind>]) {
    let mut end = kinds.len();
    let mut is_last = true;
    while let Some(last) = kinds.iter().take(end).rposition(Option::is_none) {
        let start = kinds.iter().take(last).rposition(Option::is_some).map_or(0, |before| before + 1);
        let own = start..last + 1;
        let from = own.start;
        let (signature, closing) = ends(text, &lines[own.clone()], is_last);
        for line in own {
            if line >= from + signature {
                kinds[line] = Some(Kind::Signature);
            } else if line >= from + closing {
                kinds[line] = Some(Kind::Closing);
            }
        }
        end = start;
        is_last = false;
    }
}

/// Returns where the signature and where the words of leave begin, by the number of the line.
fn ends(text: &str, lines: &[Line], is_last: bool) -> (usize, usize) {
    let at = |line: usize| lines[line].text(text);
    let last = |from: usize, most: usize| from.saturating_sub(most)..from;
    let mut cut = lines.len();
    if is_last {
        let under = |rule: usize| (rule + 1..lines.len().min(rule + 7)).any(|line| is_footer(at(line)));
        let is_link = |line: usize| at(line).starts_with("http") && !at(line).contains(' ');
        let links = |from: usize| (from..lines.len()).all(|line| is_link(line) && is_footer(at(line)));
        cut = tail(lines, cut, NOTE).find(|&line| links(line)).unwrap_or(cut);
        cut = last(cut, FOOTER)
            .find(|&line| at(line).starts_with(SIGNED) || is_rule(at(line)) && under(line))
            .unwrap_or(cut);
    }
    cut = last(cut, SIGNATURE).find(|&line| matches!(at(line), "--" | "—" | "__")).unwrap_or(cut);
    let may_note = |line: usize| may_start(&words::LAST_STARTS, at(line));
    cut = tail(lines, cut, NOTE).find(|&line| may_note(line) && is_note(at(line))).unwrap_or(cut);
    if is_last {
        let disclaims = |line: &str| prefix(&words::DISCLAIMER, &lower_head(line)).is_some();
        cut = tail(lines, cut, NOTE).find(|&line| line > 0 && may_note(line) && disclaims(at(line))).unwrap_or(cut);
    }
    let mut closing = cut;
    for line in tail(lines, cut, CLOSING).rev().filter(|&line| line > 0) {
        if is_closing(at(line)) {
            closing = line;
        } else if !is_name(at(line)) {
            break;
        }
    }
    (cut, closing)
}

/// Says whether a line is a rule.
fn is_rule(line: &str) -> bool {
    if line.len() > 4 * RULE || !line.starts_with(['-', '_', '=', '*', '~', '#']) {
        return false;
    }
    let signs = line.bytes().filter(|byte| matches!(byte, b'-' | b'_' | b'=' | b'*' | b'~' | b'#')).count();
    signs >= RULE && line.len() - signs <= 40
}

fn is_footer(line: &str) -> bool {
    let line = lower(line.get(..line.floor_char_boundary(400)).unwrap_or_default());
    words::FOOTER.iter().any(|words| line.contains(words))
}

fn is_note(line: &str) -> bool {
    line.len() <= 120 && prefix(&words::SIGNATURE, &lower_head(line)).is_some()
}

/// Signs that may follow the words of leave, or stand between them and a name.
const AFTER: [char; 16] = [',', '，', '!', '！', '.', '。', '-', '–', '—', '~', '～', ' ', ':', '：', ')', '、'];

fn is_closing(line: &str) -> bool {
    if line.len() > 90 || !may_start(&words::CLOSING_STARTS, line) {
        return false;
    }
    let lower = lower(line);
    let Some(found) = prefix(&words::CLOSING, &lower) else { return false };
    let rest = lower.get(found.len()..).unwrap_or_default();
    let more = rest.trim_matches(AFTER);
    let words = more.split(' ').count();
    more.is_empty()
        || words <= 3
            && (rest.starts_with(AFTER.map(|c| if c == ' ' { ',' } else { c })) || rest.ends_with([',', '，', '!']))
        || words <= 3 && found.contains(' ')
}

/// Says whether a line may be a name, an office or the like after the words of leave.
fn is_name(line: &str) -> bool {
    line.len() <= 120
        && line.chars().count() <= 40
        && !line.ends_with(['.', '。', '?', '？', '!', '！', ':', '：', ';', '；'])
        && !line.starts_with(['-', '*', '•', '·'])
}
