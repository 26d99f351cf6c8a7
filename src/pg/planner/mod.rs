//! What planner and access methods ask of support functions.

pub mod estimate;
pub mod expression;
pub mod gin;
