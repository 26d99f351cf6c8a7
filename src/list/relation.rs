//! One relation whose rows take part in a list: as SQL expressions over the alias `t`, and the statements that read it.
//!
//! All of them run as the caller ([`Session`]), so rights and row security are Postgres's. A row is known by the address of the version
//! that the caller's snapshot sees. A role that may read only some columns may not read addresses; for such a role, rows are numbered
//! as they are first read, and read again by their primary key.

use pgrx::pg_sys;

use super::by_part::ByPart;
use crate::error::Result;
use crate::guarded::beside::{self, Beside};
use crate::guarded::statement::{self, EQUALS, OrderKey};
use crate::pg::catalog;
use crate::pg::table::query::{Row, Session, Statement, Type, Value};
use crate::pg::table::row_id::RowId;

/// A relation as SQL.
#[derive(Debug)]
pub struct Source {
    /// What stands in a FROM list, with the alias t.
    pub from: String,
    /// The document, of type text.
    pub document: String,
    /// The beginning of it, of a relation whose other rows a verdict may ask for.
    pub beginning: Option<String>,
    /// What else is compared of a row, an array of text.
    pub beside: Option<String>,
    /// The names of the columns that must not differ, and of those in which copies agree.
    pub differ: Vec<String>,
    pub agree: Vec<String>,
    /// The columns of the scope.
    pub scope: Vec<String>,
    /// The time, in microseconds.
    pub time: Option<String>,
    /// The condition on rows that take part.
    pub filter: String,
    /// By what rows are preferred.
    pub order: Vec<OrderKey>,
    /// The primary key's columns, as text.
    pub keys: Vec<String>,
    /// The condition that the primary key has the values `$1`, `$2` and so on, all of type text.
    pub has_key: String,
    /// Table and address of a row, if the role may read them.
    pub address: Option<[String; 2]>,
    /// The tables that hold its rows.
    pub parts: Vec<pg_sys::Oid>,
    /// The number of the first of these among all tables of a list.
    pub first_part: usize,
    /// The analyzer and the number of keys of a sketch.
    pub analyzer: String,
    /// The number of keys.
    pub keys_of_sketch: u32,
}

/// Stands for the number of a scope where there is none.
const NO_SCOPE: &str = "0::bigint";

/// Numbers the values of columns together, from 1 on.
fn rank_of_scope(columns: &[String]) -> String {
    if columns.is_empty() {
        return NO_SCOPE.to_owned();
    }
    format!("pg_catalog.dense_rank() OVER (ORDER BY {})", columns.join(", "))
}

/// The attributes of a row, besides its keys, that a list reads.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The row's number.
    pub id: u64,
    /// The number of its scope, from 1 on; 0 without a scope.
    pub scope: u32,
    pub time: Option<i64>,
    /// The hash of what is compared of it.
    pub hash: u64,
    /// The length of its document in bytes.
    pub bytes: u32,
}

impl Source {
    /// Says whether the number of a row belongs to this relation.
    pub fn has(&self, id: u64) -> bool {
        let part = RowId::unpacked(id).table;
        part >= self.first_part && part < self.first_part + self.parts.len().max(1)
    }

    /// The columns of [`Described`] after the row's number, from a row of which the document is known as d.document.
    fn description(&self, scope: bool) -> String {
        format!(
            "{scope} AS scope, {own}",
            scope = if scope { rank_of_scope(&self.scope) } else { NO_SCOPE.to_owned() },
            own = self.own_description()
        )
    }

    /// The same without the scope.
    fn own_description(&self) -> String {
        format!(
            "{time} AS time, {hash} AS hash, \
             pg_catalog.octet_length(d.document) AS bytes",
            time = self.time.as_deref().unwrap_or("NULL::bigint"),
            hash = beside::hash("d.document", self.beside.as_deref()),
        )
    }

    fn order_list(&self) -> String {
        self.order.iter().map(|key| format!("{} {}", key.expression, key.direction)).collect::<Vec<_>>().join(", ")
    }

