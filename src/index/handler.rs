//! What Postgres is told of the access method: the script with its operator classes, and the handler that gives its functions.
#![allow(unsafe_code, reason = "Postgres calls the handler by name")]

use neardup_page::kind::SignatureKind;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::{build, cost, insert, options, scan, vacuum, validate, values};
use crate::pg::call::boundary;
use crate::pg::call::function_info;
use crate::pg::compat;

/// Support function 1: the kind of signature of an operator class, sketches.
#[pg_extern(sql = false)]
fn index_kind_of_sketches() -> i32 {
    SignatureKind::Sketch.number().into()
}

/// Support function 1: the kind of signature of an operator class, SimHashes.
#[pg_extern(sql = false)]
fn index_kind_of_simhashes() -> i32 {
    SignatureKind::SimHash.number().into()
}

/// A routine in which nothing is set, as `makeNode` returns it.
// SAFETY: of numbers, flags and pointers to functions, all of which may be zero; the tag is then `T_Invalid`.
const EMPTY: pg_sys::IndexAmRoutine = unsafe { std::mem::zeroed() };

/// What Postgres is to know of the access method, and the functions that it calls.
static ROUTINE: pg_sys::IndexAmRoutine = pg_sys::IndexAmRoutine {
    type_: pg_sys::NodeTag::T_IndexAmRoutine,
    // A condition that the index serves, and an order that it gives.
    amstrategies: 2,
    amsupport: values::KIND_FUNCTION,
    amcanorderbyop: true,
    // An order by distance needs no condition. A scan with neither is forbidden by its cost.
    amoptionalkey: true,
    amparallelvacuumoptions: pg_sys::VACUUM_OPTION_PARALLEL_BULKDEL as u8,
    amkeytype: pg_sys::Oid::INVALID,
    ambuild: Some(build::build),
    ambuildempty: Some(build::build_empty),
    aminsert: Some(insert::insert),
    ambulkdelete: Some(vacuum::bulk_delete),
    amvacuumcleanup: Some(vacuum::clean_up),
    amcostestimate: Some(cost::estimate),
    amoptions: Some(options::options),
    ambuildphasename: Some(build::phase_name),
    amvalidate: Some(validate::validate),
    ambeginscan: Some(scan::begin),
    amrescan: Some(scan::rescan),
    amgettuple: Some(scan::get_tuple),
    amgetbitmap: Some(scan::get_bitmap),
    amendscan: Some(scan::end),
    ..EMPTY
};

/// Returns Postgres the routine.
///
/// # Safety
/// Postgres calls it as the handler that index.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_index_handler(_: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: this is the outermost frame.
    unsafe { boundary::entry(|| compat::handed_over(&ROUTINE)) }
}

function_info!(pg_finfo_neardup_index_handler);
