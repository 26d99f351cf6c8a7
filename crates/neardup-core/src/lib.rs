//! Near-duplicate text detection without Postgres.
//!
//! A text passes through these modules in this order, and each speaks only to its neighbour:
//!
//! ```text
//! text -> analysis -> weighting -> sketch -> banding -> grouping
//! ```
//!
//! * [`analysis`]: normalisation and tokens.
//! * [`weighting`]: how much each token counts.
//! * [`sketch`]: signatures, frozen on disk by `docs/signatures.md`.
//! * [`banding`]: the keys under which an index finds near signatures.
//! * [`document`]: the whole way of a document to a signature.
//! * [`grouping`]: connected components of near signatures.
//! * [`similarity`]: exact measures, with which candidates are verified.
//! * [`verdict`]: whether two texts are one message: copy, excerpt, update, rewrite or different.
//! * [`profile`]: an analyzer with house words and the statistics of a collection.
//! * [`spill`]: sorts of more records than fit into memory.
//! * [`pglz`]: undoes the compression in which Postgres keeps long texts.
#![deny(unsafe_code)]

pub mod analysis;
pub mod banding;
pub mod document;
mod error;
pub mod evaluate;
pub mod grouping;
pub mod interrupt;
pub mod pglz;
pub mod plot;
pub mod profile;
pub mod similarity;
pub mod sketch;
pub mod spill;
pub mod verdict;
pub mod weighting;

pub use error::{Error, ErrorKind, Result};
