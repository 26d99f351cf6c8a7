//! Postgres's C API behind safe views: values, calls, catalogs, locks, tables, the planner.
//!
//! Nothing here imports another part of the extension. Elsewhere, `unsafe` is used only in files that say so: functions that
//! Postgres calls by pointer, and values of the types of one feature.
#![allow(unsafe_code, reason = "the views of Postgres's C API")]

pub mod call;
pub mod catalog;
pub mod compat;
pub mod lock;
pub mod planner;
pub mod table;
pub mod value;

pub use call::aggregate::AggregateCall;
pub use value::bit_string::BitString;
pub use value::integers::Integers;
pub use value::record::Record;
pub use value::sliced::Sliced;
pub use value::text::Text;
pub use value::tsvector::TsVector;
pub use value::varlena::{BloomFilterType, Made, Message, MinHashType, Stored, TokenSetType};
