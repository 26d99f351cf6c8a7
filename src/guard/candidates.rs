//! Candidates: searches the table for a row that the new one duplicates.
//!
//! An index lists the rows that share a key with the new one ([`rows_of_keys`]). They are compared in the order and within the bounds of [`CandidateRule`] and of [`neardup_verdict::Tried`], which a list follows, too. For each row, cheap tests run before
//! its text is read: it is alive, it is another row, it has the same scope and a near time, and no column says that the two differ. The first row that the [`Verifier`]
//! calls a near-duplicate is the result.
//!
//! Rows that share all keys may have the same text. They come first, beyond the bounds, and only those of the same length are read: so
//! a text that occurs thousands of times is known after one text is read.
//!
//! A guard that marks copies stores them. A marked row is not what others are copies of: they are compared with the row that it
//! duplicates. A row with the same text as a marked one gets the same mark. If the row that they duplicate was deleted, marked rows
//! stand for it ([`Marks`]).
//!
//! The promise of method `simhash` is exact, so its search has no bound.
//!
//! A search can be asked to keep a [`Trace`]: each row that shares a key, and why it was, or was not, the result.

use std::rc::Rc;

use neardup_core::candidates::{Budget, CandidateRule, Ranked};
use neardup_core::document;

use super::before;
use super::bypass;
use super::candidate::{Candidate, Question, forms_document, key_of};
use super::marks::Marks;
use super::related::{Related, Relatives};
use super::shared_keys::rows_of_keys;
use super::signature::Signature;
use super::stored;
use super::subject::Subject;
use super::trace::{Reason, Trace};
use super::verify::{Compared, Measure, Verifier};
use crate::answers::{Answers, Given};
use crate::error::{Result, report};
use crate::guarded::beside::Beside;
use crate::guarded::document::candidate_document;
use crate::guarded::guard::{Guard, Part};
use crate::guarded::settings::{Action, Method, OnRelated};
use crate::pg::call::function::Argument;
use crate::pg::lock::keys::Holder;
use crate::pg::table::row_id::{RowId, Tid, tid_of};
use crate::pg::table::rows::{Snapshot, Table, Version};
use crate::text::analyzer;
use crate::verdict::judge::Between;

/// How many rows are read to find one with the same text, if the text must first be formed.
const MOST_FORMED: usize = 64;

/// The row that a new one duplicates.
#[derive(Clone, Debug)]
pub struct Match {
    /// Its primary key, as text.
    pub key: String,
    /// The measure that decided.
    pub measure: Measure,
    /// The row itself, if the guard merges rows.
    pub original: Option<Original>,
    /// The key and the hash of the row that was compared, if the row is let through.
    pub compared: Option<(String, u64)>,
}

/// A row that others may be merged into.
#[derive(Clone, Debug)]
pub struct Original {
    /// The table that holds it.
    pub table: pgrx::pg_sys::Oid,
    /// The address of the version that was judged.
    pub tid: Tid,
    /// Its primary key.
    pub key: Vec<Argument>,
}

/// The result of a search.
pub enum Answer {
    /// No near-duplicate; perhaps a row that it is related to, if the guard marks such rows.
    Clear(Option<Related>),
    /// A near-duplicate.
    Found(Match),
    /// A near-duplicate, or none, depending on how this transaction ends.
    Wait(Holder),
}

/// How many marks are followed.
const LONGEST_CHAIN: usize = 16;

/// The result of testing a candidate.
enum Finding {
    /// It is not a near-duplicate.
    Not(Reason),
    /// It is a near-duplicate, or its transaction decides whether it is.
    Is(Answer),
    /// The table has changed during the search, which must start again.
    Changed,
}

/// What a search has heard of the owner's answers about the row. Those that say "a copy" matter to every candidate, the others only to one that would
/// be named otherwise: few rows get that far, and a table may have a million of them.
enum Heard {
    /// No candidate needed any.
    Nothing,
    /// Those that say "a copy".
    Copies(Given),
    /// All.
    All(Given),
}

