//! Statements that a function runs as its caller, with the snapshot of the query that called it: so rights, row security and
//! visibility are Postgres's. Rows are read in batches, and rows of our own can take part under a name, as transition tables do.
//!
//! The statements run foreign code. Errors keep their fields, so [`Session`] must be used inside [`boundary::entry`].

use std::ffi::CString;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use pgrx::memcxt::PgMemoryContexts;
use pgrx::{FromDatum, IntoDatum, PgList, pg_sys};

use crate::error::Result;
use crate::pg::call::boundary::{self, raw};
use crate::pg::call::cursor::Cursor;
use crate::pg::catalog::shown_type;
use crate::pg::table::row_id::{address_of, tid_of};
use crate::pg::value::text::text_of;

/// Number of rows that are fetched at a time. What is read of a row is freed before the next one.
const BATCH: std::ffi::c_long = 100;

/// A connection to the server's own SQL. After an error, the end of the transaction closes it.
pub struct Session {
    /// The rows of a batch, and what is read of them.
    memory: ManuallyDrop<PgMemoryContexts>,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// text
    Text,
    /// oid
    Oid,
    /// tid[]
    Addresses,
}

impl Type {
    const fn oid(self) -> pg_sys::Oid {
        match self {
            Self::Text => pg_sys::TEXTOID,
            Self::Oid => pg_sys::OIDOID,
            Self::Addresses => pg_sys::TIDARRAYOID,
        }
    }
}

/// A value for a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// For [`Type::Text`].
    Text(Option<&'v str>),
    /// For [`Type::Oid`].
    Oid(pg_sys::Oid),
    /// For [`Type::Addresses`]: block in the upper bits, line pointer in the lower 16.
    Addresses(&'v [u64]),
}

impl Value<'_> {
    const fn kind(&self) -> Type {
        match self {
            Self::Text(_) => Type::Text,
            Self::Oid(_) => Type::Oid,
            Self::Addresses(_) => Type::Addresses,
        }
    }

    fn datum(&self) -> Option<pg_sys::Datum> {
        match self {
            Self::Text(text) => text.into_datum(),
            Self::Oid(oid) => Some(pg_sys::Datum::from(*oid)),
            Self::Addresses(rows) => Some(addresses(rows.iter().copied())),
        }
    }
}

/// A prepared statement, as long as its session lives.
pub struct Statement<'s> {
    pub(super) plan: pg_sys::SPIPlanPtr,
    pub(super) kinds: Vec<Type>,
    pub(super) session: PhantomData<&'s Session>,
}

impl Statement<'_> {
    /// Says whether a parallel worker may run it: all that it calls, row security included, is marked PARALLEL SAFE.
    pub fn is_parallel_safe(&self) -> bool {
        // SAFETY: a prepared statement has its queries, as they were rewritten.
        unsafe {
            let sources = pg_sys::SPI_plan_get_plan_sources(self.plan);
            PgList::<pg_sys::CachedPlanSource>::from_pg(sources).iter_ptr().all(|source| {
                let queries = PgList::<pg_sys::Query>::from_pg((*source).query_list);
                let mut queries = queries.iter_ptr();
                queries.all(|query| pg_sys::max_parallel_hazard(query) as u8 == pg_sys::PROPARALLEL_SAFE)
            })
        }
    }
}

/// A row of a result; what it lends lives until the next row.
pub struct Row<'r> {
    tuple: pg_sys::HeapTuple,
    columns: pg_sys::TupleDesc,
    lent: PhantomData<&'r ()>,
}

impl Session {
    /// Connects.
    pub fn open() -> Self {
        // SAFETY: SPI connections nest; this one is closed when it is dropped.
        unsafe { pg_sys::SPI_connect() };
        Self { memory: ManuallyDrop::new(PgMemoryContexts::new("rows of a statement")) }
    }

