//! The verdict on two rows of a list.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use neardup_core::candidates::{Earlier, Judged, KeyFrequency, Member};
use neardup_verdict::correction::Measured;
use neardup_verdict::{Asked, Forms, Likeness, Message, Tried, Verdict};

use super::documents::Texts;
use super::indexed_rows::{IndexedRows, WithTexts};
use super::ruled_out::RuledOut;
use super::workers::Pair;
use crate::answers::{Answers, Given};
use crate::error::{Result, report};
use crate::guarded::neighbours::Neighbours;
use crate::guarded::settings::Excerpts;
use crate::verdict::judge::{Around, Between, Rule, Side, contains};
use crate::verdict::sides::Sides;

/// How many bytes are kept at least of prepared texts: rows that follow one long form are compared with the same ones.
const LEAST_PREPARED: usize = 16 << 20;
/// How many bytes are kept at least of sampled rows.
const LEAST_SAMPLED: usize = 8 << 20;
/// How many candidates of a row are read with it, before it is known whether they are needed.
const AT_ONCE: usize = 2;

/// The number of a verdict in records; only these two let a row go.
pub fn verdict_number(verdict: Verdict) -> u8 {
    u8::from(verdict == Verdict::Excerpt)
}

/// The verdict of a number.
pub fn numbered_verdict(number: u8) -> Verdict {
    if number == 0 { Verdict::Copy } else { Verdict::Excerpt }
}

/// What a comparison has found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The verdict, if either row may be removed.
    pub judged: Option<Judged>,
    /// What of the table was asked to compare them now.
    pub asked: Asked,
    /// What the two have in common.
    pub likeness: Likeness,
    /// Whether they were not compared, because others that were compared in vain have more in common.
    pub is_passed_over: bool,
}

/// Compares rows by their documents.
pub struct Judge<'s> {
    /// The documents.
    pub texts: Texts<'s>,
    /// What is done with excerpts.
    excerpts: Excerpts,
    rule: &'s Rule<'s>,
    /// What the verdict may ask of the table.
    neighbours: Option<Neighbours<IndexedRows<'s>>>,
    forms: Forms,
    /// Keys that third rows have, if they were counted.
    frequency: Option<KeyFrequency>,
    /// Documents prepared for comparisons.
    sides: Sides,
    ruled_out: Rc<RefCell<RuledOut>>,
}

impl Found {
    /// Says what became of it among those that were tried before, and adds it if it was in vain.
    pub fn among(self, tried: &mut Tried) -> Self {
        if tried.rules_out(self.likeness) {
            return Self { judged: None, is_passed_over: true, ..self };
        }
        if self.judged.is_none() {
            tried.add(self.likeness);
        }
        self
    }
}

impl<'s> Judge<'s> {
    pub fn new(
        texts: Texts<'s>,
        rule: &'s Rule<'s>,
        neighbours: Option<Neighbours<IndexedRows<'s>>>,
        frequency: Option<KeyFrequency>,
    ) -> Self {
        let sides = Sides::new(texts.room().max(LEAST_PREPARED));
        let ruled_out = RuledOut::new(texts.room() / 2, 0);
        let (excerpts, forms) = (Excerpts::default(), Forms::with_room(texts.room().max(LEAST_SAMPLED)));
        Self { texts, excerpts, rule, neighbours, forms, frequency, sides, ruled_out: Rc::new(RefCell::new(ruled_out)) }
    }

    /// Goes on from what other rounds of the list have ruled out.
    ///
    /// # Errors
    /// Those of reading the table.
    pub fn after(mut self, ruled_out: &Rc<RefCell<RuledOut>>) -> Result<Self> {
        let background = match &mut self.neighbours {
            Some(neighbours) => self.forms.background(neighbours).map_err(report)?,
            None => 0,
        };
        ruled_out.borrow_mut().begin(background);
        Ok(Self { ruled_out: Rc::clone(ruled_out), ..self })
    }

