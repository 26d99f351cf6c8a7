//! The guard: the row trigger that judges each new document and acts on a near-duplicate of one already there.
//!
//! One way, row by row, also in loads:
//!
//! 1. [`target`] and [`settings`]: the guard behind the trigger, ready in this backend; [`subject`]: the new row, made once.
//! 2. [`signature`]: its sketch or SimHash. [`locks`]: keys that its near-duplicates share are locked.
//! 3. [`candidates`]: rows that share a key, by the index, committed or not; [`verify`]: their texts, compared.
//! 4. [`actions`]: what becomes of the row. Once it is stored, its locks are released.
//!
//! [`moved`] keeps rows that an UPDATE moves to another partition from being judged as new. See `docs/guard.md`.

mod actions;
pub mod bypass;
mod candidates;
mod locks;
mod moved;
mod settings;
mod signature;
mod subject;
mod target;
mod verify;

use std::rc::Rc;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::call::trigger::{self, Event, Row, RowTrigger};
use crate::pg::table::unique;
use actions::Fate;
use candidates::{Answer, Match};
use moved::Arrival;
use settings::Settings;
use signature::Signature;
use subject::{Subject, content_hash};
use target::Guard;

extension_sql_file!(
    "../../sql/guard.sql",
    name = "guard",
    requires = ["simhash_operators", "sketch", guard_settings, guard_index]
);
extension_sql_file!("../../sql/protect.sql", name = "guard_protect", requires = ["guard", row_stored]);
extension_sql_file!("../../sql/verdicts.sql", name = "guard_verdicts", requires = ["guard"]);

fn error(code: PgSqlErrorCode, message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(code, message.into(), "neardup.guard")
}

fn run(trigger: &RowTrigger<'_>) -> Result<pg_sys::Datum> {
    if trigger.event() == Event::Delete {
        note_deletion(trigger);
        return Ok(trigger.keep());
    }
    let Some(guard) = Guard::of(trigger)? else { return Ok(trigger.keep()) };
    locks::row_begins(&guard, trigger.relation_oid());
    let part = guard.part_of(trigger)?;
    let subject = Subject::new(&guard, &part, trigger, Row::New);
    let arrival = match trigger.event() {
        Event::Insert => moved::arrival(guard.table, || content_hash(&guard, &part, trigger, Row::New)),
        _ => Arrival::New,
    };
    let unchanged =
        trigger.event() == Event::Update && subject.says_the_same(&Subject::new(&guard, &part, trigger, Row::Old));
    if unchanged || arrival == Arrival::Moved || bypass::is_active(guard.table) {
        return Ok(trigger.keep());
    }
    let fate = match sign_and_judge(&guard, &subject)? {
        None => Fate::Stored,
        Some((judge, found)) => {
            let must_stay = judge.is_partition && trigger.event() == Event::Insert || arrival == Arrival::PerhapsMoved;
            actions::act(&judge, &found, &subject, must_stay)?
        }
    };
    if trigger.event() == Event::Update && !matches!(fate, Fate::LeftOut) {
        moved::updated(guard.table, content_hash(&guard, &part, trigger, Row::New));
    }
    Ok(match fate {
        Fate::LeftOut => trigger.skip(),
        Fate::Marked(column, original) => trigger.keep_with(&[(column, Some(original))]),
        Fate::Stored => {
            // A row that is no copy, or no longer one, names no original.
            match actions::mark_column(&guard, &part) {
                Some(column) => trigger.keep_with(&[(column, None)]),
                None => trigger.keep(),
            }
        }
    })
}

/// Notes a row that is being deleted, perhaps to be inserted into another partition. A guard that cannot judge keeps nobody from deleting.
fn note_deletion(trigger: &RowTrigger<'_>) {
    let Ok(Some(guard)) = Guard::of(trigger) else { return };
    let Ok(part) = guard.part_of(trigger) else { return };
    locks::row_begins(&guard, trigger.relation_oid());
    moved::deleted(guard.table, content_hash(&guard, &part, trigger, Row::Old));
}

