//! What the planner needs to know to find near signatures by an index, and to expect the right number of them.
//!
//! The planner could inline an SQL function, but does not where an argument is a subquery or costs something, as in
//! `simhash_within(sig, simhash($1), 7)`. So a support function writes out the condition itself. It cuts the probes into parts:
//! GIN's work on one array of keys grows with keys times rows (548 keys over 1 M rows: 25 ms in parts, 100 ms in one).
//!
//! Postgres takes each key of an array to be in 0.5 % of the rows unless ANALYZE found it often, which is 300 times too much
//! for the keys of signatures: plans with 68 keys would read the whole table. So the keys are compared by an operator
//! of our own, `neardup.&&`, which is `&&` with other estimates, in Postgres's own GIN operator family.

use neardup_core::banding::{self, DEFAULT_BANDS};
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::datum::estimate::{Made, Operands, from_statistics};
use crate::datum::expression::{Call, Expression, answer_selectivity, no_answer};

extension_sql_file!(
    "../sql/planning.sql",
    name = "planning",
    requires = [simhash_within_support, filter_support, keys_overlap_share, keys_overlap_join_share, hamming_within]
);

/// Keys looked up by one part of the condition.
const KEYS_OF_A_PART: i32 = 20;

/// Parts where the distance is not known when the query is planned.
const PARTS_OF_ANY_DISTANCE: i32 = 4;

/// Distance that is assumed then.
const ANY_DISTANCE: i32 = 7;

/// How many times as many rows carry a band's value as would by chance, since real texts are not random. Measured with rows as
/// probes (docs/searching.md, "Skew", has the query): 840,000 titles 1.5 with `chars:3` and 2.5 with jieba, 110,000 news 1.9 with
/// `chars:3`, 40,000 posts 6.8; news with jieba 49, half of them below 6. Only plans without a constant depend on it: where
/// ANALYZE has seen the index, constants are estimated by its statistics. Too low, a large join takes the index where a scan is
/// cheaper; too high, a look-up reads the table.
const SKEW: f64 = 2.5;

/// The share of rows with a given key, for keys hashed to 32 bits. Measured for bands of 16 x 8 values of `chars:5`, the row
/// itself not counted: 40,000 posts 5e-5, 28,000 news 1e-6, 105,000 titles 1e-7. All are so few that an index is right.
const SHARE_OF_A_HASH: f64 = 1e-5;

/// The share of rows with a given token, for tokens of which one in a few is common. Measured with texts as probes, `overlap_keys`
/// and `overlap_probes` at 0.8 of jieba's tokens: 42,000 titles 0.001, half of them below 0.0005; 20,000 posts 0.006, half below 0.003.
const SHARE_OF_A_TOKEN: f64 = 1e-3;

/// Keys looked up where nothing is known of them: about as many as a short text has tokens.
const ANY_KEYS: f64 = 20.0;

/// The share of candidates taken to be near. Measured for 500 look-ups among 880,000 titles and posts: 0.009 at distance 3, 0.001
/// at 7. It scales the rows expected in the answer, which are few either way, and leaves the cost of finding them alone.
const SHARE_NEAR: f64 = 0.005;

/// Says into how many parts the probes for a distance are cut; `None` where there are none.
fn parts_of(distance: i32) -> Option<i32> {
    let mut keys = 0;
    banding::probes(0, u32::try_from(distance).ok()?, DEFAULT_BANDS, |_| keys += 1).ok()?;
    Some(((keys + KEYS_OF_A_PART - 1) / KEYS_OF_A_PART).max(1))
}

/// Writes `simhash_within(a, b, distance)` out as conditions on the index and a filter.
fn write_out_simhash(call: &Call) -> Option<Expression> {
    let &[a, b, distance] = &call.arguments()?[..] else { return None };
    let (a, b) = column_first(a, b);
    let parts = match distance.as_integer() {
        Some(distance) => parts_of(distance)?,
        None => PARTS_OF_ANY_DISTANCE,
    };
    let bands = Expression::integer(DEFAULT_BANDS as i32);
    let overlaps = |part| {
        let stored = call.function("simhash_bands", pg_sys::INT4ARRAYOID, &[a, bands]);
        let of_part = [b, distance, bands, Expression::integer(part), Expression::integer(parts)];
        let arguments = if parts == 1 { &of_part[..3] } else { &of_part };
        call.overlap(stored, call.function("simhash_probes", pg_sys::INT4ARRAYOID, arguments))
    };
    let candidates: Vec<Expression> = (0..parts).map(overlaps).collect();
    let near = call.function("hamming_within", pg_sys::BOOLOID, &[a, b, distance]);
    Some(Expression::all(&[Expression::any(&candidates), near]))
}

/// Writes `minhash_within(a, b, similarity, bands, rows)` out.
fn write_out_minhash(call: &Call) -> Option<Expression> {
    let &[a, b, similarity, bands, rows] = &call.arguments()?[..] else { return None };
    let (a, b) = column_first(a, b);
    let keys = |signature| call.function("minhash_bands", pg_sys::INT4ARRAYOID, &[signature, bands, rows]);
    let similar = call.function("jaccard_within", pg_sys::BOOLOID, &[a, b, similarity]);
    Some(Expression::all(&[call.overlap(keys(a), keys(b)), similar]))
}

