//! What the rows of a table share, learned from the rows that have the same keys.

use std::collections::BTreeMap;

use super::table::Rows;

/// What is known of the table that two texts are rows of.
pub struct Known<'p> {
    /// What has been learned of the table.
    pub forms: &'p mut Forms,
    /// The table.
    pub rows: &'p mut dyn Rows,
    /// The keys of the sketches of the two texts.
    pub keys: [&'p [u64]; 2],
}

/// What has been learned of a table, key by key; kept from pair to pair.
#[derive(Debug, Default)]
pub struct Forms {
    /// The rows that have a key.
    by_key: BTreeMap<u64, ()>,
}
