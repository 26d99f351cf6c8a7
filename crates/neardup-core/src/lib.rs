//! Near-duplicate text detection without Postgres: from tokens to signatures, and from signatures to groups.
//!
//! A text passes through these modules in this order, and each speaks only to those before it:
//!
//! ```text
//! tokens (neardup-text) -> weighting -> sketch -> banding -> grouping
//! ```
//!
//! * [`weighting`]: how much each token counts.
//! * [`sketch`]: signatures, frozen on disk by `docs/internals/signatures.md`.
//! * [`banding`]: the keys under which an index finds near signatures.
//! * [`document`]: the whole way of a document to a signature.
//! * [`grouping`]: connected components of near signatures, and stars.
//! * [`similarity`]: exact measures, with which candidates are verified.
//! * [`profile`]: an analyzer with house words and the statistics of a collection.
//! * [`spill`]: sorts of more records than fit into memory.
//! * [`pglz`]: undoes the compression in which Postgres keeps long texts.
//!
//! Whether two texts are one message is the next crate's question, `neardup-verdict`.
#![deny(unsafe_code)]

pub mod banding;
pub mod document;
pub mod grouping;
pub mod pglz;
pub mod plot;
pub mod profile;
pub mod similarity;
pub mod sketch;
pub mod spill;
pub mod weighting;
