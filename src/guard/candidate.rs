//! One candidate: a version of a row that shares a key, read in its table, beside the row that is judged.

use std::time::Duration;

use neardup_core::candidates::Lack;
use neardup_core::row_key;

use super::subject::Subject;
use crate::guarded::beside::Beside;
use crate::guarded::document::candidate_document;
use crate::guarded::guard::{Guard, Part};
use crate::pg::call::column::microseconds;
use crate::pg::lock::keys::Holder;
use crate::pg::table::rows::Table;

/// What is asked of a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether its text is the same.
    Identical,
    /// Whether it is a near-duplicate.
    Duplicate,
    /// Whether it is a near-duplicate, although it is marked.
    Marked,
}

/// A version of a row that shares a key.
pub struct Candidate<'t> {
    pub guard: &'t Guard,
    pub part: &'t Part,
    /// The table, which is at the version.
    pub table: &'t Table,
    /// The row as a number.
    pub row: u64,
    /// What it lacks of a strong candidate.
    pub lack: Lack,
    pub question: Question,
    /// The transaction that decides whether the version counts.
    pub holder: Option<Holder>,
}

/// Returns the primary key of the row that a table is at, as text.
pub fn key_of(part: &Part, table: &Table) -> String {
    row_key::join(&part.keys.iter().filter_map(|column| table.output(*column)).collect::<Vec<_>>())
}

/// Says whether the document must be formed of several columns, or by a function.
pub fn forms_document(guard: &Guard) -> bool {
    guard.expression.is_some() || guard.roles.documents.len() > 1
}

impl Candidate<'_> {
    /// Returns the key of the row that it is marked as a copy of.
    pub fn mark(&self) -> Option<String> {
        self.guard.mark_column(self.part).and_then(|column| self.table.output(column))
    }

    /// Says whether its text is identical. If it is a column, it is read only if its length is the same.
    pub fn is_identical(&self, subject: &Subject<'_>) -> bool {
        let ours = subject.document.as_deref();
        match self.guard.roles.documents[..] {
            [document] if !forms_document(self.guard) => {
                let column = self.part.columns[document];
                self.table.text_length(column) == ours.map(str::len) && self.table.text(column) == ours
            }
            _ => candidate_document(self.guard, self.part, self.table).as_deref() == ours,
        }
    }

    /// Reads what else is compared of it.
    pub fn beside(&self) -> Beside {
        Beside::of_candidate(self.guard, self.part, self.table)
    }

    /// Says whether it has the same scope.
    pub fn is_in_scope(&self, subject: &Subject<'_>) -> bool {
        let scopes = self.guard.roles.scope.iter().zip(&subject.scope);
        scopes
            .into_iter()
            .all(|(role, (column, value))| column.equal(self.table.value(self.part.columns[*role]), *value))
    }

    /// Returns its time in microseconds.
    pub fn time(&self, subject: &Subject<'_>) -> Option<i64> {
        let (role, (kind, _)) = self.guard.roles.time.zip(subject.time)?;
        self.table.value(self.part.columns[role]).map(|value| microseconds(value, kind))
    }

    /// Returns how far apart in time both rows are, if both times are known and have an end.
    pub fn apart(&self, subject: &Subject<'_>) -> Option<Duration> {
        let (ours, theirs) = (subject.time?.1?, self.time(subject)?);
        let is_finite = |time: &i64| (i64::MIN + 1..i64::MAX).contains(time);
        (is_finite(&ours) && is_finite(&theirs)).then(|| Duration::from_micros(ours.abs_diff(theirs)))
    }
}
