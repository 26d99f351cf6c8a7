//! The last stage: compares a candidate's text with the new one, by the same rule as clean-ups.

use neardup_verdict::model::LEAST_SCORE;
use neardup_verdict::replaces;
use pgrx::pg_sys::Oid;

use super::settings::{Settings, Verify};
use crate::error::Result;
use crate::verdict::judge::{Rule, Side};

/// The measure by which two rows are near-duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What decided: `identical`, `facts`, `overlap`, `cosine` or `simhash`.
    pub name: &'static str,
    /// A Hamming distance for `simhash`, otherwise a score or a similarity, 0 to 1.
    pub value: f64,
}

/// A new text, prepared for all its comparisons.
pub struct Verifier<'a> {
    rule: Rule<'a>,
    name: &'static str,
    document: &'a str,
    /// The prepared text, once a candidate needs it.
    side: Option<Side>,
}

impl<'a> Verifier<'a> {
    /// Begins the comparison of a new document with others; a profile is read as `owner`.
    pub fn new(settings: &'a Settings, owner: Oid, document: &'a str) -> Result<Self> {
        let least = settings.threshold.unwrap_or(LEAST_SCORE);
        let (name, rule) = match &settings.verify {
            Verify::None | Verify::Facts => ("facts", Rule::Facts { least }),
            Verify::Profile(name) => ("facts", Rule::Profile { name, role: Some(owner), least }),
            Verify::Overlap => ("overlap", Rule::new("overlap", &settings.analyzer, settings.threshold)?),
            Verify::Cosine => ("cosine", Rule::new("cosine", &settings.analyzer, settings.threshold)?),
        };
        Ok(Self { rule, name, document, side: None })
    }

    /// Gives the measure by which `other`, the text of an existing row, is a near-duplicate of the new text, if it is. A longer
    /// new text that contains the other is not a duplicate: refusing it would lose content.
    pub fn compare(&mut self, other: &str) -> Result<Option<Measure>> {
        if other == self.document {
            return Ok(Some(Measure { name: "identical", value: 1.0 }));
        }
        let side = match &mut self.side {
            Some(side) => side,
            unread => unread.insert(self.rule.side(self.document)?),
        };
        let kept = self.rule.kept(side, other)?.filter(|(verdict, _)| replaces(*verdict, other, self.document));
        Ok(kept.map(|(_, value)| Measure { name: self.name, value }))
    }
}
