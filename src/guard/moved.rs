//! Rows that an UPDATE moves from one partition to another.
//!
//! An UPDATE that changes a partition key is a DELETE and an INSERT. The INSERT half must not be judged as a new row: if the guard
//! left it out, the row would be lost, because its old version is gone. Postgres does not tell the trigger that a row is moved. So
//! for each trigger depth, each guard of the table remembers the last row that the command deleted and the last one it judged as an update, and
//! recognises the inserted row by them.

use std::cell::RefCell;

use pgrx::pg_sys;

use crate::pg::call::transaction::{self, Listener};
use crate::pg::call::trigger;

/// A guard, by its table and the column that it is on.
pub type By = (pg_sys::Oid, i16);

/// The last event that a guard saw, at one trigger depth.
struct Last {
    by: By,
    depth: i32,
    command: (pg_sys::SubTransactionId, pg_sys::CommandId),
    /// Contents that may be stored without a verdict: those of the deleted row, and of the update judged before.
    contents: Vec<u64>,
    /// Whether a row was deleted.
    deleted: bool,
}

thread_local! {
    static LAST: RefCell<Vec<Last>> = const { RefCell::new(Vec::new()) };
}

/// Forgets everything at the end of a transaction.
static LISTENER: Listener =
    Listener::new(|_| LAST.with(|all| all.try_borrow_mut().map(|mut all| all.clear()).unwrap_or_default()), |_, _| {});

/// What an inserted row is, as far as the events before it tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    New,
    /// The row that this command has just deleted or judged: it is stored.
    Moved,
    /// Possibly the row that this command has just deleted, with other contents: it may be refused, but not left out.
    PerhapsMoved,
}

/// Returns the running statement. What a statement sees of its own transaction stays the same from its beginning to its end,
/// whereas the transaction's counter advances with each statement of another trigger.
fn command() -> (pg_sys::SubTransactionId, pg_sys::CommandId) {
    // SAFETY: reads variables of the running transaction.
    let seen = unsafe { if pg_sys::ActiveSnapshotSet() { (*pg_sys::GetActiveSnapshot()).curcid } else { 0 } };
    (transaction::current_savepoint(), seen)
}

/// Notes that an update with these contents was accepted.
pub fn updated(by: By, content: u64) {
    note(by, content, false);
}

/// Notes that a row with these contents is being deleted. The update judged just before stays on record.
pub fn deleted(by: By, content: u64) {
    note(by, content, true);
}

fn note(by: By, content: u64, deleted: bool) {
    LISTENER.listen();
    let (depth, command) = (trigger::depth(), command());
    LAST.with_borrow_mut(|all| {
        let before = all.iter().position(|last| last.depth == depth && last.by == by).map(|i| all.swap_remove(i));
        all.retain(|last| last.depth < depth || last.depth == depth && last.command == command);
        let mut contents = vec![content];
        // An UPDATE that moves a row is judged first, then deletes.
        if let Some(before) = before.filter(|b| deleted && !b.deleted && b.command == command) {
            contents.extend(before.contents);
        }
        all.push(Last { by, depth, command, contents, deleted });
    });
}

/// Says what an inserted row is, and forgets the preceding events. Calls `content` only if a row was deleted.
pub fn arrival(by: By, content: impl FnOnce() -> u64) -> Arrival {
    let (depth, command) = (trigger::depth(), command());
    let last = LAST.with_borrow_mut(|all| {
        let i = all.iter().position(|last| last.depth == depth && last.by == by)?;
        Some(all.swap_remove(i))
    });
    match last.filter(|last| last.deleted && last.command == command) {
        None => Arrival::New,
        Some(last) if last.contents.contains(&content()) => Arrival::Moved,
        Some(_) => Arrival::PerhapsMoved,
    }
}
