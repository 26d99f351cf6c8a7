//! The last stage: compares a candidate's text with the new one, by the same rule as clean-ups.

use std::rc::Rc;

use neardup_text::hash::token_hash;
use neardup_verdict::{Forms, Message, Tried, Verdict, replaces};
use pgrx::pg_sys;

use super::guarded_rows::GuardedRows;
use super::signature::Signature;
use super::subject::Subject;
use crate::error::Result;
use crate::guarded::guard::{Guard, size_class};
use crate::guarded::neighbours::Neighbours;
use crate::guarded::settings::{Action, Method};
use crate::verdict::judge::{Around, Between, Rule, Side};

/// The measure by which two rows are near-duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What decided: `identical`, `answer`, `facts`, `overlap`, `cosine` or `simhash`.
    pub name: &'static str,
    /// A Hamming distance for `simhash`, otherwise a score or a similarity, 0 to 1.
    pub value: f64,
    /// What the table says of the two, for the message to the writer.
    pub because: Vec<String>,
}

impl Measure {
    /// A measure of the texts or their signatures alone.
    pub fn new(name: &'static str, value: f64) -> Self {
        Self { name, value, because: Vec::new() }
    }
}

/// How the new text and a candidate's compare, for an explanation.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The overlap of their wording, 0 to 1.
    pub overlap: Option<f64>,
    /// What keeps the candidate from being the original: `verdict`, `excerpt`, `contains`, `threshold` or
    /// `overlap`.
    pub rejected: Option<&'static str>,
    /// The verdict with its reasons.
    pub message: Option<Message>,
}

/// A new text, prepared for all its comparisons.
pub struct Verifier<'a> {
    guard: &'a Guard,
    /// None if candidates count as duplicates without reading their texts.
    rule: Option<Rule<'a>>,
    name: &'static str,
    document: &'a str,
    signature: &'a Signature,
    /// The prepared text, once a candidate needs it.
    side: Option<Side>,
    /// The table that the row goes to.
    table: pg_sys::Oid,
    /// What verdicts have learned of the table, once a candidate needs it, and how large the table is.
    forms: Option<(u32, Forms)>,
    /// What the new text was compared with in vain.
    tried: Tried,
}

/// What a comparison has found.
pub enum Compared {
    /// A near-duplicate, by this measure.
    Duplicate(Measure),
    /// None.
    Other,
    /// Others that were compared in vain have more in common with the new text.
    PassedOver,
}

impl<'a> Verifier<'a> {
    /// Begins the comparison of a new document, which has this signature, with others; a profile is read as the table's owner.
    pub fn new(
        guard: &'a Guard,
        subject: &'a Subject<'_>,
        signature: &'a Signature,
        table: pg_sys::Oid,
    ) -> Result<Self> {
        let document = subject.document.as_deref().unwrap_or_default();
        let settings = &guard.settings;
        let rule = settings.verify.rule(
            &settings.analyzer,
            settings.threshold,
            Some(guard.owner),
            settings.correction.clone(),
        );
        let name = if rule.is_some() { settings.verify.measure() } else { settings.method.name() };
        Ok(Self { guard, rule, name, document, signature, side: None, table, forms: None, tried: Tried::default() })
    }

    /// Begins a search: nothing has been compared in vain.
    pub fn begin(&mut self) {
        self.tried = Tried::default();
    }

    /// Says whether the new text duplicates `other`, the text of an existing row.
    /// `distance` is that of their signatures. A new text that contains the other one and more
    /// is not a duplicate; refusing it would lose content.
    pub fn compare(&mut self, other: &str, distance: f64, between: Between<'_>) -> Result<Compared> {
        if self.rule.is_some() && other == self.document && between.is_same() {
            return Ok(Compared::Duplicate(Measure::new("identical", 1.0)));
        }
        let tried = std::mem::take(&mut self.tried);
        let kept =
            self.in_table(other, |rule, ours, theirs, around| rule.kept(ours, theirs, between, around, &tried))?;
        self.tried = tried;
        let Some(kept) = kept else { return Ok(Compared::Duplicate(Measure::new(self.name, distance))) };
        if kept.is_passed_over {
            return Ok(Compared::PassedOver);
        }
        let excerpts = self.guard.settings.excerpts;
        let found = kept.found.filter(|(verdict, _)| excerpts.lets_go(*verdict));
        // A search by signatures promises to find every copy.
        if found.is_none() && self.guard.settings.method == Method::Sketch {
            self.tried.add(kept.likeness);
        }
        let Some((_, value)) = found.filter(|(verdict, _)| replaces(*verdict, other, self.document)) else {
            return Ok(Compared::Other);
        };
        let is_told = matches!(self.guard.settings.on_duplicate, Action::Reject | Action::Warn);
        let because = if is_told {
            self.in_table(other, |rule, ours, theirs, around| rule.known_of_table(ours, theirs, between, around))?
        } else {
            None
        };
        Ok(Compared::Duplicate(Measure { because: because.unwrap_or_default(), ..Measure::new(self.name, value) }))
    }

