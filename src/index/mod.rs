//! `USING neardup`: an index access method for sketches and signatures.
//!
//! `CREATE INDEX ON articles USING neardup (sketch(body))` holds the keys of a sketch as entries of one size in a B-link tree, so it is
//! built by one sort, is small, and gives all pairs of rows that share a key in one pass. GIN serves the same operators.
//!
//! * [`page`]: what lies where in a page. [`kind`]: which keys a signature has, in how many trees.
//! * [`tree`]: walking. [`insert`], [`vacuum`], [`build`]: changing.
//! * [`search`], [`query`], [`nearest`], [`cost`]: answering. [`pairs`]: all pairs. [`check`]: whether an index is sound.
//!
//! All of this is safe Rust over the bytes of pages. Below it are `pg/storage/pages.rs` (buffers, locks, WAL; it says how errors and
//! panics stay harmless) and `pg/storage/sort.rs`; above it is `access/`, with the functions that Postgres calls.
//!
//! WAL is Postgres's generic one, so nothing has to be preloaded, and every replica replays it. The format of the pages has a version,
//! on the metapage.

pub mod build;
pub mod check;
pub mod cost;
pub mod insert;
pub mod kind;
pub mod nearest;
pub mod page;
pub mod pairs;
pub mod query;
pub mod search;
pub mod tree;
pub mod vacuum;
