//! Locks on keys for the guard, and on tables for procedures.

pub mod keys;
pub mod session;
