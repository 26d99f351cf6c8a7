//! Pieces of the statements that name a user's table and columns. All such statements are made in Rust, from these.
//!
//! Names are quoted and qualified, and each comparison names its operator, so that no statement depends on the search path.

use neardup_core::row_key;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use crate::pg::catalog::{self, Column, Comparison};

/// The operator `=` of Postgres's own types.
pub const EQUALS: &str = "OPERATOR(pg_catalog.=)";

/// Makes the text form of a key.
#[pg_extern(name = "key_text", sql = false)]
fn text_of_key(values: Vec<Option<String>>) -> String {
    row_key::join(&values.into_iter().flatten().collect::<Vec<_>>())
}

/// Returns a name with its schema.
pub fn qualified((schema, name): &(String, String)) -> String {
    format!("{}.{}", quote_identifier(schema.as_str()), quote_identifier(name.as_str()))
}

/// Returns a relation's name.
pub fn relation(oid: pg_sys::Oid) -> String {
    qualified(&catalog::qualified_name(oid))
}

/// Returns a table's name for statements on its own rows: rows of tables that inherit from it are not guarded, those of partitions are.
pub fn only(table: pg_sys::Oid) -> String {
    let is_partitioned = catalog::relation_kind(table) == pg_sys::RELKIND_PARTITIONED_TABLE;
    format!("{}{}", if is_partitioned { "" } else { "ONLY " }, relation(table))
}

/// Returns the schema of the extension's own functions.
pub fn extension() -> String {
    quote_identifier(catalog::extension_schema())
}

/// Returns a column of an alias.
pub fn column(alias: &str, name: &str) -> String {
    format!("{alias}.{}", quote_identifier(name))
}

/// Returns columns of an alias in the form that `each` makes of one, separated by commas.
pub fn list<'c>(columns: impl IntoIterator<Item = &'c Column>, each: impl Fn(&Column) -> String) -> String {
    columns.into_iter().map(each).collect::<Vec<_>>().join(", ")
}

/// Returns the condition that columns of an alias equal those that `other` returns for their numbers, counted from 1.
pub fn equal(columns: &[Column], alias: &str, other: impl Fn(usize, &Column) -> String) -> String {
    let one = |(number, own): (usize, &Column)| equals(&column(alias, &own.name), &other(number, own), own.kind);
    (1..).zip(columns).map(one).collect::<Vec<_>>().join(" AND ")
}

/// Returns the columns of a relation's primary key.
pub fn primary_key(oid: pg_sys::Oid) -> Vec<Column> {
    let columns = catalog::columns(oid);
    let numbers = catalog::primary_key(oid);
    numbers.iter().filter_map(|number| columns.iter().find(|column| column.number == *number).cloned()).collect()
}

/// Returns the comparison of two values of a type by its operator. Each is cast to what the operator takes, as Postgres does for foreign keys: a domain
/// itself would match an operator of the same name that its owner made beside it, which a plain SELECT does not run.
pub fn compared(left: &str, comparison: Comparison, right: &str, kind: pg_sys::Oid) -> String {
    let base = catalog::base_type(kind);
    if comparison == Comparison::Equal && base != kind && !catalog::has_trusted_name(base) {
        // Enums, rows and the like have operators for themselves, not for a domain over them, whose type cannot be named.
        return format!(
            "CASE pg_catalog.num_nulls({left}, {right}) WHEN 0 THEN pg_catalog.record_eq(ROW({left}), ROW({right})) END"
        );
    }
    let (operator, operand) = match catalog::operator(kind, comparison) {
        Some(of) => (format!("OPERATOR({}.{})", quote_identifier(of.schema), of.name), of.operand),
        None => {
            let name = match comparison {
                Comparison::Less => "OPERATOR(pg_catalog.<)",
                Comparison::Equal => EQUALS,
                Comparison::NotLess => "OPERATOR(pg_catalog.>=)",
            };
            (name.to_owned(), kind)
        }
    };
    format!("{} {operator} {}", cast(left, operand), cast(right, operand))
}

/// Returns the comparison for equality of two values of a type, as [`compared`].
pub fn equals(left: &str, right: &str, kind: pg_sys::Oid) -> String {
    compared(left, Comparison::Equal, right, kind)
}

/// One of the expressions by which rows are ordered.
#[derive(Clone, Debug)]
pub struct OrderKey {
    /// The expression, over the alias t.
    pub expression: String,
    /// What follows it in an ORDER BY list.
    pub direction: String,
}

impl OrderKey {
    /// An expression with its direction.
    pub fn new(expression: String, direction: impl Into<String>) -> Self {
        Self { expression, direction: direction.into() }
    }
}

/// Returns a cast to a type, or of a domain to the type behind it. A domain's CHECK would run code of its owner as the role that makes a list, its
/// NOT NULL would refuse a column that a table of new rows lacks, and its collation may contradict that of a column.
///
/// A type of another role is not named, because a statement finds it by its name, which its owner can give to a domain meanwhile. Where such values are
/// compared they have the type already, and the operators of enums, arrays, ranges and rows are Postgres's own, in its own schema.
pub fn cast(expression: &str, kind: pg_sys::Oid) -> String {
    let kind = catalog::base_type(kind);
    if catalog::has_trusted_name(kind) { named_cast(expression, kind) } else { expression.to_owned() }
}

/// Returns a cast to the type of a table's rows. Nobody can give its name to another type while the table is open.
pub fn as_row(expression: &str, table: pg_sys::Oid) -> String {
    named_cast(expression, catalog::row_type(table))
}

fn named_cast(expression: &str, kind: pg_sys::Oid) -> String {
    format!("CAST({expression} AS {})", catalog::type_name(kind))
}

/// Returns a cast to text.
pub fn as_text(expression: &str) -> String {
    format!("CAST({expression} AS pg_catalog.text)")
}

/// Returns the text of a value of a key: as its type puts it out, which is what guards write. A cast may write another one, true for t.
pub fn key_part(expression: &str) -> String {
    format!("pg_catalog.concat({expression})")
}

/// Returns the text form of the key of a row, of its columns.
pub fn key_of(alias: &str, columns: &[Column]) -> String {
    key_text(&columns.iter().map(|key| key_part(&column(alias, &key.name))).collect::<Vec<_>>())
}

/// Returns the text form of a key, of expressions of type text for its columns.
pub fn key_text(columns: &[String]) -> String {
    format!("neardup_internal.key_text(ARRAY[{}])", columns.join(", "))
}

/// Returns an expression with a column's collation.
pub fn collated(expression: String, collation: pg_sys::Oid) -> String {
    match catalog::collation_name(collation) {
        Some(name) => format!("{expression} COLLATE {}", qualified(&name)),
        None => expression,
    }
}

/// Returns the time in a column in microseconds; times without end are the least and the greatest number, and those of the last months that
/// timestamps have, which no number can hold, the one before.
pub fn microseconds(time: &str) -> String {
    format!(
        "CASE WHEN pg_catalog.isfinite({time}) \
              THEN least(EXTRACT(epoch FROM {time}) OPERATOR(pg_catalog.*) 1000000, 9223372036854775806)::bigint \
         WHEN {time} {EQUALS} 'infinity' THEN 9223372036854775807 \
         WHEN {time} {EQUALS} '-infinity' THEN -9223372036854775807 END"
    )
}
