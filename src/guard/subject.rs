//! The row that is judged, read once: its document, what else is compared of it, scope, time and key. It is the new row of a trigger or, for an explanation, a stored
//! row or a mere text.

use std::borrow::Cow;

use neardup_core::row_key;
use neardup_text::hash::token_hash;
use pgrx::pg_sys;

use super::candidate::key_of;
use crate::guarded::beside::Beside;
use crate::guarded::document::{candidate_document, document_of};
use crate::guarded::guard::{Guard, Part};
use crate::pg::call::column::{Column, microseconds};
use crate::pg::call::trigger::{Event, Row, RowTrigger};
use crate::pg::catalog;
use crate::pg::table::row_id::{Tid, is_same};
use crate::pg::table::rows::Table;
use crate::pg::table::unique;

/// A row that a guard judges.
#[derive(Default)]
pub struct Subject<'a> {
    /// The trigger that passed it; `None` if it is only asked about.
    trigger: Option<&'a RowTrigger<'a>>,
    /// The row that it replaces or is, if that is stored: table and address.
    own: Option<(pg_sys::Oid, Tid)>,
    /// Its document; `None` if its first column is NULL.
    pub document: Option<Cow<'a, str>>,
    /// What is compared of it besides the document.
    pub beside: Beside,
    /// Its values in the scope columns.
    pub scope: Vec<(Column, Option<pg_sys::Datum>)>,
    /// The type of the time column, and its time in microseconds.
    pub time: Option<(pg_sys::Oid, Option<i64>)>,
    /// Its primary key, as text.
    pub key: String,
}

impl<'a> Subject<'a> {
    /// Reads the new or the old row of a trigger.
    pub fn new(guard: &Guard, part: &Part, trigger: &'a RowTrigger<'a>, row: Row) -> Self {
        let column = |role: usize| trigger.column(part.columns[role]).unwrap_or_default();
        let whole = || Some((trigger.row(row)?, trigger.relation_oid()));
        let values =
            part.keys.iter().filter_map(|column| if row == Row::New { trigger.output(row, *column) } else { None });
        Self {
            trigger: Some(trigger),
            own: trigger.replaced().map(|old| (trigger.relation_oid(), old)),
            document: document_of(guard, |role| trigger.text(row, part.columns[role]), whole),
            beside: Beside::new(
                guard.roles.title.and_then(|role| trigger.text(row, part.columns[role])),
                guard.roles.differ.len(),
                guard.roles.compared().map(|role| trigger.output(row, part.columns[*role])),
            ),
            scope: guard
                .roles
                .scope
                .iter()
                .map(|role| (column(*role), trigger.value(row, part.columns[*role])))
                .collect(),
            time: guard.roles.time.map(|role| {
                let kind = trigger.column_type(part.columns[role]).unwrap_or_default();
                (kind, trigger.value(row, part.columns[role]).map(|value| microseconds(value, kind)))
            }),
            key: row_key::join(&values.collect::<Vec<_>>()),
        }
    }

    /// Says whether an UPDATE makes the row.
    pub fn is_update(&self) -> bool {
        self.trigger.is_some_and(|trigger| trigger.event() == Event::Update)
    }

    /// Reads the row that this one replaces in an UPDATE; `None` if there is none.
    pub fn before(&self, guard: &Guard, part: &Part) -> Option<Self> {
        let trigger = self.trigger.filter(|trigger| trigger.event() == Event::Update)?;
        Some(Self::new(guard, part, trigger, Row::Old))
    }

    /// Says whether two rows are the same in all columns of the guard.
    pub fn same_as_before(&self, other: &Self) -> bool {
        let scopes = self.scope.iter().zip(&other.scope);
        self.document == other.document
            && self.beside == other.beside
            && self.time == other.time
            && scopes.into_iter().all(|((column, a), (_, b))| column.equal(*a, *b))
    }

    /// Returns a number that is equal for rows of the same scope.
    pub fn scope_hash(&self) -> u32 {
        self.scope
            .iter()
            .fold(0, |hash: u32, (column, value)| (hash.rotate_left(5) ^ column.hash(*value)).wrapping_mul(0x9e37_79b9))
    }

    /// Reads the row that a table is at.
    pub fn stored(guard: &Guard, part: &Part, table: &'a Table) -> Self {
        let value = |role: &usize| (table.column(part.columns[*role]), table.value(part.columns[*role]));
        Self {
            trigger: None,
            own: Some((part.table, table.tid())),
            document: candidate_document(guard, part, table),
            beside: Beside::of_candidate(guard, part, table),
            scope: guard.roles.scope.iter().map(value).collect(),
            time: guard.roles.time.map(|role| {
                let kind = catalog::column_type(part.table, part.columns[role]);
                (kind, table.value(part.columns[role]).map(|value| microseconds(value, kind)))
            }),
            key: key_of(part, table),
        }
    }

    /// Makes a row of which only the text is known: its scope is any, and its time; it has no title.
    pub fn text(document: &'a str) -> Self {
        Self { document: Some(Cow::Borrowed(document)), ..Self::default() }
    }

    /// Says whether a row of this time may be a copy of the row, which it is not beyond the time window.
    pub fn is_near(&self, time: i64, window: Option<i64>) -> bool {
        match (self.time, window) {
            (Some((_, Some(ours))), Some(window)) => ours.abs_diff(time) <= window.unsigned_abs(),
            _ => true,
        }
    }

    /// Says whether the row replaces or is one that is stored.
    pub const fn is_stored(&self) -> bool {
        self.own.is_some()
    }

    /// Says whether the row is the one at this address, or replaces it.
    pub fn replaces(&self, table: pg_sys::Oid, tid: Tid) -> bool {
        self.own.is_some_and(|(own, address)| own == table && is_same(address, tid))
    }

    /// Says whether the row and a stored one collide in a unique index, so that neither is a copy of the other.
    pub fn collides(&self, table: &Table) -> bool {
        self.trigger.is_some_and(|trigger| unique::collide(trigger, table))
    }
}

/// Returns a number that is equal for rows with equal values in the guard's columns, wherever they are stored. It calls no
/// function of the user's, because the role that deletes a row need not have a right on one.
pub fn content_hash(guard: &Guard, part: &Part, trigger: &RowTrigger<'_>, row: Row) -> u64 {
    let roles = guard.roles.documents.iter().chain(&guard.roles.scope).chain(&guard.roles.time);
    let roles = roles.chain(&guard.roles.title).chain(guard.roles.compared());
    roles.fold(0, |hash: u64, role| {
        let column = part.columns[*role];
        let value = match trigger.text(row, column) {
            Some(text) => token_hash(text),
            None => trigger.output(row, column).map_or(1, |text| token_hash(&text)),
        };
        (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}
