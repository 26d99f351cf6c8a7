//! Candidates and groups: which rows a row is compared with, and which of them is kept.
//!
//! * [`CandidateRule`]: the rule, and its use for one row whose keys are looked up in an index.
//! * [`Rows`], [`Candidates`]: the same for all rows of a table, from their sorted keys.
//! * [`Leaders`]: which row is kept.
//! * [`KeyFrequency`]: which keys have further rows.
//!
//! Rows are plain numbers here: a position in the order of preference, and an identifier that the caller gives. What does not fit into
//! memory goes to temporary files ([`spill`]).

mod all;
mod apart;
mod exact_duplicates;
mod excerpts;
mod hot;
mod key_frequency;
mod leaders;
mod row;
mod rule;
pub mod spill;

#[cfg(test)]
mod naive;

pub use all::{Candidates, Earlier, Probe, Rows};
pub use apart::Apart;
pub use exact_duplicates::ExactDuplicate;
pub use key_frequency::KeyFrequency;
pub use leaders::{Judged, Leaders, Member, Members};
pub use row::{Bits, Options, Row, pack_time, unpack_time};
pub use rule::{Budget, CandidateRule, Lack, Ranked, Ranking};
