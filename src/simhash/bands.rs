//! Bands of a SimHash for an index of the user's own, and the keys that find its neighbours.

use neardup_core::banding::{self, MAX_DISTANCE};
use pgrx::prelude::*;

use super::SimHash;
use crate::argument::within;
use crate::error::{Result, report};

#[pg_extern(sql = false)]
fn simhash_bands(signature: SimHash, bands: i32) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::bands(signature.0, within("bands", bands, banding::BANDS)?, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

#[pg_extern(sql = false)]
fn simhash_band(signature: SimHash, i: i32, bands: i32) -> Result<i32> {
    let bands = within("bands", bands, banding::BANDS)?;
    banding::band(signature.0, within("band", i, 0..=bands - 1)?, bands).map_err(report)
}

#[pg_extern(sql = false)]
fn simhash_probes(signature: SimHash, distance: i32, bands: i32) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    banding::probes(signature.0, distance, within("bands", bands, banding::BANDS)?, |key| keys.push(key))
        .map_err(report)?;
    Ok(keys)
}
