//! Detects when cached facts about a relation may be out of date.
//!
//! A cache stores the [`Stamp`] of the relation it describes and compares it before each use. Single relations are watched, because
//! a table of a hundred partitions must not be described again whenever one of them is vacuumed.

use std::cell::{Cell, RefCell};

use ahash::AHashMap;
use pgrx::pg_sys;
use pgrx::prelude::*;

/// The state of a relation, as far as this backend knows. If two stamps are equal, nothing has changed in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Changes to all relations at once, to schemas and to functions.
    general: u64,
    /// Changes to the relation.
    own: u64,
}

thread_local! {
    static GENERAL: Cell<u64> = const { Cell::new(0) };
    /// Changes by relation, for those relations whose stamp was requested.
    static OWN: RefCell<AHashMap<pg_sys::Oid, u64>> = RefCell::default();
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

#[pg_guard]
unsafe extern "C-unwind" fn on_relation(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    let counted = OWN.with(|own| {
        let Ok(mut own) = own.try_borrow_mut() else { return false };
        if let Some(changes) = own.get_mut(&relation) {
            *changes += 1;
        }
        true
    });
    // The invalid oid means all relations. If a callback comes while the map is being written, all count as changed, to be
    // safe.
    if !counted || relation == pg_sys::Oid::INVALID {
        GENERAL.set(GENERAL.get() + 1);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_catalog(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
    GENERAL.set(GENERAL.get() + 1);
}

/// Returns the stamp of a relation. Take it before reading what is cached.
pub fn stamp(relation: pg_sys::Oid) -> Stamp {
    listen();
    let own = OWN.with_borrow_mut(|own| *own.entry(relation).or_default());
    Stamp { general: GENERAL.get(), own }
}

/// Processes all changes that others have committed by now.
pub fn accept() {
    // SAFETY: a transaction is running.
    unsafe { pg_sys::AcceptInvalidationMessages() };
}

/// Starts counting, at the first call in a backend: Postgres keeps a callback for ever, and has room for only a few.
fn listen() {
    if LISTENING.replace(true) {
        return;
    }
    // SAFETY: the callbacks only change counters of this thread and call nothing of Postgres, because they may run whenever it
    // handles invalidations.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(on_relation), pg_sys::Datum::null());
        for cache in [pg_sys::SysCacheIdentifier::NAMESPACEOID, pg_sys::SysCacheIdentifier::PROCOID] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(on_catalog), pg_sys::Datum::null());
        }
    }
}
