//! Tells whether two rows collide in a unique index, and whether Postgres will wait for another session's row to decide that. If
//! they collide, one is not a copy of the other: Postgres itself will refuse it, or `ON CONFLICT` will update the other.

use std::cell::Cell;

use neardup_core::row_key;
use pgrx::{PgList, pg_sys};

use super::rows::Table;
use crate::pg::call::boundary::{self, raw};
use crate::pg::call::column;
use crate::pg::call::trigger::RowTrigger;
use crate::pg::catalog;
use crate::pg::compat;
use crate::pg::lock::keys::Holder;

/// Values of an index entry, as Postgres forms them.
struct Entry {
    values: [pg_sys::Datum; pg_sys::INDEX_MAX_KEYS as usize],
    nulls: [bool; pg_sys::INDEX_MAX_KEYS as usize],
}

/// Says whether the new row of a trigger and the table's current row have a unique key in common, by the index's own operators.
pub fn collide(trigger: &RowTrigger<'_>, table: &Table) -> bool {
    // Unique keys do not extend over partitions.
    if trigger.slot().is_null() || trigger.relation_oid() != table.oid() {
        return false;
    }
    // SAFETY: the trigger's relation is open and locked by its statement, and so are its indexes; they are closed here. An error
    // leaves by unwinding, and the end of the transaction closes them.
    unsafe {
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(trigger.relation()));
        indexes.iter_oid().any(|oid| {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            let collide = decides(index) && collide_in(index, trigger.slot(), table.slot());
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            collide
        })
    }
}

/// A row with a unique key of the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The end of a transaction decides whether it is there. Postgres waits for that before it stores the new row.
    Undecided(Holder),
    /// It is there. Postgres refuses the new row, or with `ON CONFLICT` waits until nobody else has locked that one. Not said of an index that
    /// reads generated columns, which have no value yet.
    There,
}

/// Returns a row, if there is one, that has a unique key of the new row. The guard holds locks when it is called, and must not when Postgres
/// waits.
pub fn taken(trigger: &RowTrigger<'_>) -> Option<Taken> {
    if trigger.slot().is_null() {
        return None;
    }
    // SAFETY: as in collide.
    unsafe {
        let table = trigger.relation();
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(table));
        let mut found = None;
        for oid in indexes.iter_oid() {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            let taken = if decides(index) { taken_in(table, index, trigger.slot()) } else { None };
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            found = taken.or(found);
            if matches!(found, Some(Taken::Undecided(_))) {
                break;
            }
        }
        found
    }
}

/// How many rows are read to find one by its key's text form.
const MOST_READ: usize = 1000;

/// Says whether a table has a row, committed or not, with this value of this type as its primary key of one column. If the key has another type
/// by now, the answer is yes.
pub fn has_key(table: pg_sys::Oid, kind: pg_sys::Oid, value: pg_sys::Datum) -> bool {
    // SAFETY: called within a transaction.
    let kind = unsafe { pg_sys::getBaseType(kind) };
    has_row(table, |kinds| vec![(kinds == [kind]).then_some(value)], |_| true)
}

/// Says whether a table has a row, committed or not, whose primary key of several `columns` has this text form.
/// Rows are searched by the values of types whose text form is checked here, because an input function raises errors, and any role
/// may have written the text. If the first value is not of these, or the search is long, the answer is yes.
pub fn has_key_of(table: pg_sys::Oid, columns: &[i16], key: &str) -> bool {
    let Some(values) = row_key::split(key, columns.len()) else { return true };
    let read = Cell::new(0);
    let known = |kinds: &[pg_sys::Oid]| {
        values
            .iter()
            .zip(kinds)
            .map(|(value, kind)| forms_of(*kind)?(value).then(|| column::input(value, *kind)))
            .collect()
    };
    has_row(table, known, |row| {
        // SAFETY: the columns are of the table, whose row the slot holds.
        let value = |column: &i16| unsafe {
            let (mut null, kind) = (true, pg_sys::SPI_gettypeid((*row).tts_tupleDescriptor, i32::from(*column)));
            let value = pg_sys::slot_getattr(row, i32::from(*column), &raw mut null);
            (!null).then(|| column::output(value, kind))
        };
        read.set(read.get() + 1);
        read.get() > MOST_READ || columns.iter().filter_map(value).eq(values.iter().cloned())
    })
}

