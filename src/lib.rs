//! pg_neardup: near-duplicate text inside Postgres.
//!
//! This file only lists the parts: it unwraps datums, calls the three crates and wraps the result.
//! A feature is a folder with its Rust and its SQL. Everything unsafe is in [`pg`].
#![allow(clippy::result_large_err, reason = "pgrx knows an ErrorReport by its type, which a box would hide")]

mod argument;
mod bloom;
mod bootstrap;
mod cleanup;
mod containment;
mod engine;
mod error;
mod evaluate;
mod grouping;
mod guard;
mod guc;
mod index;
mod minhash;
mod near_duplicate;
mod pg;
mod profile;
mod selectivity;
mod simhash;
mod similarity;
mod sketch;
mod statement;
mod text;
mod tokenset;
mod verdict;

::pgrx::pg_module_magic!(name, version);
