//! Near-duplicate text detection without Postgres: from tokens to signatures, and from signatures to groups.
//!
//! A text passes through these modules in this order, and each imports only those before it:
//!
//! ```text
//! tokens (neardup-text) -> weighting -> signature -> banding -> grouping
//! ```
//!
//! * [`weighting`]: the weight of each token.
//! * [`signature`]: signatures; `docs/internals/signatures.md` freezes their stored form.
//! * [`banding`]: the keys under which an index finds near signatures.
//! * [`document`]: all steps from a document to its signature.
//! * [`grouping`]: connected components of near signatures, and stars.
//! * [`similarity`]: exact measures, which verify candidates.
//! * [`profile`]: an analyzer with house words and the statistics of a collection.
//! * [`candidates`]: which rows are compared, and which of them stays. [`row_key`]: the text form of their primary keys.
//!
//! ```
//! use neardup_core::document;
//! use neardup_core::signature::minhash::{MinHasher, Parameters, fingerprint, shares_key};
//! use neardup_text::{Analyzer, Scratch};
//!
//! let analyzer: Analyzer = "shingles:5".parse()?;
//! let mut scratch = Scratch::default();
//! let mut hasher = MinHasher::new(Parameters::sketch(10, fingerprint("shingles:5", 0))?, 0);
//! let mut sketch = |text| document::minhash(text, &analyzer, &mut scratch, &mut hasher);
//! let a = sketch("The ferry between the two islands will run every hour from May, the company said.")?;
//! let b = sketch("The ferry between the two islands will run every hour from May, the company says.")?;
//! let (Some(a), Some(b)) = (a, b) else { unreachable!("both texts have tokens") };
//! assert!(shares_key(a.as_bytes(), b.as_bytes())?, "so they are candidates");
//! # Ok::<(), neardup_text::Error>(())
//! ```
//!
//! # Which entry to choose
//! * For the signature of a text: [`document`]. It calls [`weighting`] and [`signature`].
//! * For an index of signatures: [`banding`]. For candidates of a whole table: [`candidates`]. For groups: [`grouping`].
//! * To compare two texts exactly: [`similarity`].
//!
//! The next crate, `neardup-verdict`, decides whether two texts are one message.

pub mod banding;
pub mod candidates;
pub mod document;
pub mod grouping;
pub mod profile;
pub mod row_key;
pub mod signature;
pub mod similarity;
pub mod weighting;