/// Returns what says whether a text is the text form of a value of a type; `None` of types of which that is not known here.
pub fn forms_of(kind: pg_sys::Oid) -> Option<fn(&str) -> bool> {
    match kind {
        pg_sys::INT2OID => Some(|text| text.parse::<i16>().is_ok()),
        pg_sys::INT4OID => Some(|text| text.parse::<i32>().is_ok()),
        pg_sys::INT8OID => Some(|text| text.parse::<i64>().is_ok()),
        pg_sys::UUIDOID => Some(is_uuid),
        pg_sys::TEXTOID | pg_sys::VARCHAROID | pg_sys::BPCHAROID => Some(|_| true),
        _ => None,
    }
}

/// Says whether `text` is a UUID as Postgres writes it.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Says whether a table has a row, committed or not, with these values in its primary key, that `is_it` accepts. The values are asked for by
/// the types of the key's columns. Without the first one, the answer is yes.
fn has_row(
    table: pg_sys::Oid,
    values: impl FnOnce(&[pg_sys::Oid]) -> Vec<Option<pg_sys::Datum>>,
    is_it: impl Fn(*mut pg_sys::TupleTableSlot) -> bool,
) -> bool {
    const LOCK: i32 = pg_sys::AccessShareLock as i32;
    // SAFETY: what is opened and begun is closed and ended here, by an error with the transaction. The search keys are those by which
    // Postgres itself checks the constraint; the values are of the columns' types.
    unsafe {
        let open = pg_sys::try_table_open(table, LOCK);
        if open.is_null() {
            return false;
        }
        drop(PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open)));
        let key = (*open).rd_pkindex;
        let mut found = false;
        if key != pg_sys::Oid::INVALID {
            let index = pg_sys::index_open(key, LOCK);
            let info = pg_sys::BuildIndexInfo(index);
            pg_sys::BuildSpeculativeIndexInfo(index, info);
            let count = usize::try_from((*info).ii_NumIndexKeyAttrs).unwrap_or(0);
            let numbers = (*info).ii_IndexAttrNumbers;
            let kind = |column: &i16| pg_sys::getBaseType(pg_sys::SPI_gettypeid((*open).rd_att, i32::from(*column)));
            let values = values(&numbers.iter().take(count).map(kind).collect::<Vec<_>>());
            let search = |(i, value): (usize, &Option<_>)| value.map(|value| search_key(index, info, i, Some(value)));
            let keys = values.iter().take(count).enumerate().filter_map(search).collect();
            found = values.first().is_none_or(Option::is_none)
                || first(open, index, keys, |_, row| is_it(row).then_some(())).is_some();
            pg_sys::index_close(index, LOCK);
        }
        pg_sys::table_close(open, LOCK);
        found
    }
}

/// Makes the search key of one column of a unique index; `None` searches for NULL.
///
/// # Safety
/// The index must be open, with the description of its constraint in `info`, and the value of the column's type.
unsafe fn search_key(
    index: pg_sys::Relation,
    info: *const pg_sys::IndexInfo,
    column: usize,
    value: Option<pg_sys::Datum>,
) -> pg_sys::ScanKeyData {
    let mut key = pg_sys::ScanKeyData::default();
    let null = if value.is_none() { pg_sys::SK_ISNULL | pg_sys::SK_SEARCHNULL } else { 0 };
    // SAFETY: guaranteed by the caller; a constraint's description has as many entries as the index has key columns.
    unsafe {
        pg_sys::ScanKeyEntryInitialize(
            &raw mut key,
            null as i32,
            column as i16 + 1,
            *(*info).ii_UniqueStrats.add(column),
            pg_sys::Oid::INVALID,
            *(*index).rd_indcollation.add(column),
            *(*info).ii_UniqueProcs.add(column),
            value.unwrap_or(pg_sys::Datum::null()),
        );
    }
    key
}

