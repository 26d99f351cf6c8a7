//! Splits a text into statements.
//!
//! A statement is a sentence or a line. A longer one is cut at the end of a clause or, if there is none, as in the words of a web
//! page, after [`LONGEST`] units.

use std::ops::Range;

use super::comparison::{Compared, Comparison};
use crate::read::units::{Break, Unit};

/// A statement of at least this length, in units, ends with its clause.
const LONG: usize = 30;

/// The greatest length of a statement, in units.
const LONGEST: usize = 60;

/// A statement with fewer units has no message of its own and is joined with the next one.
const LEAST: usize = 4;

/// Returns the share of the first statement that the other text lacks, the lesser of the two texts': what two reports open with.
pub(crate) fn leads_apart(texts: &Comparison) -> f64 {
    let apart = |compared: &Compared| {
        let lead = statements(&compared.text.units).next().unwrap_or_default();
        let matched = compared.matched.get(lead).unwrap_or_default();
        let lacking = matched.iter().filter(|&&matched| !matched).count();
        lacking as f64 / matched.len().max(1) as f64
    };
    apart(&texts.a).min(apart(&texts.b))
}

/// A statement with less than this share of its units in the other text is the text's own.
const OWN: f64 = 0.5;

/// Returns the statements of one of two texts of which the other has little.
pub(crate) fn own<'c>(compared: &'c Compared) -> impl Iterator<Item = Range<usize>> + 'c {
    statements(&compared.text.units).filter(|statement| {
        let matched = compared.matched.get(statement.clone()).unwrap_or_default();
        let had = matched.iter().filter(|&&matched| matched).count();
        (had as f64) < OWN * statement.len() as f64
    })
}

/// Says whether the whole shorter text, in one stretch, is some sentences or lines of the longer one.
pub(crate) fn are_sentences_of(texts: &Comparison) -> bool {
    let a_is_shorter = texts.a.text.units.len() <= texts.b.text.units.len();
    let (short, long) = if a_is_shorter { (&texts.a, &texts.b) } else { (&texts.b, &texts.a) };
    let len = short.text.units.len();
    // What is before it in the longer text; what is after it follows.
    let mut from = 0;
    for gap in &texts.gaps {
        let (own, other) = if a_is_shorter { (&gap.a, &gap.b) } else { (&gap.b, &gap.a) };
        if !own.is_empty() || !(own.start == 0 || own.start == len) {
            return false;
        }
        if own.start == 0 {
            from = other.end;
        }
    }
    let starts = |at: usize| long.text.units.get(at).is_none_or(|unit| unit.before == Break::Stop);
    len > 0 && starts(from) && starts(from + len)
}

/// Cuts units into statements.
fn statements(units: &[Unit]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = units.get(from..).filter(|rest| !rest.is_empty())?;
        let ends = |at: usize, unit: &Unit| {
            at >= LONGEST || at >= LEAST && (unit.before == Break::Stop || at >= LONG && unit.before == Break::Clause)
        };
        let len = rest.iter().enumerate().find(|&(at, unit)| ends(at, unit)).map_or(rest.len(), |(at, _)| at);
        let range = from..from + len;
        from = range.end;
        Some(range)
    })
}