/// The state of one search.
struct CandidateSearch<'a, 'b, 'v> {
    guard: &'a Guard,
    trace: Option<&'a mut Trace>,
    subject: &'a Subject<'b>,
    signature: &'a Signature,
    verifier: &'a mut Verifier<'v>,
    budget: Budget,
    snapshot: Snapshot,
    marks: Marks,
    /// What the owner has said of the row, once a candidate needs it.
    heard: Heard,
    relatives: Relatives,
    /// The table of the last candidate, with its number.
    open: Option<(usize, Table, Rc<Part>)>,
}

/// Searches the table, again where it has changed meanwhile. A trace is given the rows of the last search.
pub fn search(
    guard: &Guard,
    subject: &Subject<'_>,
    signature: &Signature,
    verifier: &mut Verifier<'_>,
    mut trace: Option<&mut Trace>,
) -> Result<Answer> {
    loop {
        if let Some(answer) = search_once(guard, subject, signature, verifier, trace.as_deref_mut())? {
            return Ok(answer);
        }
        pgrx::check_for_interrupts!();
    }
}

/// Searches once; `None` if a row has changed on the way.
fn search_once(
    guard: &Guard,
    subject: &Subject<'_>,
    signature: &Signature,
    verifier: &mut Verifier<'_>,
    trace: Option<&mut Trace>,
) -> Result<Option<Answer>> {
    let rule = CandidateRule::default();
    verifier.begin();
    let budget = rule.budget(subject.document.as_ref().map_or(0, |document| document.len()));
    let mut search = CandidateSearch {
        guard,
        trace,
        subject,
        signature,
        verifier,
        budget,
        snapshot: Snapshot::begin(),
        marks: Marks::default(),
        heard: Heard::Nothing,
        relatives: Relatives::default(),
        open: None,
    };
    let keys = rows_of_keys(guard, subject, signature, &rule, &search.snapshot, search.trace.is_none())?;
    if let Some(trace) = search.trace.as_deref_mut() {
        trace.begin(&keys);
    }
    let ranking = rule.rank(keys.into_iter(), Ok::<_, pgrx::pg_sys::panic::ErrorReport>)?;
    let is_sketch = guard.settings.method == Method::Sketch;
    let alike = ranking.candidates.iter().filter(|ranked| is_sketch && ranked.weight == ranking.all);
    let alike = alike.take(if forms_document(guard) { MOST_FORMED } else { usize::MAX });
    let alike = alike.map(|ranked| (Question::Identical, ranked));
    let all = ranking.candidates.iter().map(|ranked| (Question::Duplicate, ranked));
    let again = ranking.candidates.iter().map(|ranked| (Question::Marked, ranked));
    for (question, ranked) in alike.chain(all).chain(again) {
        if question == Question::Marked && !search.stands_for_its_original(ranked.row) {
            continue;
        }
        let finding = search.consider(ranked, question)?;
        search.note(&finding, question, ranked.row);
        match finding {
            Finding::Not(_) => {}
            Finding::Is(answer) => {
                search.finish_trace(ranking.candidates.iter().map(|ranked| ranked.row));
                return Ok(Some(answer));
            }
            Finding::Changed => return Ok(None),
        }
    }
    search.finish_trace(std::iter::empty());
    Ok(Some(Answer::Clear(search.relatives.take())))
}

