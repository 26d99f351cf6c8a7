//! The type `simhash` and the function that makes one from a document.

use neardup_core::document;
use neardup_core::sketch::simhash;
use pgrx::prelude::*;
use std::ffi::CStr;

use crate::analyzer;
use crate::datum::{BitString, SimHash};
use crate::error::{Result, report};

extension_sql_file!(
    "../sql/simhash_type.sql",
    name = "simhash_type",
    creates = [Type(SimHash)],
    requires = [simhash_in, simhash_out]
);

extension_sql_file!(
    "../sql/simhash.sql",
    name = "simhash_operators",
    requires = ["simhash_type", hamming_distance, simhash_from_bit]
);

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION simhash_in(cstring) RETURNS simhash IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn simhash_in(text: &CStr) -> Result<SimHash> {
    simhash::parse_hex(&text.to_string_lossy()).map(SimHash).map_err(report)
}

#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION simhash_out(simhash) RETURNS cstring IMMUTABLE STRICT PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn simhash_out(signature: SimHash) -> std::ffi::CString {
    std::ffi::CString::new(simhash::to_hex(signature.0)).unwrap_or_default()
}

/// Casts 64 bits, most significant first, to a signature.
#[pg_extern(immutable, strict, parallel_safe)]
fn simhash_from_bit(bits: BitString) -> Result<SimHash> {
    if bits.length != 64 {
        return Err(pgrx::pg_sys::panic::ErrorReport::new(
            PgSqlErrorCode::ERRCODE_STRING_DATA_LENGTH_MISMATCH,
            format!("a simhash has 64 bits, this bit string has {}", bits.length),
            "simhash_from_bit",
        ));
    }
    Ok(SimHash(bits.head))
}

#[pg_extern(immutable, strict, parallel_safe)]
fn hamming_distance(a: SimHash, b: SimHash) -> i32 {
    (a.0 ^ b.0).count_ones() as i32
}

// What any other segmenter has cut.
#[pg_extern(name = "simhash", immutable, strict, parallel_safe, cost = 1000)]
fn simhash_tokens(tokens: Array<&str>) -> Option<SimHash> {
    document::simhash_of_tokens(tokens.iter().flatten()).map(SimHash)
}

/// Signs a string literal: without this, `simhash('...')` would read the literal as a signature, since the type has the same name.
#[pg_extern(
    immutable,
    strict,
    parallel_safe,
    requires = ["simhash_type"],
    sql = "CREATE FUNCTION simhash(document unknown, analyzer text DEFAULT 'jieba') RETURNS simhash IMMUTABLE STRICT PARALLEL SAFE COST 10000 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn simhash_literal(document: &CStr, analyzer: &str) -> Result<Option<SimHash>> {
    simhash_document(&document.to_string_lossy(), analyzer)
}

// Segmenting costs about 20 ns a byte, the operators around it 1: the planner should run this last and in parallel.
#[pg_extern(name = "simhash", immutable, strict, parallel_safe, cost = 10000)]
fn simhash_document(document: &str, analyzer: default!(&str, "'jieba'")) -> Result<Option<SimHash>> {
    let signature = analyzer::with(analyzer, |analyzer, scratch| document::simhash(document, analyzer, scratch))?
        .map_err(report)?;
    Ok(signature.map(SimHash))
}
