//! A text as the verdict reads it: Han characters, words and numbers, each with its position.
//!
//! Two units are equal if they are two spellings of the same thing; [`super::reading`] decides that. A [`Mark`] is a position from which
//! the reading of another text can reuse this one.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::numerals::{self, Number};
use super::reading::unspaced;

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One Han character or one character of a script that is written without spaces.
    Han,
    /// A run of letters.
    Word,
    /// A number, with the digits before its point and whether they are Arabic; its value is [`Text::number`].
    Number { width: u8, arabic: bool },
}

/// The strongest break between a unit and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Break {
    /// Nothing.
    None,
    /// Space or a sign that joins.
    Space,
    /// The end of a clause.
    Clause,
    /// The end of a sentence or line.
    Stop,
}

/// One unit of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Equal for units that count as the same.
    pub(crate) key: u64,
    /// Its start in [`Text::text`], in bytes.
    pub(crate) start: u32,
    /// Its end.
    pub(crate) end: u32,
    /// How many numbers come before it.
    pub(crate) numbers: u32,
    pub(crate) kind: Kind,
    pub(crate) before: Break,
}

/// An open quotation: the mark that closes it, and how many units come before it.
pub(crate) type Open = (char, usize);

/// What is read of a text of more bytes than these takes no more room than it needs: of shorter ones, making it fit costs more than it saves.
pub(crate) const SHRUNK: usize = 1 << 16;

/// The longest quotation that counts as a title or a phrase, in units.
pub(crate) const MAX_QUOTE: usize = 60;

/// What has been read of a text; the fields are those of [`Text`].
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) units: Vec<Unit>,
    pub(crate) content: Vec<bool>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) quotes: Vec<Range<usize>>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) unspaced: bool,
}

impl Units {
    /// Gives back the room that was made for more.
    pub(crate) fn shrink(&mut self) {
        self.units.shrink_to_fit();
        self.content.shrink_to_fit();
        self.numbers.shrink_to_fit();
    }

    /// Adds what is between two marks of a text, with `moved` more bytes before it.
    pub(crate) fn take(&mut self, text: &Text<'_>, from: &Mark, to: &Mark, moved: usize) {
        let (units, numbers) = (self.units.len(), self.numbers.len());
        let (bytes, numbers) = (moved as u32, numbers.wrapping_sub(from.numbers) as u32);
        let unit = |unit: &Unit| Unit {
            start: unit.start.wrapping_add(bytes),
            end: unit.end.wrapping_add(bytes),
            numbers: unit.numbers.wrapping_add(numbers),
            ..*unit
        };
        // It may have been opened before.
        let quote = |quote: &Range<usize>| quote.start + units - from.units..quote.end + units - from.units;
        self.quotes.extend(text.quotes[from.quotes..to.quotes].iter().map(quote));
        // Of what is taken alone, so that a text is read in the same way beside any other.
        self.unspaced |= text.unspaced && text.units[from.units..to.units].iter().any(|unit| text.is_unspaced(unit));
        self.numbers.extend_from_slice(&text.numbers[from.numbers..to.numbers]);
        self.units.extend(text.units[from.units..to.units].iter().map(unit));
        self.content.extend_from_slice(&text.content[from.units..to.units]);
    }
}

/// A position after the end of a sentence, with how much was found up to there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    /// In bytes from the start of the text.
    pub(crate) at: usize,
    pub(crate) units: usize,
    pub(crate) numbers: usize,
    pub(crate) quotes: usize,
    /// Number of stretches that do not count.
    pub(crate) ignored: usize,
    pub(crate) open: Vec<Open>,
}

impl Mark {
    /// Says whether the same closing marks after two positions end quotations of the same length.
    pub(crate) fn opens(&self, other: &Self) -> bool {
        let inside = |mark: &Self| {
            let (open, units) = (mark.open.clone(), mark.units);
            open.into_iter().map(move |(close, at)| (close, (units - at).min(MAX_QUOTE + 1)))
        };
        inside(self).eq(inside(other))
    }
}

/// A text prepared for comparison.
#[derive(Debug)]
pub(crate) struct Text<'t> {
    /// The text without markup and links.
    pub(crate) text: Cow<'t, str>,
    pub(crate) units: Vec<Unit>,
    /// For each unit, whether it adds content: a particle, an auxiliary or a polite word does not.
    pub(crate) content: Vec<bool>,
    /// The values of its numbers, in order.
    pub(crate) numbers: Vec<Number>,
    /// Titles and phrases in quotation marks, by their units.
    pub(crate) quotes: Vec<Range<usize>>,
    /// Whether it has kana, or letters of another script without spaces.
    pub(crate) unspaced: bool,
    /// Whether it has more words than Han characters; then not every word is a name.
    pub(crate) latin: bool,
    /// Whether links are units of it.
    pub(crate) linked: bool,
    /// Stretches that do not count, in bytes.
    pub(crate) ignored: Vec<Range<usize>>,
    /// Positions up to which a text that is read later can reuse this one.
    pub(crate) marks: Vec<Mark>,
    /// The keys of its units.
    pub(crate) keys: Vec<u64>,
    /// The bits of the languages that it may be in, once they are asked for.
    pub(crate) languages: OnceCell<u32>,
    /// In how many rows its units are, of the table that asked first.
    pub(crate) counted: OnceCell<Counted>,
}

/// In how many rows of a sample of a table each unit of a text is, alone and with the next one, as far as that was asked. Empty if no row is
/// known.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    /// The number of the sample.
    pub(crate) sample: u64,
    pub(crate) rows: Box<[[Cell<u16>; 2]]>,
}

impl Text<'_> {
    /// Returns how much memory it takes, in bytes, about.
    pub(crate) fn bytes(&self) -> usize {
        let counted = self.counted.get().map_or(0, |counted| size_of_val(&*counted.rows));
        self.text.len()
            + self.units.capacity() * (size_of::<Unit>() + size_of::<u64>() + 1)
            + self.numbers.capacity() * size_of::<Number>()
            + self.marks.capacity() * size_of::<Mark>()
            + counted
    }

    /// Says whether a unit is a letter of a script other than Han that is written without spaces.
    fn is_unspaced(&self, unit: &Unit) -> bool {
        let rest = self.text.get(unit.start as usize..);
        unit.kind == Kind::Han
            && rest.and_then(|rest| rest.chars().next()).is_some_and(|raw| unspaced(numerals::fold(raw)))
    }

    /// Returns the value of a number.
    pub(crate) fn number(&self, unit: &Unit) -> Option<Number> {
        let number = self.numbers.get(unit.numbers as usize);
        number.filter(|_| matches!(unit.kind, Kind::Number { .. })).copied()
    }

    /// Returns the mark at the end.
    pub(crate) fn end(&self) -> Mark {
        let (units, numbers, quotes) = (self.units.len(), self.numbers.len(), self.quotes.len());
        Mark { at: self.text.len(), units, numbers, quotes, ignored: self.ignored.len(), open: Vec::new() }
    }

    /// Returns the text of some units, as it was written.
    pub(crate) fn written(&self, units: Range<usize>) -> &str {
        match (self.units.get(units.start), units.end.checked_sub(1).and_then(|last| self.units.get(last))) {
            (Some(first), Some(last)) => self.text.get(first.start as usize..last.end as usize).unwrap_or_default(),
            _ => "",
        }
    }
}
