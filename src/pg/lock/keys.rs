//! Heavyweight locks on keys of a document column, and waiting for transactions. SQL's advisory lock functions cannot take locks of
//! this type.

use pgrx::pg_sys;

/// Distinct from 1 (one bigint key) and 2 (two integer keys) of `pg_advisory_lock`; shown as `objsubid` in pg_locks.
const KIND: u16 = 5;

/// One key of a document column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLock {
    /// The table; the root if the table has partitions.
    pub table: pg_sys::Oid,
    /// The key, combined with the column's number.
    pub key: u32,
}

/// Until dropped, makes the transaction, instead of one of its savepoints, the owner of new locks. So a backend that sees that a row
/// is stored can release its keys, in any portal or savepoint.
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

impl KeyLock {
    /// Waits for the lock. It is held until the end of the transaction, unless released.
    pub fn acquire(self) {
        let (_owner, tag) = (AsTransaction::begin(), self.tag());
        // SAFETY: the tag is plain data. Waiting is cancellable and under deadlock detection, as for every heavyweight lock.
        unsafe { pg_sys::LockAcquire(&raw const tag, pg_sys::ExclusiveLock as i32, false, false) };
    }

    /// Releases a lock that this transaction holds.
    pub fn release(self) {
        let (_owner, tag) = (AsTransaction::begin(), self.tag());
        // SAFETY: the tag is plain data; the lock was taken with the same owner.
        unsafe { pg_sys::LockRelease(&raw const tag, pg_sys::ExclusiveLock as i32, false) };
    }

    fn tag(self) -> pg_sys::LOCKTAG {
        pg_sys::LOCKTAG {
            // SAFETY: reads a variable that never changes in a backend.
            locktag_field1: u32::from(unsafe { pg_sys::MyDatabaseId }),
            locktag_field2: u32::from(self.table),
            locktag_field3: self.key,
            locktag_field4: KIND,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        }
    }
}

/// An open transaction whose end decides about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    transaction: pg_sys::TransactionId,
    /// Not 0 if only an `ON CONFLICT` insertion must be decided.
    speculation: u32,
}

impl Holder {
    /// Returns the transaction that decides about the version that a dirty snapshot has just accepted; `None` if there is none.
    ///
    /// # Safety
    /// `snapshot` must be valid.
    pub(in crate::pg) unsafe fn of(snapshot: *const pg_sys::SnapshotData) -> Option<Self> {
        // SAFETY: guaranteed by the caller.
        let dirty = unsafe { &*snapshot };
        if dirty.xmin != pg_sys::InvalidTransactionId {
            return Some(Self { transaction: dirty.xmin, speculation: dirty.speculativeToken });
        }
        (dirty.xmax != pg_sys::InvalidTransactionId).then_some(Self { transaction: dirty.xmax, speculation: 0 })
    }

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
