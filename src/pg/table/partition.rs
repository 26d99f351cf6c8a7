//! Triggers on partitioned tables: the root table's trigger behind a partition's copy of it, and the partitions below the root, each
//! with the range of times that its rows may have.

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

use crate::pg::call::boundary::{self, raw};
use crate::pg::call::column::microseconds;
use crate::pg::call::trigger::Definition;
use crate::pg::catalog;

const LOCK: i32 = pg_sys::AccessShareLock as i32;

/// The trigger of which partitions have copies, or a trigger without copies.
pub struct RootTrigger {
    /// The table it was created on.
    pub table: pg_sys::Oid,
    /// Its identity.
    pub oid: pg_sys::Oid,
    pub name: String,
    /// The columns of its `UPDATE OF` list, by their numbers in that table.
    pub columns: Vec<i16>,
    /// Its first argument.
    pub argument: Option<String>,
    /// The function that its WHEN condition names.
    pub named: Option<pg_sys::Oid>,
}

/// A table that holds rows: the root itself or a partition.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub table: pg_sys::Oid,
    /// The least and the greatest time of its rows, in microseconds.
    pub times: (i64, i64),
}

/// A relation opened for reading its description, closed and unlocked when dropped.
struct Described(pg_sys::Relation);

impl Described {
    fn open(table: pg_sys::Oid) -> Option<Self> {
        // SAFETY: gives null where there is no such table.
        let relation = unsafe { pg_sys::try_relation_open(table, LOCK) };
        // Lazily: a value made of null would be closed when dropped.
        (!relation.is_null()).then(|| Self(relation))
    }
}

impl Described {
    /// Returns the relation's triggers.
    fn triggers(&self) -> impl Iterator<Item = Definition<'_>> {
        // SAFETY: the relation is open, and its description of triggers has as many as it says.
        let triggers = unsafe {
            match (*self.0).trigdesc.as_ref() {
                Some(described) if described.numtriggers > 0 => {
                    std::slice::from_raw_parts(described.triggers, described.numtriggers as usize)
                }
                _ => &[],
            }
        };
        triggers.iter().map(Definition::of)
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: opened in open.
            unsafe { pg_sys::relation_close(self.0, LOCK) };
        }
    }
}

/// Locks tables until the end of the transaction, as a query on them does. Meanwhile none is rewritten, so an address from an index stays that
/// of a row.
pub fn keep(tables: &[pg_sys::Oid]) {
    // SAFETY: may wait; a table that does not exist any more can be locked, too.
    tables.iter().for_each(|table| unsafe { pg_sys::LockRelationOid(*table, LOCK) });
}

impl RootTrigger {
    /// Finds the original of a trigger of a table, which may be the trigger itself. A copy has the name and the function of its original.
    /// `marker` is the function in whose call the WHEN condition names another one.
    pub fn of(table: pg_sys::Oid, trigger: Definition<'_>, marker: &CStr) -> Option<Self> {
        if !trigger.is_clone() {
            return Some(Self::read(table, trigger, marker));
        }
        // SAFETY: one C call that reads catalogs; the list is of numbers of tables, the nearest ancestor first.
        let ancestors =
            unsafe { PgList::<pg_sys::Oid>::from_pg(boundary::catch(|| raw::get_partition_ancestors(table))) };
        let name = trigger.name();
        ancestors.iter_oid().find_map(|table| {
            let ancestor = Described::open(table)?;
            let mut triggers = ancestor.triggers();
            let original = triggers
                .find(|other| !other.is_clone() && other.function() == trigger.function() && other.name() == name)?;
            Some(Self::read(table, original, marker))
        })
    }

    /// Finds the originals of all triggers of a table that run a function.
    pub fn all_of(table: pg_sys::Oid, function: pg_sys::Oid, marker: &CStr) -> Vec<Self> {
        let Some(open) = Described::open(table) else { return Vec::new() };
        let triggers = open.triggers().filter(|trigger| trigger.function() == function);
        triggers.filter_map(|trigger| Self::of(table, trigger, marker)).collect()
    }

    fn read(table: pg_sys::Oid, trigger: Definition<'_>, marker: &CStr) -> Self {
        Self {
            table,
            oid: trigger.oid(),
            name: trigger.name(),
            columns: trigger.columns().to_vec(),
            argument: trigger.argument(0).map(str::to_owned),
            named: trigger.named_in_condition(marker),
        }
    }
}

/// Returns the table at the top whose partition, or partition of a partition, a table is; the table itself if it is none.
pub fn root(table: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: one C call that reads catalogs; the list is of numbers of tables, the nearest ancestor first.
    let ancestors = unsafe { PgList::<pg_sys::Oid>::from_pg(boundary::catch(|| raw::get_partition_ancestors(table))) };
    ancestors.iter_oid().last().unwrap_or(table)
}