/// Returns the first answer that is not `None` about the rows, committed or not, that an index finds by search keys. `ask` gets the snapshot
/// by which a row was seen, and the row.
///
/// # Safety
/// Table and index must be open and belong together.
unsafe fn first<T>(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    mut keys: Vec<pg_sys::ScanKeyData>,
    ask: impl Fn(*mut pg_sys::SnapshotData, *mut pg_sys::TupleTableSlot) -> Option<T>,
) -> Option<T> {
    // SAFETY: guaranteed by the caller; what is begun is ended here, by an error with the transaction.
    unsafe {
        let mut dirty = Box::new(pg_sys::SnapshotData {
            snapshot_type: pg_sys::SnapshotType::SNAPSHOT_DIRTY,
            ..Default::default()
        });
        let (snapshot, slot) = (&raw mut *dirty, pg_sys::table_slot_create(table, std::ptr::null_mut()));
        let count = keys.len() as i32;
        let scan = compat::begin_index_scan(table, index, snapshot, count);
        pg_sys::index_rescan(scan, keys.as_mut_ptr(), count, std::ptr::null_mut(), 0);
        let mut answer = None;
        let forward = pg_sys::ScanDirection::ForwardScanDirection;
        while answer.is_none() && pg_sys::index_getnext_slot(scan, forward, slot) {
            answer = ask(snapshot, slot);
        }
        pg_sys::index_endscan(scan);
        pg_sys::ExecDropSingleTupleTableSlot(slot);
        answer
    }
}

/// Says whether an index refuses a row when it is stored. With a deferred constraint it does not: both rows are accepted for a
/// while.
///
/// # Safety
/// The index must be open.
unsafe fn decides(index: pg_sys::Relation) -> bool {
    // SAFETY: guaranteed by the caller.
    let form = unsafe { &*(*index).rd_index };
    form.indisunique && form.indisready && form.indimmediate && !form.indisexclusion
}

/// # Safety
/// The index must be open and unique, one of `table`, and the slot hold a row of that.
unsafe fn taken_in(
    table: pg_sys::Relation,
    index: pg_sys::Relation,
    row: *mut pg_sys::TupleTableSlot,
) -> Option<Taken> {
    // SAFETY: guaranteed by the caller. The search keys are those that Postgres itself checks a constraint by; what is begun is ended here,
    // by an error with the transaction.
    unsafe {
        let info = pg_sys::BuildIndexInfo(index);
        pg_sys::BuildSpeculativeIndexInfo(index, info);
        let state = pg_sys::CreateExecutorState();
        let entry = entry(info, row, state);
        let count = usize::try_from((*info).ii_NumIndexKeyAttrs).unwrap_or(0);
        let taken =
            entry.filter(|entry| nulls_are_equal(info) || !entry.nulls[..count].contains(&true)).and_then(|entry| {
                let value = |i: usize| (!entry.nulls[i]).then_some(entry.values[i]);
                let keys = (0..count).map(|i| search_key(index, info, i, value(i))).collect();
                let is_there = Cell::new(false);
                let holder = first(table, index, keys, |snapshot, _| {
                    is_there.set(true);
                    Holder::of(snapshot)
                });
                let is_certain = || is_there.get() && !reads_generated(table, info);
                holder.map(Taken::Undecided).or_else(|| is_certain().then_some(Taken::There))
            });
        pg_sys::FreeExecutorState(state);
        taken
    }
}

