//! Advisory locks of this extension's own kind: they never meet those of `pg_advisory_lock`.

use pgrx::pg_sys;

/// What is locked, to the end of the transaction.
#[derive(Clone, Copy)]
pub enum Lock {
    /// The whole column, together with others who lock single keys of it.
    Shared,
    /// The whole column, alone.
    Alone,
    /// The right to ask for [`Lock::Alone`]: two who held [`Lock::Shared`] and both asked would wait for each other.
    Turn,
    /// One key of the column.
    Key(u32),
}

/// Where `pg_advisory_lock` has 1 (one bigint key) or 2 (two integer keys); shown as `objsubid` in pg_locks.
const KIND_COLUMN: u16 = 3;
const KIND_TURN: u16 = 4;
const KIND_KEY: u16 = 5;

impl Lock {
    /// Waits for the lock on a document column of `table` and holds it to the end of the transaction, or of the savepoint
    /// that is rolled back.
    pub fn acquire(self, table: pg_sys::Oid, column: i32) {
        self.request(table, column, false);
    }

    /// Takes the lock if nobody is in the way, and says whether it did.
    pub fn try_acquire(self, table: pg_sys::Oid, column: i32) -> bool {
        self.request(table, column, true)
    }

    fn request(self, table: pg_sys::Oid, column: i32, only_if_free: bool) -> bool {
        let (key, kind, mode) = match self {
            Self::Shared => (0, KIND_COLUMN, pg_sys::ShareLock),
            Self::Alone => (0, KIND_COLUMN, pg_sys::ExclusiveLock),
            Self::Turn => (0, KIND_TURN, pg_sys::ExclusiveLock),
            Self::Key(key) => (key, KIND_KEY, pg_sys::ExclusiveLock),
        };
        // Columns of a table differ by their number, spread over the 32 bits that keys fill too.
        let key = key ^ column.cast_unsigned().wrapping_mul(0x9e37_79b9);
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
            let result = pg_sys::LockAcquire(&raw const tag, mode as i32, false, only_if_free);
            result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
        }
    }
}

/// A number that tells this transaction from the ones before it in this backend: when it started, in microseconds.
pub fn transaction() -> i64 {
    // SAFETY: reads a variable of the running transaction.
    unsafe { pg_sys::GetCurrentTransactionStartTimestamp() }
}
