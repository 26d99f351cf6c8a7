//! Facts that two texts state differently.
//!
//! [`conflicts`](super::conflicts) reads the facts of both texts ([`read`]: numbers by value and what they count, dates, times, ordinals, scores,
//! percentages, telephone numbers, titles in quotation marks, Latin words and names of models; [`names`]: places, persons and
//! other names that the dictionary knows or that look like one; [`unknown`]: katakana and Han characters in Japanese; [`status`]: words like 将 and 已 that change
//! what is said), and pairs what the alignment leaves over on both sides. What only one text has is more text, not a contradiction; only a status word
//! contradicts by standing alone.

mod calendar;
mod east_asian;
mod english;
mod names;
mod pair;
mod read;
mod status;
mod thai;
mod unknown;
mod vocabulary;

use std::fmt;
use std::ops::Range;

use self::names::Words;
use super::units::Text;

pub(super) use pair::{Pair, Pairs, Side, pairs};
pub(super) use read::read;

/// Gives the names that touch a difference; the 金 of 金曜日 is none, nor the 令和 of a date.
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

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConflictKind {
    /// A number, with or without what it counts.
    Number,
    /// A percentage.
    Percent,
    /// A date or a part of one.
    Date,
    /// A time of day.
    Time,
    /// A position in a series: an issue, an episode, a session.
    Ordinal,
    /// A score, or another pair of numbers joined by a sign.
    Score,
    /// A telephone number or another long number.
    Phone,
    /// A title or a phrase in quotation marks.
    Quoted,
    /// A Latin word or the name of a model.
    Latin,
    /// A place.
    Place,
    /// A person.
    Person,
    /// Another name: of an organisation, a brand, a work.
    Name,
    /// A word that changes a statement: done or planned, more or none, half-time or full time.
    Status,
}

impl ConflictKind {
    /// Gives the kind's name in SQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Percent => "percentage",
            Self::Date => "date",
            Self::Time => "time",
            Self::Ordinal => "ordinal",
            Self::Score => "score",
            Self::Phone => "phone",
            Self::Quoted => "quoted",
            Self::Latin => "latin",
            Self::Place => "place",
            Self::Person => "person",
            Self::Name => "name",
            Self::Status => "status",
        }
    }

    /// Says whether the fact is a name from the dictionary.
    pub(super) const fn is_name(self) -> bool {
        matches!(self, Self::Place | Self::Person | Self::Name)
    }

    /// Says whether the fact consists of figures.
    pub(super) const fn is_figure(self) -> bool {
        matches!(
            self,
            Self::Number | Self::Percent | Self::Date | Self::Time | Self::Ordinal | Self::Score | Self::Phone
        )
    }
}

impl fmt::Display for ConflictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fact that two texts state differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Its kind.
    pub kind: ConflictKind,
    /// What the first text says, as written there; empty if it says nothing.
    pub in_a: String,
    /// What the second text says, as written there; empty if it says nothing.
    pub in_b: String,
}

/// One fact of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) kind: ConflictKind,
    /// The units in which it is written.
    pub(super) units: Range<usize>,
    /// Equal for equal facts of a kind.
    pub(super) key: u64,
    /// What is counted, or 0.
    pub(super) measure: u64,
    /// Its fields, if the fact is a date; hour, minute and half of the day, if it is a time.
    pub(super) date: Date,
}

/// Year, month, day and weekday, as far as they are told.
pub(super) type Date = [Option<u32>; 4];