/// Lists the tables that hold the rows of `root` (`root` itself if it has no partitions), and all partitioned tables on the
/// way, on which the list depends. `time_column` is the root's time column, if ranges of times are wanted.
pub fn leaves(root: pg_sys::Oid, time_column: Option<i16>) -> (Vec<Leaf>, Vec<pg_sys::Oid>) {
    let (mut found, mut on_the_way) = (Vec::new(), Vec::new());
    // SAFETY: only reads a catalog.
    let name = time_column.map(|column| unsafe { CStr::from_ptr(pg_sys::get_attname(root, column, false)) }.to_owned());
    descend(root, name.as_deref(), (i64::MIN, i64::MAX), &mut found, &mut on_the_way);
    (found, on_the_way)
}

fn descend(
    table: pg_sys::Oid,
    time_column: Option<&CStr>,
    times: (i64, i64),
    found: &mut Vec<Leaf>,
    on_the_way: &mut Vec<pg_sys::Oid>,
) {
    // SAFETY: reads a catalog.
    let kind = unsafe { pg_sys::get_rel_relkind(table) } as u8;
    if kind == pg_sys::RELKIND_RELATION {
        return found.push(Leaf { table, times });
    }
    if kind != pg_sys::RELKIND_PARTITIONED_TABLE {
        return;
    }
    on_the_way.push(table);
    // Copied, so that only one relation is open at a time.
    for (partition, of_partition) in
        Described::open(table).map(|open| partitions(&open, time_column)).unwrap_or_default()
    {
        let times = (times.0.max(of_partition.0), times.1.min(of_partition.1));
        descend(partition, time_column, times, found, on_the_way);
    }
}

/// Returns the partitions of a table, each with its range of times, both ends included.
fn partitions(table: &Described, time_column: Option<&CStr>) -> Vec<(pg_sys::Oid, (i64, i64))> {
    const ANY: (i64, i64) = (i64::MIN, i64::MAX);
    // SAFETY: the relation is open and partitioned; its description has as many partitions, bounds and indexes as it says. A range's first
    // bound is a value of the type of the first column of the key.
    unsafe {
        let description = pg_sys::RelationGetPartitionDesc(table.0, true);
        let count = usize::try_from((*description).nparts).unwrap_or(0);
        if count == 0 {
            return Vec::new();
        }
        let tables = std::slice::from_raw_parts((*description).oids, count);
        let mut partitions: Vec<(pg_sys::Oid, (i64, i64))> = tables.iter().map(|table| (*table, ANY)).collect();
        let bounds = &*(*description).boundinfo;
        let Some(kind) = time_column.and_then(|name| range_type(table, name)) else { return partitions };
        let end = |i: usize| {
            let marks = *bounds.kind.add(i);
            match *marks {
                pg_sys::PartitionRangeDatumKind::PARTITION_RANGE_DATUM_VALUE => {
                    microseconds(**bounds.datums.add(i), kind)
                }
                pg_sys::PartitionRangeDatumKind::PARTITION_RANGE_DATUM_MINVALUE => i64::MIN,
                _ => i64::MAX,
            }
        };
        let count = usize::try_from(bounds.ndatums).unwrap_or(0);
        for i in 0..=count {
            let Ok(partition) = usize::try_from(*bounds.indexes.add(i)) else { continue };
            let from = if i == 0 { i64::MIN } else { end(i - 1) };
            let to = if i == count { i64::MAX } else { end(i) };
            if let Some(partition) = partitions.get_mut(partition) {
                partition.1 = (from, to);
            }
        }
        // The default partition has the rows outside all ranges.
        if let Some(default) = usize::try_from(bounds.default_index).ok().and_then(|i| partitions.get_mut(i)) {
            default.1 = ANY;
        }
        partitions
    }
}

/// Returns the type of the time column, if the table is partitioned by ranges of it first.
fn range_type(table: &Described, time_column: &CStr) -> Option<pg_sys::Oid> {
    /// Attribute numbers of pg_partitioned_table (catalog/pg_partitioned_table.h), unchanged from PostgreSQL 15 to 19.
    const STRATEGY: i16 = 2;
    const COLUMNS: i16 = 5;
    // SAFETY: the relation is open and partitioned, so the catalog has a row for it, with both attributes: a "char" and an int2vector
    // of at least one number.
    unsafe {
        let oid = (*table.0).rd_id;
        let column = pg_sys::get_attnum(oid, time_column.as_ptr());
        let cache = pg_sys::SysCacheIdentifier::PARTRELID;
        let (strategy, first) = catalog::cached(cache, oid, |row| {
            let mut null = false;
            let mut value = |attribute| pg_sys::SysCacheGetAttr(cache as i32, row, attribute, &raw mut null);
            let columns = value(COLUMNS).cast_mut_ptr::<pg_sys::int2vector>();
            (value(STRATEGY).value() as u8, (*columns).values.as_slice(1)[0])
        })?;
        (strategy == b'r' && first == column && column > 0)
            .then(|| pg_sys::getBaseType(pg_sys::get_atttype(oid, column)))
    }
}
