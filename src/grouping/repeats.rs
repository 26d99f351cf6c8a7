//! `near_duplicate_of` over texts: hides repeats in a result, by the verdict, without an index.
//!
//! The rows of the window are taken in its order, as if a guard that marks copies had stored them one after the other: candidates by
//! [`CandidateRule`], verdicts on the two texts, stars around the rows that stay. Only the sketches' keys and some texts are kept in
//! memory, within `work_mem`; the window has the other texts and gives them again.

use std::rc::Rc;

use neardup_core::candidates::{Bits, CandidateRule, Earlier, Judged, Options, Row, Rows, Stars};
use neardup_core::sketch::digest;
use neardup_text::{Error, ErrorKind, interrupt};
use pgrx::PgSqlErrorCode::ERRCODE_CHARACTER_NOT_IN_REPERTOIRE;
use pgrx::prelude::*;

use super::{CONVENTION, answer, null, rows_of};
use crate::error::{Result, error, report};
use crate::pg::call::boundary;
use crate::pg::call::memory::claim;
use crate::pg::call::window::Window;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::near_duplicate::{ANALYZER, KEYS};
use crate::verdict::judge::{Rule, Side, keys_of};
use crate::verdict::sides::Sides;

extension_sql_file!("repeats.sql", name = "repeats", requires = ["bootstrap"]);

const DOCUMENT: i32 = 0;
const THRESHOLD: i32 = 1;

/// Bytes per row for the answer: while it is made, and as Postgres keeps it.
const ANSWER: usize = 8;

/// Gives the bytes of a document as text.
fn text(bytes: &[u8]) -> Result<&str> {
    // The database has UTF-8, and Postgres checks what it stores.
    std::str::from_utf8(bytes).map_err(|wrong| error(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE, wrong.to_string()))
}

fn threshold(window: &Window<'_>) -> Result<f64> {
    let threshold = window.argument(THRESHOLD).map(|datum| f64::from_bits(datum.value() as u64));
    let threshold = threshold.ok_or_else(|| null("threshold"))?;
    if (0.0..=1.0).contains(&threshold) {
        return Ok(threshold);
    }
    let message = format!("threshold must be between 0 and 1: {threshold}");
    Err(report(Error::new(ErrorKind::InvalidParameter, message)))
}

/// The rows of a window that have a sketch.
struct Signed {
    rows: Rows<TemporaryFile>,
    /// Those whose sketch has one key only.
    with_one_key: Bits,
}

impl Signed {
    fn add(&mut self, position: u32, document: &str) -> Result<()> {
        let keys = keys_of(document, (ANALYZER, KEYS))?;
        let Some((&first, others)) = keys.split_first() else { return Ok(()) };
        let row = Row {
            position,
            id: position.into(),
            scope: 0,
            time: None,
            hash: digest::text_hash(document),
            bytes: u32::try_from(document.len()).unwrap_or(u32::MAX),
        };
        self.rows.add(&row);
        self.rows.add_key(first, &row);
        others.iter().for_each(|&key| self.rows.add_key(key, &row));
        if others.is_empty() {
            self.with_one_key.insert(position);
        }
        Ok(())
    }
}

/// Compares the rows of a window with each other.
struct Comparison<'w, 'r> {
    window: &'w Window<'w>,
    rule: Rule<'r>,
    sides: Sides,
}

impl Comparison<'_, '_> {
    fn side(&mut self, position: u32) -> Result<Option<Rc<Side>>> {
        let (window, rule) = (self.window, &self.rule);
        let prepare = |bytes: Option<&[u8]>| bytes.map(|bytes| rule.side(text(bytes)?)).transpose();
        self.sides.get(position.into(), || window.bytes_at(DOCUMENT, position, prepare))
    }

    fn judge(&mut self, stays: &Earlier, goes: u32) -> Result<Option<Judged>> {
        let (Some(kept), Some(other)) = (self.side(stays.position)?, self.side(goes)?) else { return Ok(None) };
        let judged = self.rule.judge(&kept, &other, None, None)?;
        Ok(judged.map(|judged| Judged { verdict: 0, score: judged.score, loses: judged.loses, stays_hash: 0 }))
    }
}

/// Groups the partition: gives for each row the position of the row that it repeats, or its own, counted from 0.
fn group_texts(window: &Window<'_>) -> Result<Vec<u32>> {
    let rule = Rule::Facts { least: threshold(window)? };
    let count = rows_of(window)? as u32;
    claim(count as usize * ANSWER)?;
    let memory = sort_memory();
    let options = Options {
        rule: CandidateRule::default(),
        window: None,
        first_asking: 0,
        askers_answer: true,
        // The window's order says which row is shown.
        excerpts_give_way: false,
    };
    let mut signed = Signed { rows: Rows::new(options, memory / 2), with_one_key: Bits::default() };
    let mut outcome = Ok(());
    window.for_each_bytes(DOCUMENT, |position, bytes| {
        if let (Ok(()), Some(bytes)) = (&outcome, bytes) {
            outcome = text(bytes).and_then(|document| signed.add(position, document));
        }
    });
    outcome?;
    let Signed { rows, with_one_key } = signed;
    let mut candidates = rows.finish();
    let mut stars: Stars<TemporaryFile> = Stars::new(options, 0, memory / 4);
    let mut comparison = Comparison { window, rule, sides: Sides::default() };
    loop {
        interrupt::check();
        let is_open = |position| Some(stars.stays(position));
        let next = candidates.next(is_open, |row| Ok(with_one_key.contains(row as u32)))?;
        let Some(asking) = next else { break };
        stars.place(&asking, |stays| comparison.judge(stays, asking.position))?;
    }
    let mut answers: Vec<u32> = (0..count).collect();
    for member in stars.finish(|_, _| Ok::<_, pgrx::pg_sys::panic::ErrorReport>(None))? {
        if let Some(answer) = answers.get_mut(member.goes.position as usize) {
            *answer = member.stays.position;
        }
    }
    Ok(answers)
}

/// The entry point behind `near_duplicate_of(text, double precision)`.
///
/// # Safety
/// Postgres calls it as the window function that repeats.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn near_duplicate_of_text(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, group_texts)) }
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_near_duplicate_of_text() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}
