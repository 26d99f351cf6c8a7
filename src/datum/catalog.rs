//! What the catalogs say of names, keys and indexes, read as Postgres reads them itself: by its caches, at the latest moment, without a
//! query that somebody's search path could change.

use std::ffi::{CStr, CString};

use pgrx::{PgList, pg_sys};

/// An index that a guard can search, and how.
#[derive(Clone, Copy, Debug)]
pub struct GuardIndex {
    /// The index.
    pub index: pg_sys::Oid,
    /// The number of the operator in the index's family.
    pub strategy: u16,
    /// The function behind it.
    pub function: pg_sys::Oid,
}

/// What the first key of such an index must be: a call that makes a signature.
pub struct Wanted<'w> {
    /// A function whose two arguments are of the types of the operator: the stored signature and the query.
    pub operator: &'w CStr,
    /// The constants of the call behind its document: texts and integers, in their order.
    pub constants: &'w [Constant<'w>],
    /// The columns of the document in the table at hand; empty where a function makes it of the whole row.
    pub columns: &'w [i16],
    /// That function.
    pub expression: Option<pg_sys::Oid>,
}

/// An argument of a call that makes a signature.
pub enum Constant<'c> {
    /// Of type text.
    Text(&'c str),
    /// Of type integer.
    Integer(i32),
}

fn text(name: *mut std::ffi::c_char) -> Option<String> {
    // SAFETY: null or a C string in the memory of this call.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// The name of a relation.
pub fn relation_name(relation: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    text(unsafe { pg_sys::get_rel_name(relation) }).unwrap_or_default()
}

/// The name of a column.
pub fn column_name(relation: pg_sys::Oid, column: i16) -> String {
    // SAFETY: reads a catalog.
    text(unsafe { pg_sys::get_attname(relation, column, true) }).unwrap_or_default()
}

/// The number of a column; `None` where the relation has none of this name.
pub fn column_number(relation: pg_sys::Oid, name: &str) -> Option<i16> {
    let name = CString::new(name).ok()?;
    // SAFETY: reads a catalog.
    let number = unsafe { pg_sys::get_attnum(relation, name.as_ptr()) };
    (number > 0).then_some(number)
}

/// The owner of a relation; `None` where it is gone.
pub fn owner(relation: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: opens the relation under the lock that its user has already, and closes it.
    unsafe {
        let open = pg_sys::try_relation_open(relation, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return None;
        }
        let owner = (*(*open).rd_rel).relowner;
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        Some(owner)
    }
}

/// A relation by its schema and name.
pub fn relation((schema, name): &(String, String)) -> Option<pg_sys::Oid> {
    let (schema, name) = (CString::new(schema.as_str()).ok()?, CString::new(name.as_str()).ok()?);
    // SAFETY: reads catalogs; the rights are checked where the relation is used.
    let found = unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        if schema == pg_sys::Oid::INVALID {
            return None;
        }
        pg_sys::get_relname_relid(name.as_ptr(), schema)
    };
    (found != pg_sys::Oid::INVALID).then_some(found)
}

/// A function by its schema and name, which takes a row of a table and gives a text.
pub fn function_of_row((schema, name): &(String, String), table: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: reads catalogs; the strings are copied into the memory of this call.
    unsafe {
        let row = pg_sys::get_rel_type_id(table);
        let found =
            function(&[&CString::new(schema.as_str()).ok()?, &CString::new(name.as_str()).ok()?], Some(&[row]))?;
        (pg_sys::get_func_rettype(found) == pg_sys::TEXTOID).then_some(found)
    }
}

/// # Safety
/// Only within a transaction.
unsafe fn function(name: &[&CStr], arguments: Option<&[pg_sys::Oid]>) -> Option<pg_sys::Oid> {
    // SAFETY: as the caller vouches; a missing function is no error.
    let found = unsafe {
        let mut qualified = PgList::<pg_sys::Node>::new();
        for part in name {
            qualified.push(pg_sys::makeString(pg_sys::pstrdup(part.as_ptr())).cast());
        }
        let (count, types) = arguments.map_or((-1, std::ptr::null()), |types| (types.len() as i32, types.as_ptr()));
        pg_sys::LookupFuncName(qualified.into_pg(), count, types, true)
    };
    (found != pg_sys::Oid::INVALID).then_some(found)
}

/// The columns of the primary key.
pub fn primary_key(table: pg_sys::Oid) -> Vec<i16> {
    // SAFETY: relations are opened and closed here; an index has as many key columns as it says.
    unsafe {
        let open = pg_sys::try_relation_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return Vec::new();
        }
        drop(PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open)));
        let key = (*open).rd_pkindex;
        let mut columns = Vec::new();
        if key != pg_sys::Oid::INVALID {
            let index = pg_sys::index_open(key, pg_sys::AccessShareLock as i32);
            let form = (*index).rd_index;
            let count = usize::try_from((*form).indnkeyatts).unwrap_or(0);
            columns.extend_from_slice((*form).indkey.values.as_slice(count));
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
        }
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        columns
    }
}

