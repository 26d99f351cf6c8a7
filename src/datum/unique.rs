//! Whether two rows collide in a unique index: then one is no copy of the other but the row that Postgres itself will refuse, or that
//! `ON CONFLICT` will update.

use pgrx::{PgList, pg_sys};

use super::boundary::{self, raw};
use super::table::Table;
use super::trigger::RowTrigger;

/// Values of an index entry, as Postgres forms them.
struct Entry {
    values: [pg_sys::Datum; pg_sys::INDEX_MAX_KEYS as usize],
    nulls: [bool; pg_sys::INDEX_MAX_KEYS as usize],
}

/// Whether the new row of a trigger has a unique key of the row that the table has gone to, by the index's own operators.
pub fn collide(trigger: &RowTrigger<'_>, table: &Table) -> bool {
    // Unique keys do not reach over partitions.
    if trigger.slot().is_null() || trigger.relation_oid() != table.oid() {
        return false;
    }
    // SAFETY: the trigger's relation is open and locked by its statement, and so are its indexes; they are closed here. An error
    // leaves by unwinding, and the end of the transaction closes them.
    unsafe {
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(trigger.relation()));
        indexes.iter_oid().any(|oid| {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            let form = &*(*index).rd_index;
            let collide = form.indisunique
                && form.indisready
                && !form.indisexclusion
                && collide_in(index, trigger.slot(), table.slot());
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            collide
        })
    }
}

/// # Safety
/// The index must be open and unique, and both slots hold rows of its table.
unsafe fn collide_in(index: pg_sys::Relation, a: *mut pg_sys::TupleTableSlot, b: *mut pg_sys::TupleTableSlot) -> bool {
    // SAFETY: as the caller vouches. Postgres fills in as many procedures as the index has key columns.
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
#[cfg(not(feature = "pg14"))]
unsafe fn nulls_are_equal(info: *const pg_sys::IndexInfo) -> bool {
    // SAFETY: as the caller vouches.
    unsafe { (*info).ii_NullsNotDistinct }
}

/// # Safety
/// None is needed: before PostgreSQL 15, NULLs of a unique index were always distinct.
#[cfg(feature = "pg14")]
unsafe fn nulls_are_equal(_: *const pg_sys::IndexInfo) -> bool {
    false
}

/// Forms a row's entry; `None` where the index's predicate leaves the row out.
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
    // SAFETY: as the caller vouches; the arrays have room for any index. Expressions are evaluated with the slot as their row.
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
