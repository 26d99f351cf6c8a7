//! Rows near a signature, as the running query sees them: found by the B-tree indexes on rotated signatures, visited under
//! the query's snapshot.
//!
//! What is handed out are places, which the caller reads by SQL with everything that SQL asks of a reader.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ptr;

use neardup_core::banding::{DEFAULT_BANDS, Rotated};
use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{IntoDatum, pg_sys};

use super::table::{Place, Scan};

/// How many bands, hence indexes, there are.
pub const INDEXES: usize = DEFAULT_BANDS as usize;

const LOCK: i32 = pg_sys::AccessShareLock as i32;
const KEEP: i32 = pg_sys::NoLock as i32;

/// Entries in a page of such an index.
const ENTRIES_A_PAGE: u64 = 300;

/// Entries after which a scan asks whether the query was cancelled.
const INTERRUPT_EVERY: u32 = 4096;

/// A place as a value of type `tid`.
pub struct Tid(Place);

impl IntoDatum for Tid {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        self.0.into_datum()
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TIDOID
    }
}

// SAFETY: a tid is passed by reference; the value that it points to is allocated where the answer goes.
unsafe impl BoxRet for Tid {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        match self.0.into_datum() {
            // SAFETY: a datum of type tid.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

// SAFETY: the datum is that of Postgres's own type tid.
unsafe impl SqlTranslatable for Tid {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Tid);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("tid"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal("tid")));
}

/// One table with its indexes, band by band.
struct Part {
    oid: pg_sys::Oid,
    table: pg_sys::Relation,
    indexes: [pg_sys::Relation; INDEXES],
    scans: [Option<Scan>; INDEXES],
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
    /// The place of the entry that is the part's head.
    head: Place,
}

/// A table, or all partitions of one.
///
/// On an error Postgres closes what it has open; so it closes only where nothing unwinds.
pub struct Nearby {
    parts: Vec<Part>,
    snapshot: *mut pg_sys::SnapshotData,
    entries: u64,
    /// The band sought.
    band: usize,
    /// The next rotated signature of each part that has one: the parts are read as one, in order, which a search relies on.
    heads: BinaryHeap<Reverse<(i64, u32)>>,
    read: u32,
}

impl Nearby {
    /// Opens tables, each with its four indexes on rotated signatures.
    pub fn open(tables: &[(pg_sys::Oid, [pg_sys::Oid; INDEXES])]) -> Self {
        // SAFETY: opening raises an error where a relation has gone; slot and fetch are the table's own. The active snapshot
        // is that of the calling query, which outlives the call.
        unsafe {
            let open = |&(oid, indexes): &(pg_sys::Oid, [pg_sys::Oid; INDEXES])| {
                let table = pg_sys::table_open(oid, LOCK);
                Part {
                    oid,
                    table,
                    indexes: indexes.map(|index| pg_sys::index_open(index, LOCK)),
                    scans: [const { None }; INDEXES],
                    fetch: pg_sys::table_index_fetch_begin(table),
                    slot: pg_sys::table_slot_create(table, ptr::null_mut()),
                    head: Place::default(),
                }
            };
            let parts: Vec<Part> = tables.iter().map(open).collect();
            let pages = |part: &Part| {
                u64::from(pg_sys::RelationGetNumberOfBlocksInFork(part.indexes[0], pg_sys::ForkNumber::MAIN_FORKNUM))
            };
            let entries = parts.iter().map(pages).sum::<u64>() * ENTRIES_A_PAGE;
            Self { parts, snapshot: pg_sys::GetActiveSnapshot(), entries, band: 0, heads: BinaryHeap::new(), read: 0 }
        }
    }

    /// Makes the next entry of a part its head; before that, goes to the entries of a range if one is given.
    fn advance(&mut self, part: usize, range: Option<(i64, i64)>) {
        let (band, snapshot) = (self.band, self.snapshot);
        let Some(it) = self.parts.get_mut(part) else { return };
        // SAFETY: relations are closed after the scan is dropped; the snapshot outlives the call.
        let begin = || unsafe { Scan::begin(it.table, it.indexes[band], snapshot) };
        let scan = it.scans[band].get_or_insert_with(begin);
        if let Some((first, last)) = range {
            scan.range(first, last);
        }
        if let Some((word, place)) = scan.next() {
            it.head = place;
            self.heads.push(Reverse((word.cast_signed(), part as u32)));
        }
    }
}

impl Rotated for Nearby {
    /// The part, and the place in it.
    type Place = (u32, Place);
    type Row = (pg_sys::Oid, Tid);

    fn seek(&mut self, band: u32, first: i64, last: i64) {
        pgrx::check_for_interrupts!();
        self.band = band as usize;
        self.heads.clear();
        (0..self.parts.len()).for_each(|part| self.advance(part, Some((first, last))));
    }

    fn entry(&mut self) -> Option<(i64, Self::Place)> {
        self.read += 1;
        if self.read.is_multiple_of(INTERRUPT_EVERY) {
            pgrx::check_for_interrupts!();
        }
        let Reverse((word, part)) = self.heads.pop()?;
        let place = self.parts.get(part as usize)?.head;
        self.advance(part as usize, None);
        Some((word, (part, place)))
    }

    fn row(&mut self, (part, mut place): Self::Place) -> Option<Self::Row> {
        let part = self.parts.get_mut(part as usize)?;
        let (mut again, mut all_dead) = (false, false);
        // SAFETY: fetch, slot and table belong together. Of the versions at an index entry's place at most one is visible.
        unsafe {
            let found = pg_sys::table_index_fetch_tuple(
                part.fetch,
                &raw mut place,
                self.snapshot,
                part.slot,
                &raw mut again,
                &raw mut all_dead,
            );
            found.then(|| (part.oid, Tid((*part.slot).tts_tid)))
        }
    }

    fn entries(&self) -> u64 {
        self.entries
    }
}

impl Drop for Nearby {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        for part in &mut self.parts {
            part.scans = [const { None }; INDEXES];
            // SAFETY: all were opened in open; the locks stay to the end of the transaction, as for any query.
            unsafe {
                pg_sys::table_index_fetch_end(part.fetch);
                pg_sys::ExecDropSingleTupleTableSlot(part.slot);
                for index in part.indexes {
                    pg_sys::index_close(index, KEEP);
                }
                pg_sys::table_close(part.table, KEEP);
            }
        }
    }
}
