//! Statements that change tables, each a command of its own that sees what the transaction has written before. They run as the current
//! user or as a table's owner, so that rights, row security, triggers and constraints are Postgres's.
//!
//! They run foreign code, so they must be called inside [`boundary::entry`].

use std::ffi::{CString, c_char, c_long};

use pgrx::{FromDatum, IntoDatum, pg_sys};

use crate::pg::call::boundary::{self, raw};
use crate::pg::call::function::{self, Argument};
use crate::pg::call::role;

/// How many rows [`transfer`] takes at once: their columns out of line are only referred to.
const ROWS: c_long = 100;

/// A value for a statement.
#[derive(Clone, Copy, Debug)]
pub enum Parameter<'p> {
    /// bigint
    Number(i64),
    /// double precision
    Real(Option<f64>),
    /// text
    Text(&'p str),
    /// text[]
    Texts(&'p [String]),
    /// oid
    Table(Option<pg_sys::Oid>),
}

impl Parameter<'_> {
    fn argument(&self) -> Argument {
        match self {
            Self::Number(number) => (pg_sys::INT8OID, number.into_datum()),
            Self::Real(number) => (pg_sys::FLOAT8OID, number.into_datum()),
            Self::Text(text) => (pg_sys::TEXTOID, text.into_datum()),
            Self::Texts(texts) => (pg_sys::TEXTARRAYOID, texts.to_vec().into_datum()),
            Self::Table(oid) => (pg_sys::OIDOID, oid.map(pg_sys::Datum::from)),
        }
    }
}

