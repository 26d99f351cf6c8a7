//! The last stage: compares a candidate's text with the new one, by the same rule as clean-ups.

use neardup_verdict::replaces;

use super::settings::Verify;
use super::target::Guard;
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
    /// None if candidates count as duplicates without reading their texts.
    rule: Option<Rule<'a>>,
    name: &'static str,
    document: &'a str,
    /// The prepared text, once a candidate needs it.
    side: Option<Side>,
}

impl<'a> Verifier<'a> {
    /// Begins the comparison of a new document with others; a profile is read as the table's owner.
    pub fn new(guard: &'a Guard, document: &'a str) -> Result<Self> {
        let settings = &guard.settings;
        let by = |name| Rule::new(name, &settings.analyzer, settings.threshold).map(Some);
        let (name, rule) = match &settings.verify {
            Verify::None => (settings.method.name(), None),
            Verify::Facts => ("facts", by("facts")?),
            Verify::Profile(name) => {
                let least = settings.threshold.unwrap_or_default();
                ("facts", Some(Rule::Profile { name, role: Some(guard.owner), least }))
            }
            Verify::Overlap => ("overlap", by("overlap")?),
            Verify::Cosine => ("cosine", by("cosine")?),
        };
        Ok(Self { rule, name, document, side: None })
    }

    /// Returns the measure by which the new text duplicates `other`, the text of an existing row; `None` if it does not.
    /// `distance` is that of their signatures. A new text that contains the other one and more is not a duplicate; refusing it
    /// would lose content.
    pub fn compare(&mut self, other: &str, distance: f64) -> Result<Option<Measure>> {
        let Some(rule) = &self.rule else { return Ok(Some(Measure { name: self.name, value: distance })) };
        if other == self.document {
            return Ok(Some(Measure { name: "identical", value: 1.0 }));
        }
        let side = match &mut self.side {
            Some(side) => side,
            unread => unread.insert(rule.side(self.document)?),
        };
        let kept = rule.kept(side, other)?.filter(|(verdict, _)| replaces(*verdict, other, self.document));
        Ok(kept.map(|(_, value)| Measure { name: self.name, value }))
    }
}
