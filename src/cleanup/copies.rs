//! Copies in a whole table, found set-wise: window functions for `sql/cleanup/copies.sql`, which Postgres feeds in the order of its sorts.
//!
//! * `earlier_rows` and `first_row` take rows sorted by key and give those that a row is to be compared with ([`Partners`]);
//!   `earlier_rows` gives twice each row's number, and one more where the key is hot.
//! * `join_star` takes pairs sorted by the row that comes later, and judges no more of them than it must: a row joins the first row of
//!   its pairs that stays and that it duplicates. Whoever joins is judged against the row that stays, never through a chain.
//!
//! Memory: what one key has, and a bit for each row. The rest is Postgres's, on disk where `work_mem` does not suffice.

use neardup_core::grouping::{Partners, Row};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::call::window::Window;
use crate::pg::value::record;
use crate::verdict::judge::{Judged, Rule, Side};

/// The numbers that `earlier_rows` and `first_row` are called with.
struct Numbers {
    key: i64,
    row: Row,
    within: Option<u64>,
}

impl Numbers {
    fn of(window: &Window<'_>) -> Option<Self> {
        let integer = |argument| window.argument(argument).map(|datum| datum.value() as i64);
        let (key, number) = (integer(0)?, integer(1)?);
        Some(Self { key, row: Row { number, time: integer(2) }, within: integer(3).map(i64::unsigned_abs) })
    }
}

/// What [`earlier_rows`] keeps from row to row.
#[derive(Default)]
struct Comparison {
    partners: Partners,
    found: Vec<i64>,
}

fn earlier_rows(window: &Window<'_>) -> Option<pg_sys::Datum> {
    let Numbers { key, row, within } = Numbers::of(window)?;
    let Comparison { partners, found } = window.state();
    partners.of(key, row, within, found);
    let is_hot = i64::from(partners.is_hot());
    found.iter_mut().for_each(|number| *number = *number * 2 + is_hot);
    if found.is_empty() { None } else { found.as_slice().into_datum() }
}

fn first_row(window: &Window<'_>) -> Option<pg_sys::Datum> {
    let Numbers { key, row, within } = Numbers::of(window)?;
    window.state::<Partners>().first_of(key, row, within).into_datum()
}

/// Rows that have joined another one, a bit for each row.
#[derive(Default)]
struct Joined(Vec<u64>);

impl Joined {
    fn contains(&self, row: i64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    fn insert(&mut self, row: i64) {
        let at = (row / 64) as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1 + at / 2, 0);
        }
        self.0[at] |= 1 << (row % 64);
    }
}

/// What `join_star` keeps from pair to pair.
#[derive(Default)]
struct Stars {
    joined: Joined,
    /// The row whose pairs are read, its text once that was needed, and whether it has joined another row.
    later: i64,
    text: Option<Side>,
    settled: bool,
}

/// Answers a pair: the row that stays for the later one, what the two are to each other, and whether instead the later one holds the
/// earlier.
fn join_star(window: &Window<'_>) -> Result<Option<[Option<pg_sys::Datum>; 4]>> {
    let integer = |argument| window.argument(argument).map_or(0, |datum| datum.value() as i64);
    let (later, earlier) = (integer(0).max(0), integer(1).max(0));
    let stars: &mut Stars = window.state();
    if stars.later != later {
        (stars.later, stars.text, stars.settled) = (later, None, false);
    }
    if stars.settled || stars.joined.contains(earlier) {
        return Ok(None);
    }
    let text = |argument| window.str_argument(argument).unwrap_or_default();
    let similarity = window.argument(6).map(|datum| f64::from_bits(datum.value() as u64));
    let rule = Rule::new(text(4), text(5), similarity)?;
    let side = match &mut stars.text {
        Some(side) => side,
        unread => unread.insert(rule.side(text(3))?),
    };
    let judged = rule.judge(text(2), side)?;
    Ok(judged.map(|Judged { verdict, score, loses }| {
        if !loses {
            stars.settled = true;
            stars.joined.insert(later);
        }
        [earlier.into_datum(), verdict.name().into_datum(), score.into_datum(), loses.into_datum()]
    }))
}

/// Answers one row.
///
/// # Safety
/// `fcinfo` must be that of a running window function.
unsafe fn answer(
    fcinfo: pg_sys::FunctionCallInfo,
    answer: impl FnOnce(&Window<'_>) -> Result<Option<pg_sys::Datum>>,
) -> pg_sys::Datum {
    // SAFETY: the caller vouches for fcinfo.
    let Some(window) = (unsafe { Window::from_fcinfo(fcinfo) }) else {
        error!("it must be called as a window function");
    };
    let datum = answer(&window).unwrap_or_else(|error: ErrorReport| {
        error.report(PgLogLevel::ERROR);
        None
    });
    datum.unwrap_or_else(|| {
        // SAFETY: fcinfo is this call's own.
        unsafe { (*fcinfo).isnull = true };
        pg_sys::Datum::null()
    })
}

/// The entry point behind `neardup_internal.earlier_rows`.
///
/// # Safety
/// Postgres calls it as the window function that sql/cleanup/copies.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_earlier_rows(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, |window| Ok(earlier_rows(window)))) }
}

/// The entry point behind `neardup_internal.first_row`.
///
/// # Safety
/// Postgres calls it as the window function that sql/cleanup/copies.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_first_row(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, |window| Ok(first_row(window)))) }
}

/// The entry point behind `neardup_internal.join_star`.
///
/// # Safety
/// Postgres calls it as the window function that sql/cleanup/copies.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_join_star(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call, whose declaration says four columns; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            answer(fcinfo, |window| Ok(join_star(window)?.and_then(|row| record::compose(fcinfo, &row))))
        })
    }
}

/// All of them use calling convention 1.
const CONVENTION: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_earlier_rows() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_first_row() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_join_star() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}
