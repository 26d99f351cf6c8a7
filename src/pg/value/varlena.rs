//! The extension's types of variable length, each stored as a header and bytes.
//!
//! [`Stored`] is an argument: the bytes in place, without a copy unless they must be detoasted. A value with a one-byte header
//! starts at any address, so nothing wider than a byte is read through a pointer here; the core reads numbers with `from_le_bytes`.
//! [`Made`] is a result. [`Message`] is what a receive function reads.
//!
//! A [`VarlenaType`] is a marker type with an SQL name. The send function of each is the built-in `byteasend`.

use std::marker::PhantomData;

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, IntoDatum};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// Names a type of this extension that is a header and bytes.
pub trait VarlenaType {
    /// The name in SQL.
    const NAME: &'static str;
    /// Where pgrx looks up which SQL creates the type.
    const IDENT: &'static str;
}

/// Makes a marker for a type of the extension.
macro_rules! varlena_type {
    ($marker:ident, $name:literal) => {
        #[doc = concat!("The type `", $name, "`.")]
        pub struct $marker;

        impl VarlenaType for $marker {
            const NAME: &'static str = $name;
            const IDENT: &'static str = pgrx::pgrx_resolved_type!($marker);
        }
    };
}

varlena_type!(MinHashType, "minhash");
varlena_type!(TokenSetType, "tokenset");
varlena_type!(BloomFilterType, "bloom_filter");

/// An argument of type `K`.
#[derive(Clone, Copy)]
pub struct Stored<'a, K> {
    /// The value without its Postgres header.
    pub bytes: &'a [u8],
    of: PhantomData<K>,
}

/// A result of type `K`.
pub struct Made<K> {
    bytes: Vec<u8>,
    of: PhantomData<K>,
}

impl<K> From<Vec<u8>> for Made<K> {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, of: PhantomData }
    }
}

// SAFETY: the SQL files declare each such type with INTERNALLENGTH = VARIABLE, and values are only ever read as bytes.
unsafe impl<K: VarlenaType> SqlTranslatable for Stored<'_, K> {
    const TYPE_IDENT: &'static str = K::IDENT;
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal(K::NAME));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal(K::NAME)));
}

// SAFETY: as for `Stored`.
unsafe impl<K: VarlenaType> SqlTranslatable for Made<K> {
    const TYPE_IDENT: &'static str = K::IDENT;
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal(K::NAME));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal(K::NAME)));
}

// SAFETY: only reads inside the detoasted value, whose size its header gives.
unsafe impl<'fcx, K> ArgAbi<'fcx> for Stored<'fcx, K> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a value of the type, which is not null is guaranteed by the caller; it is a varlena like bytea.
        Self { bytes: unsafe { arg.unbox_unchecked() }, of: PhantomData }
    }
}

// SAFETY: the datum is a new varlena in the memory of the call.
unsafe impl<K> BoxRet for Made<K> {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        match self.bytes.as_slice().into_datum() {
            // SAFETY: the datum is of the function's result type, which is declared as a varlena.
            Some(datum) => unsafe { fcinfo.return_raw_datum(datum) },
            None => fcinfo.return_null(),
        }
    }
}

/// The message that a receive function is given.
pub struct Message<'a> {
    /// The unread part of it, now taken.
    pub bytes: &'a [u8],
}

impl_sql_translatable!(Message<'_>, "internal");

// SAFETY: only reads inside the message's buffer.
unsafe impl<'fcx> ArgAbi<'fcx> for Message<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: an argument of type internal, which SQL cannot pass is guaranteed by the caller.
        let mut message: pgrx::Internal = unsafe { arg.unbox_unchecked() };
        // SAFETY: what Postgres passes to a receive function is a StringInfo, ours alone for the length of the call.
        let Some(buffer) = (unsafe { message.get_mut::<pg_sys::StringInfoData>() }) else { return Self { bytes: &[] } };
        let left = buffer.len.saturating_sub(buffer.cursor).max(0);
        // SAFETY: the bytes from cursor to len are initialised and live as long as the call.
        let bytes =
            unsafe { std::slice::from_raw_parts(buffer.data.add(buffer.cursor as usize).cast(), left as usize) };
        buffer.cursor = buffer.len;
        Self { bytes }
    }
}
