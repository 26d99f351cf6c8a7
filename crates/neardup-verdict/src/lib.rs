//! Tells a copy from an update: whether two texts are one message, judged by their facts and not by their wording alone.
//!
//! Two bulletins may share nine tenths of their words and differ in the number that is the news. [`same_message`] reads both
//! texts. It says whether one may be removed ([`Verdict::Copy`], or [`Verdict::Excerpt`], where the longer one should stay) or each
//! has something of its own ([`Verdict::Update`], [`Verdict::Rewrite`], [`Verdict::Different`]), how sure it is, and why.
//! [`Prepared::duplicate`] is the rule that guard, query and clean-up share, and [`replaces`] says which of two texts may be removed.
//! [`conflicts`] lists the facts that contradict each other; [`explain::explain`] gives all measures, facts and sentences.
//!
//! All are pure functions of the two texts, and symmetric except for the order of what is shown. A later version may give better
//! verdicts, because signatures store nothing of them.
#![deny(unsafe_code)]

mod align;
mod comparison;
mod credits;
pub mod duplicate;
pub mod evaluate;
pub mod explain;
pub mod facts;
pub mod features;
mod grams;
mod hanset;
mod messages;
pub mod model;
pub mod numerals;
mod reading;
mod reasons;
mod rules;
mod shared;
mod statements;
mod units;
mod weights;

use std::fmt;

use neardup_core::profile::Profile;
use neardup_text::{Result, Scratch};

pub use comparison::conflicts;
use comparison::{Aligned, Boilerplate, Compared, Comparison};
pub use duplicate::{Prepared, replaces};
pub use facts::{Conflict, ConflictKind};
pub use messages::{Group, Place, split_by_message};
use rules::Rule;

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
    /// Gives the verdict's name in SQL.
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
    /// [`model::LEAST_SCORE`], all others less.
    pub score: f64,
    /// The reasons, the most important first; each a short phrase.
    pub reasons: Vec<String>,
}

/// Gives the relation of two texts.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message(a: &str, b: &str) -> Result<Message> {
    same_message_titled("", a, "", b)
}

/// Gives the relation of two texts with titles; an empty title counts as none.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_titled(a_title: &str, a: &str, b_title: &str, b: &str) -> Result<Message> {
    Ok(judge(&compare([a_title, a, b_title, b], &mut |_| Ok(Vec::new()))?, a == b))
}

/// Gives the relation of two texts with titles by the profile of a collection: boilerplate of both does not count.
///
/// The texts are title and text of the one, then title and text of the other.
///
/// # Errors
/// `InvalidParameter` if the profile is not trained; `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_by_profile(texts: [&str; 4], profile: &Profile, scratch: &mut Scratch) -> Result<Message> {
    let [_, a, _, b] = texts;
    Ok(judge(&compare(texts, &mut |text| profile.boilerplate(text, scratch))?, a == b))
}

/// Gives the verdict on two texts and its score, as [`same_message`] does, without the reasons.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn verdict_on(a: &str, b: &str) -> Result<(Verdict, f64)> {
    let compared = compare(["", a, "", b], &mut |_| Ok(Vec::new()))?;
    Ok(verdict_of(&compared, a == b, Rule::of(&compared.0, None)))
}

/// With this many unmatched units, segment words only if that can change the verdict.
const MANY: usize = 64;

/// Gives the verdict on two texts and its score, as [`verdict_on`] does, if keeping one of them loses nothing.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn kept_on(a: &str, b: &str) -> Result<Option<(Verdict, f64)>> {
    kept_without(a, b, &mut |_| Ok(Vec::new()))
}

/// Does the same as [`kept_on`], without the boilerplate that both texts have.
fn kept_without(a: &str, b: &str, boilerplate: &mut Boilerplate<'_>) -> Result<Option<(Verdict, f64)>> {
    if a == b {
        return Ok(Some((Verdict::Copy, 1.0)));
    }
    let aligned = Aligned::without(a, b, boilerplate)?;
    let texts = &aligned.texts;
    let rule = Rule::of(texts, None);
    let unmatched = |compared: &Compared<'_>| compared.matched.iter().filter(|&&matched| !matched).count();
    // Contradictions only lower a score. The small margin is for rounding.
    if unmatched(&texts.a).max(unmatched(&texts.b)) >= MANY
        && model::score(&features::features(texts, None)).min(rule.map_or(1.0, Rule::most)) < model::LEAST_SCORE - 1e-3
    {
        return Ok(None);
    }
    let (verdict, score) = verdict_of(&(aligned.with_facts(), None), false, rule);
    Ok(verdict.keeps_one().then_some((verdict, score)))
}

fn judge(compared: &(Comparison<'_>, Option<Comparison<'_>>), equal: bool) -> Message {
    let (texts, titles) = compared;
    let rule = Rule::of(texts, titles.as_ref());
    let (verdict, score) = verdict_of(compared, equal, rule);
    Message { verdict, score, reasons: reasons::reasons(texts, titles.as_ref(), rule) }
}

fn verdict_of(
    (texts, titles): &(Comparison<'_>, Option<Comparison<'_>>),
    equal: bool,
    rule: Option<Rule>,
) -> (Verdict, f64) {
    let same_titles = titles.as_ref().is_none_or(|titles| reasons::same(&titles.a.text, &titles.b.text));
    let same_text = equal || (reasons::same(&texts.a.text, &texts.b.text) && !texts.a.text.units.is_empty());
    if same_titles && same_text {
        return (Verdict::Copy, 1.0);
    }
    if texts.a.text.units.is_empty() || texts.b.text.units.is_empty() {
        // A text without letters has no content that another could contain.
        return (Verdict::Different, 0.0);
    }
    let features = features::features(texts, titles.as_ref());
    let score = model::score(&features).min(rule.map_or(1.0, Rule::most));
    (model::verdict(score, &features, texts, rule), score)
}

/// Compares two texts and, if both have one, their titles.
fn compare<'t>(
    [a_title, a, b_title, b]: [&'t str; 4],
    boilerplate: &mut Boilerplate<'_>,
) -> Result<(Comparison<'t>, Option<Comparison<'t>>)> {
    let titled = !a_title.trim().is_empty() && !b_title.trim().is_empty();
    let titles = if titled { Some(Comparison::new(a_title, b_title)?) } else { None };
    Ok((Comparison::without(a, b, boilerplate)?, titles))
}

/// Computes the features of a pair of texts with titles, which are the model's input, and the highest score that the rules
/// allow; for training.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn features_of(a_title: &str, a: &str, b_title: &str, b: &str) -> Result<(features::Features, f64)> {
    let (texts, titles) = compare([a_title, a, b_title, b], &mut |_| Ok(Vec::new()))?;
    let most = Rule::of(&texts, titles.as_ref()).map_or(1.0, Rule::most);
    Ok((features::features(&texts, titles.as_ref()), most))
}

#[cfg(test)]
mod tests;
