//! How Postgres calls us and we call back: the boundary for errors, rights, triggers, window functions, aggregates,
//! memory, the transaction.

pub mod aggregate;
pub mod boundary;
pub mod column;
pub mod function;
pub mod memory;
pub mod role;
pub mod set;
pub mod transaction;
pub mod trigger;
pub mod window;
