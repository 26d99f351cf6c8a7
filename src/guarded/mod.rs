//! What guards, lists and clean-ups all need of a guarded table. It lies below the three and imports none of them.
//!
//! * [`settings`]: what a guard's trigger says. [`guard`]: the guard as loaded in this backend, with its [`index`]. [`arguments`]: checks
//!   of arguments.
//! * [`document`]: the rule for a row's document. [`beside`]: what else is compared of it. [`statement`]: pieces of statements on a user's table.
//!   [`rank`]: columns by which rows are ranked. [`names`]: of what lies beside a table. [`plain`]: whether it may be written to as its owner.
//!   [`neighbours`]: rows that a verdict may ask for.
#![allow(unsafe_code, reason = "values of rows by their types, and reads of catalogs")]

pub mod arguments;
pub mod beside;
pub mod document;
pub mod guard;
pub mod index;
pub mod names;
pub mod neighbours;
pub mod plain;
pub mod rank;
pub mod settings;
pub mod statement;
pub mod unmarking;
