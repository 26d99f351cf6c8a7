//! Calls between Postgres and the extension: the error boundary, roles, triggers, window functions, aggregates, memory, transactions.

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
