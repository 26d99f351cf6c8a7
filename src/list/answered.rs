//! What the owner's answers say of the rows of a list.

use neardup_core::candidates::{Apart, Leaders, Probe};
use neardup_core::row_key;

use super::relation::Reader;
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::pg::table::temporary::TemporaryFile;

/// Returns what a row is kept apart from. If answers are about other rows with the same text, the first of them is kept apart from others, too:
/// it may have no candidates, so that nothing else asks about it.
///
/// # Errors
/// Those of the statement.
pub fn kept_apart(
    given: &Given,
    probe: &Probe,
    readers: &[Reader<'_>],
    leaders: &mut Leaders<TemporaryFile>,
) -> Result<Apart> {
    if !given.asks_keys() {
        return Ok(given.apart(""));
    }
    if let Some(first) = probe.exact_duplicate {
        leaders.keep_apart(first.position, &given.apart(&key(first.id, readers)?));
    }
    Ok(given.apart(&key(probe.id, readers)?))
}

/// Returns what any row of a list is kept apart from.
///
/// # Errors
/// Those of the statement.
pub fn apart(answers: &Answers, hash: u64, id: u64, readers: &[Reader<'_>]) -> Result<Apart> {
    let given = Given::about(answers, hash);
    if given.asks_keys() { Ok(given.apart(&key(id, readers)?)) } else { Ok(given.apart("")) }
}

/// Reads the key of a row.
fn key(id: u64, readers: &[Reader<'_>]) -> Result<String> {
    let mut key = String::new();
    for reader in readers.iter().filter(|reader| reader.source.has(id)) {
        reader.keys(&[id], |_, values| key = row_key::join(&values.into_iter().flatten().collect::<Vec<_>>()))?;
    }
    Ok(key)
}
