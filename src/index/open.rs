//! An index that a function opens itself.
#![allow(unsafe_code, reason = "opens a relation")]

use pgrx::pg_sys;

use super::buffer::Index;
use super::values::count_scans;
use crate::pg::call::boundary::{self, raw};

const LOCK: i32 = pg_sys::AccessShareLock as i32;

/// An open index; closed and unlocked when it is dropped.
pub struct OpenIndex {
    relation: pg_sys::Relation,
    index: Index,
}

impl OpenIndex {
    /// Opens an index to read it, which counts as one scan in `pg_stat_user_indexes`. Postgres raises an error if it is gone.
    pub fn open(index: pg_sys::Oid) -> Self {
        // SAFETY: the relation stays open as long as self, and `index` lends what derives from it no longer.
        unsafe {
            let relation = pg_sys::index_open(index, LOCK);
            count_scans(relation, 1);
            Self { relation, index: Index::new(relation) }
        }
    }

    /// Makes rows that another transaction adds to it conflict with what this one has read, under SERIALIZABLE: as an index scan does.
    pub fn read_serializably(&self) {
        // SAFETY: the relation is open; a function runs under an active snapshot.
        unsafe { boundary::catch(|| raw::PredicateLockRelation(self.relation, pg_sys::GetActiveSnapshot())) };
    }

    /// Returns its pages, for reading many of them.
    pub fn pages(&self) -> Index {
        self.index.in_bulk()
    }
}

impl Drop for OpenIndex {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: opened in open.
            unsafe { pg_sys::index_close(self.relation, LOCK) };
        }
    }
}
