//! Between Postgres's memory and Rust values: the only place with `unsafe`, besides the two C-callable entry points
//! that Postgres itself calls (the window function and the trigger).

pub mod call;
pub mod lock;
pub mod planner;
pub mod table;
pub mod value;

pub use call::aggregate::AggregateCall;
pub use value::bit_string::BitString;
pub use value::integers::Integers;
pub use value::record::Record;
pub use value::simhash::SimHash;
pub use value::sliced::Sliced;
pub use value::text::Text;
pub use value::tsvector::TsVector;
pub use value::varlena::{BloomFilterType, Made, Message, MinHashType, Stored, TokenSetType};
