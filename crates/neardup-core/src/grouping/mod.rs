//! Groups of near signatures: connected components of "within the threshold".
//!
//! * [`group_simhash`]: 64-bit SimHashes within a Hamming distance; exact.
//!
//! A group is named by its first row in the given order, the representative, so whoever orders the rows decides which one is
//! kept. Promised not to change: the answer, which depends on the signatures and their order alone.

mod components;
mod distinct;
mod near;
mod partition;
mod simhash;
mod union_find;

pub use simhash::{Linkage, group_simhash};
