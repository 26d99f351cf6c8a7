//! The queries of a scan.

use super::search;
use crate::error::Result;
use crate::pg::storage::pages::Index;

/// What a search looks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Nothing: the condition is NULL.
    Nothing,
    /// Rows that have one of these keys.
    Sharing(Vec<u64>),
    /// Rows within a distance of a banded signature.
    Within(u64, u32),
}

/// How many rows are passed on at a time.
const BATCH: usize = 1024;

/// Passes the matching rows to `sink`, in no particular order, some of them more than once.
///
/// # Errors
/// If a page is damaged.
pub fn each(index: Index, query: &Query, sink: &mut dyn FnMut(&[u64])) -> Result<()> {
    let mut rows = Vec::with_capacity(BATCH);
    // Rows are passed on while only the page that is being read is locked, and nothing called here waits for that.
    let mut add = |row: u64| {
        rows.push(row);
        if rows.len() == BATCH {
            sink(&rows);
            rows.clear();
        }
    };
    match query {
        Query::Nothing => {}
        Query::Sharing(keys) => search::sharing(index, keys.iter().copied(), &mut add)?,
        Query::Within(center, distance) => search::within(index, *center, *distance, |row, _| add(row))?,
    }
    if !rows.is_empty() {
        sink(&rows);
    }
    Ok(())
}

/// Gives the matching rows, each once: first those that share most keys or are nearest, then in the order of the table.
///
/// # Errors
/// If a page is damaged.
pub fn ranked(index: Index, query: &Query) -> Result<Vec<u64>> {
    let mut found: Vec<(u32, u64)> = Vec::new();
    match query {
        Query::Nothing => {}
        Query::Sharing(keys) => {
            let mut rows = Vec::new();
            search::sharing(index, keys.iter().copied(), |row| rows.push(row))?;
            rows.sort_unstable();
            let groups = rows.chunk_by(|a, b| a == b);
            found.extend(
                groups.filter_map(|group| Some((keys.len().saturating_sub(group.len()) as u32, *group.first()?))),
            );
        }
        Query::Within(center, distance) => {
            search::within(index, *center, *distance, |row, distance| found.push((distance, row)))?;
        }
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, row)| row).collect())
}
