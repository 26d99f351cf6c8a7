//! Candidates: searches the table for a row that the new one duplicates.
//!
//! An index lists the rows that share a key with the new one, in every table or partition that the time window can reach. They are
//! compared in the order and within the bounds of [`CandidateRule`], which a list follows, too. For each row, cheap tests run before
//! its text is read: it is alive, it is another row, and it has the same scope and a near time. The first row that the [`Verifier`]
//! calls a near-duplicate is the result.
//!
//! Rows that share all keys may have the same text. They come first, beyond the bounds, and only those of the same length are read: so
//! a text that occurs thousands of times is known after one text is read.
//!
//! A guard that marks copies stores them. A marked row is not what others are copies of: they are compared with the row that it
//! duplicates. A row with the same text as a marked one gets the same mark. If the row that they duplicate was deleted, marked rows
//! stand for it: the group keeps its name. Within a time window, they do so only for rows that are near the earliest of them, or a group
//! whose first row was deleted would grow without end.
//!
//! The promise of method `simhash` is exact, so its search has no bound.
//!
//! Rows of hot keys that are gone do not count ([`HotKeys`]).
//!
//! A search can be asked to keep a [`Trace`]: each row that shares a key, and why it was, or was not, the result.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use ahash::AHashMap;
use neardup_core::candidates::{Budget, CandidateRule, Lack};
use neardup_core::document;

use super::hot::HotKeys;
use super::signature::Signature;
use super::subject::Subject;
use super::verify::{Comparison, Measure, Verifier};
use crate::error::{Result, report};
use crate::guarded::document::candidate_document;
use crate::guarded::guard::{Guard, Part};
use crate::guarded::settings::{Action, Method};
use crate::index::lookup::Lookup;
use crate::pg::call::column::microseconds;
use crate::pg::call::function::Argument;
use crate::pg::lock::keys::Holder;
use crate::pg::table::partition::Leaf;
use crate::pg::table::row_id::{RowId, Tid, tid_of};
use crate::pg::table::rows::{Moment, Table, Version};
use crate::pg::table::unique::{self, join_key};
use crate::text::analyzer;

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
    /// No near-duplicate.
    Clear,
    /// A near-duplicate.
    Found(Match),
    /// A near-duplicate, or none, depending on how this transaction ends.
    Wait(Holder),
}

/// Why a row that shares a key is not what the search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It shares one key, which is hot.
    HotKey,
    /// So many texts had been compared before.
    Bound,
    /// It is deleted, or never was committed.
    Gone,
    /// It is the row itself.
    Itself,
    /// Its scope is another one.
    Scope,
    /// It is too far away in time.
    Time,
    /// It is marked as a copy of another row.
    Marked,
    /// It has the same value in a unique index.
    UniqueKey,
    /// Its text was compared.
    Text,
    /// The search ended before it.
    NotReached,
}

/// The result of testing a candidate.
enum Finding {
    /// It is not a near-duplicate.
    Not(Reason),
    /// It is a near-duplicate, or its transaction decides whether it is.
    Is(Answer),
    /// The table has changed during the search, which must start again.
    Changed,
}

/// A row of the index's list.
struct Listed {
    /// The number of its table among the guard's, and its address.
    row: u64,
    leaf: usize,
    tid: Tid,
    lack: Lack,
}

/// What became of a row that shares a key.
pub struct Traced {
    /// Its primary key, as text; `None` if it is gone.
    pub key: Option<String>,
    /// The number of shared keys.
    pub shared: u32,
    /// Why it is not the result; `None` if it is.
    pub reason: Option<Reason>,
    /// Whether a transaction that is still running decides whether it counts.
    pub waits: bool,
    /// How the texts compare, if they were compared.
    pub comparison: Option<Comparison>,
}

/// The rows that a search has met, in its order.
#[derive(Default)]
pub struct Trace {
    /// The rows.
    pub rows: Vec<Traced>,
    /// What was seen of the row that is being tested.
    key: Option<String>,
    comparison: Option<Comparison>,
}

