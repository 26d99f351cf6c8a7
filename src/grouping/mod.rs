//! `near_duplicate_of`: groups the signatures of a window in one pass.
//!
//! Memory per row of a window, besides Postgres's own: 8 bytes for the answer. While grouping, `simhash` takes 40 more;
//! `minhash` takes the signature, 4 bytes per band, and 50 more.
#![allow(unsafe_code, reason = "window functions, which Postgres calls by pointer")]

mod repeats;

use neardup_core::banding::{self, MAX_DISTANCE};
use neardup_core::grouping::{self, Linkage};
use neardup_core::signature::minhash::{self, MinHashRef};
use neardup_text::{Error, ErrorKind};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::minhash::bands::{check_scheme, similarity};
use crate::pg::call::boundary;
use crate::pg::call::function_info;
use crate::pg::call::memory::claim;
use crate::pg::call::window::Window;
use crate::simhash::SimHash;

/// Bytes per row, as explained above.
const SIMHASH_ROW: usize = 48;

/// The part of these bytes that is used while rows are read.
const SIGNATURE_ROW: usize = 12;

const SIGNATURE: i32 = 0;
const THRESHOLD: i32 = 1;
const LINKAGE: i32 = 2;
const BANDS: i32 = 3;
const ROWS: i32 = 4;

/// The result for a row without a signature.
const NO_GROUP: u32 = u32::MAX;

/// Returns the number of rows in the partition.
fn rows_of(window: &Window<'_>) -> Result<i32> {
    i32::try_from(window.rows()).map_err(|_| {
        let message = format!("a window of {} rows is too large to group", window.rows());
        report(
            Error::new(ErrorKind::LimitExceeded, message)
                .with_detail("Postgres counts the rows of a window function's partition in 32 bits.")
                .with_hint("Add PARTITION BY, for example by month."),
        )
    })
}

/// The error of a parameter that is NULL.
fn null(name: &str) -> ErrorReport {
    let code = PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED;
    ErrorReport::new(code, format!("{name} must not be NULL"), "near_duplicate_of")
}

fn linkage(window: &Window<'_>) -> Result<Linkage> {
    let name = window.text_argument(LINKAGE).ok_or_else(|| null("linkage"))?;
    Linkage::parse(&name).map_err(report)
}

fn integer(window: &Window<'_>, argument: i32, name: &str) -> Result<i32> {
    window.argument(argument).map(|datum| datum.value() as i32).ok_or_else(|| null(name))
}

/// Which rows have a signature: all, until one without is seen.
#[derive(Default)]
struct Present {
    /// The number of rows seen that have one.
    count: usize,
    /// These rows, once a row without a signature was seen.
    rows: Option<Vec<u32>>,
}

impl Present {
    fn push(&mut self, row: u32) {
        self.count += 1;
        if let Some(rows) = &mut self.rows {
            rows.push(row);
        }
    }

    fn skip(&mut self) {
        let count = self.count as u32;
        self.rows.get_or_insert_with(|| (0..count).collect());
    }

    /// Spreads the groups of the rows with a signature over all rows.
    fn spread(&self, rows: i32, groups: Vec<u32>) -> Vec<u32> {
        let Some(present) = &self.rows else { return groups };
        let mut answers = vec![NO_GROUP; rows as usize];
        for (&row, &first) in present.iter().zip(&groups) {
            if let (Some(answer), Some(&first)) = (answers.get_mut(row as usize), present.get(first as usize)) {
                *answer = first;
            }
        }
        answers
    }
}

/// Groups the partition: returns for each row the position of its group's first row, counted from 0.
fn group_simhashes(window: &Window<'_>) -> Result<Vec<u32>> {
    let distance = within("distance", integer(window, THRESHOLD, "distance")?, 0..=MAX_DISTANCE)?;
    let linkage = linkage(window)?;
    let mut present = Present::default();
    let mut signatures = Vec::new();
    let mut outcome = Ok(());
    window.for_each(SIGNATURE, |row, datum| match datum {
        Some(datum) if outcome.is_ok() => {
            if signatures.len() == signatures.capacity() {
                // The vector is about to double its length.
                outcome = claim(signatures.len() * 2 * SIGNATURE_ROW);
            }
            present.push(row);
            signatures.push(SimHash::from_raw(datum).0);
        }
        _ => present.skip(),
    });
    outcome?;
    let rows = rows_of(window)?;
    claim(rows as usize * (SIMHASH_ROW - SIGNATURE_ROW))?;
    let groups = grouping::group_simhash(&signatures, distance, linkage).map_err(report)?;
    Ok(present.spread(rows, groups))
}

