//! The last stage: the text of a candidate, compared with the new one.

use neardup_core::analysis::Analyzer;
use neardup_core::similarity::{overlap, weighted_cosine};
use neardup_core::sketch::hash::token_hash;
use neardup_core::verdict::{Prepared, Verdict, replaces};
use pgrx::pg_sys::Oid;

use super::settings::{Settings, Verify};
use crate::analyzer;
use crate::error::{Result, report};
use crate::profile;

/// By what two rows are near-duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// `identical`, `facts`, `overlap`, `cosine` or `simhash`: what decided.
    pub name: &'static str,
    /// A Hamming distance for `simhash`, else a score or a similarity, 0 to 1.
    pub value: f64,
}

/// A new text's side of all comparisons.
pub struct Verifier<'a> {
    settings: &'a Settings,
    /// As whom a profile is read.
    owner: Oid,
    document: &'a str,
    prepared: Option<Prepared<'a>>,
    tokens: Option<Tokens>,
}

/// Distinct tokens in ascending order of their hashes, and how often each occurs.
struct Tokens {
    hashes: Vec<u64>,
    counts: Vec<[u8; 4]>,
}

impl Tokens {
    fn of(document: &str, name: &str) -> Result<Self> {
        let mut all = Vec::new();
        analyzer::with(name, |analyzer: &Analyzer, scratch| {
            analyzer.tokens(document, scratch, &mut |token| all.push(token_hash(token)))
        })?
        .map_err(report)?;
        all.sort_unstable();
        let (mut hashes, mut counts) = (Vec::new(), Vec::new());
        for run in all.chunk_by(|a, b| a == b) {
            hashes.push(run[0]);
            counts.push((run.len() as f32).to_le_bytes());
        }
        Ok(Self { hashes, counts })
    }
}

impl<'a> Verifier<'a> {
    /// Begins the comparison of a new document with others.
    pub fn new(settings: &'a Settings, owner: Oid, document: &'a str) -> Self {
        Self { settings, owner, document, prepared: None, tokens: None }
    }

    /// Says by what the other text, of a row that is there, is a near-duplicate of the new one, if it is.
    pub fn compare(&mut self, other: &str) -> Result<Option<Measure>> {
        if other == self.document {
            return Ok(Some(Measure { name: "identical", value: 1.0 }));
        }
        let (name, value) = match &self.settings.verify {
            Verify::None | Verify::Facts => return self.facts(other),
            Verify::Profile(name) => return self.facts_by_profile(other, name),
            Verify::Overlap => {
                let (ours, theirs) = self.tokens(other)?;
                ("overlap", overlap(&ours.hashes, &theirs.hashes))
            }
            Verify::Cosine => {
                let (ours, theirs) = self.tokens(other)?;
                ("cosine", weighted_cosine((&ours.hashes, &ours.counts), (&theirs.hashes, &theirs.counts)))
            }
        };
        Ok((value >= self.settings.similarity).then_some(Measure { name, value }))
    }

    fn prepared(&mut self) -> Result<&mut Prepared<'a>> {
        let prepared = match self.prepared.take() {
            Some(prepared) => prepared,
            None => Prepared::new(self.document).map_err(report)?,
        };
        Ok(self.prepared.insert(prepared))
    }

    fn facts(&mut self, other: &str) -> Result<Option<Measure>> {
        let found = self.prepared()?.duplicate(other).map_err(report)?;
        Ok(self.measure(found, other))
    }

    /// A new text that holds the other one and more is no near-duplicate: refusing it would lose what it has more.
    fn measure(&self, found: Option<(Verdict, f64)>, other: &str) -> Option<Measure> {
        let (_, score) = found.filter(|(verdict, _)| replaces(*verdict, other, self.document))?;
        Some(Measure { name: "facts", value: score })
    }

    fn facts_by_profile(&mut self, other: &str, name: &str) -> Result<Option<Measure>> {
        let owner = self.owner;
        let prepared = self.prepared()?;
        let found = profile::with(name, Some(owner), |profile, scratch| {
            prepared.duplicate_by_profile(other, profile, scratch)
        })?;
        Ok(self.measure(found.map_err(report)?, other))
    }

    fn tokens(&mut self, other: &str) -> Result<(&Tokens, Tokens)> {
        let theirs = Tokens::of(other, &self.settings.analyzer)?;
        let ours = match self.tokens.take() {
            Some(tokens) => tokens,
            None => Tokens::of(self.document, &self.settings.analyzer)?,
        };
        Ok((self.tokens.insert(ours), theirs))
    }
}