    /// Returns what two rows have in common that are known to be no duplicates.
    fn ruled_out(&self, kept: u64, duplicate: u64) -> Option<Likeness> {
        self.ruled_out.borrow().find(kept, duplicate)
    }

    /// Reads the outlines of two rows, and says whether either was unknown: most texts that are compared share little, and need not be prepared.
    fn outline(&mut self, kept: u64, duplicate: u64) -> Result<bool> {
        let mut is_new = false;
        let mut ruled_out = self.ruled_out.borrow_mut();
        for row in [kept, duplicate] {
            if !ruled_out.has_outline(row)
                && let Some(outline) = self.texts.get(row)?.map(|text| self.rule.outline(text)).transpose()?.flatten()
            {
                ruled_out.add_outline(row, outline);
                is_new = true;
            }
        }
        Ok(is_new)
    }

    /// Says whether the texts of two rows will hardly be read: they are known to be no duplicates, or were compared before.
    pub fn needs_no_texts(&self, kept: u64, duplicate: u64) -> bool {
        let ruled_out = self.ruled_out.borrow();
        ruled_out.find(kept, duplicate).is_some() || ruled_out.decided(kept, duplicate).is_some()
    }

    /// Returns the rows that are read before a row is compared with others: it and the first of those that are likely to be needed.
    pub fn rows_to_read(&self, own: u64, others: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut rows: Vec<u64> = others.filter(|row| !self.needs_no_texts(*row, own)).take(AT_ONCE).collect();
        if !rows.is_empty() {
            rows.push(own);
        }
        rows
    }

    /// Sets what is done with excerpts.
    pub fn with_excerpts(self, excerpts: Excerpts) -> Self {
        Self { excerpts, ..self }
    }

    fn side(&mut self, id: u64) -> Result<Option<Rc<Side>>> {
        let (texts, rule) = (&mut self.texts, self.rule);
        let sketch = self.neighbours.as_ref().map(|neighbours| neighbours.0.sketch());
        let side = |text: &str| match sketch {
            Some(sketch) => rule.side(text)?.with_keys_of(text, sketch),
            None => rule.side(text),
        };
        self.sides.get(id, || texts.get(id)?.map(side).transpose())
    }

    /// Asks the rule about a kept row and another one; `None` if the caller does not see both.
    fn ask<T>(
        &mut self,
        kept: &Earlier,
        duplicate: &Earlier,
        question: impl FnOnce(&Rule<'_>, &Side, &Side, Between<'_>, Option<Around<'_>>) -> Result<T>,
    ) -> Result<Option<(T, Rc<Side>)>> {
        let (Some(kept_side), Some(other)) = (self.side(kept.id)?, self.side(duplicate.id)?) else { return Ok(None) };
        let apart = kept.time.zip(duplicate.time).map(|(a, b)| Duration::from_micros(a.abs_diff(b)));
        let beside = [self.texts.beside(kept.id)?, self.texts.beside(duplicate.id)?];
        let columns = beside[0].columns(&beside[1], self.texts.agree());
        let between = Between { apart, titles: [&beside[0].title, &beside[1].title], columns };
        let sketch = self.neighbours.as_ref().map_or(("", 0), |neighbours| neighbours.0.sketch());
        let frequency = self.frequency.as_ref();
        let keys = |text: &Side, other: &Side| {
            let (keys, others) = (text.keys(sketch)?, other.keys(sketch)?);
            let may_be_elsewhere =
                |key: &u64| frequency.is_none_or(|frequency| frequency.may_have_third(*key, others.contains(key)));
            Ok(keys.iter().copied().filter(may_be_elsewhere).collect())
        };
        let (of_kept, of_other) = (|| keys(&kept_side, &other), || keys(&other, &kept_side));
        let own = [Some(kept.id), Some(duplicate.id)];
        let texts = &self.texts;
        let mut rows = self.neighbours.as_mut().map(|rows| Neighbours(WithTexts { rows: &mut rows.0, texts }));
        let around =
            rows.as_mut().map(|rows| Around { forms: &mut self.forms, rows, keys: [&of_kept, &of_other], own });
        let answer = question(self.rule, &kept_side, &other, between, around)?;
        Ok(Some((answer, kept_side)))
    }

    /// Returns what is learned of two rows from an answer.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn measured(&mut self, kept: &Earlier, duplicate: &Earlier) -> Result<Option<Measured>> {
        let found = self
            .ask(kept, duplicate, |rule, kept, other, between, around| rule.measured(kept, other, between, around))?;
        Ok(found.and_then(|(measured, _)| measured))
    }

