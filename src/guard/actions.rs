//! The actions on a near-duplicate (refuse, skip, mark, divert, merge, warn), the message to its writer, counter and log.

use std::rc::Rc;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};
use pgrx::{IntoDatum, pg_sys};

use super::candidates::Match;
use super::mark_column;
use super::merge;
use super::outcome;
use super::stored;
use super::subject::Subject;
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::guard::Guard;
use crate::guarded::plain;
use crate::guarded::settings::{Action, Method};
use crate::guarded::statement;
use crate::pg::call::column;
use crate::pg::call::function::{self, Argument};
use crate::pg::call::role;
use crate::pg::call::settings;
use crate::pg::call::trigger::{Event, Row, RowTrigger};
use crate::pg::call::violation;
use crate::pg::catalog::{self, Column};
use crate::pg::table::original::Locked;
use crate::pg::table::unique;
use crate::verdict::verify::Verify;

/// How many columns one object of JSON is made of at once: a function takes a hundred arguments.
const MOST_VALUES: usize = 50;

/// What happens to the row.
pub enum Fate {
    Stored,
    /// It is stored, with the key of its original in one of its columns.
    Marked(i16, Argument),
    /// It is not stored.
    LeftOut,
}

/// A near-duplicate: the guard whose rule it breaks, the row that it duplicates, and that row locked if the new one is merged into it.
pub struct Duplicate {
    pub guard: Rc<Guard>,
    /// The row that it duplicates.
    pub found: Match,
    pub locked: Option<Locked>,
}

/// Acts on a near-duplicate. A row that must not be left out, because its old version may be gone, is refused instead, and so is an
/// UPDATE that would have to be merged into another row. What a foreign key updates is never left out: Postgres does not look whether it was.
pub fn act(duplicate: &Duplicate, trigger: &RowTrigger<'_>, subject: &Subject<'_>, must_stay: bool) -> Result<Fate> {
    let Duplicate { guard, found, locked } = duplicate;
    let action = guard.settings.on_duplicate;
    if action == Action::Merge && trigger.event() == Event::Update {
        let hint = format!(
            "on_duplicate => 'merge' merges new rows only, not what an UPDATE or a merge makes of a row. To merge rows that are there: CALL neardup.cleanup({}, action => 'merge');",
            quote_literal(shown(guard.table))
        );
        return refuse(guard, found, &hint);
    }
    if action.leaves_out() && trigger.event() == Event::Update && role::is_foreign_key() {
        let hint = format!(
            "The UPDATE is not left out: a foreign key makes it, and would not hold without it. To find the row: SELECT * FROM neardup.duplicates({});",
            quote_literal(shown(guard.table))
        );
        let told = verdict(guard, found, false).set_hint(hint);
        violation::report(PgLogLevel::NOTICE, &told, guard.table, &guard.trigger);
        return Ok(Fate::Stored);
    }
    if must_stay && action.leaves_out() {
        let hint = format!(
            "With on_duplicate => '{}' it would be lost, because an UPDATE may be moving it here from another partition.",
            action.name()
        );
        return refuse(guard, found, &hint);
    }
    outcome::keep(guard, found);
    if let Some(counter) = guard.counter {
        function::count(counter, guard.owner);
    }
    if guard.settings.log && action != Action::Reject {
        log(guard, found, subject);
    }
    match action {
        Action::Reject => {
            let setting = if guard.settings.method == Method::SimHash { "distance" } else { "verify" };
            let hint = format!(
                "To store this row, the table's owner can let it through in its transaction: BEGIN; SELECT neardup.let_through({}); INSERT ...; COMMIT; to store all such rows, call neardup.protect again with another on_duplicate or {setting}.",
                quote_literal(shown(guard.table))
            );
            refuse(guard, found, &hint)
        }
        Action::Skip => {
            tell_kept(guard, found, trigger);
            Ok(Fate::LeftOut)
        }
        Action::Warn => {
            violation::report(PgLogLevel::WARNING, &verdict(guard, found, false), guard.table, &guard.trigger);
            Ok(Fate::Stored)
        }
        Action::Mark => marked(guard, found, trigger),
        Action::Divert => {
            tell_kept(guard, found, trigger);
            divert(guard, found, trigger).map(|()| Fate::LeftOut)
        }
        Action::Merge => {
            locked.iter().try_for_each(|locked| merge::merge(guard, found, trigger, locked))?;
            Ok(Fate::LeftOut)
        }
    }
}

