//! A table lock that outlives the transactions of a procedure: a session lock of Postgres's own kind, as VACUUM and CREATE INDEX
//! CONCURRENTLY have between their transactions. Postgres releases it when a transaction of the session aborts, whatever the cause, and
//! when the session ends; so no error, cancel or crash leaves it behind.

use pgrx::pg_sys;

use super::runner::in_transaction_block;

const MODE: pg_sys::LOCKMODE = pg_sys::ShareRowExclusiveLock as pg_sys::LOCKMODE;

fn tag(table: pg_sys::Oid) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: MyDatabaseId is set before any function can run, and never changes.
        locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
        locktag_field2: u32::from(table),
        locktag_field3: 0,
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_RELATION as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    }
}

/// Keeps a SHARE ROW EXCLUSIVE lock that this transaction has on a table; false where it has none, and then nothing is locked. Nor is it
/// kept in a transaction block or a subtransaction, whose rollback would leave it behind.
pub fn keep(table: pg_sys::Oid) -> bool {
    use pg_sys::LockAcquireResult::{LOCKACQUIRE_NOT_AVAIL, LOCKACQUIRE_OK};
    if in_transaction_block() {
        return false;
    }
    // SAFETY: a lock tag is plain data; the lock is asked for without waiting.
    let result = unsafe { pg_sys::LockAcquire(&tag(table), MODE, true, true) };
    if result == LOCKACQUIRE_OK {
        // It was not there before.
        leave(table);
    }
    result != LOCKACQUIRE_OK && result != LOCKACQUIRE_NOT_AVAIL
}

/// Whether another session waits for a lock that was kept; Postgres warns where there is none.
pub fn is_awaited(table: pg_sys::Oid) -> bool {
    // SAFETY: a lock tag is plain data.
    unsafe { pg_sys::LockHasWaiters(&tag(table), MODE, true) }
}

/// Releases a lock that was kept; Postgres warns where there is none.
pub fn leave(table: pg_sys::Oid) {
    // SAFETY: a lock tag is plain data.
    unsafe { pg_sys::LockRelease(&tag(table), MODE, true) };
}
