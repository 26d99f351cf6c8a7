//! Reads a large argument in slices: a few bytes of a value of megabytes, without fetching the rest from the TOAST table.

use std::marker::PhantomData;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

use super::varlena::VarlenaType;

/// An argument of type `K`, in memory or in a TOAST table.
pub struct Sliced<'a, K> {
    value: Origin<'a>,
    of: PhantomData<K>,
}

enum Origin<'a> {
    /// In memory, without its header.
    Here(&'a [u8]),
    /// In a TOAST table: a pointer to it.
    Elsewhere(*mut pg_sys::varlena),
}

// SAFETY: as `Stored`, of which this is another view.
unsafe impl<K: VarlenaType> SqlTranslatable for Sliced<'_, K> {
    const TYPE_IDENT: &'static str = K::IDENT;
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal(K::NAME));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Err(ReturnsError::Datum);
}

// SAFETY: the datum is kept for the length of the call only, during which Postgres does not free it.
unsafe impl<'fcx, K> ArgAbi<'fcx> for Sliced<'fcx, K> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a value of the type, not null: a varlena, of which the first byte can be read is guaranteed by the caller.
        let (pointer, external) = unsafe {
            let pointer: *mut pg_sys::varlena = arg.unbox_unchecked::<RawVarlena>().0;
            (pointer, pgrx::varatt_is_1b_e(pointer))
        };
        let value = if external {
            Origin::Elsewhere(pointer)
        } else {
            // SAFETY: a varlena; inline compression, which the type's storage rules out, would be undone.
            unsafe { Origin::Here(pgrx::varlena_to_byte_slice(pg_sys::pg_detoast_datum_packed(pointer))) }
        };
        Self { value, of: PhantomData }
    }
}

/// The pointer that an argument is.
struct RawVarlena(*mut pg_sys::varlena);

// SAFETY: takes the pointer and does not follow it.
unsafe impl<'fcx> ArgAbi<'fcx> for RawVarlena {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: an argument passed by reference is guaranteed by the caller.
        let datum: Option<pg_sys::Datum> = unsafe { arg.unbox_arg_using_from_datum() };
        Self(datum.map_or(std::ptr::null_mut(), pg_sys::Datum::cast_mut_ptr))
    }
}

impl<K> Sliced<'_, K> {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match self.value {
            Origin::Here(bytes) => bytes.len(),
            Origin::Elsewhere(pointer) => {
                // SAFETY: a pointer to a toasted value says its size.
                let size = unsafe { pg_sys::toast_raw_datum_size(pg_sys::Datum::from(pointer)) };
                size.saturating_sub(pg_sys::VARHDRSZ)
            }
        }
    }

    /// Copies up to `N` bytes from an offset, as many as there are; the rest is 0.
    pub fn read<const N: usize>(&self, offset: usize) -> [u8; N] {
        let mut read = [0; N];
        let copy = |bytes: &[u8], read: &mut [u8; N]| read.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        match self.value {
            Origin::Here(bytes) => copy(bytes.get(offset..).unwrap_or_default(), &mut read),
            Origin::Elsewhere(pointer) => {
                let Ok(offset) = i32::try_from(offset) else { return read };
                // SAFETY: Postgres cuts the slice to the value's size and gives a plain varlena, ours to free.
                unsafe {
                    let slice = pg_sys::pg_detoast_datum_slice(pointer, offset, N as i32);
                    copy(pgrx::varlena_to_byte_slice(slice), &mut read);
                    pg_sys::pfree(slice.cast());
                }
            }
        }
        read
    }
}
