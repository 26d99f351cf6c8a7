//! What the guards of a table do with a row of `neardup.insert_or_match`, which tells its caller what became of each row. A row that a
//! trigger leaves out is nowhere else to be seen.
//!
//! Triggers of the same statement may write to guarded tables, too. So the outcome belongs to a table and to a trigger depth, and guards
//! note nothing that is not expected. It outlives an error, because a refusal is one.

use std::cell::RefCell;

use pgrx::prelude::*;

use super::candidates::Match;
use super::target::Guard;
use crate::pg::Record;
use crate::pg::call::{role, trigger};
use crate::pg::table::partition;

/// Action, key of the original, measure and its value.
type Outcome = (Option<String>, Option<String>, Option<String>, Option<f64>);

/// The outcome of one row.
struct Expected {
    /// The trigger depth of its guards.
    depth: i32,
    /// Its table; the root if the table has partitions.
    table: pg_sys::Oid,
    /// The user whose row it is.
    user: pg_sys::Oid,
    outcome: Outcome,
}

thread_local! {
    /// One for each depth at most, outer calls first.
    static EXPECTED: RefCell<Vec<Expected>> = const { RefCell::new(Vec::new()) };
}

/// Keeps what is being done with a near-duplicate, if a caller waits for that.
pub fn keep(guard: &Guard, found: &Match) {
    EXPECTED.with_borrow_mut(|all| {
        if all.is_empty() {
            return;
        }
        let (depth, user, root) = (trigger::depth(), role::current_oid(), partition::root(guard.table));
        let is_this = |of: &&mut Expected| of.depth == depth && of.table == root && of.user == user;
        if let Some(expected) = all.iter_mut().find(is_this) {
            let (action, measure) = (guard.settings.on_duplicate.name(), found.measure.name);
            expected.outcome =
                (Some(action.to_owned()), Some(found.key.clone()), Some(measure.to_owned()), Some(found.measure.value));
        }
    });
}

/// Makes the guards of a table note what they do with the row that the caller is about to insert.
#[pg_extern(sql = false)]
fn expect_match(target: pg_sys::Oid) {
    // Guards run in triggers of the caller's statement.
    let expected =
        Expected { depth: trigger::depth() + 1, table: target, user: role::current_oid(), outcome: Outcome::default() };
    EXPECTED.with_borrow_mut(|all| {
        // Deeper ones are left over from statements that failed.
        all.retain(|of| of.depth < expected.depth);
        all.push(expected);
    });
}

/// Gives what the guards of a table did with the row of this user's since [`expect_match`], and forgets it; a row of NULLs if it was no
/// near-duplicate. The key is given only to a user who may read the table.
#[pg_extern(sql = false)]
fn take_match(target: pg_sys::Oid) -> Record<Outcome> {
    let (depth, user) = (trigger::depth() + 1, role::current_oid());
    let taken = EXPECTED.with_borrow_mut(|all| {
        let at = all.iter().position(|of| of.depth == depth && of.table == target && of.user == user)?;
        Some(all.swap_remove(at).outcome)
    });
    let (action, key, measure, value) = taken.unwrap_or_default();
    Record((action, key.filter(|_| role::may_read(target)), measure, value))
}
