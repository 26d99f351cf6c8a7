//! Plain tables: writing a row of one runs nobody's code.
//!
//! Guards and clean-ups write beside the guarded table as its owner, by acts of others: what is diverted, removed or answered. Whatever code is attached
//! to such a table would run as the owner then. Who attached it is not known: whoever has TRIGGER may name a function of the owner, in whose search
//! path they put a table of their own, and a former owner leaves CHECKs and indexes. So there must be none. What counts is the description of the table
//! that Postgres itself goes by, under a lock, and no query on a catalog: its snapshot may be older.

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

use crate::pg::catalog::{self, Column};

/// The lock of who writes rows. Nobody can attach code meanwhile: that waits for the end of the transaction.
const LOCK: i32 = pg_sys::RowExclusiveLock as i32;

/// Objects with smaller numbers are Postgres's own.
const FIRST_OF_USERS: u64 = 16384;

/// The obstacle that a table is not of the owner that it should have.
pub const ANOTHER_OWNER: &str = "another owner";

/// Locks a table until the end of the transaction, and returns what it has that would run code when a row is written or a statement on it is planned, or
/// why it is no plain table of `owner`. Rows of `source` may be moved there.
pub fn obstacle(table: pg_sys::Oid, owner: pg_sys::Oid, source: Option<pg_sys::Oid>) -> Option<String> {
    // SAFETY: the relation is opened here, and closed with its lock kept. Its description has as many triggers and constraints as it says.
    unsafe {
        let open = pg_sys::try_relation_open(table, LOCK);
        if open.is_null() {
            return Some("been dropped".to_owned());
        }
        let found = of_relation(open, owner).or_else(|| of_columns(open, source)).or_else(|| of_indexes(open));
        pg_sys::relation_close(open, pg_sys::NoLock as i32);
        found
    }
}

/// # Safety
/// The relation must be open.
unsafe fn of_relation(open: pg_sys::Relation, owner: pg_sys::Oid) -> Option<String> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let form = &*(*open).rd_rel;
        if form.relowner != owner {
            return Some(ANOTHER_OWNER.to_owned());
        }
        if form.relkind as u8 != pg_sys::RELKIND_RELATION || form.relispartition {
            return Some("no rows of its own, or a parent".to_owned());
        }
        if let Some(triggers) = (*open).trigdesc.as_ref() {
            let all = std::slice::from_raw_parts(triggers.triggers, triggers.numtriggers.max(0) as usize);
            let is_enabled = |trigger: &&pg_sys::Trigger| trigger.tgenabled as u8 != b'D';
            if let Some(trigger) = all.iter().find(is_enabled) {
                let is_constraint = trigger.tgisinternal;
                let found = || format!("trigger \"{}\"", name(trigger.tgname));
                return Some(if is_constraint { "a foreign key or a deferrable key".to_owned() } else { found() });
            }
        }
        if !(*open).rd_rules.is_null() {
            return Some("a rule".to_owned());
        }
        if form.relrowsecurity && form.relforcerowsecurity {
            return Some("forced row security".to_owned());
        }
        if !pg_sys::RelationGetStatExtList(open).is_null() {
            return Some("extended statistics".to_owned());
        }
        let constraints = (*(*open).rd_att).constr.as_ref()?;
        if constraints.num_check > 0 {
            return Some(format!("constraint \"{}\"", name((*constraints.check).ccname)));
        }
        (constraints.num_defval > 0).then(|| {
            let column = (*constraints.defval).adnum;
            format!("the default of column \"{}\"", catalog::column_name((*open).rd_id, column))
        })
    }
}

/// A value of another type would be cast, by a function of the type's owner, and a column that a row leaves out is NULL, which the CHECK of a domain is
/// asked about. So columns have types of Postgres's own, or that of the column that their values come from, without its domains; one that the source has
/// no more may have any type but a domain.
///
/// # Safety
/// The relation must be open.
unsafe fn of_columns(open: pg_sys::Relation, source: Option<pg_sys::Oid>) -> Option<String> {
    let sources = source.map(catalog::columns).unwrap_or_default();
    let is_of_postgres = |kind| u64::from(u32::from(kind)) < FIRST_OF_USERS;
    let has_own_type = |column: &Column| match sources.iter().find(|source| source.name == column.name) {
        Some(source) => column.kind == catalog::base_type(source.kind),
        None => is_of_postgres(column.kind) || source.is_some() && catalog::base_type(column.kind) == column.kind,
    };
    // SAFETY: guaranteed by the caller.
    let columns = catalog::columns(unsafe { (*open).rd_id });
    let column = columns.iter().find(|column| !has_own_type(column))?;
    Some(format!("column \"{}\", to whose type values may be cast", column.name))
}

/// Columns are indexed by operator classes, which only superusers create; expressions and conditions may call whatever their author named.
///
/// # Safety
/// The relation must be open.
unsafe fn of_indexes(open: pg_sys::Relation) -> Option<String> {
    // SAFETY: guaranteed by the caller; each index is opened and closed here.
    unsafe {
        PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open)).iter_oid().find_map(|index| {
            let open = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
            let is_plain = catalog::written_of(open).iter().all(|nodes| names_postgres_only(nodes));
            pg_sys::index_close(open, pg_sys::NoLock as i32);
            (!is_plain).then(|| format!("index \"{}\"", catalog::relation_name(index)))
        })
    }
}

/// Says whether a written expression names Postgres's own functions, operators and types only: no number in it is that of an object of a user. Positions
/// and collations are numbers, too; an expression with a great one counts as a user's.
fn names_postgres_only(nodes: &str) -> bool {
    let mut numbers = nodes.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    numbers.all(|number| number.parse::<u64>().is_ok_and(|number| number < FIRST_OF_USERS))
}

/// # Safety
/// The name must be a C string.
unsafe fn name(name: *const std::ffi::c_char) -> String {
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::names_postgres_only;

    #[test]
    fn numbers_of_users_are_found() {
        assert!(names_postgres_only("({FUNCEXPR :funcid 400 :funcresulttype 23 :location 40})"));
        assert!(!names_postgres_only("({FUNCEXPR :funcid 16384 :funcresulttype 23})"));
        assert!(!names_postgres_only("{CONST :consttype 340282366920938463463374607431768211457}"));
    }
}
