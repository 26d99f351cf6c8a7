//! Values: the types of the extension and of Postgres that it reads, as arguments and results.

pub mod bit_string;
pub mod hamming_ball;
pub mod integers;
pub mod record;
pub mod simhash;
pub mod sliced;
pub mod text;
pub mod tsvector;
pub mod varlena;
