//! The foreign keys that point at the table of a clean-up, and the rows that they keep.
//!
//! Whoever may refer to the table makes the table that refers. It is read as the caller, so neither its policies nor casts of its columns' types may
//! run; nor does a plan for it run anything: of an index on an expression, of a partition key or of a CHECK, it runs functions of constants. So a table
//! of a role that the caller does not trust is not read, and the key itself refuses the removal.

use pgrx::JsonB;
use pgrx::prelude::*;
use pgrx::spi::{quote_identifier, quote_literal};

use super::plan::with;
use crate::error::{Result, error};
use crate::guarded::arguments::shown;
use crate::guarded::statement::{self, EQUALS};
use crate::pg::call::role;
use crate::pg::catalog;
use crate::pg::table::query::{Session, Type, Value};

/// A foreign key that points at the table, at a partition of it or at the table it is a partition of.
pub struct Reference {
    /// The name of the constraint.
    pub name: String,
    /// The table that refers.
    pub source: pg_sys::Oid,
    /// The condition that row f refers to row t, by the operators of the constraint and the collations of the columns of t.
    refers: String,
    /// Whether deleting the row changes or deletes the rows that refer to it.
    cascades: bool,
    /// Whether comparing the columns may run a cast of another role.
    casts: bool,
    /// A role that owns the table that refers, or a partition of it, or the schema of one, in which it may put another table in its place; and whose
    /// code must not run as the caller.
    stranger: Option<pg_sys::Oid>,
}

impl Reference {
    /// Says whether the table that refers can be read without running code of other roles. Postgres checks the key as the owner of that table, and past
    /// its policies.
    fn is_readable(&self) -> bool {
        !self.casts && self.stranger.is_none() && !catalog::has_row_security(self.source)
    }

    /// Checks that the key changes no rows that are not read, and that therefore do not keep the row they refer to.
    ///
    /// # Errors
    /// If it cascades, and row security hides rows of the table that refers, or reading them would run code of another role.
    pub fn check_visible(&self) -> Result<()> {
        if !self.cascades || self.is_readable() {
            return Ok(());
        }
        let owner = self.stranger.map(role::name).unwrap_or_default();
        let (message, hint) = if self.stranger.is_some() {
            (
                "reading rows that foreign key \"{}\" would change or remove may run code of role \"{owner}\"",
                "Run this as that role, if all tables that refer are its own. Otherwise take ON DELETE away from the key, or make that role a member of \
                 yours, if it may do all that you may.",
            )
        } else if self.casts {
            (
                "reading rows that foreign key \"{}\" would change or remove may run a cast of another role",
                "Run this as that role.",
            )
        } else {
            (
                "row security hides rows that foreign key \"{}\" would change or remove",
                "Run this as a role that sees all rows of that table.",
            )
        };
        Err(error(
            PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            message.replace("{}", &self.name).replace("{owner}", &owner),
        )
        .set_hint(hint))
    }

    /// Checks that the table that refers may be read, if it is.
    ///
    /// # Errors
    /// If not: no row that others refer to could be told.
    pub fn check_right(&self) -> Result<()> {
        if !self.is_readable() || catalog::may_read_columns(self.source) {
            return Ok(());
        }
        let (source, role) = (shown(self.source), quote_identifier(role::current()));
        let message =
            format!("permission denied for table {source}, whose foreign key \"{}\" refers to the table", self.name);
        Err(error(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, message)
            .set_detail("Rows that it refers to are left in place.")
            .set_hint(format!("GRANT SELECT ON {source} TO {role};")))
    }

    /// The statement that skips the rows of a batch that others refer to, if these can be read; `is_listed` is the condition that row t of `target` has
    /// the place c in `list`. Parameters: after, last.
    pub fn skip(&self, list: &str, target: &str, is_listed: &str) -> Option<String> {
        self.is_readable().then(|| {
            format!(
                "UPDATE {list} c SET reason = {reason} FROM {target} t \
                 WHERE c.place > $1 AND c.place <= $2 AND c.reason IS NULL AND {is_listed} AND EXISTS ({others})",
                reason = quote_literal(format!(
                    "foreign key \"{}\" of table {} refers to it",
                    self.name,
                    statement::relation(self.source)
                )),
                others = self.others(),
            )
        })
    }

    /// The statement that counts the rows of the list that others refer to, if these can be read.
    pub fn count(&self, list: &str, target: &str, is_listed: &str) -> Option<String> {
        self.is_readable().then(|| {
            let others = self.others();
            format!("SELECT pg_catalog.count(*) FROM {list} c JOIN {target} t ON {is_listed} WHERE EXISTS ({others})")
        })
    }

    /// The rows that refer to row t, except that row itself.
    fn others(&self) -> String {
        format!(
            "SELECT FROM {source} f WHERE {refers} AND NOT (f.tableoid {EQUALS} t.tableoid AND f.ctid {EQUALS} t.ctid)",
            source = statement::only(self.source),
            refers = self.refers,
        )
    }
}

/// Checks, before a clean-up begins, that the caller may read the tables that refer to the table, as far as they are read.
#[pg_extern(sql = false)]
fn check_references(arguments: JsonB) -> Result<()> {
    with(arguments, |cleanup| {
        let references = foreign_keys(&Session::open(), cleanup.choice.guard.table)?;
        references.iter().try_for_each(Reference::check_right)
    })
}

/// One of the columns of a foreign key.
struct Compared {
    /// The condition that f refers to t by it, with the casts that the key makes: the column of a domain would match an operator of its owner's.
    condition: String,
    casts: bool,
}

