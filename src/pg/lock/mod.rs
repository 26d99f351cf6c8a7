//! Locks on keys and on tables, and notes that end with the transaction.

pub mod keys;
pub mod runner;
pub mod table;
pub mod transaction;
