//! One row as a function's result: a function with OUT parameters, which unlike a set can be used in a WHERE clause.

use pgrx::IntoDatum;
use pgrx::callconv::{BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// The result of a function whose OUT parameters are the fields of `T`, in their order and with types that fit.
pub struct Record<T>(pub T);

/// A row that becomes a [`Record`].
pub trait Fields {
    /// Returns the datums of the row, `None` for NULL.
    fn datums(self) -> Vec<Option<pg_sys::Datum>>;
}

impl Fields for (String, f64, Vec<String>) {
    fn datums(self) -> Vec<Option<pg_sys::Datum>> {
        vec![self.0.into_datum(), self.1.into_datum(), self.2.into_datum()]
    }
}

impl Fields for (Option<String>, Option<String>, Option<String>, Option<f64>) {
    fn datums(self) -> Vec<Option<pg_sys::Datum>> {
        vec![self.0.into_datum(), self.1.into_datum(), self.2.into_datum(), self.3.into_datum()]
    }
}

// SAFETY: only the name of a pseudo type; each function that returns a record is declared by hand, with its OUT parameters.
unsafe impl<T> SqlTranslatable for Record<T> {
    const TYPE_IDENT: &'static str = "record";
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Err(ArgumentError::NotValidAsArgument("record"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal("record")));
}

// SAFETY: the datum returned is a composite one, formed by Postgres itself by the row type that it expects of this call.
unsafe impl<T: Fields> BoxRet for Record<T> {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the fcinfo is that of the running call.
        match unsafe { compose(fcinfo.as_mut_ptr(), &self.0.datums()) } {
            // SAFETY: the datum is a composite one of the type that Postgres expects of this call.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

/// Forms a value of the row type that a call is declared to give.
///
/// # Safety
/// `fcinfo` is that of the running call, and the datums are of the row type's columns.
pub unsafe fn compose(fcinfo: pg_sys::FunctionCallInfo, datums: &[Option<pg_sys::Datum>]) -> Option<pg_sys::Datum> {
    let mut values: Vec<pg_sys::Datum> = datums.iter().map(|datum| datum.unwrap_or(pg_sys::Datum::null())).collect();
    let mut nulls: Vec<bool> = datums.iter().map(Option::is_none).collect();
    let mut row_type: pg_sys::TupleDesc = std::ptr::null_mut();
    // SAFETY: the call's own information, and a place for the row type; a null pointer says that none is wanted.
    let class = unsafe { pg_sys::get_call_result_type(fcinfo, std::ptr::null_mut(), &raw mut row_type) };
    // SAFETY: a row type that was given is valid, and its count of columns can be read.
    let fits = class == pg_sys::TypeFuncClass::TYPEFUNC_COMPOSITE
        && unsafe { usize::try_from((*row_type).natts).is_ok_and(|columns| columns == values.len()) };
    if !fits {
        pgrx::error!("function is declared with other columns than its library returns");
    }
    // SAFETY: as many values and null marks as the row type has columns; the tuple lies in the call's memory context.
    unsafe {
        let row_type = pg_sys::BlessTupleDesc(row_type);
        let tuple = pg_sys::heap_form_tuple(row_type, values.as_mut_ptr(), nulls.as_mut_ptr());
        Some(pg_sys::HeapTupleHeaderGetDatum((*tuple).t_data))
    }
}
