//! What a verdict asks of the table that two texts are rows of.
//!
//! [`Rows`] is the question: which rows have this key in their sketch, and what do rows of this table look like? The engine answers
//! from its index, a test from memory. Most pairs never ask: the overlap of the texts and the verdict on the pair alone come first.
//! The answers are kept in [`Forms`](crate::Forms), so that pairs of one form ask once.

use neardup_text::Result;

/// The most rows that a verdict reads for one key.
pub const SAMPLE: usize = 12;

/// The most rows that a verdict reads to learn which lines a table repeats.
pub const BACKGROUND: usize = 256;

/// A table's rows, as far as verdicts ask for them. A row is known by a number, which stays the same as long as the table does.
///
/// Each answer must depend on nothing but the table.
pub trait Rows {
    /// Returns the numbers of up to [`SAMPLE`] rows that have `key` in their sketch, of the last few hundred
    /// entries of the index. Fewer rows exist if fewer are given.
    ///
    /// # Errors
    /// Those of reading the index.
    fn with_key(&mut self, key: u64) -> Result<Vec<u64>>;

    /// Returns the texts of rows, each with its number; of those that cannot be read, none.
    ///
    /// # Errors
    /// Those of reading the table.
    fn texts(&mut self, rows: &[u64]) -> Result<Vec<(u64, String)>>;

    /// Returns for rows, each with its number, what they store: equal only for equal texts, and known without decompressing or fetching a
    /// text. None are given for rows of which that is not so, and of which [`Rows::texts`] will be asked.
    ///
    /// # Errors
    /// Those of reading the table.
    fn stored(&mut self, _rows: &[u64]) -> Result<Vec<(u64, u64)>> {
        Ok(Vec::new())
    }

    /// Returns the texts of up to [`BACKGROUND`] rows, spread evenly over the table. Without them, a footer that differs between two
    /// copies is not recognised.
    ///
    /// # Errors
    /// Those of reading the table.
    fn spread(&mut self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}
