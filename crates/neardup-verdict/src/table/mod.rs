//! Step 5: what the rows around two texts say of them, if the table is known.
//!
//! [`rows`] asks the table, [`forms`] keeps what its rows share, and [`surroundings`] places a pair among them. [`score::context`](crate::score::context) turns the answer into numbers.

pub(crate) mod forms;
pub(crate) mod rarity;
pub(crate) mod rows;
pub(crate) mod surroundings;
