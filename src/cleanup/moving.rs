//! Marks that move to the row that a caller prefers.
//!
//! A clean-up that marks leaves the marks that are there, unless its caller says which row stays. Then each row of the list gets the mark that it has
//! there, and the row that a new mark names loses its own if following it would lead back: otherwise the marks would go in a circle, and no row of
//! it stand for the others. A mark that leads elsewhere stays.
//!
//! The marks are read once, with the list, and kept up to date from then on, because rows of a composite key are found by its text, for which there
//! is no index. What others have changed meanwhile is found at the end, when all marks are read again.

use pgrx::JsonB;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::marks::FOLLOWERS;
use super::plan::{Cleanup, LIST, with};
use crate::error::Result;
use crate::guarded::statement::{self, EQUALS};
use crate::guarded::unmarking;
use crate::list::arguments::Keep;
use crate::pg::table::change::{self, Parameter};

/// Keys are compared as texts, whatever the collations of their columns.
fn bytewise(key: &str) -> String {
    format!("({key}) COLLATE pg_catalog.\"C\"")
}

/// The heads of circles, one of each: rows from which marks lead back to them. `begin` says which rows f to begin with.
fn heads(begin: &str) -> String {
    format!(
        "WITH RECURSIVE chain(head, at) AS ( \
             SELECT f.own, f.mark FROM {FOLLOWERS} f WHERE {begin} \
             UNION SELECT x.head, f.mark FROM chain x JOIN {FOLLOWERS} f ON f.own {EQUALS} x.at), \
         circles AS (SELECT x.head, pg_catalog.min(x.at) AS circle FROM chain x GROUP BY x.head HAVING pg_catalog.bool_or(x.at {EQUALS} x.head)), \
         heads AS (SELECT DISTINCT ON (o.circle) o.head FROM circles o ORDER BY o.circle, o.head)"
    )
}

impl Cleanup {
    /// Says whether marks that are there move to the row that the caller prefers.
    pub fn moves_marks(&self) -> bool {
        self.choice.against.is_none() && (!self.choice.rank.is_empty() || self.choice.keep != Keep::Oldest)
    }

    /// Lists all rows that have a mark: own, the key of the row, and mark, the key that it names, as texts.
    pub fn find_marked(&self) {
        let mark = statement::column("o", &self.mark);
        let statement = format!(
            "CREATE TEMPORARY TABLE neardup_followers AS SELECT {own} AS own, {named} AS mark FROM {target} o WHERE {mark} IS NOT NULL",
            own = bytewise(&statement::key_of("o", &self.keys)),
            named = bytewise(&statement::key_part(&mark)),
            target = self.target,
        );
        change::run(&statement, &[]);
        change::run(&format!("CREATE UNIQUE INDEX ON {FOLLOWERS} (own)"), &[]);
        change::run(&format!("ANALYZE {FOLLOWERS}"), &[]);
    }

    /// Takes off the marks of rows that marks of a batch name, where these lead back: one in each circle.
    pub fn unmark_kept(&self, places: &[Parameter<'_>]) {
        let acted_on = "c.place > $1 AND c.place <= $2 AND c.reason IS NULL";
        let [own, kept] = [self.duplicate_key(), self.kept_key()].map(|key| bytewise(&key));
        let note = format!(
            "INSERT INTO {FOLLOWERS} (own, mark) SELECT {own}, {kept} FROM {LIST} c WHERE {acted_on} \
             ON CONFLICT (own) DO UPDATE SET mark = excluded.mark"
        );
        change::run(&note, places);
        let unmark = format!(
            "{heads}, gone AS (DELETE FROM {FOLLOWERS} f USING heads h WHERE f.own {EQUALS} h.head) \
             UPDATE {target} r SET {name} = NULL FROM {LIST} c, heads h WHERE {acted_on} AND {is_kept} AND {kept} {EQUALS} h.head",
            heads = heads(&format!("EXISTS (SELECT FROM {LIST} c WHERE {acted_on} AND {kept} {EQUALS} f.own)")),
            target = self.target,
            name = quote_identifier(&self.mark),
            is_kept = self.is_kept(),
        );
        unmarking::marks_of(self.choice.guard.table, || change::run(&unmark, places));
    }
}

/// Reads all marks again, and takes one off in each circle, whoever made it. Returns how many circles there were, and how many are left because a trigger
/// or a rule has it so.
#[pg_extern(sql = false)]
fn break_circles(arguments: JsonB) -> Result<Vec<i64>> {
    with(arguments, |cleanup| {
        if cleanup.mark_column.is_none() || !cleanup.moves_marks() {
            return Ok(vec![0, 0]);
        }
        change::run(&format!("DROP TABLE {FOLLOWERS}"), &[]);
        cleanup.find_marked();
        let heads = heads(&format!("EXISTS (SELECT FROM {FOLLOWERS} n WHERE n.own {EQUALS} f.mark)"));
        let found = change::run(&format!("{heads} SELECT FROM heads"), &[]);
        if found == 0 {
            return Ok(vec![0, 0]);
        }
        let statement = format!(
            "{heads} UPDATE {target} r SET {name} = NULL FROM heads h WHERE {own} {EQUALS} h.head",
            target = cleanup.target,
            name = quote_identifier(&cleanup.mark),
            own = bytewise(&statement::key_of("r", &cleanup.keys)),
        );
        let broken = unmarking::marks_of(cleanup.choice.guard.table, || change::run(&statement, &[]));
        Ok(vec![found as i64, found.saturating_sub(broken) as i64])
    })
}
