//! Postgres's C API behind safe views: values, calls, locks, tables, the planner, pages of an index.
//!
//! Nothing here imports another part of the extension. Elsewhere, `unsafe` is used only in functions that Postgres calls by
//! pointer: the access method ([`crate::index`]), the trigger, the window functions.

pub mod call;
pub mod lock;
pub mod planner;
pub mod storage;
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
