//! Rules beside the model, about what labelled pairs are too few to teach. Each says what a pair can score at most.

use super::comparison::Comparison;
use super::features;

/// Why a pair cannot score more than [`Rule::most`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Two different questions stand over the same text.
    OtherQuestion,
    /// One text is a slogan or a name within the other.
    Slogan,
    /// Short texts stand under titles that contradict each other.
    OtherTitle,
}

/// Two questions that share less than this part of their words are two, whatever stands below them.
const OTHER_QUESTION: f64 = 0.6;

/// A text of at most so many units says nothing by itself,
const SLOGAN: usize = 5;

/// where the other has so many times as many.
const SLOGAN_WITHIN: usize = 3;

/// Texts of at most so many units stand under their titles: where these contradict each other, so do the messages.
const UNDER_TITLE: usize = 40;

impl Rule {
    /// Finds the strictest rule that a pair falls under.
    pub(super) fn of(texts: &Comparison<'_>, titles: Option<&Comparison<'_>>) -> Option<Self> {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let (short, long) = (a.min(b), a.max(b));
        if features::heads_apart(texts) >= OTHER_QUESTION {
            Some(Self::OtherQuestion)
        } else if (1..=SLOGAN).contains(&short) && short * SLOGAN_WITHIN <= long {
            Some(Self::Slogan)
        } else if short <= UNDER_TITLE && titles.is_some_and(|titles| titles.pairs.iter().any(features::is_hard)) {
            Some(Self::OtherTitle)
        } else {
            None
        }
    }

    /// Gives the most that such a pair can score.
    pub(super) fn most(self) -> f64 {
        match self {
            Self::OtherQuestion | Self::Slogan => 0.1,
            Self::OtherTitle => 0.3,
        }
    }

    /// Gives the reason, where nothing else tells it: contradicting titles are named one by one.
    pub(super) fn reason(self) -> Option<&'static str> {
        match self {
            Self::OtherQuestion => Some("two questions over the same text"),
            Self::Slogan => Some("the shorter text is too short to be a message"),
            Self::OtherTitle => None,
        }
    }
}
