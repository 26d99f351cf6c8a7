//! Near-duplicate text detection without Postgres: from tokens to signatures, and from signatures to groups.
//!
//! A text passes through these modules in this order, and each imports only those before it:
//!
//! ```text
//! tokens (neardup-text) -> weighting -> sketch -> banding -> grouping
//! ```
//!
//! * [`weighting`]: the weight of each token.
//! * [`sketch`]: signatures; `docs/internals/signatures.md` freezes their stored form.
//! * [`banding`]: the keys under which an index finds near signatures.
//! * [`document`]: all steps from a document to its signature.
//! * [`grouping`]: connected components of near signatures, and stars.
//! * [`similarity`]: exact measures, which verify candidates.
//! * [`profile`]: an analyzer with house words and the statistics of a collection.
//! * [`candidates`]: which rows are compared, and which of them stays.
//!
//! The next crate, `neardup-verdict`, decides whether two texts are one message.
#![deny(unsafe_code)]

pub mod banding;
pub mod candidates;
pub mod document;
pub mod grouping;
pub mod profile;
pub mod similarity;
pub mod sketch;
pub mod weighting;
