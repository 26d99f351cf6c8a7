//! Step 4: two texts side by side, with what has been read, aligned and found as facts.

pub(crate) mod comparison;
pub(crate) mod difference;
pub(crate) mod passages;
pub(crate) mod prepared;
pub(crate) mod statements;
