//! What Postgres is told of the access method: the script with its operator classes, and the handler that gives its functions.
#![allow(unsafe_code, reason = "Postgres calls the handler by name")]

use pgrx::prelude::*;
use pgrx::{AllocatedByRust, PgBox, pg_sys};

use super::kind::Kind;
use super::{build, cost, insert, options, scan, vacuum, values};
use crate::pg::call::boundary;

extension_sql_file!(
    "../../sql/index.sql",
    name = "index",
    requires = ["sketch", "simhash_search", index_kind_of_sketches, index_kind_of_simhashes, check_index]
);

/// Says to the access method that an operator class is of sketches.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.index_kind_of_sketches() RETURNS integer IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn index_kind_of_sketches() -> i32 {
    Kind::Sketch.number().into()
}

/// Says to the access method that an operator class is of signatures.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.index_kind_of_simhashes() RETURNS integer IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn index_kind_of_simhashes() -> i32 {
    Kind::SimHash.number().into()
}

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
    routine.aminsert = Some(insert::insert);
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
