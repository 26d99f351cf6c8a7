//! Reads arguments of the built-in types `bit` and `bit varying`.

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::impl_sql_translatable;

/// The bits of an SQL bit string, most significant first.
#[derive(Clone, Copy, Debug)]
pub struct BitString {
    /// How many bits the string has.
    pub length: i32,
    /// Its first 64 bits, left-aligned, missing ones zero.
    pub head: u64,
}

impl_sql_translatable!(BitString, "bit");

// SAFETY: only ever reads inside the detoasted varlena, whose size its header gives.
unsafe impl<'fcx> ArgAbi<'fcx> for BitString {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a bit string that is not null is guaranteed by the caller. It is a varlena whose data is an int4 bit
        // length and the bytes, so reading it as bytes is reading the same varlena.
        let bytes: &[u8] = unsafe { arg.unbox_unchecked() };
        let (length, bits) = bytes.split_at_checked(size_of::<i32>()).unwrap_or((&[], &[]));
        let mut head = [0; size_of::<u64>()];
        for (to, from) in head.iter_mut().zip(bits) {
            *to = *from;
        }
        Self { length: length.try_into().map_or(0, i32::from_ne_bytes), head: u64::from_be_bytes(head) }
    }
}

const _: () = assert!(size_of::<pg_sys::Datum>() == 8, "by-value 8-byte types need a 64-bit server");
