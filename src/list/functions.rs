//! `neardup_internal.chosen`, `copies` and `reasons`: the arguments of a list, the list, and why a row is in it.
#![allow(unsafe_code, reason = "a function that Postgres calls by pointer, and its rows")]

use neardup_verdict::Message;
use pgrx::datum::Interval;
use pgrx::pg_sys;
use pgrx::prelude::*;

use super::arguments::{Arguments, Choice, measure};
use super::reasons::Listed;
use super::{Output, give, plan, readers, reasons, simhash, sketch};
use crate::error::{Result, error};
use crate::guarded::settings::Method;
use crate::pg::call::boundary;
use crate::pg::call::set::Set;
use crate::pg::table::query::Session;
use crate::verdict::judge::Rule;

/// Resolves the arguments of a list by the guard's settings, and checks them.
#[allow(clippy::too_many_arguments, reason = "the arguments of an SQL function")]
#[pg_extern(sql = false)]
pub fn chosen(
    target: Option<pg_sys::Oid>,
    document: Option<&str>,
    keep: Option<&str>,
    time_column: Option<&str>,
    rank: Option<Vec<Option<String>>>,
    scope: Option<Vec<Option<String>>>,
    since: Option<&str>,
    until: Option<&str>,
    verify: Option<&str>,
    threshold: Option<f64>,
    within: Option<Interval>,
    max_distance: Option<i32>,
    against: Option<pg_sys::Oid>,
    source: Option<pg_sys::Oid>,
) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    let choice = unsafe {
        boundary::entry(move || {
            let Some(target) = target else {
                return Err(error(PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED, "target must not be NULL"));
            };
            let arguments = Arguments {
                keep: keep.unwrap_or("<NULL>"),
                time_column,
                rank: rank.unwrap_or_default(),
                scope: scope.map(|scope| scope.into_iter().flatten().collect()),
                since,
                until,
                verify,
                threshold,
                within,
                max_distance,
                against,
                source,
            };
            Choice::new(target, document, arguments)
        })
    }?;
    serde_json::to_string(&choice).map_err(|wrong| error(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, wrong.to_string()))
}

/// Gives the verdict on a row of a list and the one that stays, its score and its reasons; no row if the caller does not see both, or if
/// texts are not compared. No row has a key with a NULL.
#[pg_extern(sql = false)]
fn reasons(
    choice: &str,
    key: Vec<Option<String>>,
    stays: Vec<Option<String>>,
    stays_is_new: bool,
) -> Result<TableIterator<'static, (name!(verdict, String), name!(score, f64), name!(reasons, Vec<String>))>> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    let message = unsafe {
        boundary::entry(move || {
            let choice = Choice::read(choice)?;
            let whole = |key: Vec<Option<String>>| key.into_iter().collect::<Option<Vec<String>>>();
            let (Some(goes), Some(stays)) = (whole(key), whole(stays)) else { return Ok(None) };
            if choice.verify == "none" {
                return Ok(None);
            }
            let rule = Rule::new(&choice.verify, &choice.guarded.analyzer, choice.threshold)?;
            let session = Session::open();
            let plan = plan::of(&choice)?;
            let mut readers = readers(&session, &plan.sources);
            let listed = Listed { goes: &goes, stays: &stays, stays_is_new };
            reasons::message(&session, &plan, &rule, &mut readers, &listed)
        })
    }?;
    let row = |message: Message| (message.verdict.name().to_owned(), message.score, message.reasons);
    Ok(TableIterator::new(message.into_iter().map(row)))
}

/// The entry point behind `neardup_internal.copies`.
///
/// # Safety
/// Postgres calls it as the function that list.sql declares: strict, of one text.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_copies(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            let choice = <&str>::from_datum((*fcinfo).args.as_slice(1)[0].value, false);
            if let Err(error) = copies(fcinfo, choice.unwrap_or_default()) {
                error.report(PgLogLevel::ERROR);
            }
            (*fcinfo).isnull = true;
            pg_sys::Datum::null()
        })
    }
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_copies() -> &'static pg_sys::Pg_finfo_record {
    &pg_sys::Pg_finfo_record { api_version: 1 }
}

/// # Safety
/// `fcinfo` must be that of the running call.
unsafe fn copies(fcinfo: pg_sys::FunctionCallInfo, choice: &str) -> Result<()> {
    let choice = Choice::read(choice)?;
    // SAFETY: as the caller vouches; list.sql declares nine columns of the types that are given.
    unsafe {
        let mut set = Set::begin(fcinfo)?;
        let by_distance = choice.verify == "none";
        let rule = Rule::new(&choice.verify, &choice.guarded.analyzer, choice.threshold)?;
        let output = Output { measure: measure(&choice.verify), by_distance };
        let session = Session::open();
        let plan = plan::of(&choice)?;
        let mut readers = readers(&session, &plan.sources);
        let window = choice.window.map(i64::unsigned_abs);
        let found = match choice.guarded.method {
            Method::SimHash => {
                let rule = (!by_distance).then_some(rule);
                let groups = simhash::Groups { distance: choice.distance.unwrap_or_default(), window, rule };
                simhash::run(&session, &groups, &mut readers)?
            }
            Method::Sketch => {
                let list = sketch::List { plan: &plan, is_load: choice.source.is_some(), window, rule };
                sketch::run(&session, &list, &mut readers)?
            }
        };
        give(&mut set, found, &readers, &output)
    }
}
