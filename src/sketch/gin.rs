//! The support functions of `minhash USING gin`, the operator class behind `&&`: the index keys are the keys of a signature, so the
//! index is exact.

use neardup_core::signature::minhash::MinHashRef;
use pgrx::prelude::*;
use pgrx::{Internal, pg_sys};

use crate::error::{Result, report};
use crate::pg::planner::gin::give_keys;
use crate::pg::{MinHashType, Stored};

fn give_keys_of(signature: &Stored<'_, MinHashType>, count: Internal) -> Result<Internal> {
    let signature = MinHashRef::parse_header(signature.bytes).map_err(report)?;
    Ok(give_keys(signature.keys().map(pg_sys::Datum::from), count))
}

#[pg_extern(sql = false)]
pub fn minhash_extract_value(signature: Stored<'_, MinHashType>, count: Internal) -> Result<Internal> {
    give_keys_of(&signature, count)
}

#[pg_extern(sql = false)]
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
