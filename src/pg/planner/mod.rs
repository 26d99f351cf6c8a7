//! The interface between planner, access methods and support functions.

pub mod estimate;
pub mod expression;
pub mod gin;
pub mod support;