/// Signatures of one window, all made in the same way, stored end to end.
#[derive(Default)]
struct MinHashes {
    bytes: Vec<u8>,
    width: usize,
    present: Present,
    keys: Vec<i32>,
}

impl MinHashes {
    fn push(&mut self, row: u32, signature: &[u8], bands: u32, rows: u32) -> neardup_text::Result<()> {
        if self.present.count == 0 {
            self.width = signature.len();
        } else {
            // Fails if the two cannot be compared.
            minhash::jaccard(self.signature(0), signature)?;
        }
        let parsed = MinHashRef::parse_header(signature)?;
        check_scheme(parsed)?;
        banding::minhash_bands(parsed.values(), bands, rows, |key| self.keys.push(key))?;
        self.bytes.extend_from_slice(signature);
        self.present.push(row);
        Ok(())
    }

    fn signature(&self, i: u32) -> &[u8] {
        let start = i as usize * self.width;
        self.bytes.get(start..start + self.width).unwrap_or_default()
    }

    fn similarity(&self, a: u32, b: u32) -> f64 {
        // They were compared with the first one, so they are comparable.
        minhash::jaccard(self.signature(a), self.signature(b)).unwrap_or(0.0)
    }
}

fn group_minhashes(window: &Window<'_>) -> Result<Vec<u32>> {
    let least = window.argument(THRESHOLD).map(|datum| f64::from_bits(datum.value() as u64));
    let least = similarity(least.ok_or_else(|| null("similarity"))?)?;
    let linkage = linkage(window)?;
    let bands = within("bands", integer(window, BANDS, "bands")?, 1..=1024)?;
    let band_rows = within("rows", integer(window, ROWS, "rows")?, 1..=banding::MAX_ROWS)?;
    let mut signatures = MinHashes::default();
    let mut outcome = Ok(());
    window.for_each_bytes(SIGNATURE, |row, bytes| match bytes {
        Some(bytes) if outcome.is_ok() => outcome = signatures.push(row, bytes, bands, band_rows),
        _ => signatures.present.skip(),
    });
    outcome.map_err(report)?;
    let rows = rows_of(window)?;
    let keys = std::mem::take(&mut signatures.keys);
    let similar = |a, b| signatures.similarity(a, b) >= least;
    let mut groups = grouping::group_by_bands(&keys, bands as usize, similar).map_err(report)?;
    drop(keys);
    if linkage == Linkage::Star {
        groups = grouping::stars_of(&groups, least, |a, b| signatures.similarity(a, b));
    }
    Ok(signatures.present.spread(rows, groups))
}

/// Answers one row with the position of its group's first row, counted from 1; with NULL if it has no group.
///
/// # Safety
/// `fcinfo` must be that of a running window function.
unsafe fn answer(
    fcinfo: pg_sys::FunctionCallInfo,
    group: impl FnOnce(&Window<'_>) -> Result<Vec<u32>>,
) -> pg_sys::Datum {
    // SAFETY: fcinfo is guaranteed by the caller.
    let Some(window) = (unsafe { Window::from_fcinfo(fcinfo) }) else {
        error!("near_duplicate_of must be called as a window function");
    };
    let first = window.answer(group).unwrap_or_else(|error| {
        error.report(PgLogLevel::ERROR);
        None
    });
    match first {
        Some(first) if first != NO_GROUP => pg_sys::Datum::from(i64::from(first) + 1),
        _ => {
            // SAFETY: fcinfo is this call's own.
            unsafe { (*fcinfo).isnull = true };
            pg_sys::Datum::null()
        }
    }
}

/// The entry point behind `near_duplicate_of(simhash, integer, text)`.
///
/// # Safety
/// Postgres calls it as the window function that grouping.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn near_duplicate_of_simhash(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, group_simhashes)) }
}

/// The entry point behind `near_duplicate_of(minhash, double precision, text, integer, integer)`.
///
/// # Safety
/// Postgres calls it as the window function that grouping.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn near_duplicate_of_minhash(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, group_minhashes)) }
}

function_info!(pg_finfo_near_duplicate_of_simhash, pg_finfo_near_duplicate_of_minhash);
