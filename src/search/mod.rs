//! Finding near-duplicates by an index: sketches, searches by distance, and what the planner has to know.

pub mod banding;
pub mod containment;
pub mod gin;
pub mod near_duplicate;
pub mod planning;
pub mod repeats;
pub mod sketch;
pub mod within;
