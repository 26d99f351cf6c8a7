//! Text analysis before signing, and exact measures of texts.

pub mod analyzer;
pub mod digest;
pub mod document;
pub mod source;
pub mod tokens;
