//! Building an index, and inserting into it.

use std::ffi::{c_char, c_void};

use pgrx::{PgMemoryContexts, pg_sys};

use super::options::fill_of;
use super::values::{declared_kind, keys_of, kind_of, raise, row_of};
use crate::error::Result;
use crate::index::build::{self, Builder};
use crate::index::insert;
use crate::index::kind::{Kind, TreeKey};
use crate::pg::call::boundary;
use crate::pg::storage::pages::Index;

/// The steps of a build as `pg_stat_progress_create_index` names them; 1 is Postgres's own, "initializing".
const PHASES: [&std::ffi::CStr; 4] = [c"initializing", c"scanning table", c"sorting keys", c"writing pages"];

pub(super) unsafe extern "C-unwind" fn phase_name(phase: i64) -> *mut c_char {
    let name = usize::try_from(phase).ok().and_then(|phase| PHASES.get(phase.checked_sub(1)?));
    name.map_or(std::ptr::null_mut(), |name| name.as_ptr().cast_mut())
}

fn enter(phase: i64) {
    // SAFETY: writes a number of this backend's own.
    unsafe { pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_SUBPHASE as i32, phase) };
}

/// A scan that hands each row's keys to `sink`.
struct Reading<'r> {
    kind: Kind,
    keys: Vec<TreeKey>,
    rows: u64,
    /// What unpacking a signature takes.
    memory: PgMemoryContexts,
    sink: &'r mut dyn FnMut(&[TreeKey], u64),
}

/// How many rows are read before their memory is given back.
const BATCH: u64 = 256;

/// Postgres calls it for each row.
unsafe extern "C-unwind" fn take_row(
    _: pg_sys::Relation,
    tid: pg_sys::ItemPointer,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    _: bool,
    reading: *mut c_void,
) {
    // SAFETY: this is the outermost frame below Postgres's scan. The index has one column; `reading` is what `read_rows` passes.
    unsafe {
        boundary::entry(|| {
            let reading = &mut *reading.cast::<Reading<'_>>();
            let value = (!*nulls).then_some(*values);
            if reading.rows.is_multiple_of(BATCH) {
                reading.memory.reset();
            }
            let before = pg_sys::MemoryContextSwitchTo(reading.memory.value());
            let result = keys_of(reading.kind, value, &mut reading.keys);
            pg_sys::MemoryContextSwitchTo(before);
            raise(result);
            reading.rows += u64::from(value.is_some());
            (reading.sink)(&reading.keys, row_of(*tid));
        });
    }
}

/// Reads a table's rows as a build does, and gives the numbers of the table's rows and of those with a signature. With a snapshot only
/// the rows that it sees are read.
///
/// # Safety
/// Both relations must be open and belong together.
pub unsafe fn read_rows(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
    kind: Kind,
    snapshot: pg_sys::Snapshot,
    sink: &mut dyn FnMut(&[TreeKey], u64),
) -> (f64, u64) {
    let memory = PgMemoryContexts::new("signature");
    let mut reading = Reading { kind, keys: Vec::new(), rows: 0, memory, sink };
    let state = (&raw mut reading).cast::<c_void>();
    let last = pg_sys::InvalidBlockNumber;
    // SAFETY: as the caller vouches. What runs below may be anybody's: expressions of the index.
    let rows = unsafe {
        let scan = if snapshot.is_null() {
            std::ptr::null_mut()
        } else {
            pg_sys::table_beginscan_strat(table, snapshot, 0, std::ptr::null_mut(), true, true)
        };
        let read = (*(*table).rd_tableam).index_build_range_scan;
        let progress = snapshot.is_null();
        match read {
            Some(read) => boundary::catch(|| {
                read(table, index, info, true, false, progress, 0, last, Some(take_row), state, scan)
            }),
            None => 0.0,
        }
    };
    (rows, reading.rows)
}

pub(super) unsafe extern "C-unwind" fn build(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
) -> *mut pg_sys::IndexBuildResult {
    // SAFETY: this is the outermost frame; Postgres has both relations open, and the index is empty and ours.
    unsafe {
        boundary::entry(|| {
            let (rows, signed) = raise(build_index(table, index, info));
            let result = pg_sys::palloc0(size_of::<pg_sys::IndexBuildResult>()).cast::<pg_sys::IndexBuildResult>();
            (*result).heap_tuples = rows;
            (*result).index_tuples = signed as f64;
            result
        })
    }
}

/// # Safety
/// As Postgres calls a build.
unsafe fn build_index(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    info: *mut pg_sys::IndexInfo,
) -> Result<(f64, u64)> {
    // SAFETY: as the caller vouches.
    unsafe {
        let kind = declared_kind(index)?;
        let mut builder = Builder::begin(pg_sys::maintenance_work_mem);
        enter(2);
        let none = std::ptr::null_mut();
        let read = read_rows(table, index, info, kind, none, &mut |keys, row| builder.add(keys, row));
        enter(3);
        let entries = builder.entries;
        let sorted = builder.sort();
        enter(4);
        pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_TUPLES_TOTAL as i32, entries as i64);
        let progress = |done: u64| {
            pg_sys::pgstat_progress_update_param(pg_sys::PROGRESS_CREATEIDX_TUPLES_DONE as i32, done as i64);
        };
        build::write(Index::new(index), kind, sorted, fill_of(index), progress)?;
        Ok(read)
    }
}

pub(super) unsafe extern "C-unwind" fn build_empty(index: pg_sys::Relation) {
    // SAFETY: this is the outermost frame; Postgres has the index open.
    unsafe {
        boundary::entry(|| {
            let kind = raise(declared_kind(index));
            Index::new(index).write_initial(&build::empty(kind));
        });
    }
}

pub(super) unsafe extern "C-unwind" fn insert(
    index: pg_sys::Relation,
    values: *mut pg_sys::Datum,
    nulls: *mut bool,
    tid: pg_sys::ItemPointer,
    _table: pg_sys::Relation,
    _unique: pg_sys::IndexUniqueCheck::Type,
    _unchanged: bool,
    _info: *mut pg_sys::IndexInfo,
) -> bool {
    // SAFETY: this is the outermost frame; Postgres has the index open, which has one column.
    unsafe {
        boundary::entry(|| {
            let mut keys = Vec::new();
            let result = kind_of(index).and_then(|kind| {
                keys_of(kind, (!*nulls).then_some(*values), &mut keys)?;
                insert::insert(Index::new(index), &keys, row_of(*tid))
            });
            raise(result);
        });
    }
    false
}
