//! The SQL type `hamming_ball`: all signatures within a distance of one. It is the query of an index search by Hamming distance.
//!
//! A value has sixteen bytes and is passed by reference: the signature and the distance, each in the machine's byte order. No table
//! is meant to store such values; the type has text input and output so that plans and messages can show it.
#![allow(unsafe_code, reason = "conversions of a type")]

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::Datum;
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// A centre and a distance in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct HammingBall {
    /// The signature at the centre.
    pub center: u64,
    /// The most bits in which a signature of the ball may differ, 0 to 64.
    pub distance: u64,
}

impl HammingBall {
    /// Makes a ball.
    pub fn new(center: u64, distance: u32) -> Self {
        Self { center, distance: u64::from(distance) }
    }

    /// Says whether a signature is in the ball.
    pub fn contains(self, signature: u64) -> bool {
        u64::from((self.center ^ signature).count_ones()) <= self.distance
    }

    /// Makes a datum of the type, in the current memory context.
    pub fn into_raw(self) -> pg_sys::Datum {
        // SAFETY: palloc gives memory for the value, aligned for any type, or raises an error.
        unsafe {
            let place = pg_sys::palloc(size_of::<Self>()).cast::<Self>();
            place.write(self);
            pg_sys::Datum::from(place)
        }
    }
}

// SAFETY: simhash.sql declares the type with 16 bytes, aligned as a double, passed by reference.
unsafe impl SqlTranslatable for HammingBall {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(HammingBall);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("hamming_ball"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Ok(ReturnsRef::One(SqlMappingRef::literal("hamming_ball")));
}

// SAFETY: a value that is not null points to 16 bytes, which are read where they lie.
unsafe impl<'fcx> ArgAbi<'fcx> for HammingBall {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: a value of the type, whose datum is its address is guaranteed by the caller; i64 has the same layout.
        unsafe {
            let address: i64 = arg.unbox_unchecked();
            pg_sys::Datum::from(address).cast_mut_ptr::<Self>().read_unaligned()
        }
    }
}

// SAFETY: the datum points to a new value of the type.
unsafe impl BoxRet for HammingBall {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        // SAFETY: the caller returns it from a function declared to give the type.
        unsafe { fcinfo.return_raw_datum(self.into_raw()) }
    }
}