    /// What a statement reads that looks up rows one by one, to be put after a sub-select over them.
    ///
    /// The planner knows nothing about addresses and would hash the whole table. As a sub-select that cannot be flattened, each row is
    /// read by its address; but in a partitioned table that would visit each partition for each row.
    const fn one_by_one(&self) -> &'static str {
        if self.parts.len() == 1 { "OFFSET 0" } else { "" }
    }

    /// The statement that describes the rows named in `rows` (number, table, address), in the order of preference or, without
    /// `by_preference`, in that of the table.
    pub fn describe(&self, rows: &str, by_preference: bool, scope: bool) -> Option<String> {
        let [table, address] = self.address.as_ref()?;
        let numbered =
            |prefix: &'static str, count: usize| (1..=count).map(move |number| format!("x.{prefix}{number}"));
        let scopes: Vec<String> = if scope { numbered("s", self.scope.len()).collect() } else { Vec::new() };
        let order: Vec<String> = if by_preference {
            let keys = numbered("o", self.order.len()).zip(&self.order);
            keys.map(|(name, key)| format!("{name} {}", key.direction)).collect()
        } else {
            vec!["r.id".to_owned()]
        };
        let named = |prefix: &str, number: usize, expression: &str| format!(", {expression} AS {prefix}{number}");
        let scope_columns = (1..).zip(&self.scope).map(|(number, scope)| named("s", number, scope));
        let order_columns = (1..).zip(&self.order).map(|(number, key)| named("o", number, &key.expression));
        // The inner sub-select keeps the document from being formed for each use of it.
        Some(format!(
            "SELECT r.id, {rank} AS scope, x.time, x.hash, x.bytes \
             FROM {rows} r \
                  CROSS JOIN LATERAL ( \
                      SELECT {own}{scope_columns}{order_columns} \
                      FROM {from} CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d \
                      WHERE {table} {EQUALS} r.part AND {address} {EQUALS} r.address AND {filter} AND d.document IS NOT NULL \
                      {one_by_one}) x \
             ORDER BY {order}",
            rank = rank_of_scope(&scopes),
            own = self.own_description(),
            scope_columns = scope_columns.filter(|_| scope).collect::<String>(),
            order_columns = order_columns.filter(|_| by_preference).collect::<String>(),
            from = self.from,
            document = self.document,
            filter = self.filter,
            one_by_one = self.one_by_one(),
            order = order.join(", "),
        ))
    }

    /// The statement that signs all rows, in the order of preference: table, address, keys of the sketch, description, and the primary
    /// key where there is no address.
    pub fn sign(&self, scope: bool) -> String {
        let none = ["NULL::pg_catalog.oid".to_owned(), "NULL::pg_catalog.tid".to_owned()];
        let [table, address] = self.address.as_ref().unwrap_or(&none);
        format!(
            "SELECT {table}, {address}, x.keys, {description}, ARRAY[{primary}] \
             FROM {from} \
                  CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d \
                  CROSS JOIN LATERAL (SELECT {extension}.sketch_keys({extension}.sketch(d.document, {analyzer}, {keys})) AS keys OFFSET 0) x \
             WHERE {filter} AND x.keys IS NOT NULL \
             ORDER BY {order}",
            extension = statement::extension(),
            description = self.description(scope),
            primary = if self.address.is_none() { self.keys.join(", ") } else { "NULL::pg_catalog.text".to_owned() },
            from = self.from,
            document = self.document,
            analyzer = pgrx::spi::quote_literal(&self.analyzer),
            keys = self.keys_of_sketch,
            filter = self.filter,
            order = self.order_list(),
        )
    }

    /// Says whether all rows take part.
    pub fn takes_all(&self) -> bool {
        self.filter == "true"
    }

    /// The statement that counts the rows that take part, up to `most`.
    pub fn count_to(&self, most: u64) -> String {
        format!(
            "SELECT pg_catalog.count(*) FROM (SELECT FROM {from} WHERE {filter} LIMIT {most}) c",
            from = self.from,
            filter = self.filter,
        )
    }

    /// The statement that numbers the scopes of two relations together, from the rows that are named `rows(0)` and `rows(1)`.
    pub fn number_scopes(sources: &[Self], rows: impl Fn(usize) -> String) -> Option<String> {
        let columns: Vec<String> = (1..=sources.first()?.scope.len()).map(|number| format!("s{number}")).collect();
        let branches: Option<Vec<String>> = sources
            .iter()
            .enumerate()
            .map(|(at, source)| {
                let [table, address] = source.address.as_ref()?;
                let named: Vec<String> =
                    source.scope.iter().zip(&columns).map(|(scope, name)| format!("{scope} AS {name}")).collect();
                Some(format!(
                    "SELECT r.id, x.* FROM {rows} r CROSS JOIN LATERAL (SELECT {named} FROM {from} \
                     WHERE {table} {EQUALS} r.part AND {address} {EQUALS} r.address {one_by_one}) x",
                    named = named.join(", "),
                    rows = rows(at),
                    from = source.from,
                    one_by_one = source.one_by_one(),
                ))
            })
            .collect();
        Some(format!(
            "SELECT x.id, pg_catalog.dense_rank() OVER (ORDER BY {columns}) FROM ({branches}) x",
            columns = columns.join(", "),
            branches = branches?.join(" UNION ALL "),
        ))
    }

    /// The statement that groups rows by near signatures, in the order of preference: table, address, signature, number of the group in
    /// its scope, description, and the primary key where there is no address.
    pub fn group(&self, distance: u32) -> String {
        let none = ["NULL::pg_catalog.oid".to_owned(), "NULL::pg_catalog.tid".to_owned()];
        let [table, address] = self.address.as_ref().unwrap_or(&none);
        format!(
            "SELECT x.part, x.address, x.signature::bigint, \
                    {extension}.near_duplicate_of(x.signature, {distance}) OVER (PARTITION BY x.scope ORDER BY x.nth), \
                    x.scope, x.time, x.hash, x.bytes, x.key \
             FROM (SELECT {table} AS part, {address} AS address, s.signature, {description}, ARRAY[{primary}] AS key, \
                          pg_catalog.row_number() OVER (ORDER BY {order}) AS nth \
                   FROM {from} \
                        CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d \
                        CROSS JOIN LATERAL (SELECT neardup.analyzer_simhash(d.document, {analyzer}) AS signature OFFSET 0) s \
                   WHERE {filter} AND s.signature IS NOT NULL) x \
             ORDER BY x.nth",
            extension = statement::extension(),
            description = self.description(true),
            primary = if self.address.is_none() { self.keys.join(", ") } else { "NULL::pg_catalog.text".to_owned() },
            order = self.order_list(),
            from = self.from,
            document = self.document,
            analyzer = pgrx::spi::quote_literal(&self.analyzer),
            filter = self.filter,
        )
    }

    /// The statement that finds a row by its primary key, given as `texts` texts: one for each column, or one for all as lists show
    /// it. Returns table, address, time, and the primary key where there is no address.
    pub fn find(&self, texts: usize) -> String {
        let none = ["NULL::pg_catalog.oid".to_owned(), "NULL::pg_catalog.tid".to_owned()];
        let [table, address] = self.address.as_ref().unwrap_or(&none);
        let keys = self.keys.join(", ");
        let has_key = if texts == self.keys.len() {
            self.has_key.clone()
        } else {
            format!("{} {EQUALS} $1", statement::key_text(&self.keys))
        };
        format!(
            "SELECT {table}, {address}, {time}, ARRAY[{keys}] FROM {from} WHERE {has_key}",
            time = self.time.as_deref().unwrap_or("NULL::bigint"),
            from = self.from,
        )
    }

    /// The statement that reads columns of rows: by addresses in one table, which has these bounds, or by a key.
    pub fn read(&self, columns: &str, bounds: Option<&str>) -> String {
        match &self.address {
            Some([table, address]) => format!(
                "SELECT {address}, {columns} FROM {from} WHERE {table} {EQUALS} $2 AND {address} {EQUALS} ANY ($1){bounds}",
                from = self.from,
                bounds = bounds.map(|bounds| format!(" AND ({bounds})")).unwrap_or_default(),
            ),
            None => format!(
                "SELECT NULL::pg_catalog.tid, {columns} FROM {from} WHERE {has_key}",
                from = self.from,
                has_key = self.has_key
            ),
        }
    }

    /// The document, and what else is compared.
    fn compared(&self) -> String {
        match &self.beside {
            Some(beside) => format!("{}, {beside}", self.document),
            None => self.document.clone(),
        }
    }
}

