//! Step 1: reads a text into units: what is a number, a word, a Han character, and what does not count.

pub(crate) mod characters;
pub(crate) mod credits;
pub(crate) mod datelines;
mod feeds;
pub(crate) mod hanset;
pub(crate) mod hashtags;
pub(crate) mod lines;
pub mod numerals;
pub(crate) mod reading;
pub(crate) mod replies;
pub(crate) mod shared;
pub(crate) mod units;
pub(crate) mod word_table;
