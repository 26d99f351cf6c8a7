//! Clean-up of what a table already holds: lists groups, removes copies and brings them back.
//!
//! Nearly all of it is SQL, one file each in `sql/cleanup/`, in the order below. Here is what SQL cannot say: a lock that
//! lasts over the commits of a procedure, and whether a procedure may commit.

use neardup_core::banding::MAX_DISTANCE;
use neardup_core::grouping::{self, Group};
use neardup_core::sketch::digest;
use neardup_core::{Error, ErrorKind};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::argument::within;
use crate::datum::{Text, runner};
use crate::error::{Result, report};

extension_sql_file!(
    "../sql/cleanup/record.sql",
    name = "cleanup_record",
    requires = [
        "guard",
        "grouping",
        hold_table,
        release_table,
        in_transaction_block,
        check_committing,
        text_hash,
        bypass::let_through
    ]
);
extension_sql_file!("../sql/cleanup/runner.sql", name = "cleanup_runner", requires = ["cleanup_record"]);
extension_sql_file!("../sql/cleanup/order.sql", name = "cleanup_order", requires = ["cleanup_runner"]);
extension_sql_file!("../sql/cleanup/copies.sql", name = "cleanup_copies", requires = ["cleanup_order"]);
extension_sql_file!("../sql/cleanup/reference.sql", name = "cleanup_reference", requires = ["cleanup_copies"]);
extension_sql_file!("../sql/cleanup/remove.sql", name = "cleanup_remove", requires = ["cleanup_reference"]);
extension_sql_file!("../sql/cleanup/run.sql", name = "cleanup_run", requires = ["cleanup_remove"]);
extension_sql_file!("../sql/cleanup/undo.sql", name = "cleanup_undo", requires = ["cleanup_run"]);
extension_sql_file!("../sql/cleanup/purge.sql", name = "cleanup_purge", requires = ["cleanup_undo"]);
extension_sql_file!("../sql/cleanup/comments.sql", name = "cleanup_comments", requires = ["cleanup_report"]);
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

/// Fails where the procedure that asks may not commit though the user has no transaction open. Asked by the procedure itself: a
/// function that it calls may never commit.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.check_committing(procedure text) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn check_committing(procedure: &str) -> Result<()> {
    if runner::in_transaction_block() || runner::may_commit() {
        return Ok(());
    }
    let message = format!("neardup.{procedure} cannot run inside a function");
    let code = PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_TERMINATION;
    Err(ErrorReport::new(code, message, "neardup")
        .set_detail(
            "It commits after each batch, which Postgres allows neither in a function nor in a block with EXCEPTION.",
        )
        .set_hint("Call it on its own, or from a DO block or a procedure that were called so."))
}

/// A hash of a text by which a clean-up sees whether somebody has changed it.
#[pg_extern(
    stable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.text_hash(document text) RETURNS bigint STABLE STRICT PARALLEL SAFE COST 1000 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn text_hash(document: Text<'_>) -> i64 {
    digest::text_hash(&document).cast_signed()
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
    judge(&signatures, Some(&documents), distance, None).map(TableIterator::new)
}

/// The same among rows whose times are no further apart than `within`, both in microseconds; without documents by signature alone.
#[pg_extern(
    immutable,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.judge_group(signatures bigint[], documents text[], distance integer, times bigint[], within bigint) RETURNS TABLE (member integer, stays integer, verdict text, score double precision) IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn judge_group_within(
    signatures: Array<i64>,
    documents: Option<Array<&str>>,
    distance: i32,
    times: Array<i64>,
    within: i64,
) -> Result<TableIterator<'static, (name!(member, i32), name!(stays, i32), name!(verdict, String), name!(score, f64))>>
{
    let window = Some((times.iter().collect(), within.unsigned_abs()));
    judge(&signatures, documents.as_ref(), distance, window).map(TableIterator::new)
}

fn judge(
    signatures: &Array<i64>,
    documents: Option<&Array<&str>>,
    distance: i32,
    window: Option<(Vec<Option<i64>>, u64)>,
) -> Result<Vec<(i32, i32, String, f64)>> {
    let signatures: Vec<u64> = signatures.iter().map(|s| s.unwrap_or_default().cast_unsigned()).collect();
    let documents: Option<Vec<&str>> = documents.map(|d| d.iter().map(Option::unwrap_or_default).collect());
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    let counts = [documents.as_ref().map(Vec::len), window.as_ref().map(|(times, _)| times.len())];
    for count in counts.into_iter().flatten() {
        if count != signatures.len() {
            let message = format!("{} signatures do not fit {count} documents or times", signatures.len());
            return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
        }
    }
    let window = window.as_ref().map(|(times, within)| (&times[..], *within));
    let group = Group { signatures: &signatures, documents: documents.as_deref(), distance, window };
    let places = grouping::split_by_message(group).map_err(report)?;
    let row = |(member, place): (i32, grouping::Place)| {
        (member, place.representative as i32 + 1, place.verdict.name().to_owned(), place.score)
    };
    Ok((1..).zip(places).map(row).collect())
}