/// How single rows are read.
enum Reads<'s> {
    Addresses(ByPart<'s>),
    Key(Statement<'s>),
}

impl<'s> Reads<'s> {
    fn new(session: &'s Session, source: &'s Source, columns: String) -> Self {
        if source.address.is_some() {
            return Self::Addresses(ByPart::new(session, source, columns));
        }
        Self::Key(session.prepare(&source.read(&columns, None), &vec![Type::Text; source.keys.len()]))
    }
}

/// A relation whose statements are prepared.
pub struct Reader<'s> {
    session: &'s Session,
    /// The relation.
    pub source: &'s Source,
    documents: Reads<'s>,
    keys: Reads<'s>,
    /// The primary keys of rows without an address, by their number.
    numbered: Vec<Vec<String>>,
}

impl<'s> Reader<'s> {
    /// Prepares the statements that read single rows.
    pub fn new(session: &'s Session, source: &'s Source) -> Self {
        let documents = Reads::new(session, source, source.compared());
        let keys = Reads::new(session, source, format!("ARRAY[{}]", source.keys.join(", ")));
        Self { session, source, documents, keys, numbered: Vec::new() }
    }

    /// Begins to read the relation again: rows that are numbered get the same numbers.
    pub fn restart(&mut self) {
        self.numbered.clear();
    }

