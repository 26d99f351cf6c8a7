//! `USING neardup`: an index access method for sketches and signatures.
//!
//! `CREATE INDEX ON articles USING neardup (sketch(body))` stores the keys of sketches as entries of one size in a B-link tree. So
//! a build is one sort, the index is small, and one pass over it gives all pairs of rows that share a key. GIN serves the same
//! operators.
//!
//! * [`page`]: the layout of a page. [`kind`]: the keys of a signature, and the number of trees.
//! * [`tree`]: walks the trees. [`insert`], [`vacuum`], [`build`]: change them.
//! * [`search`], [`query`], [`nearest`], [`cost`]: answer queries. [`check`]: checks an index.
//!
//! All of this is safe Rust over the bytes of pages. Below it are `pg/storage/pages.rs` (buffers, locks, WAL; it explains why
//! errors and panics stay harmless) and `pg/storage/sort.rs`. Above it is `access/`, with the functions that Postgres calls.
//!
//! The WAL is Postgres's generic one, so no library has to be preloaded, and every replica can replay it. The metapage holds the
//! version of the page format.

pub mod build;
pub mod check;
pub mod cost;
pub mod insert;
pub mod kind;
pub mod nearest;
pub mod page;
pub mod query;
pub mod search;
pub mod tree;
pub mod vacuum;
