//! The marks of candidates, for `on_duplicate => mark`: which rows are marked as copies of which, and when a marked row stands for the row
//! that it duplicates.
//!
//! It does so if that row was deleted: the group keeps its name. Within a time window, it does so only for rows that are near the earliest
//! row with this mark, or a group whose first row was deleted would grow without end.

use ahash::AHashMap;

use super::stored;
use crate::guarded::guard::Guard;
use crate::pg::call::function::Argument;

/// The marks that a search has met.
#[derive(Default)]
pub struct Marks {
    /// The key that a row names, as text and as a value.
    of_rows: AHashMap<u64, (String, Argument)>,
    /// By mark, the earliest time of the rows that have it, for guards with a time window.
    earliest: AHashMap<String, i64>,
    /// By mark, whether there is a row with that key.
    exist: AHashMap<String, bool>,
}

impl Marks {
    /// Keeps the mark of a row.
    pub fn put(&mut self, row: u64, mark: String, value: Argument) {
        self.of_rows.insert(row, (mark, value));
    }

    /// Keeps the time of a row that has a mark.
    pub fn put_time(&mut self, mark: &str, time: i64) {
        self.earliest.entry(mark.to_owned()).and_modify(|earliest| *earliest = time.min(*earliest)).or_insert(time);
    }

    /// Says whether a marked row stands for the row that it duplicates, because that was deleted.
    pub fn stands_for_its_original(&mut self, guard: &Guard, row: u64, is_near: impl Fn(i64) -> bool) -> bool {
        let Some((mark, value)) = self.of_rows.get(&row) else { return false };
        if self.earliest.get(mark).is_some_and(|earliest| !is_near(*earliest)) {
            return false;
        }
        !*self.exist.entry(mark.clone()).or_insert_with(|| stored::exists(guard, mark, *value))
    }
}
