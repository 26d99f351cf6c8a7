//! Facts that two texts state differently.
//!
//! [`conflicts`](crate::conflicts) reads the facts of both texts ([`read`]: numbers by value and what they count, dates, times, ordinals, scores,
//! percentages, telephone numbers, codes, titles in quotation marks, Latin words and names of models; [`names`]: places, persons and
//! other names that the dictionary knows or that look like one; [`unknown`]: katakana and Han characters in Japanese; [`status`]: words like 将 and 已 that change
//! what is said), and pairs what the alignment leaves over on both sides. What only one text has is more text, not a contradiction; only a status word
//! contradicts by standing alone. Names in another opening or ending around the same body do not contradict each other; its figures do.

mod body;
mod calendar;
mod capitals;
mod codes;
mod contradict;
mod east_asian;
mod english;
mod fact;
mod measures;
mod names;
mod pair;
mod read;
mod reader;
mod status;
mod thai;
mod unknown;
mod vocabulary;

use std::ops::Range;

use self::names::Words;
use crate::read::units::Text;

pub(super) use fact::Fact;
pub use fact::{Conflict, ConflictKind};
pub(super) use pair::{Contradiction, Contradictions, Side, pairs};
pub(super) use read::read;

/// Returns the names that touch a difference; the 金 of 金曜日 is none, nor the 令和 of a date.
pub(super) fn names(text: &Text<'_>, matched: &[bool], known: &[Fact]) -> Vec<Fact> {
    let mut names = Words::read(text, matched).facts(text);
    let mut runs = unknown::runs(text, matched);
    retain_outside(&mut runs, known, |fact| fact.kind.is_figure());
    names.extend(runs);
    retain_outside(&mut names, known, |fact| fact.date[3].is_some());
    names
}

/// Keeps the names that do not overlap with wanted facts.
fn retain_outside(names: &mut Vec<Fact>, known: &[Fact], wanted: impl Fn(&Fact) -> bool) {
    let mut taken: Vec<Range<usize>> =
        known.iter().filter(|fact| wanted(fact)).map(|fact| fact.units.clone()).collect();
    taken.sort_unstable_by_key(|units| units.end);
    let next = |name: &Fact| taken.get(taken.partition_point(|units| units.end <= name.units.start));
    names.retain(|name| next(name).is_none_or(|units| units.start >= name.units.end));
}
