//! Rules beside the model, about what labelled pairs are too few to teach. Each says what a pair can score at most.

use std::ops::Range;

use super::align::Gap;
use super::comparison::{Compared, Comparison};
use super::facts::ConflictKind;
use super::features;
use super::hanset::HanSet;
use super::units::{Break, Unit};

/// Why the score of a pair is limited to [`Rule::most`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Two different questions are above the same text.
    OtherQuestion,
    /// One text is a slogan or a name within the other.
    Slogan,
    /// Short texts have titles that contradict each other.
    OtherTitle,
    /// Only one first sentence announces something: an announcement, and the report of the event.
    Planned,
    /// Two short texts are about other works, each in 《》.
    OtherWork,
    /// Each text has too much that the other lacks.
    OwnNews,
}

/// Two questions that differ in this share of their words are two messages, whatever text follows them.
const OTHER_QUESTION: f64 = 0.6;

/// A text of at most so many units has no message of its own,
const SLOGAN: usize = 6;

/// if the other text is at least so many times as long.
const SLOGAN_WITHIN: f64 = 1.5;

/// The meaning of a text of at most so many units depends on its title: if the titles contradict each other, so do the
/// messages.
const UNDER_TITLE: usize = 40;

/// Characters after 将 when it announces something and is not part of another word.
static PLANNED: HanSet = HanSet::of("于赴对在从会与和被出率应举访由");

/// If the sentence ends before so many units, it is the name of the reporter.
const REPORTER: usize = 15;

/// Texts of at most so many units are about the works they name.
const ABOUT_WORK: usize = 160;

/// Nearly all of an excerpt is in the longer text: it is not an excerpt if this share is missing there,
const MISSING_OF_EXCERPT: f64 = 0.1;

/// and the longer text is at least so many times as long.
const EXCERPT: f64 = 1.5;

/// In texts of similar length, at least this share has to be missing on both sides,
const MISSING_OF_COPY: f64 = 0.15;

/// with a passage of so many units at once.
const PASSAGE: usize = 15;

/// Fewer missing units than this do not count.
const LEAST: f64 = 4.0;

impl Rule {
    /// Finds the strictest rule that applies to a pair.
    pub(super) fn of(texts: &Comparison, titles: Option<&Comparison>) -> Option<Self> {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let (short, long) = (a.min(b), a.max(b));
        if features::heads_apart(texts) >= OTHER_QUESTION {
            Some(Self::OtherQuestion)
        } else if (1..=SLOGAN).contains(&short) && short as f64 * SLOGAN_WITHIN <= long as f64 {
            Some(Self::Slogan)
        } else if short <= UNDER_TITLE && titles.is_some_and(|titles| titles.pairs.iter().any(features::is_hard)) {
            Some(Self::OtherTitle)
        } else if only_one_plans(texts) {
            Some(Self::Planned)
        } else if short <= ABOUT_WORK && has_own_work(&texts.a, &texts.b) && has_own_work(&texts.b, &texts.a) {
            Some(Self::OtherWork)
        } else if have_own_news(texts) {
            Some(Self::OwnNews)
        } else {
            None
        }
    }

    /// Gives the highest score that such a pair can have.
    pub(super) fn most(self) -> f64 {
        match self {
            Self::OtherQuestion | Self::Slogan => 0.1,
            Self::OtherTitle | Self::Planned | Self::OtherWork => 0.3,
            Self::OwnNews => 0.5,
        }
    }

    /// Gives the reason, unless other reasons state it: contradicting titles are listed one by one.
    pub(super) fn reason(self) -> Option<&'static str> {
        match self {
            Self::OtherQuestion => Some("two questions over the same text"),
            Self::Slogan => Some("the shorter text is too short to be a message"),
            Self::Planned => Some("only one announces it"),
            Self::OtherWork => Some("about other works"),
            Self::OwnNews => Some("each says much that the other lacks"),
            Self::OtherTitle => None,
        }
    }
}

/// Says whether only one of two first sentences announces something, in words that the other text lacks.
fn only_one_plans(texts: &Comparison) -> bool {
    let (a, b) = (plans(&texts.a), plans(&texts.b));
    a.contains(&false) && b.is_empty() || b.contains(&false) && a.is_empty()
}

/// For each announcement in its first sentence, says whether the other text has it too.
fn plans(compared: &Compared) -> Vec<bool> {
    let ends = |(at, unit): &(usize, &Unit)| *at >= REPORTER && unit.before == Break::Stop;
    let sentence = compared.text.units.iter().enumerate().take_while(|unit| !ends(unit));
    let plan = |unit: &Unit| {
        let mut rest = compared.text.text.get(unit.start as usize..).unwrap_or_default().chars();
        rest.next() == Some('将') && rest.next().is_some_and(|next| PLANNED.has(next))
    };
    sentence.zip(&compared.matched).filter(|((_, unit), _)| plan(unit)).map(|(_, &matched)| matched).collect()
}

/// Says whether a text names a work in 《》 that the other does not.
fn has_own_work(compared: &Compared, other: &Compared) -> bool {
    let works = compared.facts.iter().filter(|fact| fact.kind == ConflictKind::Quoted);
    let is_work = |start: usize| {
        let start = compared.text.units.get(start).map_or(0, |unit| unit.start as usize);
        compared.text.text.get(..start).is_some_and(|before| before.ends_with('《'))
    };
    let named = |key: u64| other.facts.iter().any(|fact| fact.kind == ConflictKind::Quoted && fact.key == key);
    works.filter(|work| is_work(work.units.start)).any(|work| !named(work.key))
}

/// Says whether each of two texts has too much that the other lacks for a copy or an excerpt.
fn have_own_news(texts: &Comparison) -> bool {
    let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
    let (short, long) = (a.min(b) as f64, a.max(b) as f64);
    let missing = texts.a.lacks(0..a).min(texts.b.lacks(0..b)) as f64;
    let has_passage = |compared: &Compared, side: fn(&Gap) -> &Range<usize>| {
        texts.gaps.iter().any(|gap| compared.lacks(side(gap).clone()) >= PASSAGE)
    };
    if missing < LEAST {
        return false;
    }
    long >= EXCERPT * short && missing >= MISSING_OF_EXCERPT * short
        || missing >= MISSING_OF_COPY * short
            && has_passage(&texts.a, |gap| &gap.a)
            && has_passage(&texts.b, |gap| &gap.b)
}
