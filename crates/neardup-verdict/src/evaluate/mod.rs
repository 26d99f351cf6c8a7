//! How well a measure tells duplicates from the rest on labelled pairs, at every threshold: the experiment of Zhang 2016, on
//! texts of one's own.
//!
//! [`Method`] is a measure over an analyzer's tokens, [`Measurable`] what it keeps of a text, [`curve`] the table of thresholds,
//! [`best`] the threshold to take. Nothing here is stored; numbers may gain precision with a version.

mod curve;
mod method;

pub use curve::{Point, best, curve};
pub use method::{Measurable, Measure, Measurer, Method};
