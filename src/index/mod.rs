//! `USING neardup`: an index access method for sketches and signatures.
//!
//! `CREATE INDEX ON articles USING neardup (sketch(body))` stores the keys of sketches as entries of one size in a B-link tree. So
//! a build is one sort, the index is small, and one pass over it gives all pairs of rows that share a key. GIN serves the same
//! operators.
//!
//! From Postgres's call down to the bytes:
//!
//! * [`handler`] gives Postgres the functions; each is in a file with the work that it does: [`build`], [`insert`], [`scan`],
//!   [`vacuum`], [`cost`], [`options`], [`validate`]. [`values`]: what they share.
//! * [`parallel`]: the workers of a build.
//! * [`check`]: `neardup.check_index`. [`lookup`]: the guard's look-ups. [`open`]: an index that a function opens itself.
//! * [`search`] and [`nearest`] answer queries. [`tree`] walks the trees, [`leaves`] finds several leaves at once. [`neardup_page::kind`]: the keys of a signature, the number of trees.
//! * [`neardup_page`]: the layout of a page, in Rust over its bytes. [`buffer`]: buffers, locks and WAL; it explains why errors and
//!   panics stay harmless. [`wal`]: what inserts write in place, in a critical section.
//!
//! Each function that Postgres calls runs inside [`boundary::entry`](crate::pg::call::boundary::entry). So Rust errors, panics and
//! Postgres's own errors unwind to `entry`, even while pages are locked. Postgres functions that are called through a
//! pointer, and so without pgrx's guard, are called inside [`boundary::catch`](crate::pg::call::boundary::catch).
//!
//! The WAL is Postgres's generic one, so no library has to be preloaded, and every replica can replay it. The metapage holds the
//! version of the page format.
#![deny(unsafe_code)]

pub mod buffer;
mod build;
mod check;
mod cost;
mod handler;
mod insert;
mod leaves;
pub mod lookup;
mod nearest;
pub mod open;
mod options;
mod parallel;
mod scan;
pub mod search;
pub mod tree;
mod vacuum;
mod validate;
mod values;
mod wal;

pub use options::define;
