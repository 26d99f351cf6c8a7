//! `USING neardup`: an index access method for sketches and signatures.
//!
//! `CREATE INDEX ON articles USING neardup (sketch(body))` holds the keys of a sketch as entries of one size in a B-link tree, so it is
//! built by one sort, is small, and gives all pairs of rows that share a key in one pass. GIN serves the same operators.
//!
//! * [`page`]: what lies where in a page. [`kind`]: which keys a signature has, in how many trees.
//! * [`tree`]: walking. [`insert`], [`vacuum`], [`build`]: changing.
//! * [`search`], [`query`], [`nearest`], [`cost`]: answering. [`pairs`]: all pairs. [`check`]: whether an index is sound.
//!
//! All of this is safe Rust over the bytes of pages. Postgres's side is in `pg/access/pages.rs` (buffers, locks, WAL; it says how errors
//! and panics stay harmless), `pg/access/sort.rs` and `pg/access/` (the functions that Postgres calls).
//!
//! WAL is Postgres's generic one, so nothing has to be preloaded, and every replica replays it. The format of the pages has a version,
//! on the metapage.

use pgrx::prelude::*;

pub mod build;
pub mod check;
pub mod cost;
pub mod insert;
pub mod kind;
pub mod nearest;
pub mod page;
pub mod pairs;
pub mod query;
pub mod search;
pub mod tree;
pub mod vacuum;

use kind::Kind;

use crate::error::Result;
use crate::pg::access;

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
    access::check_index(index).map(u64::cast_signed)
}
