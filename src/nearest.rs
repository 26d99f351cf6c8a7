//! `neardup.nearest`, `neardup.near`, `neardup.exists_within`, `neardup.hot_bands`: what can be asked of any table with
//! signatures. SQL by the GIN index on bands; where there are B-tree indexes on rotated signatures, as a guard has them, by
//! those: their entries hold the signature, so that only rows of the answer are visited.

use std::cell::RefCell;
use std::rc::Rc;

use ahash::AHashMap;
use neardup_core::banding::{self, MAX_DISTANCE};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::Spi;

use crate::argument::within;
use crate::datum::nearby::{INDEXES, Nearby, Tid};
use crate::datum::{SimHash, invalidation, role};
use crate::error::Result;

extension_sql_file!(
    "../sql/nearest.sql",
    name = "nearest",
    requires = ["banding", "guard", is_rotated, nearest_places, any_rotated_within]
);

/// A table, or its partitions, each with its four indexes; `None` where one is missing.
type Parts = Option<Rc<[(pg_sys::Oid, [pg_sys::Oid; INDEXES])]>>;

thread_local! {
    /// By table and column, each with the generation it was read in.
    static PARTS: RefCell<AHashMap<(pg_sys::Oid, String), (u64, Parts)>> = RefCell::default();
}

/// The tables to look in, if they are indexed and the user may read them.
fn parts(target: pg_sys::Oid, column: &str) -> Result<Parts> {
    if !role::may_read(target) {
        return Ok(None);
    }
    invalidation::listen();
    let generation = invalidation::generation();
    let key = (target, column.to_owned());
    let known = PARTS.with_borrow(|parts| parts.get(&key).filter(|known| known.0 == generation).map(|it| it.1.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let found = ask(target, column).map_err(|e| {
        ErrorReport::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, e.to_string(), "neardup_internal.rotated_parts")
    })?;
    PARTS.with_borrow_mut(|parts| parts.insert(key, (generation, found.clone())));
    Ok(found)
}

fn ask(target: pg_sys::Oid, column: &str) -> std::result::Result<Parts, pgrx::spi::Error> {
    invalidation::watch(target);
    Spi::connect(|client| {
        let sql = "SELECT part, indexes FROM neardup_internal.rotated_parts($1, $2)";
        let mut parts = Vec::new();
        for row in client.select(sql, None, &[target.into(), column.into()])? {
            let (Some(part), Some(indexes)) = (row.get::<pg_sys::Oid>(1)?, row.get::<Vec<pg_sys::Oid>>(2)?) else {
                return Ok(None);
            };
            invalidation::watch(part);
            match indexes.try_into() {
                Ok(indexes) => parts.push((part, indexes)),
                Err(_) => return Ok(None),
            }
        }
        Ok((!parts.is_empty()).then(|| parts.into()))
    })
}

fn open(target: pg_sys::Oid, column: &str) -> Result<Nearby> {
    match parts(target, column)? {
        Some(parts) => Ok(Nearby::open(&parts)),
        None => Err(ErrorReport::new(
            PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("column \"{column}\" has no indexes on simhash_rotated"),
            "neardup_internal.nearest_places",
        )),
    }
}

/// Whether the calling user may look by indexes on rotated signatures.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.is_rotated(target oid, signature_column text) RETURNS boolean STABLE STRICT PARALLEL SAFE COST 100 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn is_rotated(target: pg_sys::Oid, signature_column: &str) -> Result<bool> {
    Ok(parts(target, signature_column)?.is_some())
}

/// The places of the nearest rows, nearest first.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap", "simhash_type"],
    sql = "CREATE FUNCTION neardup_internal.nearest_places(target oid, signature_column text, signature simhash, within integer, n bigint) RETURNS TABLE (part oid, place tid, distance integer) STABLE STRICT PARALLEL SAFE COST 1000 ROWS 10 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn nearest_places(
    target: pg_sys::Oid,
    signature_column: &str,
    signature: SimHash,
    distance: i32,
    n: i64,
) -> Result<TableIterator<'static, (name!(part, pg_sys::Oid), name!(place, Tid), name!(distance, i32))>> {
    let distance = within("distance", distance, 0..=64)?;
    let mut nearby = open(target, signature_column)?;
    let most = usize::try_from(n).unwrap_or(0);
    let found = banding::nearest(&mut nearby, signature.0, distance, most);
    Ok(TableIterator::new(found.into_iter().map(|(distance, (part, place))| (part, place, distance as i32))))
}

/// Whether any row is near.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap", "simhash_type"],
    sql = "CREATE FUNCTION neardup_internal.any_rotated_within(target oid, signature_column text, signature simhash, distance integer) RETURNS boolean STABLE STRICT PARALLEL SAFE COST 1000 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn any_rotated_within(target: pg_sys::Oid, signature_column: &str, signature: SimHash, distance: i32) -> Result<bool> {
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    Ok(banding::any_within(&mut open(target, signature_column)?, signature.0, distance))
}
