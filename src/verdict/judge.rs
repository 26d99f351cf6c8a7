//! The verdict on a pair of rows, for guard and clean-up alike: by facts, by a profile or by a similarity, and which of the two
//! rows may be removed.

use std::cell::OnceCell;
use std::time::Duration;

use ahash::AHashMap;
use neardup_core::profile::Profile;
use neardup_core::signature::minhash::MinHashRef;
use neardup_core::similarity::{overlap, weighted_cosine};
use neardup_text::hash::token_hash;
use neardup_text::{Error, ErrorKind, Scratch};
use neardup_verdict::correction::{Correction, Measured};
use neardup_verdict::{
    Compared, Forms, Known, Likeness, Message, Outline, Pair, Prepared, Rows, Tried, Verdict, says_more,
};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::profile;
use crate::sketch;
use crate::verdict::columns::Columns;

/// How two texts are recognised as one message.
pub enum Rule<'r> {
    /// By their facts, with at least this score.
    Facts { least: f64, correction: Option<Correction> },
    /// The same without the boilerplate of a profile's collection, which is read as a role or as the current user.
    Profile { name: &'r str, role: Option<pg_sys::Oid>, least: f64, correction: Option<Correction> },
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

/// What a text to keep and another one were found to be.
pub struct Found {
    /// What is known of them if one may be removed.
    pub judged: Option<Judged>,
    /// What the two have in common, by which one that was compared in vain may rule others out.
    pub likeness: Likeness,
    /// Whether others were compared in vain that have more in common.
    pub is_passed_over: bool,
}

/// Distinct tokens in ascending order of their hashes, and how often each occurs.
pub struct Tokens {
    hashes: Vec<u64>,
    counts: Vec<[u8; 4]>,
}

/// What a token takes in memory, in bytes.
const TOKEN: usize = size_of::<(u64, [u8; 4])>();

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

    /// Returns the overlap coefficient of two sets of tokens.
    pub fn overlap(&self, other: &Self) -> f64 {
        overlap(&self.hashes, &other.hashes)
    }

    /// Returns the cosine of two vectors of counts.
    pub fn cosine(&self, other: &Self) -> f64 {
        weighted_cosine((&self.hashes, &self.counts), (&other.hashes, &other.counts))
    }
}

/// One text of several pairs, prepared once.
pub enum Side {
    /// For rules by facts, with the keys of the text's sketch, once they are asked for.
    Prepared(Box<Prepared<'static>>, OnceCell<Vec<u64>>),
    /// For rules by tokens.
    Tokens(String, Tokens),
}

impl Side {
    /// Returns the text; of a very long one that is compared by facts, what is read of it.
    pub fn text(&self) -> &str {
        match self {
            Self::Prepared(prepared, _) => prepared.text(),
            Self::Tokens(text, _) => text,
        }
    }

    /// Says whether [`Side::text`] is only the beginning of the text.
    pub fn is_beginning(&self) -> bool {
        matches!(self, Self::Prepared(prepared, _) if prepared.is_beginning())
    }

    /// Returns how much memory it takes, in bytes, about.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Prepared(prepared, _) => size_of::<Self>() + prepared.bytes(),
            Self::Tokens(text, tokens) => size_of::<Self>() + text.len() + tokens.hashes.len() * TOKEN,
        }
    }

    /// Says whether it is worth keeping for other pairs: a rule by facts has read all of it.
    pub fn is_worth_keeping(&self) -> bool {
        let Self::Prepared(prepared, _) = self else { return false };
        prepared.is_read() && !prepared.is_beginning()
    }

    /// Says whether two texts are the same.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Prepared(a, _), Self::Prepared(b, _)) => a.is_same(b),
            _ => self.text() == other.text(),
        }
    }

    /// Says whether a text says more than another.
    fn says_more(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Prepared(a, _), Self::Prepared(b, _)) => a.says_more(b),
            _ => says_more(self.text(), other.text()),
        }
    }

    /// Keeps the keys of the text's sketch, which are known already.
    pub fn with_keys(self, keys: Vec<u64>) -> Self {
        if let Self::Prepared(_, known) = &self {
            known.get_or_init(|| keys);
        }
        self
    }

    /// Keeps the keys of the sketch of a very long text, which cannot be made from its beginning later on.
    ///
    /// # Errors
    /// Those of [`keys_of`].
    pub fn with_keys_of(self, text: &str, sketch: (&str, u32)) -> Result<Self> {
        if self.is_beginning()
            && let Self::Prepared(_, known) = &self
        {
            let keys = keys_of(text, sketch)?;
            known.get_or_init(|| keys);
        }
        Ok(self)
    }

    /// Returns the keys of the text's sketch, by its analyzer and its number of keys, which are the same at each call. A rule by tokens
    /// asks for none.
    ///
    /// # Errors
    /// For a text that is no analyzer, and for a text of 4 GB or more.
    pub fn keys(&self, sketch: (&str, u32)) -> neardup_text::Result<&[u64]> {
        let Self::Prepared(prepared, known) = self else { return Ok(&[]) };
        if let Some(known) = known.get() {
            return Ok(known);
        }
        let found = keys_of(prepared.text(), sketch);
        let found = found.map_err(|wrong| Error::new(ErrorKind::Mismatch, wrong.message()))?;
        Ok(known.get_or_init(|| found))
    }
}

