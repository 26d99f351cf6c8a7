//! One relation whose rows take part in a list: as SQL expressions over the alias `t`, and the statements that read it.
//!
//! All of them run as the caller ([`Session`]), so rights and row security are Postgres's. A row is known by the address of the version
//! that the caller's snapshot sees. A role that may read only some columns may not read addresses; for such a role, rows are numbered
//! as they are first read, and read again by their primary key.

use pgrx::pg_sys;

use crate::error::Result;
use crate::pg::table::query::{Kind, Row, Session, Statement, Value};
use crate::statement::{self, EQUALS};

/// How many bits of a row's number are its address; those above number the table that has it.
const ADDRESS_BITS: u32 = 48;

/// A row's number: the table that has it, and its address there.
pub fn row_id(part: usize, address: u64) -> u64 {
    (part as u64) << ADDRESS_BITS | address
}

/// Gives the number of the table that has a row, and the row's address there.
pub fn part_and_address(id: u64) -> (usize, u64) {
    ((id >> ADDRESS_BITS) as usize, id & ((1 << ADDRESS_BITS) - 1))
}

/// A relation as SQL.
#[derive(Debug)]
pub struct Source {
    /// What stands in a FROM list, with the alias t.
    pub from: String,
    /// The document, of type text.
    pub document: String,
    /// The columns of the scope.
    pub scope: Vec<String>,
    /// The time, in microseconds.
    pub moment: Option<String>,
    /// The condition on rows that take part.
    pub filter: String,
    /// The ORDER BY list by which rows are preferred.
    pub order: String,
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

/// What a statement says of a row besides its keys.
#[derive(Clone, Copy, Debug)]
pub struct Described {
    /// The row's number.
    pub id: u64,
    /// The number of its scope, from 1 on; 0 without a scope.
    pub scope: u32,
    /// Its time.
    pub time: Option<i64>,
    /// The hash of its document.
    pub hash: u64,
    /// The length of its document in bytes.
    pub bytes: u32,
}

impl Source {
    /// Says whether the number of a row belongs to this relation.
    pub fn has(&self, id: u64) -> bool {
        let (part, _) = part_and_address(id);
        part >= self.first_part && part < self.first_part + self.parts.len().max(1)
    }

    /// The columns of [`Described`] after the row's number, from a row of which the document is known as d.document.
    fn description(&self, scope: bool) -> String {
        let scope = match &self.scope[..] {
            columns if scope && !columns.is_empty() => {
                format!("pg_catalog.dense_rank() OVER (ORDER BY {})", columns.join(", "))
            }
            _ => "0::bigint".to_owned(),
        };
        format!(
            "{scope} AS scope, {moment} AS moment, neardup_internal.text_hash(d.document) AS hash, \
             pg_catalog.octet_length(d.document) AS bytes",
            moment = self.moment.as_deref().unwrap_or("NULL::bigint"),
        )
    }

