//! Copies in a whole table, found by set operations: window functions for `sql/cleanup/candidates.sql`.
//!
//! * `earlier_rows` sees all rows in order of preference and returns, for each row, the earlier rows that it is to be compared with
//!   ([`Partners`]). It sorts the keys of all sketches, so that rows that share one are adjacent, and then the pairs. For a row
//!   without a pair it returns NULL, and the query leaves that row out of all later steps.
//! * `join_star` receives these pairs, row by row, and judges no more of them than necessary. A row joins the first row of its
//!   pairs that stays and that it duplicates. So it is always judged against the row that stays, never through a chain.
//!
//! Only numbers are sorted here, not the rows of a query, which are many times as large. What does not fit into `work_mem` goes to
//! temporary files. Besides that, memory holds a few bits for each row and one number for each row that joins another one.

use std::cmp::Reverse;
use std::iter::Peekable;

use ahash::AHashSet;
use neardup_core::grouping::{Bounds, Partners, Row};
use neardup_core::spill::{Sorted, Sorter};
use neardup_text::interrupt;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::boundary;
use crate::pg::call::window::Window;
use crate::pg::table::temporary::{TemporaryFile, sort_memory};
use crate::pg::value::record;
use crate::verdict::judge::{Judged, Rule, Side};

/// The weight of a shared key, of a shared hot key, and the least sum that makes a candidate, as in the guard's search.
const SHARED: u32 = 2;
const SHARED_HOT: u32 = 1;
const ENOUGH: u32 = 2;

/// The most texts sharing only one key that a guard compares with a new text: with a short one, and with a long one. From so
/// many bytes on a text is long.
const MOST_SINGLES_OF_SHORT: usize = 64;
const MOST_SINGLES: usize = 8;
const LONG: i64 = 600;

/// Stands for a missing time; `neardup_internal.moment` never gives this number.
const NO_TIME: u64 = i64::MIN.cast_unsigned();

type Records<const N: usize> = Peekable<Sorted<TemporaryFile, N>>;

/// A row under one of its keys, as sorted: the key; the row's scope, position, and whether it has only one key; its number; its
/// time.
type Keyed = [u64; 4];

/// Identifies a row: its position, and the number by which the query finds it.
type Known = (u64, u64);

/// A bit for each row.
#[derive(Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn contains(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    fn insert(&mut self, row: u64) {
        let at = (row / 64) as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1 + at / 2, 0);
        }
        self.0[at] |= 1 << (row % 64);
    }
}

/// Passes the rows of each key in each scope to `found`, in their order: the key's number, the row, and whether it has only one
/// key.
fn by_key(rows: Sorter<TemporaryFile, 4>, mut found: impl FnMut(i64, Row<Known>, bool)) {
    let (mut before, mut group) = (None, 0);
    for (count, [key, place, number, time]) in rows.finish().enumerate() {
        if count % 1024 == 0 {
            interrupt::check();
        }
        let present = (key, place >> 32);
        group += i64::from(before.replace(present) != Some(present));
        let position = (place & u64::from(u32::MAX)) >> 1;
        let time = (time != NO_TIME).then_some(time.cast_signed());
        found(group, Row { number: (position, number), time }, place & 1 == 1);
    }
}

/// The result of `earlier_rows`, in the order of the later rows.
struct Earlier {
    /// Rows whose text an earlier row has: position, and the number of the first row with that text.
    same: Records<2>,
    /// Rows that share a key: positions of both; then the number of the earlier row, whether the key is hot, and whether one
    /// shared key is enough.
    pairs: Records<2>,
    /// Whether new rows are compared, with as many rows as a guard would, instead of a table with itself; and in that case,
    /// which texts are long.
    is_guard: bool,
    long: Bits,
    /// Rows that share a key or the text with a later one.
    shared: Bits,
}

/// How `work_mem` is split among the sorts of one list, as divisors; the last three exist at the same time. A key takes 32
/// bytes; a pair takes 16 for each key that it shares.
const FOR_TEXTS: usize = 4;
const FOR_KEYS: usize = 2;
const FOR_PAIRS: usize = 4;
const FOR_SAME: usize = 8;

