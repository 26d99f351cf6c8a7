//! pg_neardup: near-duplicate text inside Postgres.
//!
//! This file only lists the parts. A feature is a folder with its Rust and its SQL: the Rust unwraps datums, calls the crates below
//! `crates/` and wraps the result. Unsafe code is in [`pg`], and in files that say so.
#![allow(clippy::result_large_err, reason = "pgrx knows an ErrorReport by its type, which a box would hide")]

mod answers;
mod argument;
mod bloom;
mod cleanup;
mod containment;
mod error;
mod evaluate;
mod grouping;
mod guard;
mod guarded;
mod guc;
mod index;
mod list;
mod load;
mod minhash;
mod near_duplicate;
mod pg;
mod profile;
mod script;
mod selectivity;
mod simhash;
mod similarity;
mod sketch;
mod text;
mod tokenset;
mod verdict;

::pgrx::pg_module_magic!(name, version);
