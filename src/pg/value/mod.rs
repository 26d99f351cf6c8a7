//! Values as arguments and results: the extension's own types, and the types of Postgres that it reads.

pub mod bit_string;
pub mod integers;
pub mod record;
pub mod sliced;
pub mod text;
pub mod tsvector;
pub mod varlena;