impl Earlier {
    fn of(window: &Window<'_>) -> Result<Self> {
        if window.rows() > i64::from(i32::MAX) {
            let message = "cannot compare more than 2147483647 rows at once";
            let code = PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED;
            return Err(ErrorReport::new(code, message, "neardup.duplicates")
                .set_hint("Go by parts: since and until, or scope."));
        }
        let within = window.argument(4).map(|datum| (datum.value() as i64).unsigned_abs());
        let chains = within.is_some() && window.argument(9).is_some_and(|datum| datum.value() != 0);
        let memory = sort_memory();
        let (mut texts, mut keyed) = (Sorter::new(memory / FOR_TEXTS), Sorter::new(memory / FOR_KEYS));
        let mut position = 0;
        let (mut asking, mut answering, mut long) = (Bits::default(), Bits::default(), Bits::default());
        let mut is_guard = false;
        window.for_each_numbers([0, 1, 2, 3, 6, 7, 8], 5, |[number, scope, hash, time, asks, answers, bytes], keys| {
            is_guard = bytes.is_some();
            if bytes.is_some_and(|bytes| bytes >= LONG) {
                long.insert(position);
            }
            if asks == Some(1) {
                asking.insert(position);
            }
            if answers == Some(1) {
                answering.insert(position);
            }
            let [scope, hash] = [scope, hash].map(|value| value.unwrap_or(0).cast_unsigned());
            let number = number.map_or(position + 1, i64::cast_unsigned);
            let time = time.map_or(NO_TIME, i64::cast_unsigned);
            let row = |key, is_only| -> Keyed { [key, scope << 32 | position << 1 | u64::from(is_only), number, time] };
            texts.push(row(hash, false));
            let first = keys.next();
            let mut next = keys.next();
            let is_only = next.is_none();
            for key in first.into_iter().chain(std::iter::from_fn(|| std::mem::replace(&mut next, keys.next()))) {
                keyed.push(row(key.cast_unsigned(), is_only));
            }
            position += 1;
        });

        let (mut repeats, mut shared, mut same) = (Bits::default(), Bits::default(), Sorter::new(memory / FOR_SAME));
        let mut partners = Partners::new(Bounds::TABLE, chains);
        by_key(texts, |text, row, _| {
            let (later, asks) = (row.number.0, asking.contains(row.number.0));
            if let Some((earlier, first)) = partners.first_of(text, row, answering.contains(later), !asks, within) {
                // A row that does not ask stays, and in time it may be near to rows that the one before it is far from.
                if asks || within.is_none() {
                    repeats.insert(later);
                }
                if asks {
                    shared.insert(earlier);
                    same.push([later, first]);
                }
            }
        });
        let (mut pairs, mut found) = (Sorter::new(memory / FOR_PAIRS), Vec::new());
        let mut partners = Partners::new(if is_guard { Bounds::GUARD } else { Bounds::TABLE }, chains);
        by_key(keyed, |key, row, is_only| {
            let later = row.number.0;
            let repeats = repeats.contains(later);
            if !repeats || chains {
                partners.of(key, row, answering.contains(later), within, &mut found);
                if repeats || !asking.contains(later) {
                    return;
                }
                let flags = u64::from(partners.is_hot()) << 1 | u64::from(is_only);
                for &(earlier, number) in &found {
                    shared.insert(earlier);
                    pairs.push([later << 32 | earlier, number << 2 | flags]);
                }
            }
        });
        Ok(Self { same: same.finish().peekable(), pairs: pairs.finish().peekable(), is_guard, long, shared })
    }

    /// Gives the result for the row at a position: the first row with its text, as a negative number, or the rows to compare it
    /// with, those with the most shared keys first.
    fn take(&mut self, position: u64) -> Vec<i64> {
        if let Some([_, first]) = self.same.next_if(|[later, _]| *later == position) {
            return vec![first.cast_signed().wrapping_neg()];
        }
        let mut found: Vec<(u32, u64, u64)> = Vec::new();
        let mut enough = ENOUGH;
        while let Some([rows, number]) = self.pairs.next_if(|[rows, _]| rows >> 32 == position) {
            let weight = if number & 2 == 0 { SHARED } else { SHARED_HOT };
            enough = if number & 1 == 0 { ENOUGH } else { 1 };
            match found.last_mut() {
                Some((shared, same, _)) if *same == rows => *shared += weight,
                _ => found.push((weight, rows, number >> 2)),
            }
        }
        found.retain(|(shared, ..)| *shared >= enough);
        if self.is_guard {
            // Later rows before earlier ones.
            found.sort_unstable_by_key(|&(shared, earlier, _)| (Reverse(shared), Reverse(earlier)));
            let singles = if self.long.contains(position) { MOST_SINGLES } else { MOST_SINGLES_OF_SHORT };
            let several = found.partition_point(|&(shared, ..)| shared > SHARED);
            found.truncate(several + singles);
        } else {
            found.sort_unstable_by_key(|&(shared, earlier, _)| (Reverse(shared), earlier));
        }
        found.into_iter().map(|(_, _, number)| number.cast_signed()).collect()
    }
}

