//! How well a measure tells duplicates from the rest on labelled pairs, at every threshold: the experiment of methods.md Z, on
//! anybody's own texts.
//!
//! [`Method`] is a measure over an analyzer's tokens, [`Prepared`] what it keeps of a text, [`curve`] the table of thresholds,
//! [`best`] the threshold to take. Nothing here is stored; numbers may gain precision with a version.

mod curve;
mod method;

pub use curve::{Point, best, curve};
pub use method::{Measure, Method, Prepared, Preparer};