/// What is known of two rows besides their texts.
#[derive(Clone, Copy, Default)]
pub struct Between<'a> {
    /// How far apart in time they are.
    pub apart: Option<Duration>,
    /// Their titles; an empty one counts as none. Rules by tokens do not read them.
    pub titles: [&'a str; 2],
    /// Columns in which copies agree. Rules by tokens do not read them.
    pub columns: Columns<'a>,
}

impl Between<'_> {
    /// Says whether two rows with the same text are copies: their titles do not differ, and all columns agree.
    pub fn is_same(&self) -> bool {
        let [a, b] = self.titles;
        (a.is_empty() || b.is_empty() || a == b) && self.columns.agreement().is_none_or(|share| share >= 1.0)
    }
}

/// The table that two texts are rows of.
pub struct Around<'a> {
    /// What has been learned of it.
    pub forms: &'a mut Forms,
    pub rows: &'a mut dyn Rows,
    /// Returns the keys of each text's sketch; keys that no third row has may be left out.
    pub keys: [&'a dyn Fn() -> neardup_text::Result<Vec<u64>>; 2],
    /// The numbers of the two rows, as far as they are in the table.
    pub own: [Option<u64>; 2],
}

/// Returns the keys of a document's sketch.
///
/// # Errors
/// For a text that is no analyzer, and for a text of 4 GB or more.
pub fn keys_of(document: &str, (analyzer, keys): (&str, u32)) -> Result<Vec<u64>> {
    let Some(sketch) = sketch::of_document(document, analyzer, keys)? else { return Ok(Vec::new()) };
    Ok(MinHashRef::parse_header(&sketch).map_err(report)?.keys().collect())
}

impl<'r> Rule<'r> {
    /// Prepares one text.
    pub fn side(&self, text: &str) -> Result<Side> {
        Ok(match self {
            Self::Tokens { analyzer, .. } => Side::Tokens(text.to_owned(), Tokens::of(text, analyzer)?),
            _ => Side::Prepared(Box::new(Prepared::owned(text).map_err(report)?), OnceCell::new()),
        })
    }

    /// Returns the outline of a text, by which [`Rule::kept`] would rule out most pairs; `None` for a rule by tokens.
    ///
    /// # Errors
    /// For a text of 4 GB or more.
    pub fn outline(&self, text: &str) -> Result<Option<Outline>> {
        match self {
            Self::Tokens { .. } => Ok(None),
            _ => Outline::of(text).map(Some).map_err(report),
        }
    }

    /// Prepares one of the texts that another is compared with.
    pub fn side_of_candidate(&self, text: &str) -> Result<Side> {
        Ok(match self.side(text)? {
            Side::Prepared(prepared, keys) => Side::Prepared(Box::new(prepared.as_candidate()), keys),
            side => side,
        })
    }

