//! What a guard of this session did last with a near-duplicate: for `neardup.insert_or_match`, which tells
//! its caller what became of each row. A row that a trigger leaves out is nowhere else to be seen.
//!
//! It outlives an error, because a refusal is one.

use std::cell::RefCell;

use pgrx::prelude::*;

use super::candidates::Match;
use super::target::Guard;
use crate::pg::Record;
use crate::pg::call::role;

/// Action, key of the original as far as the user may read it, measure and its value.
type Outcome = (Option<String>, Option<String>, Option<String>, Option<f64>);

thread_local! {
    /// The last one, with its table; the root if the table has partitions.
    static LAST: RefCell<Option<(pg_sys::Oid, Outcome)>> = const { RefCell::new(None) };
}

/// Keeps what is being done with a near-duplicate.
pub fn keep(guard: &Guard, found: &Match) {
    let key = role::may_read(guard.table).then(|| found.key.clone());
    let action = guard.settings.on_duplicate.name().to_owned();
    let outcome = (Some(action), key, Some(found.measure.name.to_owned()), Some(found.measure.value));
    LAST.set(Some((guard.table, outcome)));
}

/// Gives what the guard of a table did last with a near-duplicate, and forgets it; a row of NULLs if nothing happened since the last call.
#[pg_extern(sql = false)]
fn take_match(target: pg_sys::Oid) -> Record<Outcome> {
    Record(LAST.take().filter(|(table, _)| *table == target).map(|(_, outcome)| outcome).unwrap_or_default())
}
