//! Loads: a statement of many rows locks the whole column and keeps all its signatures in memory, so that a row costs
//! microseconds where a look into the index costs a hundred times that.
//!
//! Memory says only which signatures are near; whether a row that has one of them lives, is asked of the table, so rolled
//! back savepoints and deleted rows do no harm. It holds true while the column is locked alone, that is at most to the end
//! of the statement. Writers who wait for the column get it after a while; the signatures are then read again.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use neardup_core::banding::Neighbours;
use pgrx::pg_sys;

use super::locks::Place;
use super::settings::Method;
use super::signature::Signature;
use super::target::Guard;
use crate::datum::lock::Lock;
use crate::datum::statement::{self, Statement};

/// From which row of a statement on reading all signatures may pay.
const FIRST_ROW: u64 = 32;
/// How many signatures are read in the time of one look: 0.2 us against 150 us, at 1 M rows.
const READ_IN_A_LOOK: u64 = 600;
/// How long a load keeps others waiting at least before it lets them in between.
const SLICE: Duration = Duration::from_millis(20);
/// How many times longer it keeps the column than reading the signatures again takes.
const SLICE_RATIO: u32 = 5;

struct Bulk {
    place: Place,
    statement: Statement,
    neighbours: Neighbours,
    since: Instant,
    reading: Duration,
    /// Whether memory has grown over what is allowed.
    full: bool,
}

/// How many rows a statement has written into a column, and whether their signatures fit into memory.
struct Pace {
    place: Place,
    statement: Statement,
    rows: u64,
    fits: bool,
}

#[derive(Default)]
struct State {
    bulks: Vec<Bulk>,
    pace: Option<Pace>,
}

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State { bulks: Vec::new(), pace: None }) };
}

fn bytes_allowed() -> usize {
    // SAFETY: reads a setting, in kilobytes.
    usize::try_from(unsafe { pg_sys::maintenance_work_mem }).unwrap_or(0) * 1024
}

/// Whether the column is locked alone and its signatures are in memory; begins with that when it pays, and lets others in
/// between when they have waited long enough.
pub fn is_ready(guard: &Guard, statement: Statement) -> bool {
    let place = guard.place;
    let known = STATE.with_borrow(|state| {
        let bulk = state.bulks.iter().find(|bulk| bulk.place == place)?;
        Some((bulk.since.elapsed() > SLICE.max(bulk.reading * SLICE_RATIO), bulk.full, bulk.statement))
    });
    if let Some((long, full, owner)) = known {
        if full && owner == statement {
            give_up();
            drop_where(|bulk| bulk.place == place);
            return false;
        }
        if long && owner == statement && Lock::Alone.is_wanted(place.table, place.column) {
            drop_where(|bulk| bulk.place == place);
            return read(guard, statement);
        }
        return true;
    }
    pays(guard, statement) && read(guard, statement)
}

fn pays(guard: &Guard, statement: Statement) -> bool {
    if !statement.many || guard.settings.method != Method::SimHash {
        return false;
    }
    let rows = STATE.with_borrow_mut(|state| {
        let pace = &mut state.pace;
        if pace.as_ref().is_none_or(|pace| pace.place != guard.place || pace.statement != statement) {
            *pace = Some(Pace { place: guard.place, statement, rows: 0, fits: true });
        }
        pace.as_mut().map_or(0, |pace| {
            pace.rows += 1;
            if pace.fits { pace.rows } else { 0 }
        })
    });
    if rows < FIRST_ROW || !rows.is_multiple_of(FIRST_ROW) {
        return false;
    }
    let entries: usize = guard.parts.iter().map(|part| part.open(&guard.roles).entries()).sum();
    if Neighbours::bytes(entries) > bytes_allowed() {
        give_up();
    }
    rows * READ_IN_A_LOOK >= entries as u64
}

/// Says that this statement goes on row by row.
fn give_up() {
    STATE.with_borrow_mut(|state| state.pace.iter_mut().for_each(|pace| pace.fits = false));
}

/// Locks the column alone and reads its signatures; false if they do not fit into memory after all.
fn read(guard: &Guard, statement: Statement) -> bool {
    let place = guard.place;
    Lock::Alone.acquire(place.table, place.column);
    let began = Instant::now();
    // On record at once, so that an error while reading does not leave the column locked.
    let neighbours = Neighbours::new(Vec::new());
    let bulk = Bulk { place, statement, neighbours, since: began, reading: Duration::ZERO, full: false };
    STATE.with_borrow_mut(|state| state.bulks.push(bulk));
    let most = bytes_allowed();
    let mut signatures = Vec::new();
    let mut fits = true;
    for part in &guard.parts {
        part.open(&guard.roles).signatures(|signature| {
            // Equal ones come one after the other.
            if fits && signatures.last() != Some(&signature) {
                signatures.push(signature);
                fits = !signatures.len().is_multiple_of(4096) || Neighbours::bytes(signatures.len()) <= most;
            }
        });
    }
    if !fits || Neighbours::bytes(signatures.len()) > most {
        drop_where(|bulk| bulk.place == place);
        give_up();
        return false;
    }
    let neighbours = Neighbours::new(signatures);
    STATE.with_borrow_mut(|state| {
        if let Some(bulk) = state.bulks.iter_mut().find(|bulk| bulk.place == place) {
            bulk.neighbours = neighbours;
            bulk.since = Instant::now();
            bulk.reading = began.elapsed();
        }
    });
    true
}

/// The signatures in memory that are near, nearest first; `None` where the column's signatures are not in memory.
pub fn near(place: Place, signature: &Signature, distance: u32) -> Option<Vec<(u32, u64)>> {
    let signature = signature.simhash()?;
    STATE.with_borrow(|state| {
        let bulk = state.bulks.iter().find(|bulk| bulk.place == place)?;
        let mut found = Vec::new();
        bulk.neighbours.within(signature, distance, &mut found).ok()?;
        Some(found)
    })
}

/// Adds the signature of a row that goes in.
pub fn add(place: Place, signature: &Signature) {
    let Some(signature) = signature.simhash() else { return };
    STATE.with_borrow_mut(|state| {
        if let Some(bulk) = state.bulks.iter_mut().find(|bulk| bulk.place == place) {
            bulk.neighbours.insert(signature);
            bulk.full = Neighbours::bytes(bulk.neighbours.len()) > bytes_allowed();
        }
    });
}

/// Gives up memory and lock before a wait for another transaction.
pub fn leave(statement: Statement) {
    drop_where(|bulk| bulk.statement.depth >= statement.depth);
}

fn drop_where(gone: impl Fn(&Bulk) -> bool) {
    let (gone, kept): (Vec<Bulk>, Vec<Bulk>) =
        STATE.with_borrow_mut(|state| std::mem::take(&mut state.bulks)).into_iter().partition(gone);
    STATE.with_borrow_mut(|state| state.bulks = kept);
    gone.iter().for_each(|bulk| Lock::Alone.release(bulk.place.table, bulk.place.column));
}

/// Gives up what a statement had that is through.
pub fn statement_stored() {
    if STATE.with_borrow(|state| state.bulks.iter().any(|bulk| !statement::is_running(bulk.statement))) {
        drop_where(|bulk| !statement::is_running(bulk.statement));
    }
}

/// Forgets what the end of the transaction has released.
pub fn transaction_ended() {
    STATE.take();
}
