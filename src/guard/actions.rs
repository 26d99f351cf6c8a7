//! What becomes of a near-duplicate, what its writer is told, and what is kept of it.

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::error;
use super::look::Match;
use super::settings::{Action, Method, Verify};
use super::subject::Subject;
use super::target::{Guard, Part};
use crate::datum::trigger::{Row, RowTrigger};
use crate::datum::{column, function, role};
use crate::error::Result;

/// What becomes of the row.
pub enum Fate {
    /// It goes in, with the key of its original where that is to be noted.
    In(Option<String>),
    /// It is left out.
    Out,
}

/// Acts on a near-duplicate.
pub fn act(guard: &Guard, found: &Match, subject: &Subject<'_>, trigger: &RowTrigger<'_>) -> Result<Fate> {
    let action = guard.settings.on_duplicate;
    if let Some(counter) = guard.counter {
        function::count(counter);
    }
    if guard.settings.log && action != Action::Reject {
        log(guard, found, subject)?;
    }
    match action {
        Action::Reject => Err(verdict(guard, found).set_hint(format!(
            "To keep such rows, call neardup.protect again with another {} or on_duplicate.",
            if guard.settings.method == Method::SimHash { "distance" } else { "similarity" }
        ))),
        Action::Skip => Ok(Fate::Out),
        Action::Warn => {
            verdict(guard, found).report(PgLogLevel::WARNING);
            Ok(Fate::In(None))
        }
        Action::Mark => Ok(Fate::In(Some(found.key.clone()))),
        Action::Divert => divert(guard, found, trigger).map(|()| Fate::Out),
    }
}

/// The changes to a row that goes in, beside its signature: with `mark`, the key of its original or none.
pub fn marks(
    guard: &Guard,
    part: &Part,
    trigger: &RowTrigger<'_>,
    original: Option<&str>,
) -> Option<(i16, Option<pg_sys::Datum>)> {
    let place = guard.roles.marks.filter(|_| guard.settings.on_duplicate == Action::Mark)?;
    let place = part.columns[place];
    let kind = trigger.column_type(place)?;
    Some((place, original.map(|key| column::input(key, kind))))
}

/// Says which row the new one duplicates; a user who may not read that row is not told its key.
fn verdict(guard: &Guard, found: &Match) -> ErrorReport {
    let who = if role::may_read(guard.place.table) {
        format!("Key ({})=({})", guard.keys.join(", "), found.key)
    } else {
        "A row there".to_owned()
    };
    let settings = &guard.settings;
    let least = settings.similarity;
    let (near, allowed) = match settings.method {
        Method::SimHash => (format!("Hamming distance {}", found.near), format!("within {}", settings.distance)),
        Method::MinHash => {
            (format!("an estimated Jaccard similarity of {:.3}", found.near), format!("of at least {least}"))
        }
        Method::Overlap => (format!("an overlap of {:.3}", found.near), format!("of at least {least}")),
    };
    let rule = match settings.verify {
        _ if found.measure.name == "identical" => "has the same text".to_owned(),
        Verify::None => format!("is at {near}; the guard allows none {allowed}"),
        Verify::Facts => format!("is at {near} and tells the same facts; the guard allows no copy {allowed}"),
        Verify::Overlap | Verify::Cosine => format!(
            "is at {near}, {} {:.3}; the guard allows none {allowed} of at least {least}",
            found.measure.name, found.measure.value
        ),
    };
    let message = format!("near-duplicate of a row in table \"{}\"", guard.name);
    error(PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION, message).set_detail(format!("{who} {rule}."))
}

fn divert(guard: &Guard, found: &Match, trigger: &RowTrigger<'_>) -> Result<()> {
    let Some(insert) = guard.diverted.as_deref() else {
        let code = PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE;
        return Err(error(
            code,
            format!("the table that duplicates of \"{}\" are diverted to does not exist", guard.name),
        )
        .set_hint("Call neardup.protect again with on_duplicate => 'divert': it makes one."));
    };
    let Some(row) = trigger.row(Row::New) else { return Ok(()) };
    // SAFETY: the value is a row of the table's own type.
    let row = unsafe { DatumWithOid::new(row, trigger.row_type()) };
    let arguments = [row, found.key.as_str().into(), found.measure.name.into(), found.measure.value.into()];
    run_as(guard.owner, insert, &arguments)
}

fn log(guard: &Guard, found: &Match, subject: &Subject<'_>) -> Result<()> {
    let sql = "INSERT INTO neardup.verdicts (target, document, action, key, duplicate_of, measure, value, role) \
               VALUES ($1::oid, $2, $3, $4, $5, $6, $7, $8)";
    let arguments = [
        guard.place.table.into(),
        guard.document.as_str().into(),
        guard.settings.on_duplicate.name().into(),
        subject.key.as_str().into(),
        found.key.as_str().into(),
        found.measure.name.into(),
        found.measure.value.into(),
        role::current().into(),
    ];
    match guard.logger {
        Some(owner) => run_as(owner, sql, &arguments),
        None => Ok(()),
    }
}

fn run_as(owner: pg_sys::Oid, sql: &str, arguments: &[DatumWithOid<'_>]) -> Result<()> {
    role::act_as(owner, || Spi::run_with_args(sql, arguments))
        .map_err(|e| error(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, e.to_string()))
}