    /// Prepares a statement with parameters of these kinds.
    pub fn prepare(&self, sql: &str, kinds: &[Type]) -> Statement<'_> {
        let sql = CString::new(sql).unwrap_or_default();
        let mut types: Vec<pg_sys::Oid> = kinds.iter().map(|kind| kind.oid()).collect();
        let (text, count, list) = (sql.as_ptr(), types.len() as i32, types.as_mut_ptr());
        // SAFETY: both outlive the call. A statement that cannot be prepared raises an error.
        let plan = unsafe { boundary::catch(|| raw::SPI_prepare(text, count, list)) };
        Statement { plan, kinds: kinds.to_vec(), session: PhantomData }
    }

    /// Runs a statement and passes each row of its result to `work`, which must not run another one.
    ///
    /// # Errors
    /// The first error of `work`, and if the values are not of the kinds it was prepared with.
    pub fn each(
        &self,
        statement: &Statement<'_>,
        parameters: &[Value<'_>],
        work: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.each_of(statement, parameters, usize::MAX, work)
    }

    /// Does the same with a statement of which it is known that it returns at most `most` rows: a few are fetched without a cursor, which would
    /// copy the plan.
    ///
    /// # Errors
    /// As [`Session::each`].
    pub fn each_of(
        &self,
        statement: &Statement<'_>,
        parameters: &[Value<'_>],
        most: usize,
        mut work: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        if !parameters.iter().map(Value::kind).eq(statement.kinds.iter().copied()) {
            let message = "a statement was called with parameters of other types";
            return Err(crate::error::error(pgrx::PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message));
        }
        // SAFETY: what is allocated until this context is left is used no longer than a row: SPI copies parameters that it needs for longer.
        let before = unsafe { pg_sys::MemoryContextSwitchTo(self.memory.value()) };
        let parameters: Vec<Option<pg_sys::Datum>> = parameters.iter().map(Value::datum).collect();
        let present = |value: &Option<pg_sys::Datum>| if value.is_some() { b' ' } else { b'n' } as std::ffi::c_char;
        let marks: Vec<std::ffi::c_char> = parameters.iter().map(present).collect();
        let none = pg_sys::Datum::null();
        let mut values: Vec<pg_sys::Datum> = parameters.iter().map(|value| value.unwrap_or(none)).collect();
        let (plan, values, marks) = (statement.plan, values.as_mut_ptr(), marks.as_ptr());
        if most <= BATCH as usize {
            // SAFETY: as below. Read-only, and a statement that returns rows.
            let done = unsafe {
                boundary::catch(|| raw::SPI_execute_plan(plan, values, marks, true, 0));
                self.pass_on(&mut work)
            };
            // SAFETY: the context that was current above.
            unsafe { pg_sys::MemoryContextSwitchTo(before) };
            return done.map(drop);
        }
        // SAFETY: as many values as the plan has parameters, of their types. Read-only: the statement sees what the calling query sees.
        let cursor = unsafe { Cursor::open(plan, values, marks, true) };
        let done = loop {
            // SAFETY: the session is connected, and the current memory context is that for rows.
            let passed_on = unsafe {
                cursor.fetch(BATCH);
                self.pass_on(&mut work)
            };
            match passed_on {
                Ok(count) if count as std::ffi::c_long == BATCH => {}
                Ok(_) => {
                    // SAFETY: opened above.
                    unsafe { cursor.close() };
                    break Ok(());
                }
                Err(error) => break Err(error),
            }
        };
        // SAFETY: the context that was current above.
        unsafe { pg_sys::MemoryContextSwitchTo(before) };
        done
    }
}

impl Session {
    /// Passes the rows that were fetched last to `work`, frees them, and returns how many there were.
    ///
    /// # Safety
    /// A statement that returns rows has just run in this session, and the current memory context is [`Session::memory`].
    unsafe fn pass_on(&self, work: &mut impl FnMut(&Row<'_>) -> Result<()>) -> Result<usize> {
        // SAFETY: what is allocated inside is not used outside: rows are lent to `work` and then freed. The table has as many rows as SPI says.
        unsafe {
            let (table, count) = (pg_sys::SPI_tuptable, pg_sys::SPI_processed as usize);
            for i in 0..count {
                work(&Row { tuple: *(*table).vals.add(i), columns: (*table).tupdesc, lent: PhantomData })?;
                pg_sys::MemoryContextReset(self.memory.value());
            }
            pg_sys::SPI_freetuptable(table);
            pg_sys::MemoryContextReset(self.memory.value());
            Ok(count)
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: connected in open. The memory for rows belongs to the connection's, which is freed with it.
            unsafe { pg_sys::SPI_finish() };
        }
    }
}

/// The types that [`Row::number`] takes: all fit into a datum.
const NUMBERS: [pg_sys::Oid; 5] =
    [pg_sys::INT8OID, pg_sys::INT4OID, pg_sys::OIDOID, pg_sys::REGCLASSOID, pg_sys::BOOLOID];

impl Row<'_> {
    /// Returns a column that is of one of these types. The type is checked, because parts of a statement come from arguments that
    /// a caller may pass; a value of another type would be read as a pointer.
    fn datum(&self, column: i32, kinds: &[pg_sys::Oid]) -> Option<pg_sys::Datum> {
        // SAFETY: the description is that of the row.
        let kind = unsafe { pg_sys::SPI_gettypeid(self.columns, column) };
        if !kinds.contains(&kind) {
            let message = format!("column {column} of a statement is of type {}", shown_type(kind));
            let wanted: Vec<String> = kinds.iter().map(|kind| shown_type(*kind)).collect();
            crate::error::error(pgrx::PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, message)
                .set_detail(format!("It must be of type {}.", wanted.join(" or ")))
                .report(pgrx::PgLogLevel::ERROR);
        }
        let mut null = true;
        // SAFETY: the row and its description belong together.
        let datum = unsafe { pg_sys::SPI_getbinval(self.tuple, self.columns, column, &raw mut null) };
        (!null).then_some(datum)
    }

    /// Returns a column of type bigint, integer, oid, regclass or boolean, counted from 1.
    pub fn number(&self, column: i32) -> Option<i64> {
        self.datum(column, &NUMBERS).map(|datum| datum.value() as i64)
    }

    /// Returns a column of type text.
    pub fn text(&self, column: i32) -> Option<&str> {
        // SAFETY: the type was checked; the text lives as long as the row.
        self.datum(column, &[pg_sys::TEXTOID]).and_then(|datum| unsafe { text_of(datum) })
    }

    /// Returns a column of type tid.
    pub fn address(&self, column: i32) -> Option<u64> {
        // SAFETY: the type was checked; it is passed by reference.
        self.datum(column, &[pg_sys::TIDOID]).map(|datum| address_of(unsafe { *datum.cast_mut_ptr() }))
    }

    /// Returns a column of type bigint[] without NULLs.
    pub fn numbers(&self, column: i32) -> Vec<i64> {
        let array = self.datum(column, &[pg_sys::INT8ARRAYOID]);
        // SAFETY: the type was checked.
        array.and_then(|datum| unsafe { Vec::<i64>::from_datum(datum, false) }).unwrap_or_default()
    }

    /// Returns a column of type text[].
    pub fn texts(&self, column: i32) -> Vec<Option<String>> {
        let array = self.datum(column, &[pg_sys::TEXTARRAYOID]);
        // SAFETY: the type was checked.
        array.and_then(|datum| unsafe { Vec::<Option<String>>::from_datum(datum, false) }).unwrap_or_default()
    }
}

/// Makes an array of addresses, in the current memory context.
fn addresses(rows: impl Iterator<Item = u64>) -> pg_sys::Datum {
    let mut tids: Vec<pg_sys::ItemPointerData> = rows.map(tid_of).collect();
    let mut elements: Vec<pg_sys::Datum> = tids.iter_mut().map(|tid| pg_sys::Datum::from(&raw mut *tid)).collect();
    let size = size_of::<pg_sys::ItemPointerData>() as i32;
    // SAFETY: the elements are of type tid: 6 bytes, by reference, aligned like a short integer. They are copied.
    unsafe {
        let array = pg_sys::construct_array(
            elements.as_mut_ptr(),
            elements.len() as i32,
            pg_sys::TIDOID,
            size,
            false,
            pg_sys::TYPALIGN_SHORT as std::ffi::c_char,
        );
        pg_sys::Datum::from(array)
    }
}

/// Rows of our own that statements of a session can name: number, table, address.
pub struct NamedRows {
    store: *mut pg_sys::Tuplestorestate,
    columns: pg_sys::TupleDesc,
    count: f64,
    name: CString,
}

impl NamedRows {
    /// Begins a relation with the columns `id bigint, part oid, address tid`. What does not fit into `work_mem` goes to disk.
    pub fn begin(name: &str) -> Self {
        let kinds = [(c"id", pg_sys::INT8OID), (c"part", pg_sys::OIDOID), (c"address", pg_sys::TIDOID)];
        // SAFETY: allocates in the session's memory; the description has as many columns as are set.
        unsafe {
            let columns = pg_sys::CreateTemplateTupleDesc(kinds.len() as i32);
            for (number, (name, kind)) in (1..).zip(kinds) {
                pg_sys::TupleDescInitEntry(columns, number, name.as_ptr(), kind, -1, 0);
            }
            let store = pg_sys::tuplestore_begin_heap(true, false, pg_sys::work_mem);
            Self { store, columns, count: 0.0, name: CString::new(name).unwrap_or_default() }
        }
    }

    /// Adds a row.
    pub fn put(&mut self, id: u64, part: pg_sys::Oid, address: u64) {
        let mut tid = tid_of(address);
        let mut values = [pg_sys::Datum::from(id), pg_sys::Datum::from(part), pg_sys::Datum::from(&raw mut tid)];
        let mut nulls = [false; 3];
        // SAFETY: as many values of the right types as columns, which are copied.
        unsafe { pg_sys::tuplestore_putvalues(self.store, self.columns, values.as_mut_ptr(), nulls.as_mut_ptr()) };
        self.count += 1.0;
    }

    /// Registers the relation with a session that ends after this value; the name must be free.
    pub fn register(&mut self, _session: &Session) {
        // SAFETY: all parts live in the session's memory, which ends with the session.
        unsafe {
            let relation: pg_sys::EphemeralNamedRelation =
                pg_sys::palloc0(size_of::<pg_sys::EphemeralNamedRelationData>()).cast();
            (*relation).md.name = pg_sys::pstrdup(self.name.as_ptr());
            (*relation).md.reliddesc = pg_sys::Oid::INVALID;
            (*relation).md.tupdesc = self.columns;
            (*relation).md.enrtype = pg_sys::EphemeralNameRelationType::ENR_NAMED_TUPLESTORE;
            (*relation).md.enrtuples = self.count;
            (*relation).reldata = self.store.cast();
            let code = pg_sys::SPI_register_relation(relation);
            if code != pg_sys::SPI_OK_REL_REGISTER as i32 {
                pgrx::error!("SPI_register_relation failed with code {code}");
            }
        }
    }
}

impl Drop for NamedRows {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // SAFETY: the store was begun in begin. Nothing reads it any more once the session has forgotten its name, if it knew it.
        unsafe {
            pg_sys::SPI_unregister_relation(self.name.as_ptr());
            pg_sys::tuplestore_end(self.store);
        }
    }
}
