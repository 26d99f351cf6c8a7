//! `neardup.why`: the rows that share a key with a text or a stored row, and why each is, or is not, what that is a copy of.
//!
//! It runs the guard's own search ([`candidates`]) with a trace, so it cannot say anything but what the guard does. It locks nothing
//! and waits for no transaction. Rows that row security would hide from the caller would show, so the caller must be one to whom it does not
//! apply, as for the key in a guard's error.

use neardup_text::Spec;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;

use super::absent::no_row;
use super::candidates::{self, Answer};
use super::signature::Signature;
use super::stored;
use super::subject::Subject;
use super::trace::{Reason, Trace, Traced};
use super::verify::Verifier;
use crate::error::{Result, error};
use crate::guarded::arguments::{only_guard, shown};
use crate::guarded::guard::Guard;
use crate::guarded::settings::{Method, Settings};
use crate::pg::call::{boundary, role};
use crate::pg::table::rows::{Snapshot, Table, Version};
use crate::pg::value::text::Text;

/// A row of the result: key, shared keys, keys, outcome, verdict, score, overlap, reasons.
type Row = (Option<String>, i32, i32, String, Option<String>, Option<f64>, Option<f64>, Option<Vec<String>>);

/// Returns the rows that share a key with a text, or with a stored row, in the order in which the guard tests them.
#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn why(
    target: Option<pg_sys::Oid>,
    text: Option<Text<'_>>,
    key: Option<&str>,
    document: Option<&std::ffi::CStr>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(key, Option<String>),
            name!(shared_keys, i32),
            name!(keys, i32),
            name!(outcome, String),
            name!(verdict, Option<String>),
            name!(score, Option<f64>),
            name!(overlap, Option<f64>),
            name!(reasons, Option<Vec<String>>),
        ),
    >,
> {
    let text = text.as_deref();
    let document = document.map(|name| name.to_string_lossy().into_owned());
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    let rows = unsafe { boundary::entry(move || rows(target, text, key, document.as_deref())) };
    rows.map(TableIterator::new)
}

fn rows(
    target: Option<pg_sys::Oid>,
    text: Option<&str>,
    key: Option<&str>,
    document: Option<&str>,
) -> Result<Vec<Row>> {
    let Some(target) = target else { return Ok(Vec::new()) };
    let guards = Guard::all_of(target)?.into_iter();
    let guard = only_guard(
        guards.filter(|guard| document.is_none_or(|name| guard.columns[0] == name)).collect(),
        target,
        document,
    )?;
    guard.check_expression()?;
    if !role::may_read(guard.table) {
        return Err(error(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            format!("permission denied for table {}", guard.name),
        )
        .set_detail(
            "The guard sees all rows, so this needs SELECT on the table, and no row-level security that applies.",
        ));
    }
    match (text, key) {
        (Some(text), None) => traced(&guard, &Subject::text(text), guard.table),
        (None, Some(key)) => of_stored(&guard, key),
        _ => Err(error(PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE, "neardup.why requires either text or key")
            .set_hint("SELECT * FROM neardup.why('articles', 'a text'), or neardup.why('articles', key => '5').")),
    }
}

/// Asks about the row with a primary key, as guards or lists write keys.
fn of_stored(guard: &Guard, key: &str) -> Result<Vec<Row>> {
    let missing = || no_row(guard, key);
    let (part, tid) = stored::find(guard, key).ok_or_else(missing)?;
    let mut table = Table::open(part).ok_or_else(missing)?;
    let snapshot = Snapshot::begin();
    if !matches!(table.read(tid, &snapshot), Version::Row(_)) {
        return Err(missing());
    }
    let columns = guard.part(part).ok_or_else(missing)?;
    traced(guard, &Subject::stored(guard, &columns, &table), part)
}

