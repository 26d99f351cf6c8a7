//! What a text says, statement by statement.
//!
//! A statement is a sentence or a line; longer ones are cut at the end of a clause, and where there is none, as in the words of a
//! page, after [`LONGEST`] units.

use std::ops::Range;

use super::comparison::{Compared, Comparison};
use super::units::{Break, Unit};

/// From this length on a statement ends with a clause, in units.
const LONG: usize = 30;

/// A statement ends here at the latest, in units.
const LONGEST: usize = 60;

/// A statement with fewer units says nothing by itself and takes in the next one.
const LEAST: usize = 4;

/// Gives the share of the first statement that the other text lacks; of the two, the lesser: what two reports open with.
pub(super) fn leads_apart(texts: &Comparison<'_>) -> f64 {
    let apart = |compared: &Compared<'_>| {
        let lead = statements(&compared.text.units).next().unwrap_or_default();
        let matched = compared.matched.get(lead).unwrap_or_default();
        let lacking = matched.iter().filter(|&&matched| !matched).count();
        lacking as f64 / matched.len().max(1) as f64
    };
    apart(&texts.a).min(apart(&texts.b))
}

/// Cuts units into statements.
pub(super) fn statements(units: &[Unit]) -> impl Iterator<Item = Range<usize>> + '_ {
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
