//! The support functions of `simhash USING gin`, the operator class behind `<@`.
//!
//! The index keys are the four bands of a signature. Signatures within a distance share a band but for a few bits (Norouzi, Punjani,
//! Fleet 2012), so the index gives candidates, which the operator checks again. Beyond distance 11 there would be too many probes, and
//! the whole index is read.
//!
//! The class has only the three-valued `triConsistent`; GIN derives `consistent` from it.

use neardup_core::banding::{self, DEFAULT_BANDS, MAX_DISTANCE};
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use super::{HammingBall, SimHash};
use crate::error::{Result, report};
use crate::pg::planner::gin::{Checks, give_keys, read_whole_index};

/// `GinTernaryValue`: the row does not match.
const FALSE: i8 = 0;
/// The row matches.
const TRUE: i8 = 1;
/// The row may match: the operator decides.
const MAYBE: i8 = 2;

#[pg_extern(sql = false)]
pub fn simhash_extract_value(signature: SimHash, count: Internal) -> Result<Internal> {
    let mut keys = Vec::with_capacity(DEFAULT_BANDS as usize);
    banding::bands(signature.0, DEFAULT_BANDS, |key| keys.push(pg_sys::Datum::from(key))).map_err(report)?;
    Ok(give_keys(keys.into_iter(), count))
}

// Declared with the indexed type, as GIN wants it; the query is a ball, as the operator says.
#[pg_extern(sql = false)]
pub fn simhash_extract_query(
    query: HammingBall,
    count: Internal,
    _strategy: i16,
    _partial: Internal,
    _extra: Internal,
    _nulls: Internal,
    mode: Internal,
) -> Result<Internal> {
    let mut keys = Vec::new();
    let distance = u32::try_from(query.distance).unwrap_or(u32::MAX);
    if distance <= MAX_DISTANCE {
        let sink = |key| keys.push(pg_sys::Datum::from(key));
        banding::probes(query.center, distance, DEFAULT_BANDS, sink).map_err(report)?;
    } else {
        read_whole_index(mode);
    }
    Ok(give_keys(keys.into_iter(), count))
}

#[pg_extern(sql = false)]
pub fn simhash_tri_consistent(
    check: Internal,
    _strategy: i16,
    _query: HammingBall,
    count: i32,
    _extra: Internal,
    _keys: Internal,
    _nulls: Internal,
) -> i8 {
    let checks = Checks::new(check, count);
    if count == 0 || checks.any(TRUE) || checks.any(MAYBE) { MAYBE } else { FALSE }
}
