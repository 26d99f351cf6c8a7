//! The foreign keys that point at the table of a clean-up: which rows they keep, and their change to the rows that stay.

use pgrx::pg_sys;
use pgrx::spi::{quote_identifier, quote_literal};

use crate::error::Result;
use crate::guarded::statement::{self, EQUALS, as_text};
use crate::pg::table::query::{self, Session, Type};

/// How a statement names the rows of a list.
pub struct Listed<'a> {
    /// The list, c.
    pub list: &'a str,
    /// The table, t for a row that goes and r for one that stays.
    pub target: &'a str,
    /// The condition that row t goes.
    pub is_goer: String,
    /// The condition that row r stays for it.
    pub is_stayer: String,
}

/// A foreign key that points at the table, at a partition of it or at the table it is a partition of.
pub struct Reference {
    /// The name of the constraint.
    pub name: String,
    /// The table that refers.
    pub source: pg_sys::Oid,
    columns: Vec<String>,
    target_columns: Vec<String>,
    /// The condition that row f refers to row t, by the operators of the constraint.
    refers: String,
}

impl Reference {
    /// Drops rows that a foreign key refers to from a batch.
    pub fn skip(&self, listed: &Listed<'_>) -> String {
        format!(
            "UPDATE {list} c SET reason = {reason} FROM {target} t \
             WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_goer} AND EXISTS ({referring})",
            list = listed.list,
            reason = quote_literal(format!(
                "foreign key \"{}\" of table {} refers to it",
                self.name,
                statement::relation(self.source)
            )),
            target = listed.target,
            is_goer = listed.is_goer,
            referring = self.others(),
        )
    }

    /// Counts the rows of the list that a foreign key refers to.
    pub fn count(&self, listed: &Listed<'_>) -> String {
        format!(
            "SELECT pg_catalog.count(*) FROM {list} c JOIN {target} t ON {is_goer} WHERE EXISTS ({referring})",
            list = listed.list,
            target = listed.target,
            is_goer = listed.is_goer,
            referring = self.others(),
        )
    }

    /// Changes a foreign key's references to the rows that stay, and records that. Rows of a table without a primary key are known by the
    /// text of the whole row.
    pub fn repoint(&self, listed: &Listed<'_>) -> String {
        let set: Vec<String> = self
            .columns
            .iter()
            .zip(&self.target_columns)
            .map(|(mine, theirs)| format!("{} = {}", quote_identifier(mine), statement::column("r", theirs)))
            .collect();
        let keys = statement::primary_key(self.source);
        let names = |names: &[String]| -> String {
            let list: Vec<String> = names.iter().map(|name| quote_literal(name.as_str())).collect();
            format!("CAST(ARRAY[{}] AS pg_catalog.name[])", list.join(", "))
        };
        let key_names: Vec<String> = keys.iter().map(|key| key.name.clone()).collect();
        let values = |alias: &str| -> String {
            let list: Vec<String> =
                self.target_columns.iter().map(|name| as_text(&statement::column(alias, name))).collect();
            list.join(", ")
        };
        format!(
            "WITH moved AS ( \
                 UPDATE {source} f SET {set} FROM {list} c, {target} t, {target} r \
                 WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_goer} AND {is_stayer} AND {refers} \
                 RETURNING ARRAY[{key}] AS key, ARRAY[{old}] AS old_values, ARRAY[{new}] AS new_values) \
             INSERT INTO neardup.repointed \
                 (run_id, batch, source, columns, target_columns, key_columns, key, old_values, new_values) \
             SELECT $3, $4, CAST({source_name} AS pg_catalog.regclass), {columns}, {target_columns}, {key_columns}, \
                    m.key, m.old_values, m.new_values \
             FROM moved m",
            source = statement::relation(self.source),
            set = set.join(", "),
            list = listed.list,
            target = listed.target,
            is_goer = listed.is_goer,
            is_stayer = listed.is_stayer,
            refers = self.refers,
            key = if keys.is_empty() {
                as_text("f.*")
            } else {
                statement::list(&keys, |key| as_text(&statement::column("f", &key.name)))
            },
            old = values("t"),
            new = values("r"),
            source_name = quote_literal(statement::relation(self.source)),
            columns = names(&self.columns),
            target_columns = names(&self.target_columns),
            key_columns = if keys.is_empty() { "NULL".to_owned() } else { names(&key_names) },
        )
    }

    /// The rows that refer to row t, except that row itself.
    fn others(&self) -> String {
        format!(
            "SELECT FROM {source} f WHERE {refers} AND NOT (f.tableoid {EQUALS} t.tableoid AND f.ctid {EQUALS} t.ctid)",
            source = statement::relation(self.source),
            refers = self.refers,
        )
    }
}

/// Reads the foreign keys that point at a table.
///
/// # Errors
/// Those of the statement.
pub fn foreign_keys(session: &Session, target: pg_sys::Oid) -> Result<Vec<Reference>> {
    let statement = session.prepare(
        "SELECT k.name::pg_catalog.text, k.source, k.columns::pg_catalog.text[], \
                k.target_columns::pg_catalog.text[], k.operators \
         FROM neardup_internal.foreign_keys(CAST($1 AS pg_catalog.regclass)) k",
        &[Type::Oid],
    );
    let mut found = Vec::new();
    session.each(&statement, &[query::Value::Oid(target)], |row| {
        let names = |column| row.texts(column).into_iter().flatten().collect::<Vec<String>>();
        let (columns, target_columns, operators) = (names(3), names(4), names(5));
        let refers: Vec<String> = columns
            .iter()
            .zip(&target_columns)
            .zip(&operators)
            .map(|((mine, theirs), operator)| {
                format!("{} {operator} {}", statement::column("t", theirs), statement::column("f", mine))
            })
            .collect();
        found.push(Reference {
            name: row.text(1).unwrap_or_default().to_owned(),
            source: pg_sys::Oid::from(row.number(2).unwrap_or_default() as u32),
            refers: refers.join(" AND "),
            columns,
            target_columns,
        });
        Ok(())
    })?;
    Ok(found)
}
