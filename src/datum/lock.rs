//! Advisory locks of this extension's own kind: they never meet those of `pg_advisory_lock`.

use pgrx::pg_sys;

/// What is locked, to the end of the transaction.
#[derive(Clone, Copy)]
pub enum Lock {
    /// The whole table, together with others who lock single keys of it.
    TableShared,
    /// The whole table, alone.
    Table,
    /// One key of the table.
    Key(u32),
}

/// Where `pg_advisory_lock` has 1 (one bigint key) or 2 (two integer keys); shown as `objsubid` in pg_locks.
const KIND_TABLE: u16 = 3;
const KIND_KEY: u16 = 4;

impl Lock {
    /// Waits for the lock on `table` and holds it to the end of the transaction, or of the savepoint that is rolled back.
    pub fn acquire(self, table: pg_sys::Oid) {
        let (key, kind, mode) = match self {
            Self::TableShared => (0, KIND_TABLE, pg_sys::ShareLock),
            Self::Table => (0, KIND_TABLE, pg_sys::ExclusiveLock),
            Self::Key(key) => (key, KIND_KEY, pg_sys::ExclusiveLock),
        };
        // SAFETY: a lock tag is plain data; the lock is transaction-scoped, so Postgres releases it. Waiting is
        // cancellable and under deadlock detection, as for every heavyweight lock.
        unsafe {
            let tag = pg_sys::LOCKTAG {
                locktag_field1: u32::from(pg_sys::MyDatabaseId),
                locktag_field2: u32::from(table),
                locktag_field3: key,
                locktag_field4: kind,
                locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
                locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
            };
            pg_sys::LockAcquire(&raw const tag, mode as i32, false, false);
        }
    }
}

/// A number that tells this transaction from the ones before it in this backend: when it started, in microseconds.
pub fn transaction() -> i64 {
    // SAFETY: reads a variable of the running transaction.
    unsafe { pg_sys::GetCurrentTransactionStartTimestamp() }
}