    /// Returns the verdict on a kept row and another one, with its reasons.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn message(&mut self, kept: &Earlier, duplicate: &Earlier) -> Result<Option<Message>> {
        if let Some(difference) = self.texts.difference(kept.id, duplicate.id)? {
            return Ok(Some(Message { verdict: Verdict::Different, score: 0.0, reasons: vec![difference] }));
        }
        let found =
            self.ask(kept, duplicate, |rule, kept, other, between, around| rule.message(kept, other, between, around))?;
        Ok(found.map(|((message, _), _)| message))
    }

    /// Returns what the owner has said of two rows, which have these keys; `None` if nothing, or the caller does not see both.
    ///
    /// # Errors
    /// Those of the statements.
    pub fn answered(&mut self, rows: [&Earlier; 2], keys: [&str; 2], answers: &Answers) -> Result<Option<bool>> {
        let mut hashes = [0; 2];
        for (hash, row) in hashes.iter_mut().zip(rows) {
            let beside = self.texts.beside(row.id)?;
            let Some(text) = self.texts.get(row.id)? else { return Ok(None) };
            *hash = beside.hash(text);
        }
        Ok(Given::about(answers, hashes[0]).on(keys[0], hashes[1], keys[1]))
    }

    /// Returns the verdict on the row that a kept row joins and one of its group, if either may be removed. One that was answered to be a copy
    /// of the row that joins goes with it.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn follow(&mut self, heir: &Member, member: &Member, answers: &Answers) -> Result<Option<Judged>> {
        let given = Given::about(answers, member.duplicate_hash).following(member.kept_hash, heir);
        self.judge(&heir.kept, &member.duplicate, &given, &mut Tried::default())
    }

    /// Returns the verdict on a kept row and another one, about which answers are given, if either may be removed. Of two that were answered to be
    /// copies, the longer one stays if it contains the other, as without an answer. `tried` are those that the other row was compared with in vain.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn judge(
        &mut self,
        kept: &Earlier,
        duplicate: &Earlier,
        given: &Given,
        tried: &mut Tried,
    ) -> Result<Option<Judged>> {
        if !given.is_none() && self.texts.difference(kept.id, duplicate.id)?.is_none() {
            let beside = self.texts.beside(kept.id)?;
            let kept_hash = self.texts.get(kept.id)?.map(|text| beside.hash(text));
            if let Some((kept_hash, score)) = kept_hash.and_then(|hash| Some((hash, given.says_copy(hash)?))) {
                let verdict = verdict_number(Verdict::Copy);
                // Which of the two may go, the answer does not say.
                let loses = match (self.side(kept.id)?, self.side(duplicate.id)?) {
                    (Some(kept), Some(other)) => contains(&other, &kept)?,
                    _ => false,
                };
                return Ok(Some(Judged { verdict, score, loses, kept_hash }));
            }
        }
        Ok(self.compare(kept, duplicate, tried)?.judged)
    }

    /// Compares a kept row and another one, about which there are no answers, unless `tried` says that it need not. What is compared in vain is
    /// added to that.
    ///
    /// # Errors
    /// Those of the statements, and of a profile.
    pub fn compare(&mut self, kept: &Earlier, duplicate: &Earlier, tried: &mut Tried) -> Result<Found> {
        if self.texts.difference(kept.id, duplicate.id)?.is_some() {
            return Ok(Found::default());
        }
        if let Some(likeness) = self.ruled_out(kept.id, duplicate.id) {
            return Ok(Found { likeness, ..Found::default() }.among(tried));
        }
        if let Some((judged, likeness)) = self.decided(kept.id, duplicate.id)? {
            return Ok(Found { judged, likeness, ..Found::default() }.among(tried));
        }
        if self.outline(kept.id, duplicate.id)? && self.ruled_out(kept.id, duplicate.id).is_some() {
            return Ok(Found::default());
        }
        let at_most = self.ruled_out.borrow().likeness_at_most(kept.id, duplicate.id);
        if let Some(likeness) = at_most.filter(|likeness| tried.rules_out(*likeness)) {
            return Ok(Found { likeness, is_passed_over: true, ..Found::default() });
        }
        self.forms.asked();
        let found = self.ask(kept, duplicate, |rule, kept, other, between, around| {
            rule.judge(kept, other, between, around, tried)
        })?;
        let asked = self.forms.asked();
        let Some((found, kept_side)) = found else { return Ok(Found { asked, ..Found::default() }) };
        let likeness = found.likeness;
        if found.is_passed_over {
            return Ok(Found { judged: None, asked, likeness, is_passed_over: true });
        }
        if found.judged.is_none() {
            self.ruled_out.borrow_mut().add([kept.id, duplicate.id], likeness, asked);
        }
        let judged = self.kept_or_not(kept, found.judged, &kept_side)?;
        if asked.rows {
            let around = self.forms.take_around();
            self.ruled_out.borrow_mut().decide([kept.id, duplicate.id], around, likeness, judged);
        }
        Ok(Found { judged, asked, likeness, is_passed_over: false }.among(tried))
    }

    /// Learns what another process has found about two rows.
    pub fn learn(&self, duplicate: u64, pair: &Pair) {
        if pair.found.judged.is_none() && !pair.found.is_passed_over {
            self.ruled_out.borrow_mut().add([pair.kept, duplicate], pair.found.likeness, pair.found.asked);
        }
    }

    /// Returns how many rows have a key, if it is known.
    pub const fn frequency(&self) -> Option<&KeyFrequency> {
        self.frequency.as_ref()
    }

    /// Returns the verdict on two rows that have been compared, if the same rows are around them as then, and what they have in common.
    fn decided(&mut self, kept: u64, duplicate: u64) -> Result<Option<(Option<Judged>, Likeness)>> {
        let ruled_out = self.ruled_out.borrow();
        let (Some(decided), Some(rows)) = (ruled_out.decided(kept, duplicate), &mut self.neighbours) else {
            return Ok(None);
        };
        let own = [Some(kept), Some(duplicate)];
        let is_same = self.forms.is_same_around(rows, &decided.around, own).map_err(report)?;
        Ok(is_same.then_some((decided.judged, decided.likeness)))
    }

    /// Returns a verdict with the hash of the kept row, if either row may be removed.
    fn kept_or_not(
        &mut self,
        kept: &Earlier,
        judged: Option<crate::verdict::judge::Judged>,
        kept_side: &Side,
    ) -> Result<Option<Judged>> {
        let Some(judged) = judged.filter(|judged| self.excerpts.lets_go(judged.verdict)) else { return Ok(None) };
        let beside = self.texts.beside(kept.id)?;
        let kept_hash = if kept_side.is_beginning() {
            let Some(document) = self.texts.get(kept.id)? else { return Ok(None) };
            beside.hash(document)
        } else {
            beside.hash(kept_side.text())
        };
        let (verdict, score, loses) = (verdict_number(judged.verdict), judged.score, judged.loses);
        Ok(Some(Judged { verdict, score, loses, kept_hash }))
    }
}