    /// Returns what the new text is to an existing row that it duplicates, whose signature is near enough: a copy or an excerpt, with the score; `None` if it
    /// does not.
    pub fn verdict(&mut self, other: &str, between: Between<'_>) -> Result<Option<(Verdict, f64)>> {
        if other == self.document && between.is_same() {
            return Ok(Some((Verdict::Copy, 1.0)));
        }
        let none = Tried::default();
        let kept =
            self.in_table(other, |rule, ours, theirs, around| rule.kept(ours, theirs, between, around, &none))?;
        let Some(kept) = kept else { return Ok(Some((Verdict::Copy, 1.0))) };
        let excerpts = self.guard.settings.excerpts;
        Ok(kept.found.filter(|(verdict, _)| excerpts.lets_go(*verdict) && replaces(*verdict, other, self.document)))
    }

    /// Explains a comparison with the text of an existing row, of which [`Self::compare`] has made `measure`.
    pub fn comparison(&mut self, other: &str, between: Between<'_>, measure: Option<&Measure>) -> Result<Explanation> {
        let message = self.in_table(other, |rule, ours, theirs, around| rule.message(ours, theirs, between, around))?;
        let Some((message, overlap)) = message else { return Ok(Explanation::default()) };
        let is_copy = message.verdict.keeps_one();
        let least = self.guard.settings.threshold.unwrap_or_default();
        let rejected = match measure {
            Some(_) => None,
            None if !is_copy => Some("verdict"),
            None if !self.guard.settings.excerpts.lets_go(message.verdict) => Some("excerpt"),
            None if !replaces(message.verdict, other, self.document) => Some("contains"),
            None if message.score < least => Some("threshold"),
            None => Some("overlap"),
        };
        Ok(Explanation { overlap: Some(overlap), rejected, message: Some(message) })
    }

    /// Returns the table that the row goes to.
    pub const fn table(&self) -> pg_sys::Oid {
        self.table
    }

    /// Says whether the new text has more characters than another one.
    pub fn is_longer_than(&self, other: &str) -> bool {
        self.document.chars().count() > other.chars().count()
    }

    /// Asks the rule about the new text and another one, with the table around them; `None` if there is no rule.
    fn in_table<T>(
        &mut self,
        other: &str,
        ask: impl FnOnce(&Rule<'_>, &Side, &Side, Option<Around<'_>>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(rule) = &self.rule else { return Ok(None) };
        let guard = self.guard;
        let sketch = (&*guard.settings.analyzer, guard.settings.keys);
        let is_sketch = guard.settings.method == Method::Sketch;
        let with_keys = |side: Side, text| if is_sketch { side.with_keys_of(text, sketch) } else { Ok(side) };
        let side = match &self.side {
            Some(side) => side,
            None => {
                let side = rule.side(self.document)?;
                self.side.insert(side.with_keys(self.signature.sketch_keys()?))
            }
        };
        let hash = token_hash(other);
        let known = guard.compared.borrow_mut().find(hash).filter(|known| known.text() == other);
        let is_new = known.is_none();
        let other_side = match known {
            Some(known) => known,
            None => Rc::new(with_keys(rule.side_of_candidate(other)?, other)?),
        };
        let mut rows = Neighbours(GuardedRows::of(guard));
        // Only sketches have keys by which other rows are found.
        let forms = is_sketch.then(|| {
            let (_, forms) = self.forms.get_or_insert_with(|| {
                let size = size_class(self.table);
                (size, guard.take_forms(size))
            });
            forms
        });
        let keys = [side, &*other_side].map(|side| move || side.keys(sketch).map(<[u64]>::to_vec));
        let around = forms.map(|forms| Around { forms, rows: &mut rows, keys: [&keys[0], &keys[1]], own: [None; 2] });
        let answer = ask(rule, side, &other_side, around)?;
        // Most texts are ruled out by a part of them, and hardly met again.
        if is_new && other_side.is_worth_keeping() {
            guard.compared.borrow_mut().keep(hash, other_side);
        }
        Ok(Some(answer))
    }
}

impl Drop for Verifier<'_> {
    fn drop(&mut self) {
        if let Some((size, forms)) = self.forms.take() {
            self.guard.keep_forms(size, forms);
        }
    }
}
