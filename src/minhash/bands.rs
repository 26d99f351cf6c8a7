//! Bands of a MinHash for an index of the user's own, and the choice of how many.

use neardup_core::banding;
use neardup_core::plot;
use neardup_core::sketch::minhash::{MinHashRef, Scheme};
use neardup_text::{Error, ErrorKind};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::{MinHashType, Stored};

extension_sql_file!(
    "bands.sql",
    name = "minhash_bands",
    requires = [minhash_bands, minhash_band_plan, minhash_band_curve, minhash_band_curve_svg, "minhash_operators"]
);

#[pg_extern(immutable, strict, parallel_safe, cost = 2)]
fn minhash_bands(
    signature: Stored<'_, MinHashType>,
    bands: default!(i32, 16),
    rows: default!(i32, 8),
) -> Result<Vec<i32>> {
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
        .with_hint("Make the signatures with scheme => 'many_hash'."))
}

/// Checks a similarity, which is above 0 and at most 1.
pub fn similarity(value: f64) -> Result<f64> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    let message = format!("similarity must be above 0 and at most 1: {value}");
    Err(report(Error::new(ErrorKind::InvalidParameter, message)))
}

#[allow(clippy::type_complexity, reason = "pgrx reads the columns' names here, which an alias would hide")]
#[pg_extern(immutable, strict, parallel_safe)]
fn minhash_band_plan(
    similarity: f64,
    recall: default!(f64, 0.95),
    hashes: default!(i32, 128),
) -> Result<
    TableIterator<
        'static,
        (name!(bands, i32), name!(rows, i32), name!(recall, f64), name!(excess, f64), name!(half_at, f64)),
    >,
> {
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

#[pg_extern(immutable, strict, parallel_safe)]
fn minhash_band_curve(
    bands: default!(i32, 16),
    rows: default!(i32, 8),
) -> Result<TableIterator<'static, (name!(similarity, f64), name!(found, f64))>> {
    Ok(TableIterator::new(curve(bands, rows)?))
}

#[pg_extern(immutable, strict, parallel_safe)]
fn minhash_band_curve_svg(bands: default!(i32, 16), rows: default!(i32, 8)) -> Result<String> {
    let title = format!("Chance to be found: {bands} bands of {rows} rows");
    plot::curve(&title, "Jaccard similarity", "chance", curve(bands, rows)?).map_err(report)
}
