//! Marks that name rows which a clean-up removes.
//!
//! A guard marks a copy with the key of the row that was there first. If the clean-up keeps another row of the group, by `keep` or `rank`, a mark that
//! names a row which has gone is taken off. Otherwise a query for the rows without a mark would find no row of the group. The others get no other
//! mark: nobody has judged whether they are copies of the row that stays, and a column, a time or an answer may tell the two apart.
//!
//! Which rows those are is found out once, with the list: most often the row that was first stays, and there are none.

use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::plan::{Cleanup, LIST};
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::{statement, unmarking};
use crate::pg::catalog::{self, Column};
use crate::pg::table::change::{self, Parameter};

/// The rows with such marks: f, with the place of the list that removes the row that they name, and the columns f1, f2, ... for their keys. If marks
/// [move](super::moving), all rows that have one instead.
pub const FOLLOWERS: &str = "pg_temp.neardup_followers";

const OF_BATCH: &str = "f.place > $1 AND f.place <= $2";

impl Cleanup {
    /// The column with the marks of the guard, if the clean-up removes rows that may be named in it.
    fn marked_in(&self) -> Option<&Column> {
        let marks = self.choice.against.is_none() && self.choice.guard.marks().is_some();
        self.mark_column.as_ref().filter(|column| marks && catalog::has_equality(column.kind))
    }

    /// The condition that row o has a mark that names the duplicate row of place c.
    fn names_duplicate(&self, column: &Column) -> String {
        // A key may have another collation than its table's mark.
        let gone = statement::collated(statement::cast(&self.duplicate_key(), column.kind), column.collation);
        statement::equals(&statement::column("o", &self.mark), &gone, column.kind)
    }

    /// Finds the rows with marks that name rows of the list, if these are to go.
    ///
    /// # Errors
    /// If the caller may not change such marks.
    pub fn find_followers(&self, removes: bool) -> Result<()> {
        let Some(column) = self.marked_in().filter(|_| removes) else {
            change::run("CREATE TEMPORARY TABLE neardup_followers (place bigint)", &[]);
            return Ok(());
        };
        let keys: Vec<String> =
            (1..).zip(&self.keys).map(|(n, key)| format!("{} AS f{n}", statement::column("o", &key.name))).collect();
        let found = change::run(
            &format!(
                "CREATE TEMPORARY TABLE neardup_followers AS SELECT c.place, {keys} FROM {target} o JOIN {LIST} c ON {names}",
                keys = keys.join(", "),
                target = self.target,
                names = self.names_duplicate(column),
            ),
            &[],
        );
        if found == 0 {
            return Ok(());
        }
        change::run(&format!("CREATE INDEX ON {FOLLOWERS} (place)"), &[]);
        change::run(&format!("ANALYZE {FOLLOWERS}"), &[]);
        let table = Parameter::Table(Some(self.choice.guard.table));
        let may = "SELECT WHERE pg_catalog.has_column_privilege($1, $2, 'UPDATE')";
        if change::run(may, &[table, Parameter::Text(&self.mark)]) == 0 {
            let message = format!(
                "permission denied to update column \"{}\" of table {}",
                self.mark,
                shown(self.choice.guard.table)
            );
            return Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
                .set_detail(format!("Marks of {found} rows name rows that would go, and have to be taken off.")));
        }
        Ok(())
    }

    /// Says whether there are such rows for the places `after + 1 .. last`.
    fn has_followers(&self, places: &[Parameter<'_>]) -> bool {
        self.marked_in().is_some()
            && change::run(&format!("SELECT FROM {FOLLOWERS} f WHERE {OF_BATCH} LIMIT 1"), places) > 0
    }

    fn is_follower(&self) -> String {
        statement::equal(&self.keys, "o", |number, _| format!("f.f{number}"))
    }

    /// Locks these rows. If one of them cannot be locked at once, the row that it names stays.
    pub fn lock_followers(&self, places: &[Parameter<'_>]) {
        if !self.has_followers(places) {
            return;
        }
        let statement = format!(
            "WITH locked AS MATERIALIZED ( \
                 SELECT {keys} FROM {target} o WHERE EXISTS (SELECT FROM {FOLLOWERS} f WHERE {OF_BATCH} AND {is_follower}) \
                 FOR NO KEY UPDATE SKIP LOCKED) \
             UPDATE {LIST} c SET reason = 'a row whose mark names it could not be locked at once' FROM {FOLLOWERS} f \
             WHERE {OF_BATCH} AND c.place OPERATOR(pg_catalog.=) f.place AND c.reason IS NULL \
                   AND EXISTS (SELECT FROM {target} o WHERE {is_follower}) AND NOT EXISTS (SELECT FROM locked o WHERE {is_follower})",
            target = self.target,
            is_follower = self.is_follower(),
            keys = statement::list(&self.keys, |key| statement::column("o", &key.name)),
        );
        change::run(&statement, places);
    }

    /// Takes off the marks that name rows which have gone.
    pub fn take_marks_off(&self, places: &[Parameter<'_>]) {
        let Some(column) = self.marked_in().filter(|_| self.has_followers(places)) else { return };
        let statement = format!(
            "UPDATE {target} o SET {name} = NULL FROM {FOLLOWERS} f, {LIST} c \
             WHERE {OF_BATCH} AND c.place OPERATOR(pg_catalog.=) f.place AND c.reason IS NULL AND {is_follower} AND {names}",
            target = self.target,
            name = quote_identifier(&self.mark),
            is_follower = self.is_follower(),
            names = self.names_duplicate(column),
        );
        unmarking::marks_of(self.choice.guard.table, || change::run(&statement, places));
    }
}
