//! The support functions of the GIN operator classes: `minhash USING gin` for `&&`, `simhash USING gin` for `<@`.
//!
//! A minhash has its keys as index keys, so sharing one is exactly what the index says. A simhash has its four bands; signatures within
//! a distance share a band but for a few bits (Norouzi, Punjani, Fleet 2012), so the index answers with candidates that the operator
//! checks again. Beyond distance 11 the probes would be too many, and the whole index is read.
//!
//! The classes have the three-valued `triConsistent` only; GIN makes the other, `consistent`, of it.

use neardup_core::banding::{self, DEFAULT_BANDS, MAX_DISTANCE};
use neardup_core::sketch::minhash::MinHashRef;
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::error::{Result, report};
use crate::pg::planner::gin::{Checks, give_keys, read_whole_index};
use crate::pg::value::hamming_ball::HammingBall;
use crate::pg::{MinHashType, SimHash, Stored};

/// `GinTernaryValue`: the row does not match.
const FALSE: i8 = 0;
/// The row matches.
const TRUE: i8 = 1;
/// The row may match: the operator decides.
const MAYBE: i8 = 2;

fn give_keys_of(signature: &Stored<'_, MinHashType>, count: Internal) -> Result<Internal> {
    let signature = MinHashRef::parse_header(signature.bytes).map_err(report)?;
    Ok(give_keys(signature.keys().map(pg_sys::Datum::from), count))
}

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["minhash_type"],
    sql = "CREATE FUNCTION neardup_internal.minhash_extract_value(minhash, internal) RETURNS internal IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn minhash_extract_value(signature: Stored<'_, MinHashType>, count: Internal) -> Result<Internal> {
    give_keys_of(&signature, count)
}

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["minhash_type"],
    sql = "CREATE FUNCTION neardup_internal.minhash_extract_query(minhash, internal, smallint, internal, internal, internal, internal) RETURNS internal IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn minhash_extract_query(
    query: Stored<'_, MinHashType>,
    count: Internal,
    _strategy: i16,
    _partial: Internal,
    _extra: Internal,
    _nulls: Internal,
    _mode: Internal,
) -> Result<Internal> {
    give_keys_of(&query, count)
}

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["simhash_type"],
    sql = "CREATE FUNCTION neardup_internal.simhash_extract_value(simhash, internal) RETURNS internal IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
pub fn simhash_extract_value(signature: SimHash, count: Internal) -> Result<Internal> {
    let mut keys = Vec::with_capacity(DEFAULT_BANDS as usize);
    banding::bands(signature.0, DEFAULT_BANDS, |key| keys.push(pg_sys::Datum::from(key))).map_err(report)?;
    Ok(give_keys(keys.into_iter(), count))
}

// Declared with the indexed type, as GIN wants it; the query is a ball, as the operator says.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["hamming_ball_type"],
    sql = "CREATE FUNCTION neardup_internal.simhash_extract_query(simhash, internal, smallint, internal, internal, internal, internal) RETURNS internal IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
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

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["hamming_ball_type"],
    sql = "CREATE FUNCTION neardup_internal.simhash_tri_consistent(internal, smallint, simhash, integer, internal, internal, internal) RETURNS \"char\" IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
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
