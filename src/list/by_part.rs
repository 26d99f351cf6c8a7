//! A statement that reads rows of a relation by their addresses, made for each of its tables.
//!
//! Postgres does not exclude partitions by `tableoid`: a statement on a partitioned table visits all of them, for each few rows that are read.
//! So each partition has a statement of its own, which names the bounds of that partition, too. All its rows satisfy them, and rights,
//! row security and the order of columns stay those of the partitioned table.

use super::relation::Source;
use crate::pg::table::bounds;
use crate::pg::table::query::{Session, Statement, Type};
use crate::pg::table::statements::Statements;

/// The parameters: addresses, and the table.
const PARAMETERS: [Type; 2] = [Type::Addresses, Type::Oid];

/// The statements.
pub struct ByPart<'s> {
    source: &'s Source,
    columns: String,
    /// Reads any of the tables.
    whole: Statement<'s>,
    of_parts: Statements<'s>,
}

impl<'s> ByPart<'s> {
    /// Prepares to read these columns, after the address, of a relation whose rows have addresses.
    pub fn new(session: &'s Session, source: &'s Source, columns: String) -> Self {
        let whole = session.prepare(&source.read(&columns, None), &PARAMETERS);
        Self { source, columns, whole, of_parts: Statements::new(session, &PARAMETERS) }
    }

    /// Says whether a parallel worker may run them.
    pub fn is_parallel_safe(&self) -> bool {
        self.whole.is_parallel_safe()
    }

    /// Passes the statement that reads one of the relation's tables to `run`.
    pub fn with<T>(&self, part: usize, run: impl FnOnce(&Statement<'_>) -> T) -> T {
        if self.source.parts.len() == 1 {
            return run(&self.whole);
        }
        let sql = || {
            let bounds = bounds::of(*self.source.parts.get(part)?, c"t")?;
            Some(self.source.read(&self.columns, Some(&bounds)))
        };
        self.of_parts.with(part, sql, |statement| run(statement.unwrap_or(&self.whole)))
    }
}
