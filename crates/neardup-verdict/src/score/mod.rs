//! Step 6: from a comparison to a score, a verdict and reasons.

mod alike;
pub mod context;
pub mod correction;
pub(crate) mod evidence;
pub mod features;
pub mod line;
pub mod model;
mod process;
pub(crate) mod reasons;
pub(crate) mod signals;
pub mod teaching;
pub mod trees;
pub(crate) mod weights;
pub mod whole;
pub mod wording;
