//! Opens an index for the functions that read all of it.

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::build::read_rows;
use super::values::{is_ours, kind_of, tid_of};
use crate::error::Result;
use crate::index::check::{self, Expected, Found};
use crate::pg::call::{boundary, role};
use crate::pg::storage::pages::Index;

const LOCK: i32 = pg_sys::AccessShareLock as i32;
/// An index of ours and its table, open until the end of the transaction.
struct Opened {
    table: pg_sys::Relation,
    index: pg_sys::Relation,
}

fn wrong(message: String) -> ErrorReport {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_WRONG_OBJECT_TYPE, message, "pg_neardup")
}

impl Opened {
    fn open(oid: pg_sys::Oid) -> Result<Self> {
        // SAFETY: the table is locked before its index, as everywhere in Postgres; an error closes what is open.
        unsafe {
            let table = pg_sys::IndexGetRelation(oid, true);
            let table =
                if table == pg_sys::Oid::INVALID { std::ptr::null_mut() } else { pg_sys::try_table_open(table, LOCK) };
            if table.is_null() {
                return Err(wrong(format!("\"{}\" is no index", crate::pg::table::catalog::relation_name(oid))));
            }
            let index = pg_sys::index_open(oid, LOCK);
            let is_plain = (*(*index).rd_rel).relkind as u8 == pg_sys::RELKIND_INDEX;
            if !is_plain || !is_ours(index) {
                // From the catalog: a partitioned index has no pages, which Index counts.
                let name = crate::pg::table::catalog::relation_name(oid);
                return Err(wrong(format!("\"{name}\" is no index of access method neardup"))
                    .set_detail("Of a partitioned index, name the indexes of its partitions."));
            }
            if !(*(*index).rd_index).indisvalid {
                let name = Index::new(index).name();
                return Err(wrong(format!("index \"{name}\" is not valid")));
            }
            Ok(Self { table, index })
        }
    }

    fn close(self) {
        // SAFETY: opened in open. The locks stay until the transaction ends.
        unsafe {
            pg_sys::index_close(self.index, 0);
            pg_sys::table_close(self.table, 0);
        }
    }

    fn table(&self) -> pg_sys::Oid {
        // SAFETY: the table is open.
        unsafe { (*self.table).rd_id }
    }
}

fn refused(opened: &Opened, what: &str) -> ErrorReport {
    let message = format!("must {what} table \"{}\"", crate::pg::table::catalog::relation_name(opened.table()));
    ErrorReport::new(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message, "pg_neardup")
}

/// Checks an index against its table, and gives the number of its entries.
///
/// # Errors
/// The first fault; for what is no index of ours, and for a user who does not own the table.
pub fn check_index(oid: pg_sys::Oid) -> Result<u64> {
    // SAFETY: pgrx has wrapped the caller, and neither frame has anything to be dropped. Expressions of the index are run below.
    unsafe { boundary::entry(|| check_closed(oid)) }
}

fn check_closed(oid: pg_sys::Oid) -> Result<u64> {
    let opened = Opened::open(oid)?;
    if !role::owns(opened.table()) {
        return Err(refused(&opened, "be owner of"));
    }
    // Expressions of the index are run as the table's owner, as every command on an index does.
    // SAFETY: the table is open.
    let owner = unsafe { (*(*opened.table).rd_rel).relowner };
    let entries = role::as_owner(owner, || check_opened(&opened))?;
    opened.close();
    Ok(entries)
}

fn check_opened(opened: &Opened) -> Result<u64> {
    // SAFETY: both relations are open. The snapshot is registered as long as it is used, and by an error until the transaction ends.
    unsafe {
        let kind = kind_of(opened.index)?;
        let snapshot = pg_sys::RegisterSnapshot(pg_sys::GetLatestSnapshot());
        let info = pg_sys::BuildIndexInfo(opened.index);
        // With a snapshot of its own, as a concurrent build: only rows that it sees.
        (*info).ii_Concurrent = true;
        (*info).ii_Unique = false;
        (*info).ii_ExclusionOps = std::ptr::null_mut();
        let mut expected = Expected::begin(pg_sys::maintenance_work_mem);
        read_rows(opened.table, opened.index, info, kind, snapshot, &mut |keys, row| expected.add(keys, row));
        let fetch = pg_sys::table_index_fetch_begin(opened.table);
        let slot = pg_sys::table_slot_create(opened.table, std::ptr::null_mut());
        let look = |row| look(opened.table, fetch, slot, snapshot, row);
        let result = check::index(Index::new(opened.index).in_bulk(), kind.trees(), expected, look);
        pg_sys::table_index_fetch_end(fetch);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        pg_sys::UnregisterSnapshot(snapshot);
        result
    }
}

/// What a table has at an address.
///
/// # Safety
/// All must be open and belong together.
unsafe fn look(
    table: pg_sys::Relation,
    fetch: *mut pg_sys::IndexFetchTableData,
    slot: *mut pg_sys::TupleTableSlot,
    snapshot: pg_sys::Snapshot,
    row: u64,
) -> Found {
    let mut tid = tid_of(row);
    let (mut again, mut dead) = (false, false);
    // SAFETY: as the caller vouches. What the table does not have is not there; an unused line pointer is nobody's.
    unsafe {
        let (block, number) = pgrx::itemptr::item_pointer_get_both(tid_of(row));
        let main = pg_sys::ForkNumber::MAIN_FORKNUM;
        if block >= pg_sys::RelationGetNumberOfBlocksInFork(table, main) {
            return Found::Nothing;
        }
        let found = pg_sys::table_index_fetch_tuple(fetch, &raw mut tid, snapshot, slot, &raw mut again, &raw mut dead);
        pg_sys::ExecClearTuple(slot);
        if found {
            return Found::Another;
        }
        let buffer = pg_sys::ReadBuffer(table, block);
        pg_sys::LockBuffer(buffer, pg_sys::BUFFER_LOCK_SHARE as i32);
        let page = pg_sys::BufferGetPage(buffer);
        let is_used = number >= 1 && number <= pg_sys::PageGetMaxOffsetNumber(page) && {
            (*pg_sys::PageGetItemId(page, number)).lp_flags() != pg_sys::LP_UNUSED
        };
        pg_sys::UnlockReleaseBuffer(buffer);
        if is_used { Found::Unseen } else { Found::Nothing }
    }
}
