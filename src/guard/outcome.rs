//! What the guards of a table do with a row of `neardup.insert_or_match`, which tells its caller what became of each row. A row that a
//! trigger leaves out is nowhere else to be seen.
//!
//! Triggers of the same statement may write to guarded tables, too, and so may functions in its DEFAULT and CHECK expressions. So the outcome
//! belongs to a table, a trigger depth and a statement, and guards note nothing that is not expected. It outlives an error, because a
//! refusal is one.

use std::cell::RefCell;

use pgrx::prelude::*;

use super::candidates::Match;
use crate::guarded::guard::Guard;
use crate::pg::Record;
use crate::pg::call::{role, transaction, trigger};
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
    /// The outermost statement that has begun a row so far: a DEFAULT calls others before, a CHECK after the row's guard.
    command: pg_sys::CommandId,
    outcome: Outcome,
}

impl Expected {
    fn is_of(&self, table: pg_sys::Oid) -> bool {
        (self.depth, self.user) == (trigger::depth(), role::current_oid()) && self.table == partition::root(table)
    }
}

thread_local! {
    /// One for each depth at most, outer calls first.
    static EXPECTED: RefCell<Vec<Expected>> = const { RefCell::new(Vec::new()) };
}

/// Notes that a guard begins with a row. What it did with a row of a statement within this one is not what the caller waits for.
pub fn row_begins(guard: &Guard) {
    EXPECTED.with_borrow_mut(|all| {
        let command = transaction::current_command();
        if let Some(expected) = all.iter_mut().find(|of| command < of.command && of.is_of(guard.table)) {
            (expected.command, expected.outcome) = (command, Outcome::default());
        }
    });
}

/// Keeps what is being done with a near-duplicate, if a caller waits for that.
pub fn keep(guard: &Guard, found: &Match) {
    EXPECTED.with_borrow_mut(|all| {
        let command = transaction::current_command();
        if let Some(expected) = all.iter_mut().find(|of| command == of.command && of.is_of(guard.table)) {
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
    let expected = Expected {
        depth: trigger::depth() + 1,
        table: target,
        user: role::current_oid(),
        command: pg_sys::CommandId::MAX,
        outcome: Outcome::default(),
    };
    EXPECTED.with_borrow_mut(|all| {
        // Deeper ones are left over from statements that failed.
        all.retain(|of| of.depth < expected.depth);
        all.push(expected);
    });
}

/// Returns what the guards of a table did with the row of this user's since [`expect_match`], and forgets it; a row of NULLs if it was no
/// near-duplicate. Key and measure are given only to a user who may read the table.
#[pg_extern(sql = false)]
fn take_match(target: pg_sys::Oid) -> Record<Outcome> {
    let (depth, user) = (trigger::depth() + 1, role::current_oid());
    let taken = EXPECTED.with_borrow_mut(|all| {
        let at = all.iter().position(|of| of.depth == depth && of.table == target && of.user == user)?;
        Some(all.swap_remove(at).outcome)
    });
    let (action, key, measure, value) = taken.unwrap_or_default();
    if role::may_read(target) { Record((action, key, measure, value)) } else { Record((action, None, None, None)) }
}