/// Runs a statement. Returns the number of its rows.
pub fn run(statement: &str, parameters: &[Parameter<'_>]) -> u64 {
    let arguments: Vec<Argument> = parameters.iter().map(Parameter::argument).collect();
    // SAFETY: each value has the type next to it.
    unsafe { function::execute(statement, &arguments, |count| count) }
}

/// Runs a statement as the owner of a table, restricted as [`role::as_owner`] says. Returns the number of its rows.
pub fn run_as(owner: pg_sys::Oid, statement: &str, parameters: &[Parameter<'_>]) -> u64 {
    role::as_owner(owner, || run(statement, parameters))
}

/// Does the same with a statement that returns one row of one bigint, and returns that; `None` for NULL or another type.
pub fn number_as(owner: pg_sys::Oid, statement: &str, parameters: &[Parameter<'_>]) -> Option<i64> {
    let arguments: Vec<Argument> = parameters.iter().map(Parameter::argument).collect();
    let read = |count| {
        // SAFETY: SPI has the rows of the result and their description until it is finished.
        unsafe {
            let table = pg_sys::SPI_tuptable;
            if count == 0 || table.is_null() || pg_sys::SPI_gettypeid((*table).tupdesc, 1) != pg_sys::INT8OID {
                return None;
            }
            let mut null = true;
            let value = pg_sys::SPI_getbinval(*(*table).vals, (*table).tupdesc, 1, &raw mut null);
            (!null).then_some(value.value() as i64)
        }
    };
    // SAFETY: each value has the type next to it.
    role::as_owner(owner, || unsafe { function::execute(statement, &arguments, read) })
}

/// Runs a statement that returns at most one row, of columns of type text[] without NULLs. Returns these; `None` if it has returned none.
///
/// # Safety
/// Each argument's value must have its type.
pub unsafe fn returning_texts<const N: usize>(statement: &str, arguments: &[Argument]) -> Option<[Vec<String>; N]> {
    // SAFETY: guaranteed by the caller. SPI has the rows of the result and their description until it is finished, and the types are checked.
    unsafe {
        function::execute(statement, arguments, |count| {
            let rows = pg_sys::SPI_tuptable;
            if count == 0 || rows.is_null() {
                return None;
            }
            let (row, columns) = (*(*rows).vals, (*rows).tupdesc);
            let texts = |at: usize| {
                let (column, mut null) = (at as i32 + 1, true);
                let value = pg_sys::SPI_getbinval(row, columns, column, &raw mut null);
                let is_texts = pg_sys::SPI_gettypeid(columns, column) == pg_sys::TEXTARRAYOID;
                is_texts.then(|| Vec::from_datum(value, null)).flatten().unwrap_or_default()
            };
            Some(std::array::from_fn(texts))
        })
    }
}

/// Runs a statement with RETURNING, and then `store` for each row that it returned, as another role: a statement with as many parameters
/// as the row has columns, of their types. Values go over as they are stored, without input or output. Returns the number of rows, and of those
/// that were stored: a trigger may leave some out, or fetch rows from the open cursor of the statement, which are then not stored.
pub fn transfer(statement: &str, parameters: &[Parameter<'_>], owner: pg_sys::Oid, store: &str) -> (u64, u64) {
    let arguments: Vec<Argument> = parameters.iter().map(Parameter::argument).collect();
    // SAFETY: each value has the type next to it.
    unsafe { transfer_values(statement, &arguments, owner, store) }
}

/// Does the same with other arguments.
///
/// # Safety
/// Each argument's value must have its type.
pub unsafe fn transfer_values(statement: &str, arguments: &[Argument], owner: pg_sys::Oid, store: &str) -> (u64, u64) {
    let store = CString::new(store).unwrap_or_default();
    // SAFETY: SPI is connected around the calls; what they are given outlives them, and nothing with a destructor is in the closures. A
    // table of rows is freed before the next one is fetched.
    unsafe {
        pg_sys::SPI_connect();
        let cursor = function::open(statement, arguments);
        let mut storing = None;
        let (mut fetched, mut stored) = (0, 0);
        loop {
            cursor.fetch(ROWS);
            let (rows, count) = (pg_sys::SPI_tuptable, pg_sys::SPI_processed);
            if count == 0 {
                break;
            }
            role::as_owner(owner, || {
                let plan = *storing.get_or_insert_with(|| prepare_for(&store, (*rows).tupdesc));
                let store = |row| store_row(plan, *(*rows).vals.add(row), (*rows).tupdesc);
                stored += (0..count as usize).map(store).sum::<u64>();
            });
            fetched += count;
            pg_sys::SPI_freetuptable(rows);
        }
        // All rows are there from the first fetch on.
        let moved = cursor.kept_rows().unwrap_or(fetched);
        cursor.close();
        pg_sys::SPI_finish();
        (moved, stored)
    }
}

const fn mark(is_null: bool) -> c_char {
    if is_null { b'n' as c_char } else { b' ' as c_char }
}

/// Prepares a statement with a parameter for each column.
///
/// # Safety
/// SPI must be connected, and the description valid.
unsafe fn prepare_for(statement: &CString, columns: pg_sys::TupleDesc) -> pg_sys::SPIPlanPtr {
    // SAFETY: guaranteed by the caller; the columns are numbered from 1.
    unsafe {
        let count = (*columns).natts;
        let mut types: Vec<pg_sys::Oid> = (1..=count).map(|column| pg_sys::SPI_gettypeid(columns, column)).collect();
        let (text, types) = (statement.as_ptr(), types.as_mut_ptr());
        boundary::catch(|| raw::SPI_prepare(text, count, types))
    }
}

/// Runs a prepared statement with the columns of a row. Returns the number of rows that it stored.
///
/// # Safety
/// SPI must be connected; the plan must have been prepared for these columns, and the row must have them.
unsafe fn store_row(plan: pg_sys::SPIPlanPtr, row: pg_sys::HeapTuple, columns: pg_sys::TupleDesc) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let count = (*columns).natts;
        let mut values = Vec::with_capacity(count as usize);
        let mut marks = Vec::with_capacity(count as usize);
        for column in 1..=count {
            let mut null = true;
            values.push(pg_sys::SPI_getbinval(row, columns, column, &raw mut null));
            marks.push(mark(null));
        }
        let (values, marks) = (values.as_mut_ptr(), marks.as_ptr());
        boundary::catch(|| raw::SPI_execute_plan(plan, values, marks, false, 0));
        pg_sys::SPI_processed
    }
}
