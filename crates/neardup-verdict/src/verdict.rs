//! What the crate answers: the relation of two texts.

use std::fmt;

/// The relation of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The same message: keeping either one loses nothing.
    Copy,
    /// One contains nearly all of the other, and more: keeping the longer one loses nothing.
    Excerpt,
    /// The same form with other facts: both must stay.
    Update,
    /// The same matter in other words.
    Rewrite,
    /// Two messages.
    Different,
}

impl Verdict {
    /// Returns the verdict's name in SQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Excerpt => "excerpt",
            Self::Update => "update",
            Self::Rewrite => "rewrite",
            Self::Different => "different",
        }
    }

    /// Says whether keeping one of the two, of an excerpt the longer one, loses nothing.
    #[must_use]
    pub const fn keeps_one(self) -> bool {
        matches!(self, Self::Copy | Self::Excerpt)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A verdict with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The relation of the texts.
    pub verdict: Verdict,
    /// The probability that keeping one of them loses nothing, 0 to 1; a copy or an excerpt has at least
    /// [`LEAST_SCORE`](crate::model::LEAST_SCORE), or what [`Pair::at_least`](crate::Pair::at_least) says if that is less; all others have less.
    pub score: f64,
    /// The reasons, the most important first; each a short phrase.
    pub reasons: Vec<String>,
}
