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

/// Action, key of the original, measure and its value.
type Outcome = (Option<String>, Option<String>, Option<String>, Option<f64>);

thread_local! {
    /// The last one, with its table (the root if the table has partitions) and the user whose row it was.
    static LAST: RefCell<Option<(pg_sys::Oid, pg_sys::Oid, Outcome)>> = const { RefCell::new(None) };
}

/// Keeps what is being done with a near-duplicate.
pub fn keep(guard: &Guard, found: &Match) {
    let action = guard.settings.on_duplicate.name().to_owned();
    let outcome =
        (Some(action), Some(found.key.clone()), Some(found.measure.name.to_owned()), Some(found.measure.value));
    LAST.set(Some((guard.table, role::current_oid(), outcome)));
}

/// Gives what the guard of a table did last with a near-duplicate of this user's, and forgets it; a row of NULLs if nothing happened since
/// the last call. The key is given only to a user who may read the table.
#[pg_extern(sql = false)]
fn take_match(target: pg_sys::Oid) -> Record<Outcome> {
    let kept = LAST.take().filter(|(table, user, _)| *table == target && *user == role::current_oid());
    Record(kept.map_or_else(Outcome::default, |(_, _, (action, key, measure, value))| {
        (action, key.filter(|_| role::may_read(target)), measure, value)
    }))
}
