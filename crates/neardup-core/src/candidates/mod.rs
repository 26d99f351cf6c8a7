//! Candidates and groups: which rows a row is compared with, and which of them stays.
//!
//! * [`CandidateRule`]: the rule, and its use for one row whose keys are looked up in an index.
//! * [`Rows`], [`Candidates`]: the same for all rows of a table, from their sorted keys.
//! * [`Stars`]: who stays.
//! * [`Crowds`]: which keys have further rows.
//!
//! Rows are plain numbers here: a position in the order of preference, and an identifier that the caller gives. What does not fit into
//! memory goes to temporary files ([`spill`]).

mod all;
mod crowds;
mod hot;
mod row;
mod rule;
pub mod spill;
mod stars;
mod twins;

#[cfg(test)]
mod naive;

pub use all::{Asking, Candidates, Earlier, Rows};
pub use crowds::Crowds;
pub use row::{Bits, Options, Row};
pub use rule::{Budget, CandidateRule, Lack, Ranked, Ranking};
pub use stars::{Judged, Member, Members, Stars};
pub use twins::Twin;
