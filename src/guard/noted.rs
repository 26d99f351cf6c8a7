//! Acts that answer whether two rows are copies: a row is let through although it duplicates another one, and a mark is taken off.
//!
//! Answers are written with the rights of the table's owner, like the log. The row that is let through is not stored yet, so its hash is
//! that of the new row. A role that may take a mark off decides for that row, as one that may delete it does.

use pgrx::prelude::*;

use super::actions::text;
use super::candidates::{self, Answer};
use super::signature::Signature;
use super::subject::Subject;
use super::verify::Verifier;
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::guarded::guard::{Guard, Part};
use crate::guarded::unmarking;
use crate::pg::call::function::{self, Argument};
use crate::pg::call::role;
use crate::pg::call::trigger::{Row, RowTrigger};
use crate::pg::catalog;
use crate::pg::table::rows::Snapshot;

/// Of how many rows a row that is let through is noted to be no copy.
const MOST: usize = 16;

/// With how many answers about its text a row is let through without another one. Each row with that text looks at all of them: a load of a
/// thousand equal rows would not end.
const ENOUGH: usize = 200;

/// Notes that a row is no copy of the rows that it would have duplicated. Rows of transactions that have not ended do not count.
///
/// # Errors
/// If the guard cannot judge.
pub fn let_through(guard: &Guard, trigger: &RowTrigger<'_>, subject: &Subject<'_>) -> Result<()> {
    let Some(document) = subject.document.as_deref() else { return Ok(()) };
    let Some(signature) = Signature::of(document, &guard.settings)? else { return Ok(()) };
    let hash = subject.beside.hash(document);
    // What the statement has noted for its earlier rows counts.
    let snapshot = Snapshot::begin();
    let is_enough = Given::about(&Answers::beside(guard), hash).count() >= ENOUGH;
    drop(snapshot);
    if is_enough {
        return Ok(());
    }
    for _ in 0..MOST {
        let mut verifier = Verifier::new(guard, subject, &signature, trigger.relation_oid())?;
        let Answer::Found(found) = candidates::search(guard, subject, &signature, &mut verifier, None)? else { break };
        let Some((other, other_hash)) = found.compared else { break };
        let number = |hash: u64| (pg_sys::INT8OID, hash.cast_signed().into_datum());
        let arguments = [
            table(guard),
            text(&guard.columns[0]),
            text(&subject.key),
            text(&other),
            number(hash),
            number(other_hash),
            text(&role::current()),
        ];
        // SAFETY: each value has the type next to it.
        unsafe {
            let statement = "SELECT neardup_internal.note_let_through($1, $2, $3, $4, $5, $6, $7)";
            function::run_as(guard.owner, statement, &arguments);
        }
    }
    Ok(())
}

/// Notes that a row is no copy of the row that it was marked with, if an UPDATE takes its mark off and changes nothing else that is compared.
pub fn unmarked(guard: &Guard, part: &Part, trigger: &RowTrigger<'_>, subject: &Subject<'_>) {
    let Some(column) = guard.mark_column(part).filter(|_| !unmarking::is_unmarking(guard.table)) else { return };
    let (Some(mark), None) = (trigger.output(Row::Old, column), trigger.value(Row::New, column)) else { return };
    // Who may not read the table does not learn its keys from what is said if nothing can be noted.
    let is_shown = role::may_read(guard.table);
    if !catalog::is_whole_of(guard.table, guard.owner) {
        ereport!(
            PgLogLevel::NOTICE,
            PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION,
            "it is not noted that a row is no copy of the one that its mark named",
            "The table has a partition of another role, whose code would run as the owner of the table."
        );
        return;
    }
    let arguments = [
        table(guard),
        text(&guard.columns[0]),
        text(&subject.key),
        text(&mark),
        text(&role::current()),
        (pg_sys::BOOLOID, Some(pg_sys::Datum::from(is_shown))),
    ];
    // SAFETY: each value has the type next to it.
    unsafe {
        let statement = "SELECT neardup_internal.note_unmarked($1, $2, $3, $4, $5, $6)";
        function::run_as(guard.owner, statement, &arguments);
    }
}

fn table(guard: &Guard) -> Argument {
    (pg_sys::REGCLASSOID, Some(pg_sys::Datum::from(guard.table)))
}