/// Says whether an index may read a generated column.
///
/// # Safety
/// `table` must be open, and `info` be of an index on it.
unsafe fn reads_generated(table: pg_sys::Relation, info: *const pg_sys::IndexInfo) -> bool {
    // SAFETY: guaranteed by the caller.
    let (table, info) = unsafe { ((*table).rd_id, &*info) };
    let keys = info.ii_IndexAttrNumbers.iter().take(usize::try_from(info.ii_NumIndexKeyAttrs).unwrap_or(0));
    let mut read: *mut pg_sys::Bitmapset = std::ptr::null_mut();
    for expressions in [info.ii_Expressions, info.ii_Predicate] {
        // SAFETY: an index's expressions have its table as their only one, number 1.
        unsafe { pg_sys::pull_varattnos(expressions.cast(), 1, &raw mut read) };
    }
    let reads = |number: i32| {
        // SAFETY: the set has just been made; a column that is none stands for the whole row.
        unsafe { pg_sys::bms_is_member(number - pg_sys::FirstLowInvalidHeapAttributeNumber, read) }
    };
    let mut generated = catalog::columns(table).into_iter().filter(|column| column.is_generated);
    let found = generated
        .any(|column| reads(0) || reads(column.number.into()) || keys.clone().any(|key| *key == column.number));
    // SAFETY: as above.
    unsafe { pg_sys::bms_free(read) };
    found
}

/// # Safety
/// The index must be open and unique, and both slots hold rows of its table.
unsafe fn collide_in(index: pg_sys::Relation, a: *mut pg_sys::TupleTableSlot, b: *mut pg_sys::TupleTableSlot) -> bool {
    // SAFETY: guaranteed by the caller. Postgres fills in as many procedures as the index has key columns.
    unsafe {
        let info = pg_sys::BuildIndexInfo(index);
        pg_sys::BuildSpeculativeIndexInfo(index, info);
        let state = pg_sys::CreateExecutorState();
        let answer = match (entry(info, a, state), entry(info, b, state)) {
            (Some(a), Some(b)) => {
                let count = usize::try_from((*info).ii_NumIndexKeyAttrs).unwrap_or(0);
                (0..count).all(|i| match (a.nulls[i], b.nulls[i]) {
                    (false, false) => {
                        let mut function = pg_sys::FmgrInfo::default();
                        pg_sys::fmgr_info(*(*info).ii_UniqueProcs.add(i), &raw mut function);
                        let (function, collation) = (&raw mut function, *(*index).rd_indcollation.add(i));
                        let (a, b) = (a.values[i], b.values[i]);
                        boundary::catch(|| raw::FunctionCall2Coll(function, collation, a, b)).value() != 0
                    }
                    (true, true) => nulls_are_equal(info),
                    _ => false,
                })
            }
            _ => false,
        };
        pg_sys::FreeExecutorState(state);
        answer
    }
}

/// # Safety
/// `info` must be valid.
unsafe fn nulls_are_equal(info: *const pg_sys::IndexInfo) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { (*info).ii_NullsNotDistinct }
}

/// Forms a row's entry; `None` if the index's predicate excludes the row.
///
/// # Safety
/// `info` must be of an open index on the table of the slot's row, and `state` valid.
unsafe fn entry(
    info: *mut pg_sys::IndexInfo,
    slot: *mut pg_sys::TupleTableSlot,
    state: *mut pg_sys::EState,
) -> Option<Entry> {
    let mut entry = Entry {
        values: [pg_sys::Datum::null(); pg_sys::INDEX_MAX_KEYS as usize],
        nulls: [false; pg_sys::INDEX_MAX_KEYS as usize],
    };
    // SAFETY: guaranteed by the caller; the arrays have room for any index. Expressions are evaluated with the slot as their row.
    unsafe {
        let context = match (*state).es_per_tuple_exprcontext.is_null() {
            true => pg_sys::MakePerTupleExprContext(state),
            false => (*state).es_per_tuple_exprcontext,
        };
        (*context).ecxt_scantuple = slot;
        if !(*info).ii_Predicate.is_null() {
            let predicate = pg_sys::ExecPrepareQual((*info).ii_Predicate, state);
            let evaluate = (*predicate).evalfunc?;
            let mut null = false;
            let passes = boundary::catch(|| evaluate(predicate, context, &raw mut null));
            if passes.value() == 0 {
                return None;
            }
        }
        let (values, nulls) = (entry.values.as_mut_ptr(), entry.nulls.as_mut_ptr());
        boundary::catch(|| raw::FormIndexDatum(info, slot, state, values, nulls));
    }
    Some(entry)
}
