//! The SQL types that hold signatures, token sets and filters, and the functions that make them.

pub mod bloom;
pub mod minhash;
pub mod simhash;
pub mod tokenset;
