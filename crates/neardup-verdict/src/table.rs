//! What a verdict asks of the table that two texts are rows of.
//!
//! [`Rows`] is the question: which rows have this key in their sketch? The engine answers from its index, a test from memory.
//! Most pairs never ask: the overlap of the texts and the verdict on the pair alone come first. The answers are kept in
//! [`Forms`](super::Forms), so that pairs of one form ask once.

use neardup_text::Result;

/// The most rows that a verdict reads for one key.
pub const SAMPLE: usize = 12;

/// A table's rows by the keys of their sketches.
pub trait Rows {
    /// Gives the texts of up to [`SAMPLE`] rows that have `key` in their sketch. Fewer rows exist if fewer are given.
    ///
    /// The choice must depend on nothing but the table: for example rows that are spread evenly over the first few hundred
    /// entries of the index. The texts that are being compared may be among them; they are recognised and do not count.
    ///
    /// # Errors
    /// Those of reading the table.
    fn with_key(&mut self, key: u64) -> Result<Vec<String>>;
}
