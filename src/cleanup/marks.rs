//! Marks that name rows which a clean-up removes.
//!
//! A guard marks a copy with the key of the row that was there first. If the clean-up keeps another row of the group, by `keep` or `rank`, that row
//! stands for the group from then on: it loses a mark that names a row that has gone, and the others get its key. Otherwise a query for the rows
//! without a mark would find no row of the group.

use pgrx::spi::quote_identifier;

use super::plan::{Cleanup, LIST};
use crate::guarded::statement;
use crate::pg::catalog::{self, Comparison};
use crate::pg::table::change::{self, Parameter};

impl Cleanup {
    /// Says whether marks may name rows of the places `after + 1 .. last` that are to go: those that have no mark themselves. Most often the first row
    /// stays, and no other row needs to be looked at.
    pub fn may_be_named(&self, places: &[Parameter<'_>]) -> bool {
        if self.mark_column.is_none() || self.choice.against.is_some() {
            return false;
        }
        let statement = format!(
            "SELECT FROM {LIST} c WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL \
             AND EXISTS (SELECT FROM {target} t WHERE {is_duplicate} AND {mark} IS NULL) LIMIT 1",
            target = self.target,
            is_duplicate = self.is_duplicate(),
            mark = statement::column("t", &self.mark),
        );
        change::run(&statement, places) > 0
    }

    /// Lets the marks that name rows of these places, which have gone, name the rows that stay.
    pub fn follow(&self, places: &[Parameter<'_>]) {
        let Some(column) = self.mark_column.as_ref().filter(|column| catalog::has_equality(column.kind)) else {
            return;
        };
        // A key may have another collation than its table's mark.
        let gone = statement::collated(statement::cast(&self.duplicate_key(), column.kind), column.collation);
        let statement = format!(
            "UPDATE {target} o SET {name} = CASE WHEN {is_kept} THEN NULL ELSE {kept} END FROM {LIST} c \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {mark} {equals} {gone}",
            target = self.target,
            name = quote_identifier(&self.mark),
            is_kept = statement::equal(&self.kept_keys, "o", |number, _| format!("c.r{number}")),
            kept = statement::cast(&self.kept_key(), column.kind),
            mark = statement::column("o", &self.mark),
            equals = statement::operator(column.kind, Comparison::Equal),
        );
        change::run(&statement, places);
    }
}
