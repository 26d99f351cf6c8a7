//! The guard: the row trigger that signs each new document and acts on a near-duplicate of one already there.
//!
//! * [`settings`], [`target`]: what it is told, and what it knows of its table.
//! * [`subject`], [`signature`]: the new row, and what is kept of its document.
//! * [`locks`], [`bulk`]: how writers of near-duplicates meet, one row at a time or a load at once.
//! * [`look`], [`verify`]: which row there is a near-duplicate.
//! * [`actions`]: what becomes of the new row then.
//!
//! Order matters: first the locks, then the look at all that is stored, committed or not; then the row goes in, and only
//! then are its locks given back. See `docs/guard.md`.

mod actions;
mod bulk;
mod locks;
mod look;
mod settings;
mod signature;
mod subject;
mod target;
mod verify;

use std::rc::Rc;

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::bypass;
use crate::datum::lock::Holder;
use crate::datum::statement;
use crate::datum::trigger::RowTrigger;
use crate::error::Result;
use actions::Fate;
use look::{Answer, Match};
use signature::Signature;
use subject::Subject;
use target::Guard;

extension_sql_file!("../../sql/guard.sql", name = "guard", requires = ["simhash_operators", "banding"]);
extension_sql_file!("../../sql/protect.sql", name = "guard_protect", requires = ["guard"]);
extension_sql_file!("../../sql/verdicts.sql", name = "guard_verdicts", requires = ["guard"]);

fn error(code: PgSqlErrorCode, message: impl Into<String>) -> ErrorReport {
    ErrorReport::new(code, message.into(), "neardup.guard")
}

fn run(trigger: &RowTrigger<'_>) -> Result<pg_sys::Datum> {
    let guard = Guard::of(trigger)?;
    let part = guard.part(trigger.relation_oid())?;
    locks::next_row(&guard, statement::current());
    let column = part.columns[guard.roles.signature];
    let keep = |signature: Option<&Signature>, more: Option<(i16, Option<pg_sys::Datum>)>| {
        let mut changes = vec![(column, signature.and_then(Signature::to_datum))];
        changes.extend(more);
        trigger.keep_with(&changes)
    };
    let subject = Subject::new(&guard, part, trigger);
    let before = subject.unchanged(&guard, part);
    let stays = before.is_some() && !subject.has_moved(&guard, part);
    // The same text keeps its signature and is not judged again: so a backfill can sign what is there already.
    let signature = match before {
        Some(Some(known)) if stays => return Ok(keep(Some(&known), None)),
        Some(Some(known)) => Some(known),
        _ => subject.sign(&guard)?,
    };
    let Some(signature) = signature else {
        let unmarked = if stays { None } else { actions::marks(&guard, part, trigger, None) };
        return Ok(keep(None, unmarked));
    };
    let let_through = bypass::is_active(guard.place.table);
    if stays || let_through {
        // A batch of rows that nobody judges would hold up every writer until its commit.
        if !let_through {
            enter(&guard, &subject, &signature)?;
        }
        bulk::add(guard.place, &signature);
        return Ok(keep(Some(&signature), None));
    }
    let mut original = None;
    if let Some((judge, found)) = judge(&guard, &subject, &signature, trigger)? {
        match actions::act(&judge, &found, &subject, trigger)? {
            Fate::Out => return Ok(trigger.skip()),
            Fate::In(key) => original = key.map(|key| (judge, key)),
        }
    }
    bulk::add(guard.place, &signature);
    let mut changes = vec![(column, signature.to_datum())];
    changes.extend(actions::marks(&guard, part, trigger, None));
    if let Some((judge, key)) = original {
        let marks = actions::marks(&judge, judge.part(trigger.relation_oid())?, trigger, Some(&key));
        changes.retain(|(column, _)| marks.is_none_or(|(other, _)| other != *column));
        changes.extend(marks);
    }
    Ok(trigger.keep_with(&changes))
}

/// Locks what the look needs, or the whole column in a load.
fn enter(guard: &Rc<Guard>, subject: &Subject<'_>, signature: &Signature) -> Result<()> {
    let statement = statement::current();
    if bulk::is_ready(guard, statement) {
        locks::record_row(guard, signature, statement);
        return Ok(());
    }
    locks::lock_row(guard, signature, subject.scope_hash(), statement)
}

/// Finds a row that the new one duplicates, and the guard that found it: this one or, where this one had to wait, another
/// one of the table that has let the row pass before.
fn judge(
    guard: &Rc<Guard>,
    subject: &Subject<'_>,
    signature: &Signature,
    trigger: &RowTrigger<'_>,
) -> Result<Option<(Rc<Guard>, Match)>> {
    let statement = statement::current();
    locks::take_turn(guard.place, statement);
    enter(guard, subject, signature)?;
    let mut asked = vec![(Rc::clone(guard), signature.clone())];
    loop {
        let holder = match ask(&asked, trigger)? {
            Asked::Clear => return Ok(None),
            Asked::Found(judge, found) => return Ok(Some((judge, found))),
            Asked::Wait(holder) => holder,
        };
        asked = locks::leave(statement);
        bulk::leave(statement);
        holder.wait();
        for (guard, signature) in &asked {
            enter(guard, &Subject::new(guard, guard.part(trigger.relation_oid())?, trigger), signature)?;
        }
    }
}

enum Asked {
    Clear,
    Found(Rc<Guard>, Match),
    Wait(Holder),
}

/// Lets guards look, one after the other, until one has something to say.
fn ask(guards: &[(Rc<Guard>, Signature)], trigger: &RowTrigger<'_>) -> Result<Asked> {
    for (guard, signature) in guards {
        let subject = Subject::new(guard, guard.part(trigger.relation_oid())?, trigger);
        loop {
            match look::look(guard, &subject, signature)? {
                Answer::Clear => break,
                Answer::Found(found) => return Ok(Asked::Found(Rc::clone(guard), found)),
                Answer::Wait(holder) => return Ok(Asked::Wait(holder)),
                Answer::Again => {
                    pgrx::check_for_interrupts!();
                }
            }
        }
    }
    Ok(Asked::Clear)
}

/// The entry point behind the trigger function `neardup.guard()`.
///
/// # Safety
/// Postgres calls it as the trigger function that sql/guard.sql declares.
#[pg_guard]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_guard(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call.
    let Some(trigger) = (unsafe { RowTrigger::from_fcinfo(fcinfo) }) else {
        ereport!(
            ERROR,
            PgSqlErrorCode::ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
            "neardup.guard() must be called as a BEFORE INSERT OR UPDATE ... FOR EACH ROW trigger"
        );
    };
    run(&trigger).unwrap_or_else(|error| {
        error.report(PgLogLevel::ERROR);
        pg_sys::Datum::null()
    })
}

/// Tells Postgres that the entry point uses calling convention 1.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_guard() -> &'static pg_sys::Pg_finfo_record {
    const V1: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };
    &V1
}
