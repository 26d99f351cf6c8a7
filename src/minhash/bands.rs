//! Bands of a MinHash for an index of the user's own, and the choice of how many.

use neardup_core::banding;
use neardup_core::signature::minhash::{MinHashRef, Scheme};
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::call::column::number;
use crate::pg::{MinHashType, Stored};

#[pg_extern(sql = false)]
fn minhash_bands(signature: Stored<'_, MinHashType>, bands: i32, rows: i32) -> Result<Vec<i32>> {
    let signature = MinHashRef::parse_header(signature.bytes).map_err(report)?;
    check_scheme(signature).map_err(report)?;
    let (bands, rows) = (within("bands", bands, 1..=1024)?, within("rows", rows, 1..=banding::MAX_ROWS)?);
    let mut keys = Vec::new();
    banding::minhash_bands(signature.values(), bands, rows, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

/// An error unless the signature's values stand for hash functions, so that bands of them mean something.
pub fn check_scheme(signature: MinHashRef<'_>) -> neardup_text::Result<()> {
    if signature.parameters().scheme() == Scheme::ManyHash {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Mismatch, "a bottom_k minhash has no bands")
        .with_hint("Create the signatures with scheme => 'many_hash'."))
}

/// Checks a similarity, which is above 0 and at most 1.
pub fn similarity(value: f64) -> Result<f64> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    let message = format!("similarity must be above 0 and at most 1: {}", number(value));
    Err(report(Error::new(ErrorKind::InvalidParameter, message)))
}

#[allow(clippy::type_complexity, reason = "pgrx reads the columns' names here, which an alias would hide")]
#[pg_extern(sql = false)]
fn minhash_band_plan(
    similarity: f64,
    recall: f64,
    hashes: i32,
) -> Result<TableIterator<'static, (i32, i32, f64, f64, f64)>> {
    let plans = banding::band_plans(similarity, recall, within("hashes", hashes, 1..=1024)?).map_err(report)?;
    Ok(TableIterator::new(plans.into_iter().map(|plan| {
        // Where the curve passes one half: below, a pair is more likely missed than found.
        let half = (1.0 - 0.5f64.powf(1.0 / f64::from(plan.bands))).powf(1.0 / f64::from(plan.rows));
        (plan.bands as i32, plan.rows as i32, plan.recall, plan.excess, half)
    })))
}

/// The S-curve at 0, 0.05, ... 1.
fn curve(bands: i32, rows: i32) -> Result<Vec<(f64, f64)>> {
    let (bands, rows) = (within("bands", bands, 1..=1024)?, within("rows", rows, 1..=banding::MAX_ROWS)?);
    let place = |i: u32| f64::from(i) / 20.0;
    Ok((0..=20).map(|i| (place(i), banding::candidate_chance(place(i), bands, rows))).collect())
}

#[pg_extern(sql = false)]
fn minhash_band_curve(bands: i32, rows: i32) -> Result<TableIterator<'static, (f64, f64)>> {
    Ok(TableIterator::new(curve(bands, rows)?))
}

#[pg_extern(sql = false)]
fn minhash_band_curve_svg(bands: i32, rows: i32) -> Result<String> {
    let title = format!("Chance to be found: {bands} bands of {rows} rows");
    Ok(neardup_chart::curve(&title, "Jaccard similarity", "chance", &curve(bands, rows)?))
}
