//! From the arguments of a list to what it reads: the relations, and the indexes on their sketches.

use pgrx::pg_sys;
use pgrx::spi::quote_identifier;

use super::arguments::{Choice, converts, same_type};
use super::relation::Source;
use crate::error::Result;
use crate::guarded::guard::Guard;
use crate::guarded::settings::Method;
use crate::guarded::statement::{self, OrderKey, key_part};
use crate::pg::catalog::{self, Column};
use crate::pg::table::partition;

/// What is read.
pub struct Plan {
    /// The relations; of two, the rows of the first are all kept.
    pub sources: Vec<Source>,
    /// The indexes on the sketches of a relation's tables, if its keys are read from these.
    pub indexes: Vec<Option<Vec<pg_sys::Oid>>>,
}

/// Plans a list.
///
/// # Errors
/// If a table of the guard has no index to search by.
pub fn of(choice: &Choice) -> Result<Plan> {
    let own = guarded(choice)?;
    let own_index = indexes(&choice.guard, &own)?;
    let mut plan = match (choice.against, choice.source) {
        (Some(other), _) => {
            let other = against(choice, other)?;
            Plan { sources: vec![other, own], indexes: vec![None, own_index] }
        }
        (None, Some(new)) => {
            let new = coming(choice, new)?;
            Plan { sources: vec![own, new], indexes: vec![own_index, None] }
        }
        (None, None) => Plan { sources: vec![own], indexes: vec![own_index] },
    };
    let mut first_part = 0;
    for source in &mut plan.sources {
        source.first_part = first_part;
        first_part += source.parts.len();
    }
    Ok(plan)
}

/// Describes a relation by its columns under the alias t.
fn source(choice: &Choice, relation: pg_sys::Oid, document: String, filter: String, order: Vec<OrderKey>) -> Source {
    let keys = statement::primary_key(relation);
    // The table before its partitions, as everybody does.
    partition::keep(&[relation]);
    let parts: Vec<pg_sys::Oid> = partition::leaves(relation, None).0.into_iter().map(|leaf| leaf.table).collect();
    partition::keep(&parts);
    let is_own = relation == choice.guard.table;
    Source {
        beginning: is_own.then(|| choice.guard.document().beginning_of_table("t")),
        from: format!("{} t", statement::only(relation)),
        document,
        beside: choice.beside("t"),
        differ: choice.differ.clone(),
        agree: choice.agree.clone(),
        scope: choice.scope.iter().map(|name| statement::column("t", name)).collect(),
        time: choice
            .time_of_row()
            .filter(|name| {
                catalog::columns(relation).iter().any(|column| column.name == *name && catalog::is_time(column))
            })
            .map(|name| statement::microseconds(&statement::column("t", name))),
        filter,
        order,
        keys: keys.iter().map(|key| key_part(&statement::column("t", &key.name))).collect(),
        has_key: statement::equal(&keys, "t", |number, key| statement::cast(&format!("${number}"), key.kind)),
        address: catalog::may_read_columns(relation).then(|| ["t.tableoid".to_owned(), "t.ctid".to_owned()]),
        parts,
        first_part: 0,
        analyzer: choice.guard.settings.analyzer.clone(),
        keys_of_sketch: choice.guard.settings.keys,
    }
}

/// The guarded table.
fn guarded(choice: &Choice) -> Result<Source> {
    let document = choice.guard.document().of_table("t");
    let order = choice.order(&document);
    Ok(source(choice, choice.guard.table, document, choice.filter()?, order))
}

/// A table whose rows are all kept. It has its columns under the same names.
fn against(choice: &Choice, other: pg_sys::Oid) -> Result<Source> {
    let theirs = catalog::columns(other);
    let is_same = |own: &Column| theirs.iter().any(|column| column.name == own.name && same_type(own, column));
    let document = choice.guard.document().of_other("t", is_same);
    let keys = statement::primary_key(other);
    let order = keys.iter().map(|key| OrderKey::new(statement::column("t", &key.name), "ASC")).collect();
    Ok(source(choice, other, document, "true".to_owned(), order))
}

/// The address of a row of a table of new rows, as the statements name it.
const NEW_ADDRESS: [&str; 2] = ["neardup_table", "neardup_address"];

/// A table of new rows: its columns as those of the guarded table with the same names.
fn coming(choice: &Choice, new: pg_sys::Oid) -> Result<Source> {
    let theirs = catalog::columns(new);
    let convert = |own: &Column| {
        // Columns that the guard reads have been checked; the others may be of any type.
        let value = if theirs.iter().any(|column| column.name == own.name && converts(column, own)) {
            format!("s.{}", quote_identifier(&own.name))
        } else {
            "NULL".to_owned()
        };
        let value = statement::collated(statement::cast(&value, own.kind), own.collation);
        format!("{value} AS {}", quote_identifier(&own.name))
    };
    let [table, address] = NEW_ADDRESS;
    let document = choice.guard.document().of_other("t", |_| true);
    let mut order = choice.order(&document);
    order.push(OrderKey::new(format!("t.{address}"), "ASC"));
    let mut source = source(choice, choice.guard.table, document, "true".to_owned(), order);
    source.from = format!(
        "(SELECT s.tableoid AS {table}, s.ctid AS {address}, {} FROM ONLY {} s) t",
        statement::list(&catalog::columns(choice.guard.table), convert),
        statement::relation(new)
    );
    source.address = Some(NEW_ADDRESS.map(|name| format!("t.{name}")));
    source.parts = vec![new];
    source.beginning = None;
    Ok(source)
}

/// Returns the indexes that a guard by sketches searches, one for each table; `None` if the role may not read addresses, or if an index
/// has no keys of versions that the snapshot still sees. Then all rows are signed.
fn indexes(guard: &Guard, source: &Source) -> Result<Option<Vec<pg_sys::Oid>>> {
    if guard.settings.method != Method::Sketch || source.address.is_none() {
        return Ok(None);
    }
    let find = |table: &pg_sys::Oid| {
        let part = guard.part(*table).and_then(|part| part.index);
        part.map(|found| found.index)
            .ok_or_else(|| guard.without_index(*table).set_detail("A list reads the keys of all rows from it."))
    };
    let found = source.parts.iter().map(find).collect::<Result<Vec<_>>>()?;
    Ok(found.iter().all(|index| catalog::has_versions_of_snapshot(*index)).then_some(found))
}
