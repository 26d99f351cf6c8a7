//! Lists: which rows copy which, and which of them is kept.
//!
//! * [`functions`]: what SQL calls. [`arguments`]: what a list compares, and which row is kept. [`plan`]: which relations and indexes are
//!   read. [`relation`]: a relation as SQL, read as the caller; [`by_part`]: its rows by their addresses.
//! * [`settled`]: a list that is made again until it finds nothing more. [`sketch`]: a list by sketches; [`workers`]: its verdicts in parallel workers. [`shared_keys`]: rows that share keys, from an index or from sorted keys. [`simhash`]: a list by SimHash.
//! * [`documents`]: the documents of rows. [`judge`]: the verdict on two of them. [`outlines`]: what rules out most pairs; [`ruled_out`]: what a settled list keeps of that. [`answered`]: what the owner has said of pairs. [`indexed_rows`]: rows that a verdict may ask for. [`reasons`]: why a row of a list is a copy. [`parents`]: documents of several rows.

mod answered;
pub mod arguments;
mod by_part;
mod documents;
mod functions;
mod indexed_rows;
mod judge;
mod outlines;
mod parents;
mod plan;
mod reasons;
mod relation;
mod ruled_out;
mod settled;
mod shared_keys;
mod simhash;
mod sketch;
mod workers;

use ahash::AHashMap;
use neardup_core::candidates::Member;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;
use crate::pg::call::set::Set;
use crate::pg::table::query::Session;
use crate::verdict::verify::Verify;
use judge::numbered_verdict;
use relation::{Reader, Source};

/// How many rows are given at once.
const BATCH: usize = 1000;

/// The error for a role that may not read the addresses of rows.
pub fn no_addresses() -> ErrorReport {
    let code = PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE;
    ErrorReport::new(code, "a list by scope of two tables requires SELECT on all of their columns", "pg_neardup")
}

/// Prepares the statements that read the relations.
pub fn readers<'s>(session: &'s Session, sources: &'s [Source]) -> Vec<Reader<'s>> {
    sources.iter().map(|source| Reader::new(session, source)).collect()
}

/// Passes the rows of a list to Postgres, with their primary keys.
///
/// # Errors
/// Those of the statements.
pub fn give(
    set: &mut Set<9>,
    found: impl Iterator<Item = Member>,
    readers: &[Reader<'_>],
    verify: &Verify,
) -> Result<()> {
    let by_distance = *verify == Verify::None;
    let mut found = found.peekable();
    while found.peek().is_some() {
        let batch: Vec<Member> = found.by_ref().take(BATCH).collect();
        let mut keys: AHashMap<u64, Vec<Option<String>>> = AHashMap::new();
        for reader in readers {
            let both = batch.iter().flat_map(|member| [member.kept.id, member.duplicate.id]);
            let mut rows: Vec<u64> = both.filter(|id| reader.source.has(*id)).collect();
            rows.sort_unstable();
            rows.dedup();
            reader.keys(&rows, |id, key| {
                keys.insert(id, key);
            })?;
        }
        let is_new = |id| readers.len() > 1 && readers.first().is_some_and(|first| !first.source.has(id));
        for member in batch {
            let is_identical = member.kept_hash == member.duplicate_hash;
            let (Some(key), Some(kept)) = (keys.get(&member.duplicate.id), keys.get(&member.kept.id)) else { continue };
            let verdict = (!by_distance).then(|| numbered_verdict(member.verdict).name());
            let value = if is_identical && by_distance { 1.0 } else { member.score };
            set.put(|| {
                [
                    Some(key.clone()).into(),
                    Some(kept.clone()).into(),
                    Some(is_new(member.kept.id)).into(),
                    verdict.into(),
                    Some(if is_identical { "identical" } else { verify.measure() }).into(),
                    Some(value).into(),
                    Some(member.group_size as i64).into(),
                    Some(member.duplicate_hash.cast_signed()).into(),
                    Some(member.kept_hash.cast_signed()).into(),
                ]
            })?;
        }
    }
    Ok(())
}