/// Signs the row, locks its keys and finds a row that it duplicates, with the guard that found it: this one or, where this one had to
/// wait, another one of the table that has let the row pass before.
fn sign_and_judge(guard: &Rc<Guard>, subject: &Subject<'_>) -> Result<Option<(Rc<Guard>, Match)>> {
    let Some(document) = subject.document.as_deref() else { return Ok(None) };
    let Some(signature) = Signature::of(document, &guard.settings)? else { return Ok(None) };
    let table = subject.trigger().relation_oid();
    locks::lock_row(guard, table, &signature, subject.scope_hash())?;
    let mut judges = vec![(Rc::clone(guard), signature)];
    loop {
        let mut undecided = None;
        for (judge, signature) in &judges {
            let again;
            let subject = if Rc::ptr_eq(judge, guard) {
                subject
            } else {
                again = Subject::new(judge, &*judge.part_of(subject.trigger())?, subject.trigger(), Row::New);
                &again
            };
            match candidates::search(judge, subject, signature)? {
                Answer::Clear => {}
                Answer::Found(found) => return Ok(Some((Rc::clone(judge), found))),
                Answer::Wait(holder) => {
                    undecided = Some(holder);
                    break;
                }
            }
        }
        let Some(holder) = undecided.or_else(|| unique::holder(subject.trigger())) else { return Ok(None) };
        // Nobody waits for a transaction while holding a key: all guards release those of this row, and search again.
        judges = locks::leave();
        holder.wait();
        for (judge, signature) in &judges {
            let part = judge.part_of(subject.trigger())?;
            let scope = Subject::new(judge, &part, subject.trigger(), Row::New).scope_hash();
            locks::lock_row(judge, table, signature, scope)?;
        }
    }
}

/// The entry point behind the trigger function `neardup.guard()`.
///
/// # Safety
/// Postgres calls it as the trigger function that sql/guard.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_guard(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let Some(trigger) = RowTrigger::from_fcinfo(fcinfo) else {
                ereport!(
                    ERROR,
                    PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                    "neardup.guard() must be called as a BEFORE ... FOR EACH ROW trigger"
                );
            };
            run(&trigger).unwrap_or_else(|error| {
                error.report(PgLogLevel::ERROR);
                pg_sys::Datum::null()
            })
        })
    }
}

/// The entry point behind the trigger function `neardup.release_locks()`.
///
/// # Safety
/// Postgres calls it as the trigger function that sql/guard.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_release_locks(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            if !trigger::is_after(fcinfo) {
                ereport!(
                    ERROR,
                    PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
                    "neardup.release_locks() must be called as an AFTER trigger"
                );
            }
            locks::statement_ended();
            pg_sys::Datum::null()
        })
    }
}

/// Releases the locks of the row that was just stored, and answers false: the WHEN condition of a guard's AFTER ROW trigger.
#[pg_extern(
    volatile,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.row_stored() RETURNS boolean VOLATILE PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn row_stored() -> bool {
    locks::row_stored();
    false
}

/// The settings of a guard trigger, if that is what its arguments are; whoever owns a table may have made a trigger by hand.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.guard_settings(arguments bytea, columns integer) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn guard_settings(arguments: &[u8], columns: i32) -> Option<String> {
    let argument = std::str::from_utf8(arguments.strip_suffix(&[0])?).ok()?;
    Settings::canonical(argument, usize::try_from(columns).ok()?)
}

/// The index by which a guard with these settings would find candidates, if it is there.
#[pg_extern(
    stable,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.guard_index(target regclass, settings text, columns smallint[], expression regproc) RETURNS regclass STABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn guard_index(
    target: Option<pg_sys::Oid>,
    settings: Option<&str>,
    columns: Option<Array<i16>>,
    expression: Option<pg_sys::Oid>,
) -> Option<pg_sys::Oid> {
    let settings = Settings::parse(settings?).ok()?;
    let columns: Vec<i16> = columns?.iter().collect::<Option<_>>()?;
    target::index_of(target?, &settings, &columns, expression).map(|found| found.index)
}

/// Tells Postgres that the entry points use calling convention 1.
const CONVENTION: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_guard() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_release_locks() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}
