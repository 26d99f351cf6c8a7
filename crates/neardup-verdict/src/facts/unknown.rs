//! Names in a script without capitals, where no dictionary tells them: in a Japanese text, a run of katakana or of Han characters may
//! be one.

use super::fact::{ConflictKind, Fact};
use crate::read::units::{Break, Kind, Text, Unit};
use neardup_text::hash::mix;
use neardup_text::lexicon::is_han;

/// The shortest run that is taken for a name, in characters.
const LEAST: usize = 2;

/// The longest run; a longer one is a sentence in katakana.
const MOST: usize = 30;

/// Returns the runs of katakana, and those of Han characters, that touch a difference.
pub(crate) fn runs(text: &Text<'_>, matched: &[bool]) -> Vec<Fact> {
    if !text.unspaced {
        return Vec::new();
    }
    let mut found = runs_of(text, matched, ConflictKind::Name, |c| matches!(c, 'ァ'..='ヺ' | 'ー'));
    if is_japanese(text) {
        found.extend(runs_of(text, matched, ConflictKind::Person, |c| is_han(c) || c == '々'));
    }
    found
}

/// Says whether enough characters are hiragana that runs of Han characters are words, and no sentences of Chinese.
fn is_japanese(text: &Text<'_>) -> bool {
    let hiragana = text.text.chars().filter(|c| matches!(c, 'ぁ'..='ゖ')).count();
    hiragana * HIRAGANA >= text.units.len()
}

/// One character in this number is hiragana in a Japanese text.
const HIRAGANA: usize = 8;

fn runs_of(text: &Text<'_>, matched: &[bool], kind: ConflictKind, wanted: impl Fn(char) -> bool) -> Vec<Fact> {
    let is = |unit: &Unit| {
        let c = text.text.get(unit.start as usize..).and_then(|rest| rest.chars().next());
        unit.kind == Kind::Han && c.is_some_and(&wanted)
    };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(shared) = matched.get(from..).and_then(|rest| rest.iter().position(|&matched| !matched)) {
        let at = from + shared;
        from = at + 1;
        if !text.units.get(at).is_some_and(is) {
            continue;
        }
        let units = &text.units;
        let joined = |at: usize| units.get(at).is_some_and(|unit| unit.before == Break::None && is(unit));
        let mut start = at;
        while at - start < MOST && joined(start) && start > 0 && units.get(start - 1).is_some_and(is) {
            start -= 1;
        }
        let mut end = at + 1;
        while end - at < MOST && joined(end) {
            end += 1;
        }
        from = end;
        let run = units.get(start..end).unwrap_or_default();
        if (LEAST..=MOST).contains(&run.len()) {
            let key = run.iter().fold(4, |key: u64, unit| mix(key ^ unit.key, 7));
            found.push(Fact::new(kind, start..end, key));
        }
    }
    found
}