fn earlier_rows(window: &Window<'_>) -> Result<Option<pg_sys::Datum>> {
    let position = window.position();
    let earlier: &mut Option<Earlier> = window.state();
    let earlier = match earlier {
        Some(earlier) => earlier,
        unread => unread.insert(Earlier::of(window)?),
    };
    window.forget();
    let found = earlier.take(position.cast_unsigned());
    let is_alone = found.is_empty() && !earlier.shared.contains(position.cast_unsigned());
    Ok(if is_alone { None } else { found.into_datum() })
}

/// The state that `join_star` keeps between pairs.
#[derive(Default)]
struct Stars {
    joined: AHashSet<i64>,
    /// The row whose pairs are being read, its text if it was needed, and whether it has joined another row.
    later: i64,
    text: Option<Side>,
    settled: bool,
    /// Whether it has joined a row that has itself joined another.
    chained: bool,
    /// The number of rows it was compared with.
    compared: usize,
}

/// Answers a pair: the row that stays for the later one, the verdict and its value, whether the later row contains the earlier
/// one instead, and whether the row that stays has itself joined another. Such a row can be joined only where copies are
/// stored, and any other row that stays is preferred, so its answer is given after all others.
fn join_star(window: &Window<'_>) -> Result<Option<[Option<pg_sys::Datum>; 5]>> {
    let integer = |argument| window.argument(argument).map_or(0, |datum| datum.value() as i64);
    let (later, earlier) = (integer(0).max(0), integer(1).max(0));
    window.forget();
    let stars: &mut Stars = window.state();
    if stars.later != later {
        (stars.later, stars.text, stars.settled, stars.chained, stars.compared) = (later, None, false, false, 0);
    }
    let chains = window.argument(8).is_some_and(|datum| datum.value() != 0);
    let has_joined = stars.joined.contains(&earlier);
    let most = window.argument(7).map(|datum| datum.value());
    if stars.settled || (has_joined && (stars.chained || !chains)) || most.is_some_and(|most| stars.compared >= most) {
        return Ok(None);
    }
    stars.compared += 1;
    let text = |argument| window.str_argument(argument).unwrap_or_default();
    let threshold = window.argument(6).map(|datum| f64::from_bits(datum.value() as u64));
    let rule = Rule::new(text(4), text(5), threshold)?;
    let side = match &mut stars.text {
        Some(side) => side,
        unread => unread.insert(rule.side(text(3))?),
    };
    let judged = rule.judge(text(2), side)?;
    Ok(judged.map(|Judged { verdict, score, loses }| {
        if !loses {
            (stars.settled, stars.chained) = (!has_joined, has_joined);
            stars.joined.insert(later);
        }
        [
            earlier.into_datum(),
            verdict.name().into_datum(),
            score.into_datum(),
            loses.into_datum(),
            has_joined.into_datum(),
        ]
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
/// Postgres calls it as the window function that sql/cleanup/candidates.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_earlier_rows(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call; this is the outermost frame.
    unsafe { boundary::entry(|| answer(fcinfo, earlier_rows)) }
}

/// The entry point behind `neardup_internal.join_star`.
///
/// # Safety
/// Postgres calls it as the window function that sql/cleanup/candidates.sql declares.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn neardup_join_star(fcinfo: pg_sys::FunctionCallInfo) -> pg_sys::Datum {
    // SAFETY: Postgres passes the fcinfo of this call, whose declaration says five columns; this is the outermost frame.
    unsafe {
        boundary::entry(|| {
            answer(fcinfo, |window| Ok(join_star(window)?.and_then(|row| record::compose(fcinfo, &row))))
        })
    }
}

/// Both use calling convention 1.
const CONVENTION: pg_sys::Pg_finfo_record = pg_sys::Pg_finfo_record { api_version: 1 };

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_earlier_rows() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}

/// Tells Postgres the calling convention.
#[unsafe(no_mangle)]
pub extern "C" fn pg_finfo_neardup_join_star() -> &'static pg_sys::Pg_finfo_record {
    &CONVENTION
}

/// Gives the number that identifies a row within a statement: its address in the table.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.tid_number(tid tid) RETURNS bigint IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn tid_number(tid: pg_sys::ItemPointerData) -> i64 {
    let (block, offset) = pgrx::itemptr::item_pointer_get_both(tid);
    i64::from(block) << 16 | i64::from(offset)
}

/// Gives the address for such a number.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup_internal.number_tid(number bigint) RETURNS tid IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn number_tid(number: i64) -> pg_sys::ItemPointerData {
    let mut tid = pg_sys::ItemPointerData::default();
    pgrx::itemptr::item_pointer_set_all(&mut tid, (number >> 16) as u32, number as u16);
    tid
}
