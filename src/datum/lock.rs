//! Advisory locks of this extension's own kind: they never meet those of `pg_advisory_lock`.

use pgrx::pg_sys;

/// Where `pg_advisory_lock` has 1 (one bigint key) or 2 (two integer keys), the guard has this; shown as `objsubid` in pg_locks.
const KIND: u16 = 3;

/// Waits for an exclusive lock on a key of a table and holds it to the end of the transaction.
pub fn lock_to_end_of_transaction(table: pg_sys::Oid, key: u32) {
    // SAFETY: a lock tag is plain data; the lock is transaction-scoped, so Postgres releases it. Waiting is
    // cancellable and under deadlock detection, as for every heavyweight lock.
    unsafe {
        let tag = pg_sys::LOCKTAG {
            locktag_field1: u32::from(pg_sys::MyDatabaseId),
            locktag_field2: u32::from(table),
            locktag_field3: key,
            locktag_field4: KIND,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        };
        pg_sys::LockAcquire(&raw const tag, pg_sys::ExclusiveLock as i32, false, false);
    }
}
