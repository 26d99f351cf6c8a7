//! pg_neardup: near-duplicate text inside Postgres.
//!
//! This file only lists the parts. Each file is one SQL feature: it unwraps datums, calls `neardup_core`, wraps the answer.
//! What SQL can say itself stays in `sql/`; everything unsafe stays in [`datum`].

mod analyzer;
mod argument;
mod banding;
mod bootstrap;
mod cleanup;
mod datum;
mod error;
mod grouping;
mod guard;
mod simhash;
mod tokens;

::pgrx::pg_module_magic!(name, version);
