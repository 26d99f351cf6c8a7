//! Values of any type: compared, hashed, read and written by the functions of their type.

use std::ffi::{CStr, CString};

use pgrx::{IntoDatum, pg_sys};

use crate::pg::call::boundary::{self, raw};
use crate::pg::call::settings;

/// A column's type and collation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The type, as declared.
    pub kind: pg_sys::Oid,
    /// The column's collation; invalid if the type has none.
    pub collation: pg_sys::Oid,
}

impl Column {
    /// Reads the type and the collation of a column that a table has.
    pub fn of(table: pg_sys::Oid, column: i16) -> Self {
        let (mut kind, mut modifier, mut collation) = (pg_sys::Oid::INVALID, -1, pg_sys::Oid::INVALID);
        // SAFETY: only reads a catalog.
        unsafe {
            pg_sys::get_atttypetypmodcoll(table, column, &raw mut kind, &raw mut modifier, &raw mut collation);
        }
        Self { kind, collation }
    }

    fn entry(self) -> *mut pg_sys::TypeCacheEntry {
        let flags = pg_sys::TYPECACHE_EQ_OPR_FINFO | pg_sys::TYPECACHE_HASH_PROC_FINFO;
        // SAFETY: only looks the type up; the entry lives as long as the backend.
        unsafe { pg_sys::lookup_type_cache(self.kind, flags as i32) }
    }

    /// Says whether two values are equal. NULL equals NULL; values of a type without equality are never equal.
    pub fn equal(self, a: Option<pg_sys::Datum>, b: Option<pg_sys::Datum>) -> bool {
        match (a, b) {
            (None, None) => true,
            // SAFETY: both are values of this type, and the function is its equality; one C call is caught.
            (Some(a), Some(b)) => unsafe {
                let entry = self.entry();
                let function = &raw mut (*entry).eq_opr_finfo;
                (*entry).eq_opr != pg_sys::Oid::INVALID
                    && boundary::catch(|| raw::FunctionCall2Coll(function, self.collation, a, b)).value() != 0
            },
            _ => false,
        }
    }

    /// Returns a number that is the same for equal values; 0 for NULL and for types that cannot be hashed.
    pub fn hash(self, value: Option<pg_sys::Datum>) -> u32 {
        let Some(value) = value else { return 0 };
        // SAFETY: the value is of this type, and the function is its hash function; one C call is caught.
        unsafe {
            let entry = self.entry();
            if (*entry).hash_proc == pg_sys::Oid::INVALID {
                return 0;
            }
            let function = &raw mut (*entry).hash_proc_finfo;
            boundary::catch(|| raw::FunctionCall1Coll(function, self.collation, value)).value() as u32
        }
    }
}

/// Returns a time in microseconds, from a column of type `timestamptz`, `timestamp` or `date`. Infinite times are the least and
/// the greatest number, and so are dates that no timestamp can be.
pub fn microseconds(value: pg_sys::Datum, kind: pg_sys::Oid) -> i64 {
    if kind != pg_sys::DATEOID {
        return value.value() as i64;
    }
    match value.value() as i32 {
        i32::MIN => i64::MIN,
        i32::MAX => i64::MAX,
        days => i64::from(days).saturating_mul(86_400_000_000),
    }
}

/// Returns a value's text form, which does not depend on the session's settings.
///
/// # Safety
/// `value` must be a value of type `kind`.
pub unsafe fn output(value: pg_sys::Datum, kind: pg_sys::Oid) -> String {
    let (mut function, mut is_varlena) = (pg_sys::Oid::INVALID, false);
    // SAFETY: the value is guaranteed by the caller; an output function gives a C string in the memory of this call.
    unsafe {
        pg_sys::getTypeOutputInfo(kind, &raw mut function, &raw mut is_varlena);
        let text = settings::for_output(kind, || boundary::catch(|| raw::OidOutputFunctionCall(function, value)));
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

/// Returns the text form of a number.
pub fn number(value: f64) -> String {
    // SAFETY: a number is a value of that type.
    value.into_datum().map_or_else(String::new, |datum| unsafe { output(datum, pg_sys::FLOAT8OID) })
}

/// Returns the value of a type with this text form.
pub fn input(text: &str, kind: pg_sys::Oid) -> pg_sys::Datum {
    let (mut function, mut parameter) = (pg_sys::Oid::INVALID, pg_sys::Oid::INVALID);
    let text = CString::new(text).unwrap_or_default();
    // SAFETY: an input function copies the C string, and raises an error if it is not the text form of a value.
    unsafe {
        pg_sys::getTypeInputInfo(kind, &raw mut function, &raw mut parameter);
        let text = text.as_ptr().cast_mut();
        boundary::catch(|| raw::OidInputFunctionCall(function, text, parameter, -1))
    }
}

/// Copies a value into the memory of the current call.
///
/// # Safety
/// The value must be of this type.
pub unsafe fn copied(value: pg_sys::Datum, kind: pg_sys::Oid) -> pg_sys::Datum {
    let (mut length, mut by_value) = (0, false);
    // SAFETY: guaranteed by the caller. A value stored out of line is fetched.
    unsafe {
        pg_sys::get_typlenbyval(kind, &raw mut length, &raw mut by_value);
        let value = if length == -1 { plain(value) } else { value };
        boundary::catch(|| raw::datumCopy(value, by_value, i32::from(length)))
    }
}

/// Returns a value of variable length as it is in memory: not out of line, compressed, expanded or with a short header.
///
/// # Safety
/// It must be of a type of variable length.
pub unsafe fn plain(value: pg_sys::Datum) -> pg_sys::Datum {
    let pointer = value.cast_mut_ptr();
    // SAFETY: guaranteed by the caller; one C call is caught.
    pg_sys::Datum::from(unsafe { boundary::catch(|| raw::pg_detoast_datum(pointer)) })
}
