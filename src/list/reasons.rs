//! Why a row of a list is a copy of the kept one: the verdict on the two, once more, with its reasons.
//!
//! A list has no reasons, because finding them takes longer than the verdict. Here a few rows of it are read again by their keys, as the
//! caller, and judged by the same rule with the same table around them.

use neardup_core::candidates::Earlier;
use neardup_core::row_key;
use neardup_verdict::Message;
use neardup_verdict::correction::Measured;

use super::documents::Texts;
use super::indexed_rows::IndexedRows;
use super::judge::Judge;
use super::plan::Plan;
use super::relation::Reader;
use crate::answers::Answers;
use crate::error::Result;
use crate::pg::table::query::{Session, Type, Value};
use crate::pg::table::temporary::sort_memory;
use crate::verdict::judge::Rule;

/// A row of a list, by primary keys as the list shows them.
pub struct Pair<'l> {
    /// The duplicate row, of the last relation of the plan.
    pub duplicate: &'l [String],
    pub kept: &'l [String],
    /// Whether the kept row is of the last relation, too, or else of the first.
    pub kept_is_new: bool,
    /// What the owner has said of pairs.
    pub answers: &'l Answers,
}

/// Returns the verdict on the two rows with its reasons; `None` if the caller does not see both.
///
/// # Errors
/// Those of the statements, and of a profile.
pub fn message(
    session: &Session,
    plan: &Plan,
    rule: &Rule<'_>,
    readers: &mut [Reader<'_>],
    pair: &Pair<'_>,
) -> Result<Option<Message>> {
    judged(session, plan, rule, readers, pair, |judge, kept, duplicate| {
        let Some(mut message) = judge.message(kept, duplicate)? else { return Ok(None) };
        let keys = [pair.kept, pair.duplicate].map(row_key::join);
        if let Some(is_copy) = judge.answered([kept, duplicate], [&keys[0], &keys[1]], pair.answers)? {
            message.reasons.insert(0, format!("answered: {}", if is_copy { "a copy" } else { "no copy" }));
        }
        Ok(Some(message))
    })
}

/// Returns what is learned of the two rows from an answer; `None` if the caller does not see both, or texts are not compared by facts.
///
/// # Errors
/// Those of the statements, and of a profile.
pub fn measured(
    session: &Session,
    plan: &Plan,
    rule: &Rule<'_>,
    readers: &mut [Reader<'_>],
    pair: &Pair<'_>,
) -> Result<Option<Measured>> {
    judged(session, plan, rule, readers, pair, |judge, kept, duplicate| judge.measured(kept, duplicate))
}

fn judged<T>(
    session: &Session,
    plan: &Plan,
    rule: &Rule<'_>,
    readers: &mut [Reader<'_>],
    pair: &Pair<'_>,
    ask: impl FnOnce(&mut Judge<'_>, &Earlier, &Earlier) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let last = readers.len().saturating_sub(1);
    let duplicate = find(session, readers, last, pair.duplicate)?;
    let kept = find(session, readers, if pair.kept_is_new { last } else { 0 }, pair.kept)?;
    let (Some(duplicate), Some(kept)) = (duplicate, kept) else { return Ok(None) };
    let readers = &*readers;
    let neighbours = IndexedRows::open(readers, &plan.indexes, None);
    ask(&mut Judge::new(Texts::new(readers, sort_memory()), rule, neighbours, None), &kept, &duplicate)
}

/// Finds a row of a relation by its primary key.
fn find(session: &Session, readers: &mut [Reader<'_>], at: usize, key: &[String]) -> Result<Option<Earlier>> {
    let Some(reader) = readers.get_mut(at) else { return Ok(None) };
    let source = reader.source;
    let statement = session.prepare(&source.find(key.len()), &vec![Type::Text; key.len()]);
    let values: Vec<Value<'_>> = key.iter().map(|value| Value::Text(Some(value))).collect();
    let mut found = None;
    session.each(&statement, &values, |row| {
        let id = reader.row_id(row, 4);
        found = id.map(|id| Earlier { position: 0, id, time: row.number(3) });
        Ok(())
    })?;
    Ok(found)
}
