//! Goes through the units of a text and collects its facts. What a fact looks like is said where it is read: in [`read`](super::read) and in the
//! files of single languages, each of which adds its methods.

use std::ops::Range;

use super::fact::{ConflictKind, Date, Fact, MEASURED, Value};
use crate::read::numerals::Number;
use crate::read::units::{Break, Kind, Text, Unit};
use neardup_text::hash::mix;

/// A text, the facts found in it so far, and the unit to read next.
pub(super) struct FactReader<'t> {
    pub(super) text: &'t Text<'t>,
    pub(super) at: usize,
    pub(super) facts: Vec<Fact>,
    /// Where capital letters say nothing, by units.
    pub(super) plain_capitals: Vec<Range<usize>>,
}

impl FactReader<'_> {
    pub(super) fn unit(&self, at: usize) -> Option<&Unit> {
        self.text.units.get(at)
    }

    /// Returns the character of a Han unit that follows without a break.
    pub(super) fn han(&self, at: usize) -> Option<char> {
        let unit = self.unit(at).filter(|unit| unit.kind == Kind::Han && unit.before <= Break::Space)?;
        self.text.text.get(unit.start as usize..)?.chars().next()
    }

    /// Returns the number at a position, as a small integer.
    pub(super) fn small(&self, at: usize) -> Option<u32> {
        self.text.number(self.unit(at)?)?.small()
    }

    /// Returns the character between a unit and the one before it, if there is exactly one.
    pub(super) fn joint(&self, at: usize) -> Option<char> {
        let (last, unit) = (self.unit(at.checked_sub(1)?)?, self.unit(at)?);
        let mut between = self.text.text.get(last.end as usize..unit.start as usize)?.chars();
        between.next().filter(|_| between.next().is_none())
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        matches!(self.unit(at).map(|unit| unit.kind), Some(Kind::Number { .. }))
    }

    pub(super) fn push(&mut self, kind: ConflictKind, units: Range<usize>, key: u64, measure: u64) -> usize {
        let end = units.end;
        self.facts.push(Fact { measure, ..Fact::new(kind, units, key) });
        end
    }

    /// Adds a number or a percentage, as it is `written` and with the words that scale it, and returns the position after it. What it counts
    /// is the measure and its power of ten.
    pub(super) fn push_number(
        &mut self,
        kind: ConflictKind,
        units: Range<usize>,
        [written, number]: [Number; 2],
        (measure, power): (u64, i32),
    ) -> usize {
        let end = units.end;
        let in_units = number.times_ten_to(power);
        let key = if measure >= MEASURED { mix(in_units.bits(), measure) } else { number.bits() };
        let value = Some(Value { number, scale: number.power_over(written), in_units });
        self.facts.push(Fact { value, measure, ..Fact::new(kind, units, key) });
        end
    }

    /// Adds a date, and returns the position after it.
    pub(super) fn push_date(&mut self, units: Range<usize>, date: Date) -> usize {
        let key = date.iter().fold(3, |key, field| mix(key ^ u64::from(field.map_or(0, |field| field + 1)), 3));
        let end = units.end;
        self.facts.push(Fact { date, ..Fact::new(ConflictKind::Date, units, key) });
        end
    }

    pub(super) fn written(&self, unit: &Unit) -> &str {
        self.text.text.get(unit.start as usize..unit.end as usize).unwrap_or_default()
    }
}
