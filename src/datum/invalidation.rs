//! Tells when something cached about a table may no longer hold.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Counts the changes to watched tables, to schemas and functions that this backend has heard of.
static GENERATION: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static WATCHED: RefCell<Vec<pg_sys::Oid>> = const { RefCell::new(Vec::new()) };
    static LISTENING: Cell<bool> = const { Cell::new(false) };
}

#[pg_guard]
unsafe extern "C-unwind" fn on_relation(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    // The invalid oid stands for all tables. A callback may come while the list is being written: then count, to be safe.
    let watched = WATCHED.with(|list| list.try_borrow().map_or(true, |list| list.contains(&relation)));
    if watched || relation == pg_sys::Oid::INVALID {
        GENERATION.fetch_add(1, Ordering::Relaxed);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_catalog(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A number that grows with every change; what was cached under another one must be made anew.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Counts changes to this table from now on.
pub fn watch(table: pg_sys::Oid) {
    WATCHED.with_borrow_mut(|list| {
        if !list.contains(&table) {
            list.push(table);
        }
    });
}

/// Starts counting, at the first call in a backend: Postgres keeps a callback for ever and has room for few.
pub fn listen() {
    if LISTENING.replace(true) {
        return;
    }
    // SAFETY: the callbacks only touch an atomic and a list of this thread, and call nothing of Postgres, as they may
    // run at any moment in which it handles invalidations.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(on_relation), pg_sys::Datum::null());
        for cache in [pg_sys::SysCacheIdentifier::NAMESPACEOID, pg_sys::SysCacheIdentifier::PROCOID] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(on_catalog), pg_sys::Datum::null());
        }
    }
}
