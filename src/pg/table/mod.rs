//! Tables, their indexes, partitions and rows, and queries on them.

pub mod bounds;
pub mod change;
pub mod invalidation;
pub mod numbered;
mod open;
pub mod original;
pub mod partition;
pub mod plain;
pub mod query;
pub mod read;
pub mod row_id;
pub mod rows;
pub mod scan;
pub mod statements;
pub mod temporary;
pub mod unique;
pub mod visible;
