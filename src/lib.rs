//! pg_neardup: near-duplicate text inside Postgres.
//!
//! This file only lists the parts. Each file is one SQL feature: it unwraps datums, calls `neardup_core` and wraps the result.
//! Everything that SQL can express is in `sql/`; everything unsafe is in [`pg`].
#![allow(clippy::result_large_err, reason = "pgrx knows an ErrorReport by its type, which a box would hide")]

mod argument;
mod bootstrap;
mod cleanup;
mod engine;
mod error;
mod guard;
mod guc;
mod index;
mod pg;
mod profile;
mod search;
mod statement;
mod text;
mod types;
mod verdict;

::pgrx::pg_module_magic!(name, version);
