//! Clean-up of existing rows: lists groups, removes copies and restores them.
//!
//! Nearly all of it is SQL, one file each in `sql/cleanup/`, in the order below. This module has what SQL cannot express: a lock
//! that is kept across the commits of a procedure, and the test whether a procedure may commit.

pub mod copies;
pub mod grouping;
pub mod load;
pub mod report;

use neardup_core::banding::MAX_DISTANCE;
use neardup_core::sketch::digest;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::{Group, Place};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::Text;
use crate::pg::call::{role, transaction};
use crate::pg::lock::session::SessionLock;
use crate::verdict::judge::Rule;

extension_sql_file!(
    "../../sql/cleanup/record.sql",
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
extension_sql_file!("../../sql/cleanup/runner.sql", name = "cleanup_runner", requires = ["cleanup_record"]);
extension_sql_file!("../../sql/cleanup/order.sql", name = "cleanup_order", requires = ["cleanup_runner"]);
extension_sql_file!("../../sql/cleanup/choice.sql", name = "cleanup_choice", requires = ["cleanup_order"]);
extension_sql_file!(
    "../../sql/cleanup/candidates.sql",
    name = "cleanup_candidates",
    requires = [
        "cleanup_choice",
        "sketch",
        "near_duplicate",
        judge_group,
        judge::judge,
        copies::tid_number,
        copies::number_tid
    ]
);
extension_sql_file!("../../sql/cleanup/against.sql", name = "cleanup_against", requires = ["cleanup_candidates"]);
extension_sql_file!("../../sql/cleanup/copies.sql", name = "cleanup_copies", requires = ["cleanup_against"]);
extension_sql_file!("../../sql/cleanup/reference.sql", name = "cleanup_reference", requires = ["cleanup_copies"]);
extension_sql_file!("../../sql/cleanup/remove.sql", name = "cleanup_remove", requires = ["cleanup_reference"]);
extension_sql_file!("../../sql/cleanup/run.sql", name = "cleanup_run", requires = ["cleanup_remove", "cleanup_report"]);
extension_sql_file!("../../sql/cleanup/undo.sql", name = "cleanup_undo", requires = ["cleanup_run"]);
extension_sql_file!("../../sql/cleanup/purge.sql", name = "cleanup_purge", requires = ["cleanup_undo"]);
extension_sql_file!("../../sql/cleanup/comments.sql", name = "cleanup_comments", requires = ["cleanup_purge"]);
extension_sql_file!("../../sql/comments.sql", name = "comments", finalize);

/// Locks a table for one runner, across commits, until it is released or a transaction of this session fails. Only a role that
/// may remove or mark its rows may do so; otherwise anybody could keep the owner from cleaning it.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.hold_table(target regclass) RETURNS boolean VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn hold_table(target: pg_sys::Oid) -> Result<bool> {
    check_may_clean(target, "neardup_internal.hold_table")?;
    Ok(SessionLock::Procedure(target).take())
}

/// Fails, in the name of the function that was called, for who may not clean a table.
fn check_may_clean(target: pg_sys::Oid, function: &'static str) -> Result<()> {
    if role::may_clean(target) {
        return Ok(());
    }
    let message = "only who may delete or update rows of a table may hold it";
    let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
    Err(ErrorReport::new(code, message, function))
}

/// Releases the table.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.release_table(target regclass) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn release_table(target: pg_sys::Oid) {
    SessionLock::Procedure(target).release();
}

/// Says whether the statement runs in a transaction block, where a procedure cannot commit.
#[pg_extern(
    volatile,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.in_transaction_block() RETURNS boolean VOLATILE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn in_transaction_block() -> bool {
    transaction::in_block()
}

/// Fails if the calling procedure may not commit although the user has no transaction open. The procedure itself must ask,
/// because a function that it calls may never commit.
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.check_committing(procedure text) RETURNS void VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn check_committing(procedure: &str) -> Result<()> {
    if transaction::in_block() || transaction::may_commit() {
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

/// Hashes a text, so that a clean-up can see whether somebody has changed it.
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

/// Splits a group of rows with near signatures by their texts and times. Gives for each row the row that stays, counted from 1,
/// the verdict on the two and its score. Without documents the signatures decide. Times are at most `within` apart; both are in
/// microseconds.
#[allow(clippy::too_many_arguments, reason = "the arguments of an SQL function")]
#[allow(clippy::type_complexity, reason = "pgrx reads the columns' names here, which an alias would hide")]
#[pg_extern(
    stable,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.judge_group(signatures bigint[], documents text[], distance integer, times bigint[], within bigint, verify text, analyzer text, threshold double precision) RETURNS TABLE (member integer, stays integer, verdict text, score double precision) STABLE PARALLEL SAFE COST 100000 ROWS 3 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn judge_group(
    signatures: Array<i64>,
    documents: Option<Array<&str>>,
    distance: i32,
    times: Option<Array<i64>>,
    within_time: Option<i64>,
    verify: &str,
    analyzer: &str,
    threshold: Option<f64>,
) -> Result<TableIterator<'static, (name!(member, i32), name!(stays, i32), name!(verdict, String), name!(score, f64))>>
{
    let signatures: Vec<u64> = signatures.iter().map(|s| s.unwrap_or_default().cast_unsigned()).collect();
    let documents: Option<Vec<&str>> = documents.as_ref().map(|d| d.iter().map(Option::unwrap_or_default).collect());
    let times: Option<Vec<Option<i64>>> = times.map(|times| times.iter().collect());
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    for count in [documents.as_ref().map(Vec::len), times.as_ref().map(Vec::len)].into_iter().flatten() {
        if count != signatures.len() {
            let message = format!("{} signatures do not fit {count} documents or times", signatures.len());
            return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
        }
    }
    let window = times.as_ref().zip(within_time).map(|(times, within)| (&times[..], within.unsigned_abs()));
    let group = Group { signatures: &signatures, documents: documents.as_deref(), distance, window };
    let rule = Rule::new(verify, analyzer, threshold)?;
    let mut failure = None;
    let kept = |a: &str, b: &str| match rule.side(a).and_then(|mut a| rule.kept(&mut a, b)) {
        Ok(kept) => Ok(kept),
        Err(error) => {
            failure = Some(error);
            Ok(None)
        }
    };
    let places = neardup_verdict::split_by_message(group, kept).map_err(report)?;
    if let Some(error) = failure {
        return Err(error);
    }
    let row = |(member, place): (i32, Place)| {
        (member, place.representative as i32 + 1, place.verdict.name().to_owned(), place.score)
    };
    Ok(TableIterator::new((1..).zip(places).map(row).collect::<Vec<_>>()))
}