/// What is asked of a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Whether its text is the same.
    Identical,
    /// Whether it is a near-duplicate.
    Duplicate,
    /// Whether it is a near-duplicate, although it is marked.
    Marked,
}

/// One search.
struct CandidateSearch<'a, 'b, 'v> {
    guard: &'a Guard,
    trace: Option<&'a mut Trace>,
    subject: &'a Subject<'b>,
    signature: &'a Signature,
    verifier: &'a mut Verifier<'v>,
    budget: Budget,
    moment: Moment,
    /// The marks of candidates that have one, as values.
    marks: AHashMap<u64, (String, Argument)>,
    /// The earliest time of the rows that have a mark, for guards with a time window.
    earliest: AHashMap<String, i64>,
    /// Of marks, whether there is a row with that key.
    exist: AHashMap<String, bool>,
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
        if let Some(trace) = trace.as_deref_mut() {
            *trace = Trace::default();
        }
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
    let budget = rule.budget(subject.document.as_ref().map_or(0, |document| document.len()));
    let mut search = CandidateSearch {
        guard,
        trace,
        subject,
        signature,
        verifier,
        budget,
        moment: Moment::begin(),
        marks: AHashMap::new(),
        earliest: AHashMap::new(),
        exist: AHashMap::new(),
        open: None,
    };
    let keys = search.listed(&rule)?;
    let mut shared = search.trace.is_some().then(|| shared_keys(&keys));
    let ranking = rule.rank(keys.into_iter(), Ok::<_, pgrx::pg_sys::panic::ErrorReport>)?;
    let listed = |row: u64, lack| {
        let RowId { table, address } = RowId::unpacked(row);
        Listed { row, leaf: table, tid: tid_of(address), lack }
    };
    let is_sketch = guard.settings.method == Method::Sketch;
    let alike = ranking.candidates.iter().filter(|ranked| is_sketch && ranked.weight == ranking.all);
    let alike = alike.take(if search.forms_document() { MOST_FORMED } else { usize::MAX });
    let alike = alike.map(|ranked| (Question::Identical, ranked));
    let all = ranking.candidates.iter().map(|ranked| (Question::Duplicate, ranked));
    let again = ranking.candidates.iter().map(|ranked| (Question::Marked, ranked));
    for (question, ranked) in alike.chain(all).chain(again) {
        if question == Question::Marked && !search.stands_for_its_original(ranked.row) {
            continue;
        }
        let finding = search.consider(&listed(ranked.row, ranked.lack), question)?;
        search.note(&finding, question, ranked.row, shared.as_mut());
        match finding {
            Finding::Not(_) => {}
            Finding::Is(answer) => {
                let rest = ranking.candidates.iter().map(|ranked| ranked.row);
                search.note_rest(rest, shared);
                return Ok(Some(answer));
            }
            Finding::Changed => return Ok(None),
        }
    }
    search.note_rest(std::iter::empty(), shared);
    Ok(Some(Answer::Clear))
}

/// Counts the keys that each row shares.
fn shared_keys(keys: &[Vec<u64>]) -> BTreeMap<u64, u32> {
    let mut shared = BTreeMap::new();
    keys.iter().flatten().for_each(|row| *shared.entry(*row).or_default() += 1);
    shared
}

/// Gives the primary key of a row, as text.
fn key_of(part: &Part, table: &Table) -> String {
    join_key(part.keys.iter().filter_map(|column| table.output(*column)))
}

