//! Facts that two texts state differently: numbers, titles in quotation marks, Latin words, status words.
//!
//! [`conflicts`] pairs what only one text has with what only the other has, kind by kind.

use std::fmt;

use super::units::{Kind, Text};
use crate::Result;

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConflictKind {
    /// A number.
    Number,
    /// A Latin word or the name of a model.
    Latin,
}

impl ConflictKind {
    /// Gives the kind's name in SQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Latin => "latin",
        }
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
    /// What it is about.
    pub kind: ConflictKind,
    /// What the first text says, as written there.
    pub in_a: String,
    /// What the second text says, as written there.
    pub in_b: String,
}

/// Lists the facts that two texts state differently, in the order of the first text.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn conflicts(a: &str, b: &str) -> Result<Vec<Conflict>> {
    Ok(between(&Text::read(a)?, &Text::read(b)?))
}

pub(super) fn between(a: &Text<'_>, b: &Text<'_>) -> Vec<Conflict> {
    let mut found = Vec::new();
    for kind in [ConflictKind::Number, ConflictKind::Latin] {
        let only_a = only(a, b, kind);
        let only_b = only(b, a, kind);
        found.extend(only_a.into_iter().zip(only_b).map(|(in_a, in_b)| Conflict { kind, in_a, in_b }));
    }
    found
}

/// The facts of a kind that `text` has and `other` has not, as written.
fn only(text: &Text<'_>, other: &Text<'_>, kind: ConflictKind) -> Vec<String> {
    let is_kind = |unit: Kind| match kind {
        ConflictKind::Number => matches!(unit, Kind::Number(_)),
        ConflictKind::Latin => unit == Kind::Word,
    };
    let mut known: Vec<u64> = other.units.iter().filter(|unit| is_kind(unit.kind)).map(|unit| unit.key).collect();
    known.sort_unstable();
    let missing = |place: &usize| {
        let unit = text.units[*place];
        is_kind(unit.kind) && known.binary_search(&unit.key).is_err()
    };
    (0..text.units.len()).filter(missing).map(|place| text.written(place..place + 1).to_owned()).collect()
}
