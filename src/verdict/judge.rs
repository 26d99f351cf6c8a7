//! The verdict on a pair of rows, for guard and clean-up alike: by facts, by a profile or by a similarity, and which of the two
//! rows may be removed.

use ahash::AHashMap;
use neardup_core::similarity::{overlap, weighted_cosine};
use neardup_text::hash::token_hash;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::{Prepared, Verdict, replaces};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::profile;
use crate::text::analyzer::PROFILE_PREFIX;

/// How two texts are recognised as one message.
pub enum Rule<'r> {
    /// By their facts, with at least this score; the verdict's own bound holds as well.
    Facts { least: f64 },
    /// The same without the boilerplate of a profile's collection, which is read as a role or as the current user.
    Profile { name: &'r str, role: Option<pg_sys::Oid>, least: f64 },
    /// By their tokens under an analyzer, with at least this similarity.
    Tokens { analyzer: &'r str, least: f64, measure: fn(&Tokens, &Tokens) -> f64 },
}

/// A pair of texts of which one may be removed.
pub struct Judged {
    /// The verdict on the two.
    pub verdict: Verdict,
    /// Its score, or their similarity, 0 to 1.
    pub score: f64,
    /// Whether the other text contains the kept one and more, so that it must stay.
    pub loses: bool,
}

/// Distinct tokens in ascending order of their hashes, and how often each occurs.
pub struct Tokens {
    hashes: Vec<u64>,
    counts: Vec<[u8; 4]>,
}

impl Tokens {
    fn of(document: &str, name: &str) -> Result<Self> {
        let mut counts: AHashMap<u64, u32> = AHashMap::new();
        profile::with_analyzer(name, None, |analyzer, scratch| {
            analyzer.tokens(document, scratch, &mut |token| *counts.entry(token_hash(token)).or_default() += 1)
        })?
        .map_err(report)?;
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        let (hashes, counts) = counts.into_iter().map(|(hash, count)| (hash, (count as f32).to_le_bytes())).unzip();
        Ok(Self { hashes, counts })
    }
}

/// One text of several pairs, prepared once.
pub enum Side {
    /// For rules by facts.
    Prepared(Prepared<'static>),
    /// For rules by tokens.
    Tokens(String, Tokens),
}

impl Side {
    /// Gives the text.
    pub fn text(&self) -> &str {
        match self {
            Self::Prepared(prepared) => prepared.text(),
            Self::Tokens(text, _) => text,
        }
    }
}

impl<'r> Rule<'r> {
    /// Reads the `verify` of a guard or a clean-up. It is never `none`, which needs no verdict on texts. `threshold` is the
    /// least score, overlap or cosine. By facts and by a profile, a copy has at least [`LEAST_SCORE`], whatever the threshold.
    ///
    /// # Errors
    /// For any other word, and for overlap or cosine without a threshold.
    pub fn new(verify: &'r str, analyzer: &'r str, threshold: Option<f64>) -> Result<Self> {
        let wrong = |message: String| report(Error::new(ErrorKind::InvalidParameter, message));
        let bound = || threshold.ok_or_else(|| wrong(format!("verify {verify} needs a threshold")));
        let least = threshold.unwrap_or_default();
        match verify {
            "none" | "facts" => Ok(Self::Facts { least }),
            "overlap" => {
                let measure = |a: &Tokens, b: &Tokens| overlap(&a.hashes, &b.hashes);
                Ok(Self::Tokens { analyzer, least: bound()?, measure })
            }
            "cosine" => {
                let measure = |a: &Tokens, b: &Tokens| weighted_cosine((&a.hashes, &a.counts), (&b.hashes, &b.counts));
                Ok(Self::Tokens { analyzer, least: bound()?, measure })
            }
            name if name.starts_with(PROFILE_PREFIX) => Ok(Self::Profile { name, role: None, least }),
            _ => Err(wrong(format!("verify must be none, facts, overlap, cosine or profile:NAME: {verify}"))),
        }
    }

    /// Prepares one text.
    pub fn side(&self, text: &str) -> Result<Side> {
        Ok(match self {
            Self::Tokens { analyzer, .. } => Side::Tokens(text.to_owned(), Tokens::of(text, analyzer)?),
            _ => Side::Prepared(Prepared::owned(text.to_owned()).map_err(report)?),
        })
    }

    /// Gives the verdict on two texts, if one of them may be removed. Symmetric.
    pub fn kept(&self, a: &mut Side, b: &str) -> Result<Option<(Verdict, f64)>> {
        if a.text() == b {
            return Ok(Some((Verdict::Copy, 1.0)));
        }
        let (found, least) = match (self, a) {
            (Self::Facts { least }, Side::Prepared(a)) => (a.duplicate(b).map_err(report)?, least),
            (Self::Profile { name, role, least }, Side::Prepared(a)) => {
                let found = profile::with(name, *role, |profile, scratch| a.duplicate_by_profile(b, profile, scratch));
                (found?.map_err(report)?, least)
            }
            (Self::Tokens { analyzer, least, measure }, Side::Tokens(_, a)) => {
                (Some((Verdict::Copy, measure(a, &Tokens::of(b, analyzer)?))), least)
            }
            (rule, a) => return rule.kept(&mut rule.side(a.text())?, b),
        };
        Ok(found.filter(|(_, value)| value >= least))
    }

    /// Gives the verdict on a text to keep and another one that may be removed.
    pub fn judge(&self, kept: &str, other: &mut Side) -> Result<Option<Judged>> {
        let found = self.kept(other, kept)?;
        Ok(found.map(|(verdict, score)| Judged { verdict, score, loses: !replaces(verdict, kept, other.text()) }))
    }
}
