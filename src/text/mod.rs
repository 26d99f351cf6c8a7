//! What is done with a text before it is signed, and exact measures of texts.

pub mod analyzer;
pub mod digest;
pub mod similarity;
pub mod source;
pub mod tokens;