impl CandidateSearch<'_, '_, '_> {
    /// Gives for each key of the new row the rows that the index lists, of all tables, in their order.
    fn listed(&self, rule: &CandidateRule) -> Result<Vec<Vec<u64>>> {
        let guard = self.guard;
        let most = match guard.settings.method {
            Method::SimHash => usize::MAX,
            Method::Sketch if guard.roles.scope.is_empty() => rule.rows_of_key,
            Method::Sketch => rule.rows_of_key_in_scopes,
        };
        let queries = self.signature.queries(&guard.settings)?;
        let mut keys: Vec<Vec<u64>> = vec![Vec::new(); queries.len()];
        for (number_of_leaf, leaf) in guard.leaves.iter().enumerate().filter(|(_, leaf)| self.reaches(leaf)) {
            // Opened first: what is known of the table and its indexes stays valid while it is open.
            let Some(table) = Table::open(leaf.table) else { continue };
            let Some(part) = guard.part(leaf.table) else { continue };
            let index = part.index.ok_or_else(|| guard.without_index(leaf.table))?;
            let mut scan = Lookup::begin(&table, index.index, index.strategy, index.function);
            let mut hot: Option<HotKeys> = None;
            for (rows, query) in keys.iter_mut().zip(&queries) {
                // SAFETY: the query is of the type of the operator's right operand, and the table is open. A guard by sketches has an
                // index of our own.
                let tids = unsafe {
                    match guard.settings.method {
                        Method::Sketch => {
                            let tids = scan.last(*query, most)?;
                            if rule.is_hot(tids.len()) {
                                scan.count_hot_key();
                                let hot =
                                    hot.get_or_insert_with(|| HotKeys::of(&table, &self.moment, self.trace.is_none()));
                                hot.last(&table, &scan, *query, tids, most)?
                            } else {
                                tids
                            }
                        }
                        Method::SimHash => scan.matching(*query),
                    }
                };
                rows.extend(tids.into_iter().map(|tid| RowId::at(number_of_leaf, tid).packed()));
            }
        }
        for rows in &mut keys {
            rows.drain(..rows.len().saturating_sub(most));
        }
        Ok(keys)
    }

    /// Whether the time window lets rows of a partition be copies of the new one.
    fn reaches(&self, leaf: &Leaf) -> bool {
        match (self.subject.time, self.guard.settings.window) {
            (Some((_, Some(time))), Some(window)) => {
                leaf.times.0 <= time.saturating_add(window) && leaf.times.1 >= time.saturating_sub(window)
            }
            _ => true,
        }
    }

    /// Puts a tested row on the trace, and takes it out of those that are left.
    fn note(&mut self, finding: &Finding, question: Question, row: u64, left: Option<&mut BTreeMap<u64, u32>>) {
        let Some(left) = left else { return };
        if matches!(finding, Finding::Not(Reason::Marked)) && self.stands_for_its_original(row) {
            return;
        }
        let Some(trace) = self.trace.as_deref_mut() else { return };
        let (reason, waits) = match finding {
            // It is tested again.
            Finding::Not(_) if question == Question::Identical => return,
            Finding::Changed => return,
            Finding::Not(reason) => (Some(*reason), false),
            Finding::Is(answer) => (None, matches!(answer, Answer::Wait(_))),
        };
        if let Some(shared) = left.remove(&row) {
            let (key, comparison) = (trace.key.take(), trace.comparison.take());
            trace.rows.push(Traced { key, shared, reason, waits, comparison });
        }
    }

    /// Puts rows on the trace that the search did not test: first `candidates`, then those that were none.
    fn note_rest(&mut self, candidates: impl Iterator<Item = u64>, left: Option<BTreeMap<u64, u32>>) {
        let Some(mut left) = left else { return };
        let candidates: Vec<_> =
            candidates.filter_map(|row| Some((Reason::NotReached, row, left.remove(&row)?))).collect();
        let others = left.into_iter().rev().map(|(row, shared)| (Reason::HotKey, row, shared));
        for (reason, row, shared) in candidates.into_iter().chain(others) {
            pgrx::check_for_interrupts!();
            let key = self.key_of(row);
            if let Some(trace) = self.trace.as_deref_mut() {
                let reason = Some(if key.is_none() { Reason::Gone } else { reason });
                trace.rows.push(Traced { key, shared, reason, waits: false, comparison: None });
            }
        }
    }

    /// Says whether a marked row stands for the row that it duplicates, because that was deleted.
    fn stands_for_its_original(&mut self, row: u64) -> bool {
        let Some((mark, (_, value))) = self.marks.get(&row) else { return false };
        if self.earliest.get(mark).is_some_and(|earliest| !self.is_near(*earliest)) {
            return false;
        }
        let guard = self.guard;
        let exists = self.exist.entry(mark.clone()).or_insert_with(|| {
            guard.leaves.iter().any(|leaf| match (guard.keys.len(), value) {
                (1, value) => value.is_none_or(|value| unique::has_key(leaf.table, value)),
                _ => guard.part(leaf.table).is_some_and(|part| unique::has_key_of(leaf.table, &part.keys, mark)),
            })
        });
        !*exists
    }

    /// Reads a row's key; `None` if the row is gone.
    fn key_of(&mut self, row: u64) -> Option<String> {
        let row = RowId::unpacked(row);
        let (number, mut table, part) = self.opened(row.table)?;
        let is_there = matches!(table.visit(row.tid(), &self.moment), Version::Row(_));
        let key = is_there.then(|| key_of(&part, &table));
        self.open = Some((number, table, part));
        key
    }

    /// Says whether the document must be formed of several columns, or by a function.
    fn forms_document(&self) -> bool {
        self.guard.expression.is_some() || self.guard.roles.documents.len() > 1
    }

    /// Tests one candidate, in each version that may become valid when a transaction ends.
    fn consider(&mut self, listed: &Listed, question: Question) -> Result<Finding> {
        pgrx::check_for_interrupts!();
        let is_sketch = self.guard.settings.method == Method::Sketch;
        if let Some(trace) = self.trace.as_deref_mut() {
            (trace.key, trace.comparison) = (None, None);
        }
        let is_beyond = question != Question::Identical && is_sketch && !self.budget.allows(listed.lack);
        if is_beyond && self.trace.is_none() {
            return Ok(Finding::Not(Reason::Bound));
        }
        let Some((_, mut table, part)) = self.opened(listed.leaf) else { return Ok(Finding::Not(Reason::Gone)) };
        let mut version = table.visit(listed.tid, &self.moment);
        let finding = loop {
            let holder = match version {
                Version::Gone => break Finding::Not(Reason::Gone),
                Version::Changed => break Finding::Changed,
                Version::Row(holder) => holder,
            };
            if let Some(trace) = self.trace.as_deref_mut() {
                trace.key = Some(key_of(&part, &table));
                if is_beyond {
                    break Finding::Not(Reason::Bound);
                }
            }
            match self.judge(&part, &table, listed, question, holder)? {
                Finding::Not(_) if holder.is_some() => version = table.visit_next(&self.moment),
                finding => break finding,
            }
        };
        self.open = Some((listed.leaf, table, part));
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

    /// Says whether a candidate's text is identical. If it is a column, it is read only if its length is the same.
    fn is_identical(&self, part: &Part, table: &Table) -> bool {
        let ours = self.subject.document.as_deref();
        match self.guard.roles.documents[..] {
            [document] if !self.forms_document() => {
                let column = part.columns[document];
                table.text_length(column) == ours.map(str::len) && table.text(column) == ours
            }
            _ => candidate_document(self.guard, part, table).as_deref() == ours,
        }
    }

    /// Gives the key of the row that a candidate is marked as a copy of.
    fn mark(&self, part: &Part, table: &Table) -> Option<String> {
        self.guard.mark_column(part).and_then(|column| table.output(column))
    }

    fn judge(
        &mut self,
        part: &Part,
        table: &Table,
        listed: &Listed,
        question: Question,
        holder: Option<Holder>,
    ) -> Result<Finding> {
        let guard = self.guard;
        if self.subject.replaces(part.table, table.tid()) {
            return Ok(Finding::Not(Reason::Itself));
        }
        if !self.is_in_scope(part, table) {
            return Ok(Finding::Not(Reason::Scope));
        }
        let mark = if guard.settings.on_duplicate == Action::Mark { self.mark(part, table) } else { None };
        let time = self.time(part, table);
        if let (Some(mark), Some(time), Some(_)) = (&mark, time, guard.settings.window) {
            self.earliest.entry(mark.clone()).and_modify(|earliest| *earliest = time.min(*earliest)).or_insert(time);
        }
        if time.is_some_and(|time| !self.is_near(time)) {
            return Ok(Finding::Not(Reason::Time));
        }
        let is_simhash = guard.settings.method == Method::SimHash;
        if question == Question::Identical || (mark.is_some() && is_simhash && question == Question::Duplicate) {
            // Within a time window, the row that a marked one duplicates may be too far away.
            let counts = mark.is_none() || guard.settings.window.is_none();
            if counts && self.is_identical(part, table) {
                let measure = Measure::new("identical", 1.0);
                return Ok(self.found(part, table, mark, measure, holder));
            }
            if question == Question::Identical {
                return Ok(Finding::Not(Reason::Text));
            }
        }
        if let (Question::Duplicate, Some(mark), Some(column)) = (question, &mark, guard.mark_column(part)) {
            self.marks.insert(listed.row, (mark.clone(), table.copied(column)));
            return Ok(Finding::Not(Reason::Marked));
        }
        self.judge_text(part, table, listed, mark, holder)
    }

    /// Compares the text of a candidate; `mark` is the key of the row that it duplicates itself.
    fn judge_text(
        &mut self,
        part: &Part,
        table: &Table,
        listed: &Listed,
        mark: Option<String>,
        holder: Option<Holder>,
    ) -> Result<Finding> {
        let guard = self.guard;
        self.budget.spend(listed.lack);
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
        let apart = self.apart(part, table);
        let measure = self.verifier.compare(&text, distance, apart)?;
        if self.trace.is_some() {
            let comparison = self.verifier.comparison(&text, apart, measure.as_ref())?;
            self.trace.iter_mut().for_each(|trace| trace.comparison = Some(comparison.clone()));
        }
        let Some(measure) = measure else { return Ok(Finding::Not(Reason::Text)) };
        Ok(self.found(part, table, mark, measure, holder))
    }

    /// Gives the answer for a candidate that is a near-duplicate; `mark` is the key of the row that it duplicates itself.
    fn found(
        &self,
        part: &Part,
        table: &Table,
        mark: Option<String>,
        measure: Measure,
        holder: Option<Holder>,
    ) -> Finding {
        if self.subject.collides(table) {
            return Finding::Not(Reason::UniqueKey);
        }
        let key = || key_of(part, table);
        let original = || {
            (self.guard.settings.on_duplicate == Action::Merge).then(|| Original {
                table: part.table,
                tid: table.tid(),
                key: part.keys.iter().map(|column| table.copied(*column)).collect(),
            })
        };
        Finding::Is(match holder {
            Some(holder) => Answer::Wait(holder),
            None => Answer::Found(Match { key: mark.unwrap_or_else(key), measure, original: original() }),
        })
    }

    fn is_in_scope(&self, part: &Part, table: &Table) -> bool {
        let scopes = self.guard.roles.scope.iter().zip(&self.subject.scope);
        scopes.into_iter().all(|(role, (column, value))| column.equal(table.value(part.columns[*role]), *value))
    }

    /// Gives the time of a candidate in microseconds.
    fn time(&self, part: &Part, table: &Table) -> Option<i64> {
        let (role, (kind, _)) = self.guard.roles.time.zip(self.subject.time)?;
        table.value(part.columns[role]).map(|value| microseconds(value, kind))
    }

    /// Gives how far apart in time a candidate and the new row are, if both times are known and have an end.
    fn apart(&self, part: &Part, table: &Table) -> Option<Duration> {
        let (ours, theirs) = (self.subject.time?.1?, self.time(part, table)?);
        let is_finite = |time: &i64| (i64::MIN + 1..i64::MAX).contains(time);
        (is_finite(&ours) && is_finite(&theirs)).then(|| Duration::from_micros(ours.abs_diff(theirs)))
    }

    /// Says whether a row of this time may be a copy of the new one.
    fn is_near(&self, time: i64) -> bool {
        match (self.subject.time, self.guard.settings.window) {
            (Some((_, Some(ours))), Some(window)) => ours.abs_diff(time) <= window.unsigned_abs(),
            _ => true,
        }
    }
}