    /// The statement that describes the rows named in `rows` (number, table, address), in the order of preference or, without
    /// `by_preference`, in that of the table.
    pub fn describe(&self, rows: &str, by_preference: bool, scope: bool) -> Option<String> {
        let [table, address] = self.address.as_ref()?;
        // The sub-select keeps the document from being formed for each use of it.
        Some(format!(
            "SELECT r.id, {description} \
             FROM {rows} r \
                  JOIN {from} ON {table} {EQUALS} r.part AND {address} {EQUALS} r.address \
                  CROSS JOIN LATERAL (SELECT {document} AS document OFFSET 0) d \
             WHERE {filter} AND d.document IS NOT NULL \
             ORDER BY {order}",
            description = self.description(scope),
            from = self.from,
            document = self.document,
            filter = self.filter,
            order = if by_preference { &self.order } else { "r.id" },
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
            order = self.order,
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
                let named: Vec<String> = source.scope.iter().zip(&columns).map(|(scope, name)| format!("{scope} AS {name}")).collect();
                Some(format!(
                    "SELECT r.id, {named} FROM {rows} r JOIN {from} ON {table} {EQUALS} r.part AND {address} {EQUALS} r.address",
                    named = named.join(", "),
                    rows = rows(at),
                    from = source.from,
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
                    x.scope, x.moment, x.hash, x.bytes, x.key \
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
            order = self.order,
            from = self.from,
            document = self.document,
            analyzer = pgrx::spi::quote_literal(&self.analyzer),
            filter = self.filter,
        )
    }

    /// The statement that reads columns of rows: by addresses in one table, or by a key.
    fn read(&self, columns: &str) -> String {
        match &self.address {
            Some([table, address]) => format!(
                "SELECT {address}, {columns} FROM {from} WHERE {table} {EQUALS} $2 AND {address} {EQUALS} ANY ($1)",
                from = self.from,
            ),
            None => format!(
                "SELECT NULL::pg_catalog.tid, {columns} FROM {from} WHERE {has_key}",
                from = self.from,
                has_key = self.has_key
            ),
        }
    }

    /// The statement that reads documents.
    pub fn read_documents(&self) -> String {
        self.read(&self.document)
    }

    /// The statement that reads primary keys, as arrays of text.
    pub fn read_keys(&self) -> String {
        self.read(&format!("ARRAY[{}]", self.keys.join(", ")))
    }
}

/// A relation whose statements are prepared.
pub struct Reader<'s> {
    session: &'s Session,
    /// The relation.
    pub source: &'s Source,
    documents: Statement<'s>,
    keys: Statement<'s>,
    /// The primary keys of rows without an address, by their number.
    numbered: Vec<Vec<String>>,
}

impl<'s> Reader<'s> {
    /// Prepares the statements that read single rows.
    pub fn new(session: &'s Session, source: &'s Source) -> Self {
        let types = match source.address {
            Some(_) => vec![Kind::Addresses, Kind::Oid],
            None => vec![Kind::Text; source.keys.len()],
        };
        let documents = session.prepare(&source.read_documents(), &types);
        let keys = session.prepare(&source.read_keys(), &types);
        Self { session, source, documents, keys, numbered: Vec::new() }
    }

    /// Notes the key of a row without an address; gives the row's number.
    pub fn number(&mut self, key: Vec<Option<String>>) -> u64 {
        self.numbered.push(key.into_iter().flatten().collect());
        row_id(self.source.first_part, self.numbered.len() as u64)
    }

    /// Passes the document of each of these rows that the caller still sees to `found`.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn documents(&self, rows: &[u64], mut found: impl FnMut(u64, &str)) -> Result<()> {
        self.each(&self.documents, rows, |id, row| {
            if let Some(document) = row.text(2) {
                found(id, document);
            }
        })
    }

    /// Does the same for primary keys.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn keys(&self, rows: &[u64], mut found: impl FnMut(u64, Vec<Option<String>>)) -> Result<()> {
        self.each(&self.keys, rows, |id, row| found(id, row.texts(2)))
    }

    fn each(&self, statement: &Statement<'_>, rows: &[u64], mut found: impl FnMut(u64, &Row<'_>)) -> Result<()> {
        if self.source.address.is_none() {
            for &id in rows {
                let number = part_and_address(id).1 as usize;
                let Some(key) = number.checked_sub(1).and_then(|at| self.numbered.get(at)) else { continue };
                let values: Vec<Value<'_>> = key.iter().map(|value| Value::Text(Some(value))).collect();
                self.session.each(statement, &values, |row| {
                    found(id, row);
                    Ok(())
                })?;
            }
            return Ok(());
        }
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        for run in rows.chunk_by(|a, b| part_and_address(*a).0 == part_and_address(*b).0) {
            let part = run.first().map_or(0, |id| part_and_address(*id).0);
            let Some(&table) = part.checked_sub(self.source.first_part).and_then(|at| self.source.parts.get(at)) else {
                continue;
            };
            let rows: Vec<u64> = run.iter().map(|id| part_and_address(*id).1).collect();
            let values = [Value::Addresses(&rows), Value::Oid(table)];
            self.session.each(statement, &values, |row| {
                if let Some(address) = row.address(1) {
                    found(row_id(part, address), row);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
