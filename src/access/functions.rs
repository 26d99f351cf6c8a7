//! The SQL objects of the access method: the script with its operator classes, and the functions that read a whole index.

use pgrx::prelude::*;

use super::verify;
use crate::error::Result;
use crate::index::kind::Kind;

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

#[pg_extern(
    stable,
    strict,
    parallel_restricted,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.check_index(index regclass) RETURNS bigint STABLE STRICT PARALLEL RESTRICTED COST 1000000 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn check_index(index: pg_sys::Oid) -> Result<i64> {
    verify::check_index(index).map(u64::cast_signed)
}
