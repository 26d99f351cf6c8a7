//! Locks between the look at a table and the moment a row is stored in it.
//!
//! Two writers of near-duplicates that look at the same time find nothing. So each locks, before it looks, keys of which any
//! two near signatures share one, and gives them back as soon as its row is stored: when the next row of the
//! statement comes, when the statement is through, at the latest when the transaction ends. From then on others find the
//! row itself, though it is not committed, and wait for the transaction that wrote it.
//! Where no such keys are to be had, by overlap, a row locks the whole column alone for that while.
//!
//! What keeps this free of deadlocks: nobody waits for a transaction while holding a key, keys are taken in ascending order
//! and only with the former row's given back, and statements of many rows take turns, so that two loads never wait for rows of each
//! other. What is left is what unique indexes have, too: transactions of several statements that wait for each other's rows.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pgrx::pg_sys;

use super::signature::Signature;
use super::target::Guard;
use crate::datum::lock::Lock;
use crate::datum::statement::{self, Statement};
use crate::error::Result;

/// A document column of a table; of the root where the table has partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The table.
    pub table: pg_sys::Oid,
    /// The column's number.
    pub column: i32,
}

/// A row that has been looked at and may not be stored yet.
struct Row {
    guard: Rc<Guard>,
    signature: Signature,
    statement: Statement,
    /// How the whole column is locked for it.
    column: Option<Lock>,
    keys: Vec<u32>,
}

impl Row {
    fn release(self) {
        let Place { table, column } = self.guard.place;
        for key in self.keys.into_iter().rev() {
            Lock::Key(key).release(table, column);
        }
        if let Some(lock) = self.column {
            lock.release(table, column);
        }
    }

    /// Whether the row must have been stored, now that `guard` sees one: it sees a row before the guards behind it do.
    fn is_stored(&self, guard: &Guard, statement: Statement) -> bool {
        !statement::is_running(self.statement)
            || self.statement.depth > statement.depth
            || (self.statement.depth == statement.depth
                && (self.guard.place.table != guard.place.table || self.guard.trigger >= guard.trigger))
    }
}

/// What this transaction has done with columns so far.
#[derive(Default)]
struct Turns {
    written: Vec<Place>,
    taken: Vec<Place>,
}

thread_local! {
    static ROWS: RefCell<Vec<Row>> = const { RefCell::new(Vec::new()) };
    static TURNS: RefCell<Turns> = const { RefCell::new(Turns { written: Vec::new(), taken: Vec::new() }) };
    /// The statement that has asked for a turn last.
    static ASKED: Cell<Option<Statement>> = const { Cell::new(None) };
}

fn release_where(stored: impl Fn(&Row) -> bool) {
    let (gone, kept) = ROWS.take().into_iter().partition(stored);
    ROWS.set(kept);
    let gone: Vec<Row> = gone;
    gone.into_iter().for_each(Row::release);
}

/// Gives back the keys of rows that must be stored by now, since a guard sees another row of the same statement.
pub fn next_row(guard: &Guard, statement: Statement) {
    release_where(|row| row.is_stored(guard, statement));
}

/// Waits for the turn of a statement of many rows, which its transaction then has to its end.
///
/// A transaction that has written before does not wait: others may wait for what it wrote.
pub fn take_turn(place: Place, statement: Statement) {
    let (taken, first) = TURNS.with_borrow_mut(|turns| {
        let first = turns.written.is_empty();
        if !turns.written.contains(&place) {
            turns.written.push(place);
        }
        (turns.taken.contains(&place), first)
    });
    if taken || !statement.many || ASKED.replace(Some(statement)) == Some(statement) {
        return;
    }
    if first {
        Lock::Turn.acquire(place.table, place.column);
    } else if !Lock::Turn.try_acquire(place.table, place.column) {
        return;
    }
    TURNS.with_borrow_mut(|turns| turns.taken.push(place));
}

/// Puts a row on record that is about to be looked at, under a lock on the whole column.
pub fn record_row(guard: &Rc<Guard>, signature: &Signature, statement: Statement) {
    let row = Row { guard: Rc::clone(guard), signature: signature.clone(), statement, column: None, keys: Vec::new() };
    ROWS.with_borrow_mut(|rows| rows.push(row));
}

/// Locks the keys of a row that is about to be looked at, or all of the column; `scope` tells apart rows that are never compared.
pub fn lock_row(guard: &Rc<Guard>, signature: &Signature, scope: u32, statement: Statement) -> Result<()> {
    let Place { table, column } = guard.place;
    let keys = signature.lock_keys(&guard.settings)?;
    record_row(guard, signature, statement);
    // Each is put on record as soon as it is held, so that an error on the way leaves none behind.
    let whole = if keys.is_some() { Lock::Shared } else { Lock::Alone };
    whole.acquire(table, column);
    ROWS.with_borrow_mut(|rows| rows.last_mut().map(|row| row.column = Some(whole)));
    let mut keys: Vec<u32> = keys.into_iter().flatten().map(|key| fold(key, scope)).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        Lock::Key(key).acquire(table, column);
        ROWS.with_borrow_mut(|rows| rows.last_mut().map(|row| row.keys.push(key)));
    }
    Ok(())
}

/// Gives back all keys of this statement, to wait for another transaction. Returns the guards that have seen the present row,
/// in their order, with its signatures: they have to look again.
pub fn leave(statement: Statement) -> Vec<(Rc<Guard>, Signature)> {
    let seen = ROWS.with_borrow(|rows| {
        let of_this = rows.iter().filter(|row| row.statement == statement);
        of_this.map(|row| (Rc::clone(&row.guard), row.signature.clone())).collect()
    });
    release_where(|row| row.statement.depth >= statement.depth || !statement::is_running(row.statement));
    seen
}

/// Gives back the keys of statements that are through.
pub fn statement_stored() {
    if ROWS.with_borrow(|rows| rows.iter().any(|row| !statement::is_running(row.statement))) {
        release_where(|row| !statement::is_running(row.statement));
    }
}

/// Forgets what the end of the transaction has released.
pub fn transaction_ended() {
    ROWS.take();
    TURNS.take();
    ASKED.set(None);
}

/// Folds a lock key and a scope into the 32 bits that a lock tag has room for.
fn fold(key: i64, scope: u32) -> u32 {
    let key = key.cast_unsigned();
    ((key ^ (key >> 32)) as u32) ^ scope
}