impl CandidateSearch<'_, '_, '_> {
    /// Puts a tested row on the trace, unless it is tested again.
    fn note(&mut self, finding: &Finding, question: Question, row: u64) {
        if self.trace.is_none() {
            return;
        }
        let (reason, waits) = match finding {
            Finding::Not(_) if question == Question::Identical => return,
            Finding::Not(Reason::Marked) if self.stands_for_its_original(row) => return,
            Finding::Changed => return,
            Finding::Not(reason) => (Some(*reason), false),
            Finding::Is(answer) => (None, matches!(answer, Answer::Wait(_))),
        };
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.tested(row, reason, waits);
        }
    }

    /// Puts the rows on the trace that the search did not test.
    fn finish_trace(&mut self, candidates: impl Iterator<Item = u64>) {
        if let Some(trace) = self.trace.take() {
            let own = self.subject;
            trace.finish(candidates, &own.key, |row| self.key_of(row));
        }
    }

    /// Says whether a marked row stands for the row that it duplicates.
    fn stands_for_its_original(&mut self, row: u64) -> bool {
        let (guard, subject) = (self.guard, self.subject);
        self.marks.stands_for_its_original(guard, row, |time| subject.is_near(time, guard.settings.window))
    }

    /// Reads a row's key; `None` if the row is gone.
    fn key_of(&mut self, row: u64) -> Option<String> {
        let row = RowId::unpacked(row);
        let (number, mut table, part) = self.opened(row.table)?;
        let is_there = matches!(table.visit(row.tid(), &self.snapshot), Version::Row(_));
        let key = is_there.then(|| key_of(&part, &table));
        self.open = Some((number, table, part));
        key
    }

    /// Tests one candidate, in each version that may become valid when a transaction ends.
    fn consider(&mut self, ranked: &Ranked<u64>, question: Question) -> Result<Finding> {
        pgrx::check_for_interrupts!();
        let (row, lack) = (ranked.row, ranked.lack);
        let is_sketch = self.guard.settings.method == Method::Sketch;
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.testing();
        }
        let is_beyond = question != Question::Identical && is_sketch && !self.budget.allows(lack);
        if is_beyond && self.trace.is_none() {
            return Ok(Finding::Not(Reason::Bound));
        }
        let RowId { table: leaf, address } = RowId::unpacked(row);
        let Some((_, mut table, part)) = self.opened(leaf) else { return Ok(Finding::Not(Reason::Gone)) };
        let mut version = table.visit(tid_of(address), &self.snapshot);
        let finding = loop {
            let holder = match version {
                Version::Gone => break Finding::Not(Reason::Gone),
                Version::Changed => break Finding::Changed,
                Version::Row(holder) => holder,
            };
            if let Some(trace) = self.trace.as_deref_mut() {
                trace.exists(key_of(&part, &table));
                if is_beyond {
                    break Finding::Not(Reason::Bound);
                }
            }
            let candidate = Candidate { guard: self.guard, part: &part, table: &table, row, lack, question, holder };
            match self.judge(&candidate)? {
                Finding::Not(_) if holder.is_some() => version = table.visit_next(&self.snapshot),
                finding => break finding,
            }
        };
        self.open = Some((leaf, table, part));
        Ok(finding)
    }

    /// Takes the open table of a number, or opens it; `None` if it is gone.
    fn opened(&mut self, leaf: usize) -> Option<(usize, Table, Rc<Part>)> {
        if let Some(open) = self.open.take().filter(|open| open.0 == leaf) {
            return Some(open);
        }
        let oid = self.guard.leaves.get(leaf)?.table;
        let table = Table::open(oid)?;
        Some((leaf, table, self.guard.part(oid)?))
    }

    fn judge(&mut self, candidate: &Candidate<'_>) -> Result<Finding> {
        let (guard, subject) = (self.guard, self.subject);
        let &Candidate { part, table, question, .. } = candidate;
        if subject.replaces(part.table, table.tid()) {
            return Ok(Finding::Not(Reason::Itself));
        }
        if !candidate.is_in_scope(subject) {
            return Ok(Finding::Not(Reason::Scope));
        }
        let mark = if guard.settings.on_duplicate == Action::Mark { candidate.mark() } else { None };
        // A copy of the row itself is no row that it duplicates.
        if mark.as_deref() == Some(&*subject.key) {
            return Ok(Finding::Not(Reason::Itself));
        }
        let time = candidate.time(subject);
        if let (Some(mark), Some(time), Some(_)) = (&mark, time, guard.settings.window) {
            self.marks.put_time(mark, time);
        }
        if time.is_some_and(|time| !subject.is_near(time, guard.settings.window)) {
            return Ok(Finding::Not(Reason::Time));
        }
        let beside = candidate.beside();
        if let Some(difference) = subject.beside.difference(&beside, guard.differ_columns()) {
            if let Some(trace) = self.trace.as_deref_mut() {
                trace.differs(difference);
            }
            return Ok(Finding::Not(Reason::Differs));
        }
        self.hear_of_copies();
        match self.answered(candidate, mark.as_deref(), &beside) {
            Some(true) => return self.found(candidate, mark, Measure::new("answer", 1.0)),
            Some(false) => return Ok(Finding::Not(Reason::Answered)),
            None => {}
        }
        let titles = [&*subject.beside.title, &*beside.title];
        let columns = subject.beside.columns(&beside, guard.agree_columns());
        let between = Between { apart: candidate.apart(subject), titles, columns };
        let is_simhash = guard.settings.method == Method::SimHash;
        if question == Question::Identical || (mark.is_some() && is_simhash && question == Question::Duplicate) {
            // The row that a marked one duplicates may be too far away within a time window, or have another title or value.
            let counts = mark.is_none() || (guard.settings.window.is_none() && !guard.compares_more());
            if counts && between.is_same() && candidate.is_identical(subject) {
                return self.found(candidate, mark, Measure::new("identical", 1.0));
            }
            if question == Question::Identical {
                return Ok(Finding::Not(Reason::Text));
            }
        }
        if let (Question::Duplicate, Some(mark), Some(column)) = (question, &mark, guard.mark_column(part)) {
            self.marks.put(candidate.row, mark.clone(), table.copied(column));
            return Ok(Finding::Not(Reason::Marked));
        }
        self.judge_text(candidate, mark, between)
    }

    /// Returns the hash by which answers know the row.
    fn hash(&self) -> u64 {
        let subject = self.subject;
        subject.document.as_deref().map_or(0, |document| subject.beside.hash(document))
    }

    /// Looks up the answers that say "a copy", or all for a trace, unless any were looked up.
    fn hear_of_copies(&mut self) {
        if self.trace.is_some() {
            self.hear_all();
        } else if matches!(self.heard, Heard::Nothing) {
            self.heard = Heard::Copies(Given::copies(&Answers::beside(self.guard), self.hash()));
        }
    }

    /// Looks up all answers about the row, unless they were.
    fn hear_all(&mut self) {
        if !matches!(self.heard, Heard::All(_)) {
            self.heard = Heard::All(Given::about(&Answers::beside(self.guard), self.hash()));
        }
    }

    /// Returns what the owner has said, as far as it was heard, of the row and a candidate, whose `mark` is the key of the row that it
    /// duplicates itself. What was said of that row holds, too: the candidate stands for it.
    fn answered(&self, candidate: &Candidate<'_>, mark: Option<&str>, beside: &Beside) -> Option<bool> {
        let &Candidate { part, table, .. } = candidate;
        let (guard, subject) = (self.guard, self.subject);
        let (Heard::Copies(given) | Heard::All(given)) = &self.heard else { return None };
        if given.is_none() {
            return None;
        }
        if mark.is_some_and(|mark| given.keeps_from(mark)) {
            return Some(false);
        }
        let text = candidate_document(guard, part, table)?;
        given.on(&subject.key, beside.hash(&text), &key_of(part, table))
    }

    /// Compares the text of a candidate; `mark` is the key of the row that it duplicates itself.
    fn judge_text(&mut self, candidate: &Candidate<'_>, mark: Option<String>, between: Between<'_>) -> Result<Finding> {
        let guard = self.guard;
        let &Candidate { part, table, .. } = candidate;
        let budget = self.budget;
        self.budget.spend(candidate.lack);
        let Some(text) = candidate_document(guard, part, table) else { return Ok(Finding::Not(Reason::Text)) };
        let distance = match self.signature {
            Signature::SimHash(bits) => {
                let other = analyzer::with(&guard.settings.analyzer, |analyzer, scratch| {
                    document::simhash(&text, analyzer, scratch)
                })?
                .map_err(report)?;
                let Some(distance) = other.map(|other| (bits ^ other).count_ones()) else {
                    return Ok(Finding::Not(Reason::Text));
                };
                if distance > guard.settings.distance {
                    return Ok(Finding::Not(Reason::Text));
                }
                f64::from(distance)
            }
            Signature::Sketch(_) => 0.0,
        };
        let measure = match self.verifier.compare(&text, distance, between)? {
            Compared::Duplicate(measure) => Some(measure),
            Compared::Other => None,
            Compared::PassedOver => return Ok(Finding::Not(Reason::Bound)),
        };
        if let Some(trace) = self.trace.as_deref_mut() {
            trace.compared(self.verifier.comparison(&text, between, measure.as_ref())?);
        }
        let Some(measure) = measure else {
            if guard.settings.on_related == OnRelated::Mark && candidate.holder.is_none() {
                self.hear_all();
                if self.answered(candidate, mark.as_deref(), &candidate.beside()) == Some(false) {
                    return Ok(Finding::Not(Reason::Answered));
                }
                self.relatives.ask(self.verifier, &text, between, || key_of(part, table))?;
            }
            return Ok(Finding::Not(Reason::Text));
        };
        let finding = self.found(candidate, mark, measure)?;
        if matches!(finding, Finding::Not(Reason::Answered)) {
            // Lists know the answer before they compare.
            self.budget = budget;
        }
        Ok(finding)
    }

    /// Says whether a row that the owner keeps apart from the new one is marked as a copy of the row with this key: then the new one must not be.
    fn group_has_other(&self, key: &str) -> bool {
        let Heard::All(given) = &self.heard else { return false };
        given.kept_from().any(|other| stored::mark_of(self.guard, other).is_some_and(|mark| mark == key))
    }

    /// Says whether the row that a mark names is marked itself, and following such marks leads to the row in question: with this mark, too, they
    /// would go in a circle.
    fn leads_back(&self, mark: &str) -> bool {
        // No mark leads to a row that is new.
        if !self.subject.is_stored() {
            return false;
        }
        let next = |mark: &String| stored::mark_of(self.guard, mark);
        std::iter::successors(next(&mark.to_owned()), next).take(LONGEST_CHAIN).any(|mark| mark == *self.subject.key)
    }

    /// Returns the answer for a candidate that is a near-duplicate, unless the owner has said that it is none; `mark` is the key of the row that it
    /// duplicates itself.
    fn found(&mut self, candidate: &Candidate<'_>, mark: Option<String>, measure: Measure) -> Result<Finding> {
        let &Candidate { part, table, .. } = candidate;
        if self.subject.collides(table) {
            return Ok(Finding::Not(Reason::UniqueKey));
        }
        if mark.as_deref().is_some_and(|mark| self.leads_back(mark)) {
            return Ok(Finding::Not(Reason::Itself));
        }
        self.hear_all();
        if self.answered(candidate, mark.as_deref(), &candidate.beside()) == Some(false) {
            return Ok(Finding::Not(Reason::Answered));
        }
        let key = || key_of(part, table);
        if self.guard.settings.on_duplicate == Action::Mark && self.group_has_other(mark.as_deref().unwrap_or(&key())) {
            return Ok(Finding::Not(Reason::Answered));
        }
        if self.guard.settings.on_duplicate.keeps_out() && self.subject.is_update() {
            let beside = candidate.beside();
            let titles = [&*self.subject.beside.title, &*beside.title];
            let columns = self.subject.beside.columns(&beside, self.guard.agree_columns());
            let between = Between { apart: candidate.apart(self.subject), titles, columns };
            if before::stood_before(self.subject, candidate, between, self.verifier)? {
                return Ok(Finding::Not(Reason::Before));
            }
        }
        let compared = || {
            let text = candidate_document(self.guard, part, table)?;
            Some((key(), candidate.beside().hash(&text)))
        };
        let original = || {
            (self.guard.settings.on_duplicate == Action::Merge).then(|| Original {
                table: part.table,
                tid: table.tid(),
                key: part.keys.iter().map(|column| table.copied(*column)).collect(),
            })
        };
        Ok(Finding::Is(match candidate.holder {
            Some(holder) => Answer::Wait(holder),
            None => Answer::Found(Match {
                compared: bypass::active(self.guard.table).and_then(|_| compared()),
                key: mark.unwrap_or_else(key),
                measure,
                original: original(),
            }),
        }))
    }
}
