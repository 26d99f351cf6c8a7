//! What is already there: signing old rows, listing groups, removing copies and bringing them back.
//!
//! Nearly all of it is SQL, one file each in `sql/cleanup/`, in the order below. Here is what SQL cannot say: a lock that
//! lasts over the commits of a procedure, and whether a procedure may commit.

use neardup_core::banding::MAX_DISTANCE;
use neardup_core::{Error, ErrorKind, grouping};
use pgrx::prelude::*;

use crate::argument::within;
use crate::datum::runner;
use crate::error::{Result, report};

extension_sql_file!(
    "../sql/cleanup/record.sql",
    name = "cleanup_record",
    requires =
        ["guard", "grouping", hold_table, release_table, in_transaction_block, pass::let_through, pass::sign_only]
);
extension_sql_file!("../sql/cleanup/runner.sql", name = "cleanup_runner", requires = ["cleanup_record"]);
extension_sql_file!("../sql/cleanup/backfill.sql", name = "cleanup_backfill", requires = ["cleanup_runner"]);
extension_sql_file!("../sql/cleanup/order.sql", name = "cleanup_order", requires = ["cleanup_backfill"]);
extension_sql_file!("../sql/cleanup/copies.sql", name = "cleanup_copies", requires = ["cleanup_order"]);
extension_sql_file!("../sql/cleanup/reference.sql", name = "cleanup_reference", requires = ["cleanup_copies"]);
extension_sql_file!("../sql/cleanup/remove.sql", name = "cleanup_remove", requires = ["cleanup_reference"]);
extension_sql_file!("../sql/cleanup/run.sql", name = "cleanup_run", requires = ["cleanup_remove"]);
extension_sql_file!("../sql/cleanup/undo.sql", name = "cleanup_undo", requires = ["cleanup_run"]);
extension_sql_file!("../sql/cleanup/purge.sql", name = "cleanup_purge", requires = ["cleanup_undo"]);
extension_sql_file!("../sql/cleanup/resign.sql", name = "cleanup_resign", requires = ["cleanup_purge"]);
extension_sql_file!(
    "../sql/cleanup/comments.sql",
    name = "cleanup_comments",
    requires = ["cleanup_report", "cleanup_resign"]
);
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);

/// Takes a table for one runner, over commits, until it is released or a transaction of this session fails.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.hold_table(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn hold_table(target: pg_sys::Oid) -> bool {
    runner::hold(target)
}

/// Gives the table back.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.release_table(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn release_table(target: pg_sys::Oid) {
    runner::release(target);
}

/// Whether the statement runs in a transaction block, where a procedure cannot commit.
#[pg_extern(
    volatile,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.in_transaction_block() RETURNS boolean VOLATILE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn in_transaction_block() -> bool {
    runner::in_transaction_block()
}

/// Splits a group by what its texts say: for each row the row that stays, counted from 1, what it is to that and how sure.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.judge_group(signatures bigint[], documents text[], distance integer) RETURNS TABLE (member integer, stays integer, verdict text, score double precision) IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn judge_group(
    signatures: Array<i64>,
    documents: Array<&str>,
    distance: i32,
) -> Result<TableIterator<'static, (name!(member, i32), name!(stays, i32), name!(verdict, String), name!(score, f64))>>
{
    let signatures: Vec<u64> = signatures.iter().map(|s| s.unwrap_or_default().cast_unsigned()).collect();
    let documents: Vec<&str> = documents.iter().map(Option::unwrap_or_default).collect();
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    if signatures.len() != documents.len() {
        let message = format!("{} signatures do not fit {} documents", signatures.len(), documents.len());
        return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
    }
    let places = grouping::split_by_message(&signatures, &documents, distance).map_err(report)?;
    Ok(TableIterator::new((1..).zip(places).map(|(member, place)| {
        (member, place.representative as i32 + 1, place.verdict.name().to_owned(), place.score)
    })))
}
