//! A set of rows as a function's result, passed to Postgres all at once. Postgres stores it, on disk if it is large, and frees it
//! with the query, even if the query did not read all of it.

use std::ptr::null_mut;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::Result;

/// A set of rows of `N` columns.
pub struct Set<const N: usize> {
    store: *mut pg_sys::Tuplestorestate,
    columns: pg_sys::TupleDesc,
    /// For the values of one row.
    memory: pg_sys::MemoryContext,
}

impl<const N: usize> Set<N> {
    /// Begins the set that a call returns.
    ///
    /// # Errors
    /// If the caller does not accept a set, or the function is not declared with `N` columns.
    ///
    /// # Safety
    /// `fcinfo` must be that of the running call.
    pub unsafe fn begin(fcinfo: pg_sys::FunctionCallInfo) -> Result<Self> {
        let unfit = || {
            let message = "set-valued function called in context that cannot accept a set";
            ErrorReport::new(PgSqlErrorCode::ERRCODE_FEATURE_NOT_SUPPORTED, message, "pg_neardup")
        };
        // SAFETY: guaranteed by the caller. The node that the caller passed is checked for its kind before use; objects made for the caller
        // live as long as its query.
        unsafe {
            let caller = (*fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            if caller.is_null()
                || (*caller).type_ != pg_sys::NodeTag::T_ReturnSetInfo
                || (*caller).allowedModes & pg_sys::SetFunctionReturnMode::SFRM_Materialize as i32 == 0
            {
                return Err(unfit());
            }
            let before = pg_sys::MemoryContextSwitchTo((*(*caller).econtext).ecxt_per_query_memory);
            let mut columns: pg_sys::TupleDesc = null_mut();
            let class = pg_sys::get_call_result_type(fcinfo, null_mut(), &raw mut columns);
            if class != pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE || usize::try_from((*columns).natts) != Ok(N) {
                return Err(unfit());
            }
            let random = (*caller).allowedModes & pg_sys::SetFunctionReturnMode::SFRM_Materialize_Random as i32 != 0;
            let store = pg_sys::tuplestore_begin_heap(random, false, pg_sys::work_mem);
            (*caller).returnMode = pg_sys::SetFunctionReturnMode::SFRM_Materialize;
            (*caller).setResult = store;
            (*caller).setDesc = columns;
            let memory = pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"row of a set".as_ptr(),
                pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            );
            pg_sys::MemoryContextSwitchTo(before);
            Ok(Self { store, columns, memory })
        }
    }

    /// Adds a row, of values that are made for it and then freed.
    ///
    /// # Errors
    /// If a value is not of its column's type.
    pub fn put(&mut self, row: impl FnOnce() -> [Cell; N]) -> Result<()> {
        // SAFETY: the description has as many columns, as was checked when the set was begun. The memory lives as long as the query;
        // nothing in it is used after it is reset.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(self.memory);
            let row = row();
            let types: [pg_sys::Oid; N] = std::array::from_fn(|at| pg_sys::SPI_gettypeid(self.columns, at as i32 + 1));
            if row.iter().zip(types).any(|(cell, kind)| cell.kind != kind) {
                pg_sys::MemoryContextSwitchTo(before);
                let message = "function is declared with other columns than its library returns";
                return Err(ErrorReport::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, message, "pg_neardup"));
            }
            let mut nulls = row.each_ref().map(|cell| cell.datum.is_none());
            let mut values = row.map(|cell| cell.datum.unwrap_or(pg_sys::Datum::null()));
            pg_sys::tuplestore_putvalues(self.store, self.columns, values.as_mut_ptr(), nulls.as_mut_ptr());
            pg_sys::MemoryContextSwitchTo(before);
            pg_sys::MemoryContextReset(self.memory);
        }
        Ok(())
    }
}

/// A value with its type.
pub struct Cell {
    kind: pg_sys::Oid,
    datum: Option<pg_sys::Datum>,
}

impl<T: IntoDatum> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        Self { kind: T::type_oid(), datum: value.and_then(IntoDatum::into_datum) }
    }
}
