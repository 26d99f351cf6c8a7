//! What all functions of the access method share: the kind of an index, the keys of a value, the address of a row.
#![allow(unsafe_code, reason = "reads datums and relations")]

use neardup_page::kind::{self, SignatureKind, TreeKey};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{FromDatum, pg_sys};

use super::buffer::Index;
use super::tree;
use super::validate;
use crate::error::{Result, report};
use crate::pg::compat::{self, Counter};

/// The number of the support function that returns the kind of signature of an operator class.
pub(super) const KIND_FUNCTION: u16 = 1;

/// Makes a Postgres error of an `Err`.
pub(super) fn or_report<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => {
            error.report(PgLogLevel::ERROR);
            unreachable!("an error does not return")
        }
    }
}

/// The kind of signature of an index, as its operator class says.
///
/// # Errors
/// For an operator class that is not the extension's own: reading its values would not be safe.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn declared_kind(index: pg_sys::Relation) -> Result<SignatureKind> {
    // SAFETY: guaranteed by the caller; it has one column. The support function of our classes has no arguments.
    let number = unsafe {
        let class = pg_sys::get_index_column_opclass((*index).rd_id, 1);
        let function = pg_sys::index_getprocid(index, 1, KIND_FUNCTION);
        let is_valid = validate::is_valid(class) && function != pg_sys::Oid::INVALID;
        is_valid.then(|| pg_sys::OidFunctionCall0Coll(function, pg_sys::Oid::INVALID).value())
    };
    number.and_then(|number| u8::try_from(number).ok()).and_then(SignatureKind::of_number).ok_or_else(|| {
        // SAFETY: the index is open.
        let message = format!("operator class of index \"{}\" is not valid", unsafe { Index::new(index) }.name());
        ErrorReport::new(PgSqlErrorCode::ERRCODE_INVALID_OBJECT_DEFINITION, message, "pg_neardup")
            .set_detail("An index of access method neardup needs an operator class of extension pg_neardup.")
    })
}

/// The kind of signature of an index, as its metapage says: read once, then kept with the relation.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn kind_of(index: pg_sys::Relation) -> Result<SignatureKind> {
    // SAFETY: guaranteed by the caller. Postgres frees what is kept there together with the relation, or when the index changes.
    unsafe {
        let kept = (*index).rd_amcache.cast::<u8>();
        if let Some(kind) = kept.as_ref().copied().and_then(SignatureKind::of_number) {
            return Ok(kind);
        }
        let kind = tree::kind(Index::new(index))?;
        // A key by reference would be read where a number is, and the other way round.
        let is_number = pg_sys::get_typbyval(*(*index).rd_opcintype);
        if is_number != (kind == SignatureKind::SimHash) {
            return Err(Index::new(index).corrupted(
                neardup_page::META,
                "its metapage names another kind of signature than its operator class",
            ));
        }
        let memory = pg_sys::MemoryContextAlloc((*index).rd_indexcxt, size_of::<u8>()).cast::<u8>();
        memory.write(kind.number());
        (*index).rd_amcache = memory.cast();
        Ok(kind)
    }
}

/// Whether an index is of this access method.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn is_ours(index: pg_sys::Relation) -> bool {
    // SAFETY: guaranteed by the caller; the name is ours, since access methods have no schemas.
    unsafe { (*(*index).rd_rel).relam == pg_sys::get_am_oid(c"neardup".as_ptr(), true) }
}

/// The bytes of a `minhash`; what had to be unpacked for them is in the current memory context.
///
/// # Safety
/// `datum` must be a value of the type.
pub(super) unsafe fn sketch_bytes<'d>(datum: pg_sys::Datum) -> &'d [u8] {
    // SAFETY: guaranteed by the caller: a varlena like bytea.
    unsafe { <&[u8]>::from_datum(datum, false) }.unwrap_or_default()
}

/// Returns the keys of the value in an index's column.
///
/// # Safety
/// `value` must be of the kind's type.
pub(super) unsafe fn keys_of(kind: SignatureKind, value: Option<pg_sys::Datum>, keys: &mut Vec<TreeKey>) -> Result<()> {
    match (kind, value) {
        (SignatureKind::SimHash, value) => kind::simhash_keys(value.map(|datum| datum.value() as u64), keys),
        // SAFETY: guaranteed by the caller. What was unpacked is a copy of our own, and freed: a statement that inserts may have one memory for
        // all of its rows.
        (SignatureKind::Sketch, Some(value)) => unsafe {
            let unpacked = pg_sys::pg_detoast_datum_packed(value.cast_mut_ptr());
            let result = kind::sketch_keys(sketch_bytes(pg_sys::Datum::from(unpacked)), keys).map_err(report);
            if !std::ptr::eq(unpacked, value.cast_mut_ptr()) {
                pg_sys::pfree(unpacked.cast());
            }
            result?;
        },
        (SignatureKind::Sketch, None) => keys.clear(),
    }
    Ok(())
}

/// Counts scans in `pg_stat_user_indexes`: `pgstat_count_index_scan`.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn count_scans(index: pg_sys::Relation, scans: usize) {
    // SAFETY: guaranteed by the caller; the counters belong to the open relation.
    unsafe {
        if (*index).pgstat_info.is_null() && (*index).pgstat_enabled {
            pg_sys::pgstat_assoc_relation(index);
        }
        if let Some(info) = (*index).pgstat_info.as_mut() {
            compat::count(info, Counter::Scans, scans as i64);
        }
    }
}

/// Counts entries that a search of our own has read: `pgstat_count_index_tuples`. Postgres counts those of a scan itself.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn count_entries(index: pg_sys::Relation, entries: usize) {
    // SAFETY: guaranteed by the caller; the counters are there once a scan was counted.
    if let Some(info) = unsafe { (*index).pgstat_info.as_mut() } {
        compat::count(info, Counter::Entries, entries as i64);
    }
}

/// Counts a look-up that met a hot key, as `neardup.statistics` shows it. Postgres has a set of counters for each relation, and counts HOT
/// updates only of tables: an index's count is free, is in no sum over the database, and costs neither a lock nor WAL.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn count_hot_key(index: pg_sys::Relation) {
    // SAFETY: guaranteed by the caller; the counters are there once a scan was counted.
    if let Some(info) = unsafe { (*index).pgstat_info.as_mut() } {
        compat::count(info, Counter::HotUpdates, 1);
    }
}
