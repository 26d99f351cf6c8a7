//! The list of what a clean-up removes, in a temporary table, with the rows that stay whatever happens meanwhile: they were restored, or others refer
//! to them.

use pgrx::JsonB;
use pgrx::prelude::*;

use super::marks::FOLLOWERS;
use super::plan::{Action, Cleanup, LIST, with};
use super::reference::foreign_keys;
use crate::answers::{Answers, Given};
use crate::error::{Result, error};
use crate::guarded::beside;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::catalog::Column;
use crate::pg::table::change::{self, Parameter};
use crate::pg::table::query::{Session, Type, Value};
use crate::pg::table::rows::Snapshot;

/// How many places one statement names.
const PLACES: usize = 10_000;

/// Lists the copies in a temporary table, numbered from 1 on, and returns their number. Those that are left in place whatever happens meanwhile, because
/// they were restored or others refer to them, have the reason from the start, so that `max_rows` does not count them.
#[pg_extern(sql = false)]
fn list_copies(arguments: JsonB, action: &str) -> Result<i64> {
    with(arguments, |cleanup| {
        drop_left(LIST)?;
        drop_left(FOLLOWERS)?;
        let action = Action::parse(action)?;
        let found = change::run(&cleanup.create_list(action), &[]);
        change::run(&format!("ALTER TABLE {LIST} ADD PRIMARY KEY (place)"), &[]);
        change::run(&format!("ANALYZE {LIST}"), &[]);
        if action == Action::Mark && cleanup.mark_column.is_some() && cleanup.moves_marks() {
            cleanup.find_marked();
        } else {
            cleanup.find_followers(action != Action::Mark)?;
        }
        cleanup.leave_restored()?;
        if action != Action::Mark {
            cleanup.leave_referenced(&[Parameter::Number(0), Parameter::Number(found as i64)])?;
        }
        Ok(found as i64)
    })
}

/// Drops a temporary table that a clean-up of this session has left when it failed.
fn drop_left(table: &str) -> Result<()> {
    let session = Session::open();
    let statement = session.prepare(
        "SELECT CAST(pg_catalog.pg_get_userbyid(c.relowner) AS pg_catalog.text), \
                CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN 1::bigint END \
         FROM pg_catalog.pg_class c WHERE c.oid = CAST(pg_catalog.to_regclass($1) AS pg_catalog.oid)",
        &[Type::Text],
    );
    let mut found = None;
    session.each(&statement, &[Value::Text(Some(table))], |row| {
        found = Some((row.text(1).unwrap_or_default().to_owned(), row.number(2).is_some()));
        Ok(())
    })?;
    match found {
        None => Ok(()),
        Some((_, true)) => {
            change::run(&format!("DROP TABLE {table}"), &[]);
            Ok(())
        }
        Some((role, false)) => {
            let message = format!("a failed clean-up of role \"{role}\" has left its list in this session");
            Err(error(PgSqlErrorCode::ERRCODE_OBJECT_IN_USE, message)
                .set_hint(format!("Begin another session, or as that role: DROP TABLE {table};")))
        }
    }
}

/// Places as an array.
fn array(places: &[i64]) -> String {
    let places: Vec<String> = places.iter().map(i64::to_string).collect();
    format!("'{{{}}}'::bigint[]", places.join(","))
}

impl Cleanup {
    fn create_list(&self, action: Action) -> String {
        let mut arguments = self.arguments.clone();
        let mut unmarked = String::new();
        if action == Action::Mark && self.mark_column.is_some() {
            let (moves, mark) = (self.moves_marks(), statement::column("t", &self.mark));
            unmarked = format!(
                " WHERE NOT EXISTS (SELECT FROM {target} t WHERE {is_duplicate} AND {has_it})",
                target = self.target,
                is_duplicate = self.is_duplicate(),
                has_it = if moves { self.is_marked() } else { format!("{mark} IS NOT NULL") },
            );
            // Rows that have a mark keep it, and should not become the kept ones, unless the caller says which row stays.
            if self.choice.against.is_none() && !moves {
                arguments.prefer_without(&self.mark);
            }
        }
        let typed = |from: &str, to: &str, keys: &[Column]| {
            let one = |(number, key): (usize, &Column)| {
                format!("{} AS {to}{number}", statement::cast(&format!("c.{from}[{number}]"), key.kind))
            };
            (1..).zip(keys).map(one).collect::<Vec<_>>().join(", ")
        };
        let (order, ends) = if action == Action::Merge { self.grouped() } else { Default::default() };
        format!(
            "CREATE TEMPORARY TABLE neardup_chosen AS SELECT c.*, NULL::pg_catalog.text AS reason{ends} \
             FROM (SELECT pg_catalog.row_number() OVER ({order}) AS place, c.* \
                   FROM (SELECT {duplicate}, {kept}, c.verdict, c.measure, c.value, c.document_hash, c.stays_hash \
                         FROM neardup_internal.copies({arguments}) c) c{unmarked}) c",
            duplicate = typed("key", "k", &self.keys),
            kept = typed("stays", "r", &self.kept_keys),
            arguments = arguments.written(),
        )
    }