impl Compared {
    /// Reads the name, the type and the operand's type of both sides, with the operator between them and a collation after them.
    fn read(parts: &[String]) -> Self {
        let oid = |at: usize| pg_sys::Oid::from(parts[at].parse::<u32>().unwrap_or_default());
        let side = |alias: &str, at: usize| {
            statement::cast(&statement::column(alias, &parts[at]), catalog::operand(oid(at + 2), oid(at + 1)))
        };
        let theirs = statement::collated(side("f", 4), oid(7));
        Self {
            condition: format!("{} {} {theirs}", side("t", 0), parts[3]),
            casts: !catalog::is_plain_cast(oid(5), oid(6)),
        }
    }
}

/// Reads the foreign keys that point at a table. Its own owner is trusted, whose triggers run when its rows go, and so is the owner of its schema, who may
/// put another table in its place. (6171 is `pg_database_owner`, which stands for the owner of the database.)
///
/// # Errors
/// Those of the statement.
pub fn foreign_keys(session: &Session, target: pg_sys::Oid) -> Result<Vec<Reference>> {
    let statement = session.prepare(
        "SELECT CAST(c.conname AS pg_catalog.text), c.conrelid, \
                CASE WHEN CAST(c.confdeltype AS pg_catalog.text) OPERATOR(pg_catalog.=) ANY ('{c,n,d}'::pg_catalog.text[]) THEN 1::bigint END, \
                ARRAY(SELECT pg_catalog.unnest(ARRAY[ \
                          CAST(r.attname AS pg_catalog.text), CAST(r.atttypid AS pg_catalog.text), CAST(o.oprleft AS pg_catalog.text), \
                          pg_catalog.format('OPERATOR(%I.%s)', n.nspname, o.oprname), \
                          CAST(f.attname AS pg_catalog.text), CAST(f.atttypid AS pg_catalog.text), CAST(o.oprright AS pg_catalog.text), \
                          CASE WHEN r.attcollation OPERATOR(pg_catalog.<>) f.attcollation THEN CAST(r.attcollation AS pg_catalog.text) ELSE '0' END]) \
                      FROM ROWS FROM (pg_catalog.unnest(c.conkey), pg_catalog.unnest(c.confkey), pg_catalog.unnest(c.conpfeqop)) k(f, r, o) \
                           JOIN pg_catalog.pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = k.f \
                           JOIN pg_catalog.pg_attribute r ON r.attrelid = c.confrelid AND r.attnum = k.r \
                           JOIN pg_catalog.pg_operator o ON o.oid = k.o \
                           JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace), \
                ARRAY(SELECT DISTINCT CAST(r.role AS pg_catalog.text) \
                      FROM pg_catalog.pg_class t JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace \
                           JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database() \
                           CROSS JOIN LATERAL (VALUES (t.relowner), (CASE n.nspowner WHEN 6171::pg_catalog.oid THEN d.datdba ELSE n.nspowner END)) r(role) \
                      WHERE r.role <> own.owner AND r.role <> own.of_schema AND (t.oid = c.conrelid OR t.oid = ANY (ARRAY( \
                          SELECT CAST(p.relid AS pg_catalog.oid) FROM pg_catalog.pg_partition_tree(CAST(c.conrelid AS pg_catalog.regclass)) p)))) \
         FROM pg_catalog.pg_constraint c, \
              (SELECT o.relowner AS owner, CASE n.nspowner WHEN 6171::pg_catalog.oid THEN d.datdba ELSE n.nspowner END AS of_schema \
               FROM pg_catalog.pg_class o JOIN pg_catalog.pg_namespace n ON n.oid = o.relnamespace \
                    JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database() WHERE o.oid = $1) own \
         WHERE c.contype = 'f' AND c.conparentid = 0::pg_catalog.oid \
               AND (c.confrelid = $1 \
                    OR c.confrelid = ANY (ARRAY(SELECT CAST(t.relid AS pg_catalog.oid) FROM pg_catalog.pg_partition_tree(CAST($1 AS pg_catalog.regclass)) t)) \
                    OR c.confrelid = ANY (ARRAY(SELECT CAST(t.relid AS pg_catalog.oid) FROM pg_catalog.pg_partition_ancestors(CAST($1 AS pg_catalog.regclass)) t))) \
         ORDER BY CAST(CAST(c.conrelid AS pg_catalog.regclass) AS pg_catalog.text), c.conname",
        &[Type::Oid],
    );
    let mut found = Vec::new();
    session.each(&statement, &[Value::Oid(target)], |row| {
        let roles = row.texts(5).into_iter().flatten();
        let mut owners = roles.filter_map(|role| role.parse().ok().map(pg_sys::Oid::from_u32));
        let parts: Vec<String> = row.texts(4).into_iter().flatten().collect();
        let columns: Vec<Compared> = parts.chunks_exact(8).map(Compared::read).collect();
        found.push(Reference {
            name: row.text(1).unwrap_or_default().to_owned(),
            source: pg_sys::Oid::from(row.number(2).unwrap_or_default() as u32),
            refers: columns.iter().map(|of| of.condition.as_str()).collect::<Vec<_>>().join(" AND "),
            cascades: row.number(3).is_some(),
            casts: columns.iter().any(|of| of.casts),
            stranger: owners.find(|role| !catalog::is_trusted_role(*role)),
        });
        Ok(())
    })?;
    Ok(found)
}
