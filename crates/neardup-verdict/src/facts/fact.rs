//! A fact of a text, and two that contradict each other.

use std::fmt;
use std::ops::Range;

use crate::read::numerals::Number;

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
    /// An article's code, a version, a hash, a file, an identifier, a reference.
    Code,
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
    /// Returns the kind's name in SQL.
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
            Self::Code => "code",
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
    /// Its value, if it is a number or a percentage.
    pub(crate) value: Option<Value>,
    /// What is counted, or 0; for a date, 1 if its day may be the month.
    pub(crate) measure: u64,
    /// Its fields, if the fact is a date; hour, minute and half of the day, if it is a time.
    pub(crate) date: Date,
}

/// The least power of ten, in a word, that makes a whole number a rounded one.
const SCALED: i32 = 6;

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    /// The number, scaled by its words: 13,800,000 for 13.8 million.
    pub(super) number: Number,
    /// The power of ten by which the words scale it.
    pub(super) scale: i32,
    /// In the unit of which its own is a power of ten: 1 kg is 1000.
    pub(super) in_units: Number,
}

impl Value {
    /// Says whether two values may be one, or one of them the other one rounded: 13.8 million and 13,809,879. What only one of them is
    /// measured in does not count.
    pub(super) fn agrees(self, other: Self, both_measured: bool) -> bool {
        let (own, others) = if both_measured { (self.in_units, other.in_units) } else { (self.number, other.number) };
        let within = |scale: i32| {
            let (own, others) = (own.times_ten_to(-scale), others.times_ten_to(-scale));
            // 157 million may be 157,726,135.
            own.rounds(others) || scale >= SCALED && (own.is_whole_of(others) || others.is_whole_of(own))
        };
        let [of_own, of_others] =
            [(self, own), (other, others)].map(|(value, number)| value.scale + number.power_over(value.number));
        own == others || within(of_own) || within(of_others)
    }
}

/// Measures of this and more are units and currencies; those below are characters, or keys of words.
pub(super) const MEASURED: u64 = 1 << 63;

impl Fact {
    pub(super) const fn new(kind: ConflictKind, units: Range<usize>, key: u64) -> Self {
        Self { kind, units, key, value: None, measure: 0, date: [None; 4] }
    }

    /// Returns the key without what is counted.
    pub(super) fn bare(&self) -> u64 {
        self.value.map_or(self.key, |value| value.number.bits())
    }

    /// Says whether the fact counts in a unit or a currency.
    pub(super) const fn is_measured(&self) -> bool {
        self.measure >= MEASURED
    }

    /// Returns the dates that the fact may mean, two where the month may come first: 05/03/2031.
    pub(super) fn dates(&self) -> impl Iterator<Item = Date> {
        let [year, month, day, weekday] = self.date;
        let either = self.kind == ConflictKind::Date && self.measure == 1;
        std::iter::once(self.date).chain(either.then_some([year, day, month, weekday]))
    }
}

/// Year, month, day and weekday, as far as they are told.
pub(super) type Date = [Option<u32>; 4];
