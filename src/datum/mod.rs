//! Between Postgres's memory and Rust values: the only place with `unsafe`, besides the two C-callable entry points
//! that Postgres itself calls (the window function and the trigger).

pub mod access;
pub mod aggregate;
mod bit_string;
pub mod boundary;
pub mod catalog;
pub mod column;
pub mod estimate;
pub mod expression;
pub mod function;
pub mod gin;
pub mod hamming_ball;
mod integers;
pub mod invalidation;
pub mod lock;
pub mod memory;
pub mod pages;
pub mod partition;
pub mod read;
pub mod record;
pub mod role;
pub mod runner;
pub mod scan;
pub mod search;
mod simhash;
mod sliced;
pub mod sort;
pub mod table;
mod text;
pub mod transaction;
pub mod trigger;
mod tsvector;
pub mod unique;
mod varlena;
pub mod window;

pub use aggregate::AggregateCall;
pub use bit_string::BitString;
pub use integers::Integers;
pub use record::Record;
pub use simhash::SimHash;
pub use sliced::Sliced;
pub use text::Text;
pub use tsvector::TsVector;
pub use varlena::{BloomFilterType, Made, Message, MinHashType, Stored, TokenSetType};
