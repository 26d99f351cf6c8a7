//! Signatures: a few bytes that stay close when texts stay close.
//!
//! Every format is specified in `docs/internals/signatures.md` and frozen by golden vectors.

pub mod bloom;
pub mod corpus;
pub mod digest;
pub mod e_simhash;
mod hex;
pub mod minhash;
pub mod p_simhash;
pub mod shingle;
pub mod simhash;
pub mod tokenset;
pub mod winnow;
