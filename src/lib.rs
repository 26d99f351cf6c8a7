//! pg_neardup: near-duplicate text inside Postgres.
//!
//! This file only lists the parts. Each file is one SQL feature: it unwraps datums, calls `neardup_core`, wraps the answer.
//! What SQL can say itself stays in `sql/`; everything unsafe stays in [`datum`].
#![allow(clippy::result_large_err, reason = "pgrx knows an ErrorReport by its type, which a box would hide")]

mod analyzer;
mod argument;
mod banding;
mod bloom;
mod bootstrap;
mod bypass;
mod cleanup;
mod containment;
mod copies;
mod datum;
mod digest;
mod error;
mod evaluate;
mod gin;
mod grouping;
mod guard;
mod guc;
mod index;
mod judge;
mod minhash;
mod near_duplicate;
mod nearest;
mod planning;
mod profile;
mod report;
mod simhash;
mod similarity;
mod sketch;
mod source;
mod tokens;
mod tokenset;
mod verdict;
mod within;

::pgrx::pg_module_magic!(name, version);
