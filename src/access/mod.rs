//! The access method `neardup` as Postgres calls it. [`crate::index`] does the work; this module is the unsafe glue.
//!
//! Each function that Postgres calls runs inside [`boundary::entry`]. So Rust errors, panics and Postgres's own errors leave it in
//! an orderly way, even while pages are locked ([`crate::pg::storage::pages`]). Postgres functions that are called through a
//! pointer, and so without pgrx's guard, are called inside [`boundary::catch`].
//!
//! * [`build`], [`scan`], [`vacuum`], [`cost`], [`options`]: the functions of `IndexAmRoutine`. [`values`]: what they share.
//! * [`functions`] and [`verify`]: `neardup.check_index`.
//! * [`search`]: the guard's searches, in an index of any access method.

mod build;
mod cost;
mod functions;
mod options;
mod scan;
pub mod search;
mod vacuum;
mod values;
mod verify;

pub use options::define;

use pgrx::{AllocatedByRust, PgBox, pg_sys};

use crate::pg::call::boundary;

/// Says which functions the access method has.
///
/// # Safety
/// Postgres calls it as the handler that sql/index.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_index_handler(_: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: this is the outermost frame; the node is allocated in the memory of the call.
    unsafe { boundary::entry(|| pg_sys::Datum::from(routine().into_pg())) }
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_index_handler() -> &'static pg_sys::Pg_finfo_record {
    &pg_sys::Pg_finfo_record { api_version: 1 }
}

fn routine() -> PgBox<pg_sys::IndexAmRoutine, AllocatedByRust> {
    // SAFETY: a node of this kind, zeroed.
    let mut routine = unsafe { PgBox::<pg_sys::IndexAmRoutine>::alloc_node(pg_sys::NodeTag::T_IndexAmRoutine) };
    // A condition that the index serves, and an order that it gives.
    routine.amstrategies = 2;
    routine.amsupport = values::KIND_FUNCTION;
    routine.amcanorderbyop = true;
    // An order by distance needs no condition. A scan with neither is forbidden by its cost.
    routine.amoptionalkey = true;
    routine.amparallelvacuumoptions = pg_sys::VACUUM_OPTION_PARALLEL_BULKDEL as u8;
    routine.amkeytype = pg_sys::Oid::INVALID;
    routine.ambuild = Some(build::build);
    routine.ambuildempty = Some(build::build_empty);
    routine.aminsert = Some(build::insert);
    routine.ambulkdelete = Some(vacuum::bulk_delete);
    routine.amvacuumcleanup = Some(vacuum::clean_up);
    routine.amcostestimate = Some(cost::estimate);
    routine.amoptions = Some(options::options);
    routine.ambuildphasename = Some(build::phase_name);
    routine.amvalidate = Some(validate);
    routine.ambeginscan = Some(scan::begin);
    routine.amrescan = Some(scan::rescan);
    routine.amgettuple = Some(scan::get_tuple);
    routine.amgetbitmap = Some(scan::get_bitmap);
    routine.amendscan = Some(scan::end);
    routine
}

/// Only superusers make operator classes for an access method, and ours come with it.
unsafe extern "C-unwind" fn validate(_: pg_sys::Oid) -> bool {
    true
}
