//! The steps of the guard for one row, in order: read it, sign it, lock its keys, search candidates, verify them, act.

use std::rc::Rc;

use pgrx::prelude::*;

use super::actions::{self, Duplicate, Fate};
use super::candidates::{self, Answer};
use super::merge;
use super::moved::{self, Arrival};
use super::noted;
use super::related::Related;
use super::signature::Signature;
use super::stored;
use super::subject::{Subject, content_hash};
use super::verify::Verifier;
use super::{bypass, locks, outcome};
use crate::error::Result;
use crate::guarded::guard::Guard;
use crate::guarded::settings::Action;
use crate::pg::call::function::Argument;
use crate::pg::call::trigger::{Event, Row, RowTrigger};
use crate::pg::table::unique::{self, Taken};

/// Judges the row of a trigger's call. Returns what Postgres shall store: the row, the row with its original named, or nothing.
///
/// # Errors
/// If a guard cannot judge, or a row is refused.
pub fn guarded(trigger: &RowTrigger<'_>) -> Result<pg_sys::Datum> {
    if trigger.event() == Event::Delete {
        note_deletion(trigger);
        return Ok(trigger.keep());
    }
    let Some(guard) = Guard::of(trigger)? else { return Ok(trigger.keep()) };
    locks::row_begins(&guard, trigger.relation_oid(), trigger.statement(), trigger.event() == Event::Insert);
    outcome::row_begins(&guard);
    let part = guard.part_of(trigger)?;
    if guard.expression.is_some() && part.index.is_none() {
        // An index knows its function by number. Under the name of that, another one may stand by now.
        return Err(guard.without_index(part.table));
    }
    let subject = Subject::new(&guard, &part, trigger, Row::New);
    let arrival = match trigger.event() {
        Event::Insert => moved::arrival((guard.table, guard.column), || content_hash(&guard, &part, trigger, Row::New)),
        _ => Arrival::New,
    };
    let unchanged =
        trigger.event() == Event::Update && subject.same_as_before(&Subject::new(&guard, &part, trigger, Row::Old));
    if unchanged {
        noted::unmarked(&guard, &part, trigger, &subject);
        return Ok(trigger.keep());
    }
    if arrival == Arrival::Moved {
        return Ok(trigger.keep());
    }
    if let Some(answers) = bypass::active(guard.table) {
        if answers {
            noted::let_through(&guard, trigger, &subject)?;
        }
        return Ok(trigger.keep());
    }
    let must_stay =
        |judge: &Guard| judge.is_partition && trigger.event() == Event::Insert || arrival == Arrival::PerhapsMoved;
    let merges = |judge: &Guard| {
        judge.settings.on_duplicate == Action::Merge && trigger.event() == Event::Insert && !must_stay(judge)
    };
    let mut related = None;
    let fate = match original(&guard, trigger, &subject, &merges, &mut related)? {
        None => Fate::Stored,
        Some(duplicate) => actions::act(&duplicate, trigger, &subject, must_stay(&duplicate.guard))?,
    };
    if trigger.event() == Event::Update && !matches!(fate, Fate::LeftOut) {
        moved::updated((guard.table, guard.column), content_hash(&guard, &part, trigger, Row::New));
    }
    let mut marks = Vec::new();
    match fate {
        Fate::LeftOut => return Ok(trigger.skip()),
        Fate::Marked(column, original) => marks.push((column, original)),
        // A row that is not a copy, or no longer one, has no original to name.
        Fate::Stored => marks.extend(guard.mark_column(&part).and_then(|column| no_mark(trigger, column))),
    }
    if let Some([row, relation]) = guard.related_columns(&part) {
        related = related.filter(|related| stored::may_learn(&guard, trigger.relation_oid(), &related.key));
        let (row, kind) =
            no_mark(trigger, row).map(|(row, (kind, _))| (row, kind)).ok_or_else(|| guard.has_other_types())?;
        let key = related.as_ref().map(|related| actions::key_value(&guard, &related.key, kind)).transpose()?;
        let relation_to = related.map_or((pg_sys::TEXTOID, None), |related| actions::text(related.relation));
        marks.extend([(row, (kind, key)), (relation, relation_to)]);
    }
    if marks.is_empty() {
        return Ok(trigger.keep());
    }
    trigger.keep_with(&marks).ok_or_else(|| guard.has_other_types())
}

/// Returns a column for keys with NULL of its type.
fn no_mark(trigger: &RowTrigger<'_>, column: i16) -> Option<(i16, Argument)> {
    trigger.column_type(column).map(|kind| (column, (kind, None)))
}

