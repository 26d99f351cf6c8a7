//! The SQL type `simhash`: 8 bytes, passed by value, stored like a bigint.
#![allow(unsafe_code, reason = "conversions of a type")]

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// A 64-bit SimHash signature as SQL sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimHash(pub u64);

impl SimHash {
    /// Wraps the signature for a tuple or a query parameter.
    pub fn into_raw(self) -> pg_sys::Datum {
        pg_sys::Datum::from(self.0)
    }

    /// Reads the signature from a datum of type `simhash` that is not null.
    pub fn from_raw(datum: pg_sys::Datum) -> Self {
        Self(datum.value() as u64)
    }
}

// SAFETY: simhash.sql declares the type with LIKE = int8, by value and 8 bytes, which is what the conversions below read and write.
unsafe impl SqlTranslatable for SimHash {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(SimHash);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("simhash"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal("simhash")));
}

// SAFETY: a by-value datum of 8 bytes is the signature itself; nothing is dereferenced.
unsafe impl<'fcx> ArgAbi<'fcx> for SimHash {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: the caller guarantees that the argument is a simhash and not null; i64 has the same by-value layout.
        let value: i64 = unsafe { arg.unbox_unchecked() };
        Self(value as u64)
    }
}

// SAFETY: the datum returned is by value, as the type is declared.
unsafe impl BoxRet for SimHash {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the value is the whole datum; the caller returns it from the function.
        unsafe { fcinfo.return_raw_datum(self.into_raw()) }
    }
}
