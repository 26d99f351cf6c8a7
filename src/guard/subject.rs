//! What a guard sees of the new row: document, scope, time and key.

use std::borrow::Cow;

use pgrx::pg_sys;

use super::look::join_key;
use super::signature::Signature;
use super::target::{Guard, Part};
use crate::datum::column::{Column, microseconds};
use crate::datum::function;
use crate::datum::trigger::{Row, RowTrigger};
use crate::error::Result;

/// A new row.
pub struct Subject<'a> {
    trigger: &'a RowTrigger<'a>,
    /// Its document; empty where it has none.
    pub document: Cow<'a, str>,
    has_document: bool,
    /// Its values in the scope columns.
    pub scope: Vec<(Column, Option<pg_sys::Datum>)>,
    /// The type of the column of times and its time in microseconds.
    pub age: Option<(pg_sys::Oid, Option<i64>)>,
    /// Its primary key, as text.
    pub key: String,
}

impl<'a> Subject<'a> {
    /// Reads the new row of a trigger.
    pub fn new(guard: &Guard, part: &Part, trigger: &'a RowTrigger<'a>) -> Self {
        let document = document_in(guard, part, trigger, Row::New);
        let column = |role: usize| trigger.column(part.columns[role]).unwrap_or_default();
        Self {
            trigger,
            has_document: document.is_some(),
            document: document.unwrap_or_default(),
            scope: guard
                .roles
                .scope
                .iter()
                .map(|role| (column(*role), trigger.value(Row::New, part.columns[*role])))
                .collect(),
            age: guard.roles.age.map(|role| {
                let kind = trigger.column_type(part.columns[role]).unwrap_or_default();
                (kind, trigger.value(Row::New, part.columns[role]).map(|value| microseconds(value, kind)))
            }),
            key: join_key(part.keys.iter().filter_map(|column| trigger.output(*column))),
        }
    }

    /// Signs the document; `None` where it has no token.
    pub fn sign(&self, guard: &Guard) -> Result<Option<Signature>> {
        if !self.has_document {
            return Ok(None);
        }
        Signature::of(&self.document, &guard.settings, guard.owner)
    }

    /// The signature that the row has had, if it is an update that leaves the document as it was.
    pub fn unchanged(&self, guard: &Guard, part: &Part) -> Option<Option<Signature>> {
        if !self.trigger.is_update() {
            return None;
        }
        let before = document_in(guard, part, self.trigger, Row::Old);
        let same = before.is_some() == self.has_document && before.unwrap_or_default() == self.document;
        same.then(|| {
            let column = part.columns[guard.roles.signature];
            self.trigger.value(Row::Old, column).and_then(|datum| Signature::from_datum(datum, guard.settings.method))
        })
    }

    /// Whether an update moves the row to another scope or time.
    pub fn has_moved(&self, guard: &Guard, part: &Part) -> bool {
        let roles = guard.roles.scope.iter().chain(&guard.roles.age);
        roles.map(|role| part.columns[*role]).any(|column| {
            let (old, new) = (self.trigger.value(Row::Old, column), self.trigger.value(Row::New, column));
            !self.trigger.column(column).unwrap_or_default().equal(old, new)
        })
    }

    /// A number that is the same for rows of one scope.
    pub fn scope_hash(&self) -> u32 {
        self.scope
            .iter()
            .fold(0, |hash: u32, (column, value)| (hash.rotate_left(5) ^ column.hash(*value)).wrapping_mul(0x9e37_79b9))
    }

    /// Whether the row replaces the one at this place.
    pub fn replaces(&self, table: pg_sys::Oid, place: pg_sys::ItemPointerData) -> bool {
        self.trigger.relation_oid() == table
            && self.trigger.replaced().is_some_and(|old| {
                (old.ip_blkid.bi_hi, old.ip_blkid.bi_lo, old.ip_posid)
                    == (place.ip_blkid.bi_hi, place.ip_blkid.bi_lo, place.ip_posid)
            })
    }
}

fn document_in<'a>(guard: &Guard, part: &Part, trigger: &RowTrigger<'a>, row: Row) -> Option<Cow<'a, str>> {
    let whole = || Some((trigger.row(row)?, trigger.relation_oid()));
    document_of(guard, |role| trigger.text(row, part.columns[role]), whole)
}

/// Makes a row's document: what the function says, or the texts of its columns, each in a line; `None` where the first is NULL.
pub fn document_of<'t>(
    guard: &Guard,
    text: impl Fn(usize) -> Option<&'t str>,
    row: impl FnOnce() -> Option<(pg_sys::Datum, pg_sys::Oid)>,
) -> Option<Cow<'t, str>> {
    let (first, more) = guard.roles.documents.split_first()?;
    let first = text(*first)?;
    if let Some(function) = guard.expression {
        let (row, table) = row()?;
        return function::text_of_row(function, row, table, guard.place.table, guard.owner).map(Cow::Owned);
    }
    if more.is_empty() {
        return Some(Cow::Borrowed(first));
    }
    let mut whole = first.to_owned();
    for part in more.iter().filter_map(|role| text(*role)) {
        whole.push('\n');
        whole.push_str(part);
    }
    Some(Cow::Owned(whole))
}