/// Notes a row that is being deleted; the command may insert it into another partition. A guard that cannot judge does not
/// prevent the deletion.
fn note_deletion(trigger: &RowTrigger<'_>) {
    let Ok(Some(guard)) = Guard::of(trigger) else { return };
    let Ok(part) = guard.part_of(trigger) else { return };
    locks::row_begins(&guard, trigger.relation_oid(), trigger.statement(), false);
    moved::deleted((guard.table, guard.column), content_hash(&guard, &part, trigger, Row::Old));
}

/// Signs the row, locks its keys and searches for a row that it duplicates. Returns that row and the guard that found it: this
/// guard or, if it had to wait, another guard of the table that had accepted the row before. If that guard `merges`, the row is locked.
/// If there is none, `related` is the row that it is related to, for guards that mark such rows.
fn original(
    guard: &Rc<Guard>,
    trigger: &RowTrigger<'_>,
    subject: &Subject<'_>,
    merges: &dyn Fn(&Guard) -> bool,
    related: &mut Option<Related>,
) -> Result<Option<Duplicate>> {
    let Some(document) = subject.document.as_deref() else { return Ok(None) };
    let Some(signature) = Signature::of(document, &guard.settings)? else { return Ok(None) };
    signature.keep(document, &guard.settings);
    let table = trigger.relation_oid();
    locks::lock_row(guard, table, trigger.statement(), &signature, subject.scope_hash())?;
    let mut judges = vec![(Rc::clone(guard), signature)];
    // Only then may the row give way to another one: it would be known if it were stored after all.
    let is_seen_stored = trigger.event() == Event::Insert && trigger.is_seen_stored();
    loop {
        // No session waits for a transaction while it holds a key: all guards release those of this row, and search again.
        match first_answer(&judges, guard, trigger, subject, related)? {
            // Such a row is no new one: Postgres refuses it or, with ON CONFLICT, leaves it out or updates the other one, which the guard sees.
            Some((_, Answer::Found(_))) if is_seen_stored && unique::taken(trigger) == Some(Taken::There) => {
                locks::give_way(trigger.statement());
                return Ok(None);
            }
            Some((judge, Answer::Found(found))) => {
                let Some(row) = found.original.as_ref().filter(|_| merges(&judge)) else {
                    return Ok(Some(Duplicate { guard: judge, found, locked: None }));
                };
                judges = locks::leave(trigger.statement());
                if let Some(locked) = merge::lock(&judge, row)? {
                    return Ok(Some(Duplicate { guard: judge, found, locked: Some(locked) }));
                }
            }
            Some((_, Answer::Wait(holder))) => {
                judges = locks::leave(trigger.statement());
                holder.wait();
            }
            _ => match unique::taken(trigger) {
                Some(Taken::Undecided(holder)) => {
                    judges = locks::leave(trigger.statement());
                    holder.wait();
                }
                Some(Taken::There) if is_seen_stored => {
                    locks::give_way(trigger.statement());
                    return Ok(None);
                }
                _ => return Ok(None),
            },
        }
        for (judge, signature) in &judges {
            locks::lock_row(judge, table, trigger.statement(), signature, seen_by(judge, trigger)?.scope_hash())?;
        }
    }
}

/// Searches candidates for each of these guards and verifies them. Returns the first answer that is not clear, with its guard.
fn first_answer(
    judges: &[(Rc<Guard>, Signature)],
    guard: &Rc<Guard>,
    trigger: &RowTrigger<'_>,
    subject: &Subject<'_>,
    related: &mut Option<Related>,
) -> Result<Option<(Rc<Guard>, Answer)>> {
    *related = None;
    for (judge, signature) in judges {
        let others;
        let subject = if Rc::ptr_eq(judge, guard) {
            subject
        } else {
            others = seen_by(judge, trigger)?;
            &others
        };
        let mut verifier = Verifier::new(judge, subject, signature, trigger.relation_oid())?;
        match candidates::search(judge, subject, signature, &mut verifier, None)? {
            Answer::Clear(found) if Rc::ptr_eq(judge, guard) => *related = found,
            Answer::Clear(_) => {}
            answer => return Ok(Some((Rc::clone(judge), answer))),
        }
    }
    Ok(None)
}

/// Reads the row with the columns of another guard of the table.
fn seen_by<'a>(judge: &Guard, trigger: &'a RowTrigger<'a>) -> Result<Subject<'a>> {
    let part = judge.part_of(trigger)?;
    Ok(Subject::new(judge, &part, trigger, Row::New))
}