/// Searches for what a row duplicates, and returns the trace.
fn traced(guard: &Guard, subject: &Subject<'_>, table: pg_sys::Oid) -> Result<Vec<Row>> {
    let Some(document) = subject.document.as_deref() else { return Ok(Vec::new()) };
    let Some(signature) = Signature::of(document, &guard.settings)? else {
        notice("the text has no word, so the guard compares it with no row").report(PgLogLevel::NOTICE);
        return Ok(Vec::new());
    };
    let mut verifier = Verifier::new(guard, subject, &signature, table)?;
    let mut trace = Trace::default();
    let answer = candidates::search(guard, subject, &signature, &mut verifier, Some(&mut trace))?;
    let is_identical = matches!(&answer, Answer::Found(found) if found.measure.name == "identical");
    let original = trace.rows.iter().find(|row| row.reason.is_none()).and_then(|row| row.key.as_deref());
    if let Some(key) = original.filter(|_| is_identical && !subject.is_stored()) {
        tell_identical(guard, key);
    }
    let keys = signature.queries(&guard.settings)?.len();
    tell_short(&guard.settings, keys);
    let keys = keys as i32;
    Ok(trace.rows.into_iter().map(|traced| row(traced, keys)).collect())
}

/// Says how to ask about the row that has the very text that was asked about, which ends the search.
fn tell_identical(guard: &Guard, key: &str) {
    let (table, literal) = (quote_literal(shown(guard.table)), quote_literal(key));
    notice(&format!("row ({key}) has this very text"))
        .set_hint(format!("What that row is to others: SELECT * FROM neardup.why({table}, key => {literal});"))
        .report(PgLogLevel::NOTICE);
}

/// Says that the search may miss copies of a text so short that one other word changes all its shingles, each of which is a key.
fn tell_short(settings: &Settings, keys: usize) {
    let Ok(spec) = settings.analyzer.parse::<Spec>() else { return };
    let length = spec.shingle.map(|words| words as usize).or(spec.size).unwrap_or(1);
    // Of as many shingles as one has words, each has the middle word. A sketch that is full may have left some out.
    if settings.method != Method::Sketch || length < 2 || keys > length || keys >= settings.keys as usize {
        return;
    }
    let of = if spec.size.is_some() { "characters" } else { "words, or of characters where a language has no spaces" };
    let detail = format!(
        "A key is a run of {length} {of}. The text has {keys}, and only rows that have one of them are compared with it."
    );
    notice("a text this short may share no key with a copy that differs in one word")
        .set_detail(detail)
        .set_hint("Shorter runs, analyzer => 'chars:3', find some of them, take many times as long, and in large tables miss other copies.")
        .report(PgLogLevel::NOTICE);
}

fn notice(message: &str) -> ErrorReport {
    error(PgSqlErrorCode::ERRCODE_SUCCESSFUL_COMPLETION, message)
}

fn row(traced: Traced, keys: i32) -> Row {
    let Traced { key, shared, reason, waits, comparison, difference } = traced;
    let rejected = comparison.as_ref().and_then(|comparison| comparison.rejected);
    let outcome = match reason {
        None if waits => "uncommitted",
        None => "original",
        Some(Reason::HotKey) => "hot key",
        Some(Reason::Bound) => "bound",
        Some(Reason::Gone) => "deleted",
        Some(Reason::Itself) => "itself",
        Some(Reason::Scope) => "scope",
        Some(Reason::Time) => "time",
        Some(Reason::Differs) => "differ",
        Some(Reason::Answered) => "answered",
        Some(Reason::Marked) => "marked",
        Some(Reason::UniqueKey) => "unique key",
        Some(Reason::Before) => "copy before",
        Some(Reason::NotReached) => "not reached",
        Some(Reason::Text) => rejected.unwrap_or("distance"),
    };
    let overlap = comparison.as_ref().and_then(|comparison| comparison.overlap);
    let message = comparison.and_then(|comparison| comparison.message);
    let (verdict, score, reasons) = match message {
        Some(message) => (Some(message.verdict.name().to_owned()), Some(message.score), Some(message.reasons)),
        None => (None, None, difference.map(|difference| vec![difference])),
    };
    (key, shared as i32, keys, outcome.to_owned(), verdict, score, overlap, reasons)
}