    /// Returns the verdict on two texts, prepared by this rule, if one of them may be removed. One that has less in common with the other than
    /// several that were tried in vain is passed over; by tokens, none is.
    pub fn kept(
        &self,
        a: &Side,
        b: &Side,
        between: Between<'_>,
        around: Option<Around<'_>>,
        tried: &Tried,
    ) -> Result<Compared> {
        let by_tokens = |score| Compared { found: Some((Verdict::Copy, score)), ..Compared::default() };
        if a.is_same(b) && between.is_same() {
            return Ok(by_tokens(1.0));
        }
        let ask = |pair: Pair<'_>| pair.duplicate_after(tried);
        let (compared, least) = match (self, a, b) {
            (Self::Tokens { least, measure, .. }, Side::Tokens(_, a), Side::Tokens(_, b)) => {
                (by_tokens(measure(a, b)), least)
            }
            (Self::Facts { least, .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                (self.by_facts(a, b, None, between, around, ask)?, least)
            }
            (Self::Profile { name, role, least, .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                let found = profile::with(name, *role, |profile, scratch| {
                    self.by_facts(a, b, Some((profile, scratch)), between, around, ask)
                });
                (found??, least)
            }
            // Prepared by another rule.
            _ => return self.kept(&self.side(a.text())?, &self.side(b.text())?, between, around, tried),
        };
        Ok(Compared { found: compared.found.filter(|(_, value)| value >= least), ..compared })
    }

    /// Returns the verdict on two texts with its reasons, whatever it is, and the overlap of their wording, or of their tokens. By tokens, a
    /// verdict has no reasons.
    pub fn message(
        &self,
        a: &Side,
        b: &Side,
        between: Between<'_>,
        around: Option<Around<'_>>,
    ) -> Result<(Message, f64)> {
        match (self, a, b) {
            (Self::Tokens { least, measure, .. }, Side::Tokens(text, a), Side::Tokens(other, b)) => {
                let score = if text == other { 1.0 } else { measure(a, b) };
                let verdict = if score >= *least { Verdict::Copy } else { Verdict::Different };
                Ok((Message { verdict, score, reasons: Vec::new() }, a.overlap(b)))
            }
            (Self::Facts { .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                Ok((told(self.by_facts(a, b, None, between, around, |pair| pair.message())?, between), a.overlap(b)))
            }
            (Self::Profile { name, role, .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                let message = profile::with(name, *role, |profile, scratch| {
                    self.by_facts(a, b, Some((profile, scratch)), between, around, |pair| pair.message())
                });
                Ok((told(message??, between), a.overlap(b)))
            }
            // Prepared by another rule.
            _ => self.message(&self.side(a.text())?, &self.side(b.text())?, between, around),
        }
    }

    /// Returns the reasons for a verdict by facts that are known from the table alone.
    pub fn known_of_table(
        &self,
        a: &Side,
        b: &Side,
        between: Between<'_>,
        around: Option<Around<'_>>,
    ) -> Result<Vec<String>> {
        match (self, a, b) {
            (Self::Facts { .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                self.by_facts(a, b, None, between, around, |pair| pair.known_of_table())
            }
            (Self::Profile { name, role, .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                profile::with(name, *role, |profile, scratch| {
                    self.by_facts(a, b, Some((profile, scratch)), between, around, |pair| pair.known_of_table())
                })?
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the verdict on a text to keep and another one that may be removed, unless others that were tried with that one in vain have more in
    /// common with it.
    pub fn judge(
        &self,
        kept: &Side,
        other: &Side,
        between: Between<'_>,
        around: Option<Around<'_>>,
        tried: &Tried,
    ) -> Result<Found> {
        let Compared { found, likeness, is_passed_over } = self.kept(kept, other, between, around, tried)?;
        let loses = |verdict| verdict == Verdict::Excerpt && other.says_more(kept);
        let judged = found.map(|(verdict, score)| Judged { verdict, score, loses: loses(verdict) });
        Ok(Found { judged, likeness, is_passed_over })
    }
}

/// Says whether of two texts that are known to be one message the other contains the kept one and more, so that it must stay.
pub fn contains(other: &Side, kept: &Side) -> Result<bool> {
    let (Side::Prepared(of_kept, _), Side::Prepared(of_other, _)) = (kept, other) else { return Ok(false) };
    let found = Pair::new(of_kept, of_other).at_least(0.0).duplicate().map_err(report)?;
    Ok(found.is_some_and(|(verdict, _)| verdict == Verdict::Excerpt) && other.says_more(kept))
}

/// Adds to a message what columns say.
fn told(mut message: Message, between: Between<'_>) -> Message {
    message.reasons.extend(between.columns.reasons());
    message
}

impl Rule<'_> {
    /// Returns what is learned of a pair from an answer; `None` if no model is asked about it.
    pub fn measured(
        &self,
        a: &Side,
        b: &Side,
        between: Between<'_>,
        around: Option<Around<'_>>,
    ) -> Result<Option<Measured>> {
        let measured = |pair: Pair<'_>| pair.measured();
        match (self, a, b) {
            (Self::Facts { .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                self.by_facts(a, b, None, between, around, measured)
            }
            (Self::Profile { name, role, .. }, Side::Prepared(a, _), Side::Prepared(b, _)) => {
                profile::with(name, *role, |profile, scratch| {
                    self.by_facts(a, b, Some((profile, scratch)), between, around, measured)
                })?
            }
            _ => Ok(None),
        }
    }

    /// Asks a question about two texts with all that is known of them.
    fn by_facts<T>(
        &self,
        a: &Prepared<'_>,
        b: &Prepared<'_>,
        profile: Option<(&Profile, &mut Scratch)>,
        between: Between<'_>,
        around: Option<Around<'_>>,
        question: impl FnOnce(Pair<'_>) -> neardup_text::Result<T>,
    ) -> Result<T> {
        let (least, correction) = match self {
            Self::Facts { least, correction } | Self::Profile { least, correction, .. } => {
                (*least, correction.as_ref())
            }
            Self::Tokens { least, .. } => (*least, None),
        };
        let [title_a, title_b] = between.titles;
        let agreement = between.columns.agreement();
        let mut pair =
            Pair::new(a, b).apart(between.apart).titled(title_a, title_b).agreeing(agreement).corrected(correction);
        pair = pair.at_least(least);
        if let Some((profile, scratch)) = profile {
            pair = pair.by_profile(profile, scratch);
        }
        if let Some(Around { forms, rows, keys, own }) = around {
            pair = pair.known(Known { forms, rows: &mut *rows, own, keys });
        }
        question(pair).map_err(report)
    }
}