    /// Returns the row of a statement's result: by its table and address, the first two columns, or else by its primary key, in column
    /// `key`; then the row is numbered. `None` if the table is not one of the relation's.
    pub fn row_id(&mut self, row: &Row<'_>, key: i32) -> Option<u64> {
        let first = self.source.first_part;
        let id = if let (Some(table), Some(address)) = (row.number(1), row.address(2)) {
            let table = pg_sys::Oid::from(table as u32);
            let at = self.source.parts.iter().position(|part| *part == table)?;
            RowId { table: first + at, address }
        } else {
            self.numbered.push(row.texts(key).into_iter().flatten().collect());
            RowId { table: first, address: self.numbered.len() as u64 }
        };
        Some(id.packed())
    }

    /// Passes the document of each of these rows that the caller still sees to `found`, with what else is compared of it, if anything is.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn documents(&self, rows: &[u64], mut found: impl FnMut(u64, &str, Option<Beside>)) -> Result<()> {
        self.each(&self.documents, rows, |id, row| {
            if let Some(document) = row.text(2) {
                found(
                    id,
                    document,
                    self.source.beside.is_some().then(|| Beside::read(row.texts(3), self.source.differ.len())),
                );
            }
        })
    }

    /// Says whether parallel workers may read the rows as this process does: by address, from tables that they see, by functions that are safe
    /// there.
    pub fn is_parallel_safe(&self) -> bool {
        matches!(&self.documents, Reads::Addresses(documents) if documents.is_parallel_safe())
            && !self.source.parts.iter().any(|part| catalog::is_temporary(*part))
            && self.beginnings().is_none_or(|beginnings| beginnings.is_parallel_safe())
    }

    /// Prepares the statements that read the beginnings of documents, if the relation has some.
    pub fn beginnings(&self) -> Option<ByPart<'s>> {
        let beginning = self.source.beginning.clone().filter(|_| self.source.address.is_some())?;
        Some(ByPart::new(self.session, self.source, beginning))
    }

    /// Passes the text that such statements return for each of these rows to `found`, in order of their addresses.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn read(&self, statements: &ByPart<'_>, rows: &[u64], mut found: impl FnMut(u64, &str)) -> Result<()> {
        self.each_by_address(statements, rows, |id, row| {
            if let Some(text) = row.text(2) {
                found(id, text);
            }
        })
    }

    /// Passes the primary keys of these rows to `found`.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn keys(&self, rows: &[u64], mut found: impl FnMut(u64, Vec<Option<String>>)) -> Result<()> {
        self.each(&self.keys, rows, |id, row| found(id, row.texts(2)))
    }

    fn each(&self, reads: &Reads<'_>, rows: &[u64], mut found: impl FnMut(u64, &Row<'_>)) -> Result<()> {
        let statement = match reads {
            Reads::Addresses(statements) => return self.each_by_address(statements, rows, found),
            Reads::Key(statement) => statement,
        };
        for &id in rows {
            let number = RowId::unpacked(id).address as usize;
            let Some(key) = number.checked_sub(1).and_then(|at| self.numbered.get(at)) else { continue };
            let values: Vec<Value<'_>> = key.iter().map(|value| Value::Text(Some(value))).collect();
            self.session.each(statement, &values, |row| {
                found(id, row);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn each_by_address(
        &self,
        statements: &ByPart<'_>,
        rows: &[u64],
        mut found: impl FnMut(u64, &Row<'_>),
    ) -> Result<()> {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        for run in rows.chunk_by(|a, b| RowId::unpacked(*a).table == RowId::unpacked(*b).table) {
            let part = run.first().map_or(0, |id| RowId::unpacked(*id).table);
            let Some(at) = part.checked_sub(self.source.first_part) else { continue };
            let Some(&table) = self.source.parts.get(at) else { continue };
            let rows: Vec<u64> = run.iter().map(|id| RowId::unpacked(*id).address).collect();
            let values = [Value::Addresses(&rows), Value::Oid(table)];
            let mut work = |row: &Row<'_>| {
                if let Some(address) = row.address(1) {
                    found(RowId { table: part, address }.packed(), row);
                }
                Ok(())
            };
            statements.with(at, |statement| self.session.each_of(statement, &values, rows.len(), &mut work))?;
        }
        Ok(())
    }
}
