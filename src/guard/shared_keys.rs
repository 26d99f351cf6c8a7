//! The rows that share keys with the row that is judged, as the guard's index lists them, of every table or partition that the time window can
//! reach.

use neardup_core::candidates::CandidateRule;

use super::hot::HotKeys;
use super::signature::{Queries, Signature};
use super::subject::Subject;
use crate::error::Result;
use crate::guarded::guard::Guard;
use crate::guarded::settings::Method;
use crate::index::lookup::Lookup;
use crate::pg::table::partition::Leaf;
use crate::pg::table::row_id::RowId;
use crate::pg::table::rows::{Snapshot, Table};

/// Returns for each key of the row the rows that the index lists, of all tables, in their order. If `removes`, entries of removed rows of hot keys
/// may be taken out of the index.
///
/// # Errors
/// If a table has no index, or a page is damaged.
pub fn rows_of_keys(
    guard: &Guard,
    subject: &Subject<'_>,
    signature: &Signature,
    rule: &CandidateRule,
    snapshot: &Snapshot,
    removes: bool,
) -> Result<Vec<Vec<u64>>> {
    let most = match guard.settings.method {
        Method::SimHash => usize::MAX,
        Method::Sketch if guard.roles.scope.is_empty() => rule.rows_of_key,
        Method::Sketch => rule.rows_of_key_in_scopes,
    };
    let queries = signature.queries(&guard.settings)?;
    let mut keys: Vec<Vec<u64>> = vec![Vec::new(); queries.len()];
    for (number_of_leaf, leaf) in guard.leaves.iter().enumerate().filter(|(_, leaf)| reaches(guard, subject, leaf)) {
        // Opened first: what is known of the table and its indexes stays valid while it is open.
        let Some(table) = Table::open(leaf.table) else { continue };
        let Some(part) = guard.part(leaf.table) else { continue };
        let index = part.index.ok_or_else(|| guard.without_index(leaf.table))?;
        let mut scan = Lookup::begin(&table, index.index, index.strategy, index.function);
        // SAFETY: a ball is of the type of the operator's right operand, and the table is open. A guard by sketches has an index of our
        // own.
        let found = unsafe {
            match &queries {
                Queries::Keys(keys) => {
                    let mut found = scan.last(keys, most)?;
                    let mut hot: Option<HotKeys> = None;
                    for (key, tids) in keys.iter().zip(&mut found).filter(|(_, tids)| rule.is_hot(tids.len())) {
                        scan.count_hot_key();
                        let hot = hot.get_or_insert_with(|| HotKeys::of(&table, snapshot, removes));
                        *tids = hot.last(&table, &scan, *key, std::mem::take(tids), most)?;
                    }
                    found
                }
                Queries::Ball(ball) => vec![scan.matching(*ball)],
            }
        };
        for (rows, tids) in keys.iter_mut().zip(found) {
            rows.extend(tids.into_iter().map(|tid| RowId::at(number_of_leaf, tid).packed()));
        }
    }
    for rows in &mut keys {
        rows.drain(..rows.len().saturating_sub(most));
    }
    Ok(keys)
}

/// Whether the time window lets rows of a partition be copies of the new one.
fn reaches(guard: &Guard, subject: &Subject<'_>, leaf: &Leaf) -> bool {
    match (subject.time, guard.settings.window) {
        (Some((_, Some(time))), Some(window)) => {
            leaf.times.0 <= time.saturating_add(window) && leaf.times.1 >= time.saturating_sub(window)
        }
        _ => true,
    }
}
