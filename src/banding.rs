//! Helper columns for an index: the bands of a signature and the keys under which its neighbours are found.

use neardup_core::banding;
use pgrx::prelude::*;

use crate::datum::SimHash;
use crate::error::{Result, report};
use crate::simhash::hamming_distance;

extension_sql_file!(
    "../sql/banding.sql",
    name = "banding",
    requires = [simhash_bands, simhash_band, simhash_probes, hamming_distance]
);

#[pg_extern(immutable, strict, parallel_safe, cost = 10)]
fn simhash_bands(signature: SimHash, bands: default!(i32, 4)) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::bands(signature.0, bands, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

#[pg_extern(immutable, strict, parallel_safe, cost = 10)]
fn simhash_band(signature: SimHash, i: i32, bands: default!(i32, 4)) -> Result<i32> {
    banding::band(signature.0, i, bands).map_err(report)
}

#[pg_extern(immutable, strict, parallel_safe, cost = 100)]
fn simhash_probes(signature: SimHash, distance: i32, bands: default!(i32, 4)) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::probes(signature.0, distance, bands, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}
