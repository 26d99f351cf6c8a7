//! Step 2: which units of two texts stand for each other, and how much of their 4-grams they share.

pub(crate) mod alignment;
pub(crate) mod distinct;
pub(crate) mod grams;
pub(crate) mod outline;
