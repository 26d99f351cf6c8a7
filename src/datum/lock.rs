//! Advisory locks of this extension's own kind: they never meet those of `pg_advisory_lock`.

use pgrx::pg_sys;

/// What is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// The whole column, together with others who lock single keys of it.
    Shared,
    /// The whole column, alone.
    Alone,
    /// The column's turn for statements of many rows.
    Turn,
    /// One key of the column.
    Key(u32),
}

/// Where `pg_advisory_lock` has 1 (one bigint key) or 2 (two integer keys); shown as `objsubid` in pg_locks.
const KIND_COLUMN: u16 = 3;
const KIND_TURN: u16 = 4;
const KIND_KEY: u16 = 5;

/// Makes the transaction, and no savepoint of it, the owner of what is locked, until dropped.
struct AsTransaction {
    before: pg_sys::ResourceOwner,
}

impl AsTransaction {
    fn begin() -> Self {
        // SAFETY: both are variables of this backend, and a transaction is running.
        unsafe {
            let before = pg_sys::CurrentResourceOwner;
            pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;
            Self { before }
        }
    }
}

impl Drop for AsTransaction {
    fn drop(&mut self) {
        // SAFETY: the owner was current when this began and lives at least as long as the call in between.
        unsafe { pg_sys::CurrentResourceOwner = self.before };
    }
}

impl Lock {
    /// Waits for the lock on a document column of `table`; it is held to the end of the transaction, unless released.
    pub fn acquire(self, table: pg_sys::Oid, column: i32) {
        self.request(table, column, false);
    }

    /// Takes the lock if nobody is in the way, and says whether it did.
    pub fn try_acquire(self, table: pg_sys::Oid, column: i32) -> bool {
        self.request(table, column, true)
    }

    /// Gives back a lock that this transaction holds.
    pub fn release(self, table: pg_sys::Oid, column: i32) {
        let (_owner, tag) = (AsTransaction::begin(), self.tag(table, column));
        // SAFETY: the tag is plain data; the lock was taken with the same owner.
        unsafe { pg_sys::LockRelease(&raw const tag, self.mode() as i32, false) };
    }

    /// Whether someone waits for what this transaction has locked.
    pub fn is_wanted(self, table: pg_sys::Oid, column: i32) -> bool {
        let tag = self.tag(table, column);
        // SAFETY: the tag is plain data, and the caller holds the lock.
        unsafe { pg_sys::LockHasWaiters(&raw const tag, self.mode() as i32, false) }
    }

    fn request(self, table: pg_sys::Oid, column: i32, only_if_free: bool) -> bool {
        let (_owner, tag) = (AsTransaction::begin(), self.tag(table, column));
        // SAFETY: the tag is plain data. Waiting is cancellable and under deadlock detection, as for every heavyweight lock.
        let result = unsafe { pg_sys::LockAcquire(&raw const tag, self.mode() as i32, false, only_if_free) };
        result != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }

    fn mode(self) -> u32 {
        match self {
            Self::Shared => pg_sys::ShareLock,
            Self::Alone | Self::Turn | Self::Key(_) => pg_sys::ExclusiveLock,
        }
    }

    fn tag(self, table: pg_sys::Oid, column: i32) -> pg_sys::LOCKTAG {
        let (key, kind) = match self {
            Self::Shared | Self::Alone => (0, KIND_COLUMN),
            Self::Turn => (0, KIND_TURN),
            Self::Key(key) => (key, KIND_KEY),
        };
        pg_sys::LOCKTAG {
            // SAFETY: reads a variable that never changes in a backend.
            locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
            locktag_field2: u32::from(table),
            // Columns of a table differ by their number, spread over the 32 bits that keys fill too.
            locktag_field3: key ^ column.cast_unsigned().wrapping_mul(0x9e37_79b9),
            locktag_field4: kind,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        }
    }
}

/// A number that tells this transaction from the ones before it in this backend: when it started, in microseconds.
pub fn transaction() -> i64 {
    // SAFETY: reads a variable of the running transaction.
    unsafe { pg_sys::GetCurrentTransactionStartTimestamp() }
}

/// A transaction that has not ended, and whose end decides about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    pub(super) transaction: pg_sys::TransactionId,
    /// Not 0 where only an `ON CONFLICT` insertion has to be decided.
    pub(super) speculation: u32,
}

impl Holder {
    /// Waits for its end.
    pub fn wait(self) {
        // SAFETY: both wait under deadlock detection and can be cancelled; there is no row to name.
        unsafe {
            if self.speculation != 0 {
                pg_sys::SpeculativeInsertionWait(self.transaction, self.speculation);
            } else {
                let oper = pg_sys::XLTW_Oper::XLTW_None;
                pg_sys::XactLockTableWait(self.transaction, std::ptr::null_mut(), std::ptr::null_mut(), oper);
            }
        }
    }
}
