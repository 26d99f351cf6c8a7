//! Between Postgres's memory and Rust values: the only place with `unsafe`, besides the two C-callable entry points
//! that Postgres itself calls (the window function and the trigger).

pub mod aggregate;
mod bit_string;
pub mod invalidation;
pub mod lock;
pub mod plan;
pub mod read;
pub mod role;
mod simhash;
pub mod trigger;
pub mod window;

pub use bit_string::BitString;
pub use simhash::SimHash;
