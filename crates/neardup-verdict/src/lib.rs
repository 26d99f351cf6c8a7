//! Tells a copy from an update: whether two texts are one message, judged by their facts and not by their wording alone.
//!
//! Two bulletins may share nine tenths of their words and differ in the number that is the news. [`same_message`] reads both
//! texts. It says whether one may be removed ([`Verdict::Copy`], or [`Verdict::Excerpt`], where the longer one should stay) or each
//! has something of its own ([`Verdict::Update`], [`Verdict::Rewrite`], [`Verdict::Different`]), how sure it is, and why.
//!
//! ```
//! use neardup_verdict::{Pair, Prepared, Verdict};
//!
//! let a = Prepared::new("The ferry between the two islands will run every hour from May, the company said.")?;
//! let b = Prepared::new("The ferry between the two islands will run every hour from May, the company said!")?;
//! let message = Pair::new(&a, &b).message()?;
//! assert_eq!(message.verdict, Verdict::Copy);
//! # Ok::<(), neardup_text::Error>(())
//! ```
//!
//! # Which entry to choose
//! * [`Pair`] is the front door: two [`Prepared`] texts with all that is known of them: titles, a profile, the distance in time, and
//!   the table they are rows of ([`Known`], [`Rows`], [`Forms`]). [`Pair::duplicate`] is the rule that guard, query and clean-up
//!   share; [`Pair::message`] gives reasons.
//! * [`same_message`] and its relatives judge two texts of which nothing else is known.
//! * [`replaces`] says which of two duplicates may be removed; [`differences`] quotes what differs, for a person who reviews them.
//! * [`conflicts`] lists the facts that contradict each other; [`explain::explain`] gives all measures, facts and
//!   sentences.
//!
//! All are symmetric except for the order of what is shown, and pure functions of the texts and of what is known of them. A later
//! version may give better verdicts, because signatures store nothing of them.

mod align;
mod comparison;
pub mod context;
mod credits;
mod difference;
mod distinct;
pub mod duplicate;
pub mod evaluate;
mod evidence;
pub mod explain;
pub mod facts;
pub mod features;
mod forms;
mod grams;
mod hanset;
pub mod model;
pub mod numerals;
mod pair;
mod passages;
mod prepared;
mod reading;
mod reasons;
mod shared;
mod signals;
mod statements;
mod surroundings;
mod table;
mod units;
mod weights;

use std::fmt;

use neardup_core::profile::Profile;
use neardup_text::{Result, Scratch};

pub use comparison::conflicts;
pub use difference::differences;
pub use duplicate::replaces;
pub use facts::{Conflict, ConflictKind};
pub use forms::{Forms, Known};
pub use pair::Pair;
pub use prepared::Prepared;
pub use table::{BACKGROUND, Rows, SAMPLE};

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
    /// [`model::LEAST_SCORE`], or [`model::LEAST_SCORE_IN_TABLE`] if the table is known, all others less.
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
    Pair::new(&Prepared::new(a)?, &Prepared::new(b)?).titled(a_title, b_title).message()
}

/// Gives the relation of two texts with titles by the profile of a collection: boilerplate of both does not count.
///
/// The texts are title and text of the one, then title and text of the other.
///
/// # Errors
/// `InvalidParameter` if the profile is not trained; `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_by_profile(texts: [&str; 4], profile: &Profile, scratch: &mut Scratch) -> Result<Message> {
    let [a_title, a, b_title, b] = texts;
    let (a, b) = (Prepared::new(a)?, Prepared::new(b)?);
    Pair::new(&a, &b).titled(a_title, b_title).by_profile(profile, scratch).message()
}

/// Gives the verdict on two texts and its score, as [`Pair::duplicate`] does, without a minimum overlap.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn kept_on(a: &str, b: &str) -> Result<Option<(Verdict, f64)>> {
    Pair::new(&Prepared::new(a)?, &Prepared::new(b)?).kept()
}

#[cfg(test)]
mod tests;