/// Says that an UPDATE is left out, which would otherwise be lost without a word, with what it says of other columns.
fn tell_kept(guard: &Guard, found: &Match, trigger: &RowTrigger<'_>) {
    if trigger.event() == Event::Update {
        let told = verdict(guard, found, false)
            .set_hint("The UPDATE is left out: all columns of the row keep their values. With on_duplicate => 'reject' it is an error.");
        violation::report(PgLogLevel::NOTICE, &told, guard.table, &guard.trigger);
    }
}

/// Marks the row with the key of its original. A writer from whom row security hides that row does not learn of it: the row is stored without a
/// mark, and a list finds it.
fn marked(guard: &Guard, found: &Match, trigger: &RowTrigger<'_>) -> Result<Fate> {
    if !stored::may_learn(guard, trigger.relation_oid(), &found.key) {
        return Ok(Fate::Stored);
    }
    let column = guard.part(trigger.relation_oid()).and_then(|part| guard.mark_column(&part));
    Ok(match column.and_then(|column| Some((column, trigger.column_type(column)?))) {
        Some((column, kind)) => Fate::Marked(column, (kind, Some(key_value(guard, &found.key, kind)?))),
        None => Fate::Stored,
    })
}

/// Returns a key as a value of the column that is to hold it.
///
/// # Errors
/// If the key has had another type since the column was added, which cannot hold it.
pub fn key_value(guard: &Guard, key: &str, kind: pg_sys::Oid) -> Result<pg_sys::Datum> {
    // Of other types nobody knows the form of a value, but that of the key has it.
    let is_of_key = || mark_column::kind(guard.table) == kind;
    if !unique::forms_of(kind).map_or_else(is_of_key, |is_form| is_form(key)) {
        let known = if role::may_read(guard.table) { format!(" {key}") } else { " of another row".to_owned() };
        let message = format!("the guard of table {} cannot mark a row with the key{known}", shown(guard.table));
        return Err(error(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
            .set_detail("The key had another type when the column for it was added.")
            .set_hint(format!("To give the column the type of the key, call it again: {}", guard.protect_again())));
    }
    Ok(column::input(key, kind))
}

/// Refuses the row by an error that names the trigger as the violated constraint.
fn refuse(guard: &Guard, found: &Match, hint: &str) -> Result<Fate> {
    violation::report(PgLogLevel::ERROR, &verdict(guard, found, true).set_hint(hint), guard.table, &guard.trigger);
    Ok(Fate::LeftOut)
}

/// Reports which row the new one duplicates, and what the table says of the two. A user who may not read that row learns neither its key
/// nor its text, nor how near the two are: with an overlap of each attempt, the text could be guessed word by word. If the row is refused, it also
/// says what the guard allows.
fn verdict(guard: &Guard, found: &Match, is_refused: bool) -> ErrorReport {
    let message = format!("near-duplicate of a row in table \"{}\"", guard.name);
    let violation = error(PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION, message);
    if !role::may_read(guard.table) {
        return violation
            .set_detail("Which one is not said: the role lacks SELECT on the table, or row security applies to it.");
    }
    let (name, value) = (found.measure.name, found.measure.value);
    let least = guard.settings.threshold.map_or_else(String::new, |least| format!(" of at least {least}"));
    let allowed = |what: String| if is_refused { format!("; the guard allows {what}") } else { String::new() };
    let rule = match (name, &guard.settings.verify) {
        ("identical", _) => "has the same text".to_owned(),
        ("answer", _) => "is a copy, as the answers on the table say".to_owned(),
        ("simhash", _) => {
            format!("is at Hamming distance {value}{}", allowed(format!("none within {}", guard.settings.distance)))
        }
        (_, Verify::Overlap | Verify::Cosine) => {
            format!("has {name} {value:.3}{}", allowed(format!("none{least}")))
        }
        _ => format!("says the same (score {value:.3}){}", allowed(format!("no copy{least}"))),
    };
    let known = if found.measure.because.is_empty() {
        String::new()
    } else {
        format!(" In this table, {}.", found.measure.because.join("; "))
    };
    violation.set_detail(format!("Key ({})=({}) {rule}.{known}", guard.keys.join(", "), found.key))
}

/// Stores the row in the guard's table for diverted rows, with the rights of the table's owner.
fn divert(guard: &Guard, found: &Match, trigger: &RowTrigger<'_>) -> Result<()> {
    let gone = || {
        let message = format!("the table that duplicates of \"{}\" are diverted to does not exist", guard.name);
        error(PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE, message)
            .set_hint("Call neardup.protect again with on_duplicate => 'divert' to create it.")
    };
    let diverted = guard.diverted.ok_or_else(gone)?;
    let Some(row) = trigger.row(Row::New) else { return Ok(()) };
    plain::check(diverted, guard.owner, None)?;
    let statement = format!(
        "INSERT INTO {} (diverted_at, document, record, duplicate_of, measure, value, role) \
         VALUES (pg_catalog.clock_timestamp(), $1, {}, $3, $4, $5, $6)",
        statement::relation(diverted),
        record(trigger.relation_oid()),
    );
    let arguments = [
        text(&guard.columns[0]),
        (trigger.row_type(), Some(row)),
        text(&found.key),
        text(found.measure.name),
        number(found.measure.value),
        text(&role::current()),
    ];
    // What reads the record must find the values that it was made of, whatever the settings of this session are.
    // SAFETY: each value has the type next to it.
    let stored = settings::plain(|| unsafe { function::run_as(guard.owner, &statement, &arguments) });
    if stored == 1 {
        return Ok(());
    }
    let message = format!(
        "a trigger or a rule of table {} has left out what is diverted from table {}",
        shown(diverted),
        shown(guard.table)
    );
    Err(error(PgSqlErrorCode::ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION, message).set_detail("The row would be nowhere."))
}

/// The expression for the JSON of a row of a table, `$2`. A value whose JSON is made by a cast is written as text instead: the cast would run as the table's owner.
fn record(table: pg_sys::Oid) -> String {
    let columns = catalog::columns(table);
    if columns.iter().all(|column| catalog::converts_plainly(column.kind)) {
        return "pg_catalog.to_jsonb($2)".to_owned();
    }
    let value = |column: &Column| {
        let value = format!("($2).{}", quote_identifier(&column.name));
        let value = if catalog::converts_plainly(column.kind) {
            value
        } else {
            format!("CASE pg_catalog.num_nulls({value}) WHEN 0 THEN pg_catalog.format('%s', {value}) END")
        };
        format!("{}, {value}", quote_literal(&column.name))
    };
    let object = |columns: &[Column]| {
        format!("pg_catalog.jsonb_build_object({})", columns.iter().map(value).collect::<Vec<_>>().join(", "))
    };
    columns.chunks(MOST_VALUES).map(object).collect::<Vec<_>>().join(" OPERATOR(pg_catalog.||) ")
}

/// Logs the verdict, with the rights of the table's owner, who may only write about this table.
fn log(guard: &Guard, found: &Match, subject: &Subject<'_>) {
    let arguments = [
        (pg_sys::OIDOID, Some(pg_sys::Datum::from(guard.table))),
        text(&guard.columns[0]),
        text(guard.settings.on_duplicate.name()),
        text(&subject.key),
        text(&found.key),
        text(found.measure.name),
        number(found.measure.value),
        text(&role::current()),
    ];
    let statement = "INSERT INTO neardup.verdicts (target, document, action, key, duplicate_of, measure, value, role) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    // SAFETY: each value has the type next to it.
    unsafe { function::run_as(guard.owner, statement, &arguments) };
}

/// A text as an argument.
pub fn text(value: &str) -> Argument {
    (pg_sys::TEXTOID, value.into_datum())
}

fn number(value: f64) -> Argument {
    (pg_sys::FLOAT8OID, value.into_datum())
}
