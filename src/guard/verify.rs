//! The last stage: two texts whose signatures are near, compared themselves.

use neardup_core::analysis::Analyzer;
use neardup_core::similarity::{overlap, weighted_cosine};
use neardup_core::sketch::hash::token_hash;
use neardup_core::verdict::{Verdict, same_message};

use pgrx::pg_sys::Oid;

use super::settings::{Settings, Verify};
use crate::analyzer;
use crate::error::{Result, report};

/// By what two rows are near-duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// `identical`, `simhash`, `minhash`, `overlap`, `cosine` or `facts`: the stage that decided.
    pub name: &'static str,
    /// A Hamming distance for `simhash`, else a similarity, 0 to 1.
    pub value: f64,
}

/// A new text's side of all comparisons.
pub struct Verifier<'a> {
    settings: &'a Settings,
    /// As whom a profile is read.
    owner: Oid,
    document: &'a str,
    tokens: Option<Tokens>,
}

/// Distinct tokens in ascending order of their hashes, and how often each occurs.
struct Tokens {
    hashes: Vec<u64>,
    counts: Vec<[u8; 4]>,
}

impl Tokens {
    fn of(document: &str, name: &str, owner: Oid) -> Result<Self> {
        let mut all = Vec::new();
        analyzer::with_profile(name, Some(owner), |analyzer: &Analyzer, scratch| {
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
    /// Prepares the comparison of a new document with others.
    pub fn new(settings: &'a Settings, owner: Oid, document: &'a str) -> Self {
        Self { settings, owner, document, tokens: None }
    }

    /// Whether a text has to be compared at all: not where signatures decide.
    pub fn is_needed(&self) -> bool {
        self.settings.verify != Verify::None
    }

    /// Says by what the other text is a near-duplicate of the new one, if it is; `near` says how near their signatures are.
    ///
    /// A new text that holds the other one and more is none: it would be lost, and with the other way round nothing is.
    pub fn compare(&mut self, other: &str, near: f64) -> Result<Option<Measure>> {
        if other == self.document {
            return Ok(Some(Measure { name: "identical", value: 1.0 }));
        }
        let (name, value) = match self.settings.verify {
            Verify::None => return Ok(Some(Measure { name: self.settings.method.name(), value: near })),
            Verify::Facts => {
                let message = same_message(other, self.document).map_err(report)?;
                let measure = Measure { name: "facts", value: message.score };
                let loses =
                    message.verdict == Verdict::Excerpt && self.document.chars().count() > other.chars().count();
                return Ok((message.verdict.keeps_one() && !loses).then_some(measure));
            }
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

    fn tokens(&mut self, other: &str) -> Result<(&Tokens, Tokens)> {
        let theirs = Tokens::of(other, &self.settings.analyzer, self.owner)?;
        let ours = match self.tokens.take() {
            Some(tokens) => tokens,
            None => Tokens::of(self.document, &self.settings.analyzer, self.owner)?,
        };
        Ok((self.tokens.insert(ours), theirs))
    }
}
