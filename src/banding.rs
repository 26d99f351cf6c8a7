//! Helper columns for an index: the bands of a signature and the keys under which its neighbours are found.

use neardup_core::banding::{self, MAX_DISTANCE};
use neardup_core::sketch::simhash;
use pgrx::prelude::*;

use crate::argument::within;
use crate::datum::SimHash;
use crate::error::{Result, report};

extension_sql_file!(
    "../sql/banding.sql",
    name = "banding",
    requires = [
        simhash_bands,
        simhash_band,
        simhash_probes,
        simhash_probes_part,
        hamming_within,
        "planning",
        "simhash_operators"
    ]
);

#[pg_extern(immutable, strict, parallel_safe, cost = 1)]
fn simhash_bands(signature: SimHash, bands: default!(i32, 4)) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    banding::bands(signature.0, within("bands", bands, banding::BANDS)?, |key| keys.push(key)).map_err(report)?;
    Ok(keys)
}

#[pg_extern(immutable, strict, parallel_safe, cost = 1)]
fn simhash_band(signature: SimHash, i: i32, bands: default!(i32, 4)) -> Result<i32> {
    let bands = within("bands", bands, banding::BANDS)?;
    banding::band(signature.0, within("band", i, 0..=bands - 1)?, bands).map_err(report)
}

#[pg_extern(immutable, strict, parallel_safe, cost = 2)]
fn simhash_probes(signature: SimHash, distance: i32, bands: default!(i32, 4)) -> Result<Vec<i32>> {
    let mut keys = Vec::new();
    let distance = within("distance", distance, 0..=MAX_DISTANCE)?;
    banding::probes(signature.0, distance, within("bands", bands, banding::BANDS)?, |key| keys.push(key))
        .map_err(report)?;
    Ok(keys)
}

// The same keys, cut into `parts` runs of nearly one length.
#[pg_extern(name = "simhash_probes", immutable, strict, parallel_safe, cost = 2)]
fn simhash_probes_part(signature: SimHash, distance: i32, bands: i32, part: i32, parts: i32) -> Result<Vec<i32>> {
    let mut keys = simhash_probes(signature, distance, bands)?;
    let parts = within("parts", parts, 1..=1000)? as usize;
    let part = within("part", part, 0..=parts as u32 - 1)? as usize;
    let place = |part: usize| keys.len() * part / parts;
    let (start, end) = (place(part), place(part + 1));
    keys.truncate(end);
    keys.drain(..start);
    Ok(keys)
}

#[pg_extern(immutable, strict, parallel_safe)]
fn hamming_within(a: SimHash, b: SimHash, distance: i32) -> bool {
    i64::from(simhash::hamming_distance(a.0, b.0)) <= i64::from(distance)
}
