//! Answers that are given while a clean-up runs: those on the rows of a batch are asked for again before it removes them.
//!
//! A row is left in place if it is now kept apart from the row that stays, or from another one that the clean-up removes in favour of the same
//! row: no third row joins what answers keep apart, as in a list. The answers are read as a constraint is read. So nothing is asked about
//! a text that the caller may have put into the list by hand: the rows of the batch have been compared with their texts, and the list of
//! a caller to whom row security applies is asked about no other rows.

use ahash::AHashMap;
use neardup_core::candidates::Apart;

use super::plan::{Cleanup, LIST};
use crate::answers::{Answers, Given};
use crate::error::Result;
use crate::guarded::statement;
use crate::pg::catalog;
use crate::pg::table::query::{Row, Session};
use crate::pg::table::rows::Snapshot;

/// A row of the batch that answers keep apart from others.
struct Asked {
    place: i64,
    /// The key of the row that stays.
    kept: String,
    apart: Apart,
}

/// Returns the rows, of the places `after + 1 .. last`, that are kept apart from the row that stays or from those that go before them.
///
/// # Errors
/// Those of the statements.
pub fn answered_meanwhile(cleanup: &Cleanup, after: i64, last: i64) -> Result<Vec<i64>> {
    let answers = Answers::beside(&cleanup.choice.guard);
    // Another table's rows are not what answers are about.
    if answers.is_none() || cleanup.choice.against.is_some() {
        return Ok(Vec::new());
    }
    // What the batch has found out is in the list by now, and what others have answered since it began counts.
    let snapshot = Snapshot::begin();
    let session = Session::open();
    let apart = |row: &Row<'_>, hash, key| {
        let hash = row.number(hash).unwrap_or_default().cast_unsigned();
        Given::about(&answers, hash).apart(row.text(key).unwrap_or_default())
    };
    let mut asked = Vec::new();
    let mut groups: AHashMap<String, Apart> = AHashMap::new();
    let batch = format!("c.place > {after} AND c.place <= {last} AND c.reason IS NULL");
    session.each(&session.prepare(&cleanup.listed(&batch), &[]), &[], |row| {
        let own = apart(row, 2, 3);
        if !own.own.is_empty() {
            let kept = row.text(5).unwrap_or_default().to_owned();
            groups.entry(kept.clone()).or_insert_with(|| apart(row, 4, 5));
            asked.push(Asked { place: row.number(1).unwrap_or_default(), kept, apart: own });
        }
        Ok(())
    })?;
    if !asked.is_empty() && !catalog::has_row_security(cleanup.choice.guard.table) {
        let gone = cleanup.gone_before(after, asked.iter().map(|row| row.place));
        session.each(&session.prepare(&cleanup.listed(&gone), &[]), &[], |row| {
            if let Some(group) = groups.get_mut(row.text(5).unwrap_or_default()) {
                group.add(&apart(row, 2, 3));
            }
            Ok(())
        })?;
    }
    drop(session);
    drop(snapshot);
    let mut left = Vec::new();
    for Asked { place, kept, apart } in asked {
        let group = groups.entry(kept).or_default();
        if group.meets(&apart) {
            left.push(place);
        } else {
            group.add(&apart);
        }
    }
    Ok(left)
}

impl Cleanup {
    /// Places of the list, in order: place, hash and key of the duplicate row, hash and key of the kept row.
    fn listed(&self, condition: &str) -> String {
        format!(
            "SELECT c.place, c.document_hash, {key}, c.stays_hash, {kept} FROM {LIST} c WHERE {condition} ORDER BY c.place",
            key = self.duplicate_key(),
            kept = self.kept_key(),
        )
    }

    /// The condition that place c has gone before a batch in favour of the same row as one of these places.
    fn gone_before(&self, after: i64, places: impl Iterator<Item = i64>) -> String {
        let places: Vec<String> = places.map(|place| place.to_string()).collect();
        let same = |(number, key): (usize, &catalog::Column)| {
            format!("b.r{number} {} c.r{number}", statement::operator(key.kind, catalog::Comparison::Equal))
        };
        format!(
            "c.place <= {after} AND c.reason IS NULL AND EXISTS ( \
                 SELECT FROM {LIST} b WHERE b.place = ANY ('{{{places}}}'::bigint[]) AND {same})",
            places = places.join(","),
            same = (1..).zip(&self.kept_keys).map(same).collect::<Vec<_>>().join(" AND "),
        )
    }
}