/// Finds an index of a table that serves the operator wanted on the signature wanted, and is complete.
pub fn guard_index(table: pg_sys::Oid, wanted: &Wanted<'_>) -> Option<GuardIndex> {
    // SAFETY: relations are opened and closed here. The operator's function is the extension's own, of two arguments.
    unsafe {
        let operator = function(&[c"neardup_internal", wanted.operator], None)?;
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        pg_sys::get_func_signature(operator, &raw mut types, &raw mut count);
        if count != 2 {
            return None;
        }
        let (stored, query) = (*types, *types.add(1));
        let open = pg_sys::try_relation_open(table, pg_sys::AccessShareLock as i32);
        if open.is_null() {
            return None;
        }
        let indexes = PgList::<pg_sys::Oid>::from_pg(pg_sys::RelationGetIndexList(open));
        let found = indexes.iter_oid().find_map(|oid| {
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            let family = *(*index).rd_opfamily;
            let serves = pg_sys::get_opfamily_member(family, stored, query, 1);
            let fits = serves != pg_sys::Oid::INVALID
                && pg_sys::get_opcode(serves) == operator
                && (*(*index).rd_index).indisvalid
                && PgList::<pg_sys::Node>::from_pg(pg_sys::RelationGetIndexPredicate(index)).is_empty()
                && first_key(index).is_some_and(|key| makes(key, stored, wanted));
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            fits.then_some(GuardIndex { index: oid, strategy: 1, function: operator })
        });
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        found
    }
}

/// The expression that is an index's first key, as it was written; `None` where that is a plain column. The relation cache has it
/// simplified, with SQL functions written out.
///
/// # Safety
/// The index must be open.
unsafe fn first_key(index: pg_sys::Relation) -> Option<*mut pg_sys::Node> {
    // SAFETY: as the caller vouches; an expression has the column number 0, and an index with expressions has a text of them.
    unsafe {
        let columns = (*(*index).rd_index).indkey.values.as_slice(1);
        if columns[0] != 0 {
            return None;
        }
        let (cache, attribute) = (pg_sys::SysCacheIdentifier::INDEXRELID as i32, pg_sys::Anum_pg_index_indexprs as i16);
        let mut null = true;
        let written = pg_sys::SysCacheGetAttr(cache, (*index).rd_indextuple, attribute, &raw mut null);
        if null {
            return None;
        }
        let text = pg_sys::text_to_cstring(written.cast_mut_ptr());
        PgList::<pg_sys::Node>::from_pg(pg_sys::stringToNode(text).cast()).head()
    }
}

/// Whether an expression makes the signature wanted of the document wanted.
///
/// # Safety
/// The expression must be a valid node.
unsafe fn makes(expression: *mut pg_sys::Node, stored: pg_sys::Oid, wanted: &Wanted<'_>) -> bool {
    // SAFETY: as the caller vouches; the tag says what a node is.
    unsafe {
        if (*expression).type_ != pg_sys::NodeTag::T_FuncExpr || pg_sys::exprType(expression) != stored {
            return false;
        }
        let Some(arguments) = all_arguments(&*expression.cast::<pg_sys::FuncExpr>()) else { return false };
        let Some((document, constants)) =
            arguments.iter_ptr().collect::<Vec<_>>().split_first().map(|(d, c)| (*d, c.to_vec()))
        else {
            return false;
        };
        constants.len() == wanted.constants.len()
            && constants.iter().zip(wanted.constants).all(|(node, constant)| is_constant(*node, constant))
            && is_document(document, wanted)
    }
}

/// The arguments of a call with those that were left out: an expression is stored as it was written, without its function's defaults.
///
/// # Safety
/// The call must be a valid node.
unsafe fn all_arguments(call: &pg_sys::FuncExpr) -> Option<PgList<pg_sys::Node>> {
    // SAFETY: as the caller vouches; defaults are copied out of the tuple before it is released.
    unsafe {
        let cache = pg_sys::SysCacheIdentifier::PROCOID as i32;
        let tuple = pg_sys::SearchSysCache1(cache, pg_sys::Datum::from(call.funcid));
        if tuple.is_null() {
            return None;
        }
        let arguments = pg_sys::expand_function_arguments(call.args, false, call.funcresulttype, tuple);
        pg_sys::ReleaseSysCache(tuple);
        Some(PgList::from_pg(arguments))
    }
}

/// # Safety
/// `node` must be valid.
unsafe fn is_constant(node: *mut pg_sys::Node, wanted: &Constant<'_>) -> bool {
    // SAFETY: as the caller vouches; a constant is read by the type that it says it has.
    unsafe {
        if (*node).type_ != pg_sys::NodeTag::T_Const || (*node.cast::<pg_sys::Const>()).constisnull {
            return false;
        }
        let constant = &*node.cast::<pg_sys::Const>();
        match wanted {
            Constant::Integer(value) => {
                constant.consttype == pg_sys::INT4OID && constant.constvalue.value() as i32 == *value
            }
            Constant::Text(value) => {
                constant.consttype == pg_sys::TEXTOID
                    && <&str as pgrx::FromDatum>::from_datum(constant.constvalue, false) == Some(*value)
            }
        }
    }
}

/// Whether an expression is of exactly the document's columns, or calls the function that makes the document. What it makes of them only
/// decides which candidates are found, and `neardup.protect` has written it.
///
/// # Safety
/// `node` must be valid.
unsafe fn is_document(node: *mut pg_sys::Node, wanted: &Wanted<'_>) -> bool {
    // SAFETY: as the caller vouches. Bit numbers of columns are shifted by the number of system columns.
    unsafe {
        if let Some(function) = wanted.expression {
            return (*node).type_ == pg_sys::NodeTag::T_FuncExpr
                && (*node.cast::<pg_sys::FuncExpr>()).funcid == function;
        }
        let mut members = std::ptr::null_mut();
        pg_sys::pull_varattnos(node, 1, &raw mut members);
        let shift = i32::from(pg_sys::FirstLowInvalidHeapAttributeNumber as i16);
        usize::try_from(pg_sys::bms_num_members(members)) == Ok(wanted.columns.len())
            && wanted.columns.iter().all(|column| pg_sys::bms_is_member(i32::from(*column) - shift, members))
    }
}
