//! A fact of a text, and two that contradict each other.

use std::fmt;
use std::ops::Range;

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
    pub(crate) const fn is_name(self) -> bool {
        matches!(self, Self::Place | Self::Person | Self::Name)
    }

    /// Says whether the fact consists of figures.
    pub(crate) const fn is_figure(self) -> bool {
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
pub(crate) struct Fact {
    pub(crate) kind: ConflictKind,
    /// The units in which it is written.
    pub(crate) units: Range<usize>,
    /// Equal for equal facts of a kind.
    pub(crate) key: u64,
    /// What is counted, or 0.
    pub(crate) measure: u64,
    /// Its fields, if the fact is a date; hour, minute and half of the day, if it is a time.
    pub(crate) date: Date,
}

/// Year, month, day and weekday, as far as they are told.
pub(super) type Date = [Option<u32>; 4];