/// Writes `overlap_within(a, b, similarity)` out.
fn write_out_overlap(call: &Call) -> Option<Expression> {
    let &[a, b, similarity] = &call.arguments()?[..] else { return None };
    let (a, b) = column_first(a, b);
    let keys = |function, tokens| call.function(function, pg_sys::INT4ARRAYOID, &[tokens, similarity]);
    let similar = call.function("overlap_reaches", pg_sys::BOOLOID, &[a, b, similarity]);
    Some(Expression::all(&[call.overlap(keys("overlap_keys", a), keys("overlap_probes", b)), similar]))
}

/// The side that is stored: the first, unless only the second is a column.
fn column_first(a: Expression, b: Expression) -> (Expression, Expression) {
    if b.has_column() && !a.has_column() { (b, a) } else { (a, b) }
}

fn support(request: Internal, write_out: impl FnOnce(&Call) -> Option<Expression>) -> Internal {
    let request = request.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr());
    // SAFETY: only called by functions that Postgres calls as support functions, with what it passed to them.
    let call = unsafe { Call::from_request(request) };
    let answer = call.and_then(|call| write_out(&call).map(|condition| call.replace(condition)));
    Internal::from(Some(answer.unwrap_or_else(no_answer)))
}

/// Answers the planner about `simhash_within`; where it does not, the planner inlines the function's SQL.
#[pg_extern(immutable, strict, parallel_safe)]
fn simhash_within_support(request: Internal) -> Internal {
    support(request, write_out_simhash)
}

/// Answers the planner about `minhash_within`.
#[pg_extern(immutable, strict, parallel_safe)]
fn minhash_within_support(request: Internal) -> Internal {
    support(request, write_out_minhash)
}

/// Answers the planner about `overlap_within`.
#[pg_extern(immutable, strict, parallel_safe)]
fn overlap_within_support(request: Internal) -> Internal {
    support(request, write_out_overlap)
}

/// Tells the planner how few candidates the exact tests let through.
#[pg_extern(immutable, strict, parallel_safe)]
fn filter_support(request: Internal) -> Internal {
    let request = request.unwrap().unwrap_or_else(no_answer);
    // SAFETY: Postgres calls this as the support function of the exact tests.
    let known = unsafe { answer_selectivity(request.cast_mut_ptr(), SHARE_NEAR) };
    Internal::from(Some(if known { request } else { no_answer() }))
}

/// Estimates the share of rows that share a key with the keys sought.
fn share(operands: &Operands) -> f64 {
    let keys = operands.constant_length().map(|length| length as f64);
    let keys = keys.or_else(|| operands.right().and_then(|made| keys_made(&made))).unwrap_or(ANY_KEYS);
    let of_a_key = operands.left().and_then(|made| share_of_a_key(&made)).unwrap_or(SHARE_OF_A_HASH);
    (keys * of_a_key).clamp(0.0, 1.0)
}

fn share_of_a_key(stored: &Made) -> Option<f64> {
    if stored.by == "overlap_keys" {
        return Some(SHARE_OF_A_TOKEN);
    }
    let bands = u32::try_from((*stored.of.get(1)?)?).ok().filter(|bands| banding::BANDS.contains(bands))?;
    (stored.by == "simhash_bands").then(|| SKEW * 0.5f64.powi(64u32.div_ceil(bands) as i32))
}

fn keys_made(sought: &Made) -> Option<f64> {
    let argument = |i: usize| sought.of.get(i).copied().flatten();
    match sought.by.as_str() {
        "simhash_probes" => {
            let distance = argument(1).unwrap_or(ANY_DISTANCE);
            let mut keys = 0u32;
            let bands = u32::try_from(argument(2)?).ok()?;
            banding::probes(0, u32::try_from(distance).ok()?, bands, |_| keys += 1).ok()?;
            Some(f64::from(keys) / f64::from(argument(4).unwrap_or(1).max(1)))
        }
        "minhash_bands" => argument(1).map(f64::from),
        _ => None,
    }
}

/// Estimates `stored && sought` where the keys sought come from outside the table.
#[pg_extern(stable, strict, parallel_safe)]
fn keys_overlap_share(root: Internal, _operator: pg_sys::Oid, arguments: Internal, relation: i32) -> f64 {
    let pointer = |node: Internal| node.unwrap().unwrap_or_else(no_answer);
    let (root, arguments) = (pointer(root).cast_mut_ptr(), pointer(arguments).cast_mut_ptr());
    // SAFETY: Postgres calls this as the restriction estimator of an operator, with the arguments of one.
    unsafe {
        let Some(operands) = Operands::from_list(arguments) else { return SHARE_OF_A_HASH };
        let known = operands.constant_length().and_then(|_| from_statistics(root, arguments, relation));
        known.unwrap_or_else(|| share(&operands))
    }
}

/// Estimates `stored && sought` between two tables.
#[pg_extern(stable, strict, parallel_safe)]
fn keys_overlap_join_share(
    _root: Internal,
    _operator: pg_sys::Oid,
    arguments: Internal,
    _kind: i16,
    _join: Internal,
) -> f64 {
    let arguments = arguments.unwrap().unwrap_or_else(no_answer).cast_mut_ptr();
    // SAFETY: Postgres calls this as the join estimator of an operator, with the arguments of one.
    unsafe { Operands::from_list(arguments) }.map_or(SHARE_OF_A_HASH, |operands| share(&operands))
}