    /// Leaves the rows of the list in place that were restored, unless answers say that they are copies of the rows that are kept for them. Those of
    /// another table are not what answers are about.
    ///
    /// It reads the list before anybody else can have put anything into it: that a text was restored is told of rows only that the caller sees.
    fn leave_restored(&self) -> Result<()> {
        let answers = Answers::beside(&self.choice.guard);
        if answers.is_none() {
            return Ok(());
        }
        let listed = format!(
            "SELECT c.place, c.document_hash, {}, c.stays_hash, {} FROM {LIST} c",
            self.duplicate_key(),
            self.kept_key()
        );
        let column = self.choice.guard.columns.first().map_or("", String::as_str);
        let text_hashes = self.text_hashes();
        let mut left: Vec<i64> = Vec::new();
        // The list was made after the snapshot of the statement.
        let snapshot = Snapshot::begin();
        let notes = answers.restored(column);
        let session = Session::open();
        if !notes.is_none() {
            session.each(&session.prepare(&listed, &[]), &[], |row| {
                let (hash, key) = (row.number(2).unwrap_or_default().cast_unsigned(), row.text(3).unwrap_or_default());
                let is_left = text_hashes.is_some() && notes.names(key) || notes.has(key, hash);
                let kept = (row.number(4).unwrap_or_default().cast_unsigned(), row.text(5).unwrap_or_default());
                let may_be_copy = self.choice.against.is_none();
                if is_left && !(may_be_copy && Given::is_copy_of(&answers, (hash, key), kept)) {
                    left.extend(row.number(1));
                }
                Ok(())
            })?;
        }
        if let Some(text_hashes) = text_hashes {
            for places in std::mem::take(&mut left).chunks(PLACES) {
                let statement = format!("{text_hashes} WHERE c.place {EQUALS} ANY ({})", array(places));
                session.each(&session.prepare(&statement, &[]), &[], |row| {
                    let (hash, key) = (row.number(2).unwrap_or_default().cast_unsigned(), row.text(3));
                    left.extend(row.number(1).filter(|_| notes.has(key.unwrap_or_default(), hash)));
                    Ok(())
                })?;
            }
        }
        drop(session);
        drop(snapshot);
        for places in left.chunks(PLACES) {
            let statement = format!(
                "UPDATE {LIST} c SET reason = 'it was restored' WHERE c.place {EQUALS} ANY ({})",
                array(places)
            );
            change::run(&statement, &[]);
        }
        Ok(())
    }

    /// The statement that reads places, hashes of the texts and keys of rows of the list, if what else is compared of a row is part of the list's hashes.
    fn text_hashes(&self) -> Option<String> {
        self.choice.beside("t").map(|_| {
            format!(
                "SELECT c.place, {hash}, {key} FROM {LIST} c JOIN {target} t ON {is_duplicate} \
                 CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d",
                hash = beside::hash("d.document", None),
                key = self.duplicate_key(),
                target = self.target,
                is_duplicate = self.is_duplicate(),
                document = self.choice.guard.document().of_table("t"),
            )
        })
    }

    /// Leaves the rows of some places in place that others refer to. Where those cannot be read, the foreign key refuses the removal.
    ///
    /// # Errors
    /// If one of the foreign keys would change rows that the caller does not see.
    pub fn leave_referenced(&self, places: &[Parameter<'_>]) -> Result<()> {
        // A foreign key may have been made while the batch waited for its lock.
        let snapshot = Snapshot::begin();
        let references = foreign_keys(&Session::open(), self.choice.guard.table)?;
        drop(snapshot);
        for reference in references {
            reference.check_visible()?;
            if let Some(skip) = reference.skip(LIST, &self.target, &self.is_duplicate()) {
                change::run(&skip, places);
            }
        }
        Ok(())
    }
}
