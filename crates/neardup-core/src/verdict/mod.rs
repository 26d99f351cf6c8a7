//! Tells a copy from an update: whether two texts are one message, judged by their facts and not by their wording alone.
//!
//! Two bulletins may share nine tenths of their words and differ in the number that is the news. [`same_message`] reads both
//! texts, and says whether one can go ([`Verdict::Copy`], or [`Verdict::Excerpt`], where the longer should stay) or both have
//! something to say ([`Verdict::Update`], [`Verdict::Rewrite`], [`Verdict::Different`]), how sure it is, and why.
//! [`facts::conflicts`] lists the facts that contradict each other.
//!
//! Pure functions of the two texts; symmetric but for the order of what is shown. Verdicts may become better with a version:
//! nothing of them is stored in a signature.

pub mod facts;
pub mod numerals;
mod units;

use std::fmt;

use crate::Result;
pub use facts::{Conflict, ConflictKind};
use units::Text;

/// What two texts are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The same message: nothing is lost by keeping either.
    Copy,
    /// One holds the other nearly whole and more: nothing is lost by keeping the longer.
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

    /// Says whether keeping one of the two, the longer where one is an excerpt, loses nothing.
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
    /// What the texts are to each other.
    pub verdict: Verdict,
    /// How sure it is that keeping one of them loses nothing, 0 to 1; a copy or an excerpt has at least 0.5, all others less.
    pub score: f64,
    /// Why, the weightiest first; each a short phrase.
    pub reasons: Vec<String>,
}

/// Says what two texts are to each other.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message(a: &str, b: &str) -> Result<Message> {
    same_message_titled("", a, "", b)
}

/// Says what two texts with titles are to each other; an empty title counts as none.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn same_message_titled(_a_title: &str, a: &str, _b_title: &str, b: &str) -> Result<Message> {
    let (a, b) = (Text::read(a)?, Text::read(b)?);
    let conflicts = facts::between(&a, &b);
    let (shared, fewer, more) = overlap(&a, &b);
    let held = if fewer == 0 { 0.0 } else { shared as f64 / fewer as f64 };
    let alike = if more == 0 { 0.0 } else { shared as f64 / more as f64 };
    let identical = a.units.len() == b.units.len() && a.units.iter().zip(&b.units).all(|(a, b)| a.key == b.key);
    let mut reasons: Vec<String> =
        conflicts.iter().map(|c| format!("{}: {} / {}", c.kind, c.in_a, c.in_b)).take(5).collect();
    let (verdict, score) = if identical {
        reasons.push("the texts are the same".to_owned());
        (Verdict::Copy, 1.0)
    } else if held < 0.3 {
        (Verdict::Different, held / 4.0)
    } else if !conflicts.is_empty() {
        (Verdict::Update, 0.2)
    } else if held < 0.6 {
        (Verdict::Rewrite, 0.3)
    } else if alike < 0.6 {
        (Verdict::Excerpt, 0.5 + held * 0.4)
    } else {
        (Verdict::Copy, 0.5 + alike * 0.5)
    };
    reasons.push(format!("{:.0} % of the shorter text is in the longer", held * 100.0));
    Ok(Message { verdict, score, reasons })
}

/// Counts the pairs of neighbouring units: shared, of the text with fewer, of the other.
fn overlap(a: &Text<'_>, b: &Text<'_>) -> (usize, usize, usize) {
    let pairs = |text: &Text<'_>| {
        let keys = text.units.iter().map(|unit| unit.key);
        let mut pairs: Vec<u64> = if text.units.len() == 1 {
            keys.collect()
        } else {
            keys.clone().zip(keys.skip(1)).map(|(a, b)| a.rotate_left(1) ^ b).collect()
        };
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let (a, b) = (pairs(a), pairs(b));
    (crate::similarity::intersection_len(&a[..], &b[..]), a.len().min(b.len()), a.len().max(b.len()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn verdict(a: &str, b: &str) -> Verdict {
        same_message(a, b).unwrap().verdict
    }

    #[test]
    fn an_update_is_no_copy() {
        assert_eq!(verdict("本市昨日新增病例66例", "本市昨日新增病例94例"), Verdict::Update);
        assert_eq!(verdict("本市昨日新增病例６６例", "本市昨日新增病例六十六例。"), Verdict::Copy);
    }

    #[test]
    fn two_messages_are_different() {
        assert_eq!(verdict("市长昨天出席了大桥的通车仪式", "今天下午将有大雨"), Verdict::Different);
    }
}
