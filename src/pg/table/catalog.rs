//! Names, keys and indexes from the catalogs, read through Postgres's caches. So they are always current, and no query runs, whose
//! meaning a user's search path could change.

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
    /// The access method that the index must have, if not any does.
    pub method: Option<&'w CStr>,
    /// A function whose two arguments are of the types of the operator: the stored signature and the query.
    pub operator: &'w CStr,
    /// The name of the extension's function that makes the signature.
    pub function: &'w CStr,
    /// The constants of the call after its document: texts and integers, in their order.
    pub constants: &'w [Constant<'w>],
    /// The document's columns in the table; empty if a function forms the document from the whole row.
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

/// Cuts a name to the length that names have, as the server does with a longer identifier.
pub fn truncated(name: &str) -> &str {
    let most = name.len().min(pg_sys::NAMEDATALEN as usize - 1);
    let end = (0..=most).rev().find(|at| name.is_char_boundary(*at)).unwrap_or_default();
    name.get(..end).unwrap_or_default()
}

/// Gives the name of a relation.
pub fn relation_name(relation: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    text(unsafe { pg_sys::get_rel_name(relation) }).unwrap_or_default()
}

/// Gives the name of a column.
pub fn column_name(relation: pg_sys::Oid, column: i16) -> String {
    // SAFETY: reads a catalog.
    text(unsafe { pg_sys::get_attname(relation, column, true) }).unwrap_or_default()
}

/// Gives the number of a column; `None` if the relation has none of this name.
pub fn column_number(relation: pg_sys::Oid, name: &str) -> Option<i16> {
    let name = CString::new(name).ok()?;
    // SAFETY: reads a catalog.
    let number = unsafe { pg_sys::get_attnum(relation, name.as_ptr()) };
    (number > 0).then_some(number)
}

/// Gives the owner of a relation; `None` if it does not exist.
pub fn owner(relation: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: opens the relation under the lock that the user of this already has, and closes it.
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

/// Finds a relation by its schema and name.
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

/// Says whether a sequence belongs to a table by `OWNED BY`.
pub fn belongs(sequence: pg_sys::Oid, table: pg_sys::Oid) -> bool {
    let (mut owner, mut column) = (pg_sys::Oid::INVALID, 0);
    let automatic = pg_sys::DependencyType::DEPENDENCY_AUTO as std::ffi::c_char;
    // SAFETY: reads a catalog.
    unsafe { pg_sys::sequenceIsOwned(sequence, automatic, &raw mut owner, &raw mut column) && owner == table }
}

/// Finds a function by its schema and name that takes a row of a table and returns a text.
pub fn function_of_row((schema, name): &(String, String), table: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: reads catalogs; the strings are copied into the memory of this call.
    unsafe {
        let row = pg_sys::get_rel_type_id(table);
        let found = function(&CString::new(schema.as_str()).ok()?, &CString::new(name.as_str()).ok()?, Some(&[row]))?;
        let is_plain =
            pg_sys::get_func_prokind(found) as u8 == pg_sys::PROKIND_FUNCTION && !pg_sys::get_func_retset(found);
        (is_plain && pg_sys::get_func_rettype(found) == pg_sys::TEXTOID).then_some(found)
    }
}

/// Finds a function by its schema and name, and by the types of its arguments if there may be several. No right on the schema
/// is needed.
///
/// # Safety
/// Only within a transaction.
unsafe fn function(schema: &CStr, name: &CStr, arguments: Option<&[pg_sys::Oid]>) -> Option<pg_sys::Oid> {
    // SAFETY: as the caller vouches. The cache's list has as many members as it says, each a row of pg_proc, until it is released.
    unsafe {
        let schema = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        let cache = pg_sys::SysCacheIdentifier::PROCNAMEARGSNSP as i32;
        let none = pg_sys::Datum::null();
        let list = pg_sys::SearchSysCacheList(cache, 1, pg_sys::Datum::from(name.as_ptr()), none, none);
        let members = (*list).members.as_slice(usize::try_from((*list).n_members).unwrap_or(0));
        let found = members.iter().find_map(|member| {
            let row = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_proc>(&raw mut (**member).tuple);
            let types = row.proargtypes.values.as_slice(usize::try_from(row.pronargs).unwrap_or(0));
            (row.pronamespace == schema && arguments.is_none_or(|wanted| wanted == types)).then_some(row.oid)
        });
        pg_sys::ReleaseCatCacheList(list);
        found
    }
}

/// Gives the function that guards' triggers run.
pub fn guard_function() -> Option<pg_sys::Oid> {
    // SAFETY: called within a transaction.
    unsafe { function(c"neardup", c"guard", None) }
}

/// Gives the schema that the extension was created in: that of its types.
pub fn extension_schema() -> String {
    // SAFETY: reads catalogs; the extension's own function has two arguments. The cache's row is read before it is released.
    unsafe {
        let Some(operator) = function(c"neardup_internal", c"sketches_share_key", None) else { return String::new() };
        let (mut types, mut count) = (std::ptr::null_mut(), 0);
        pg_sys::get_func_signature(operator, &raw mut types, &raw mut count);
        let row = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, pg_sys::Datum::from(*types));
        if row.is_null() {
            return String::new();
        }
        let schema = (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_type>(row)).typnamespace;
        pg_sys::ReleaseSysCache(row);
        text(pg_sys::get_namespace_name(schema)).unwrap_or_default()
    }
}

/// Gives the columns of the primary key.
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

/// Finds an index of a table that serves the wanted operator on the wanted signature, and is valid and not partial.
pub fn guard_index(table: pg_sys::Oid, wanted: &Wanted<'_>) -> Option<GuardIndex> {
    // SAFETY: relations are opened and closed here. The operator's function is the extension's own, of two arguments.
    unsafe {
        let operator = function(c"neardup_internal", wanted.operator, None)?;
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
                && wanted.method.is_none_or(|method| is_of(index, method))
                && PgList::<pg_sys::Node>::from_pg(pg_sys::RelationGetIndexPredicate(index)).is_empty()
                && first_key(index).is_some_and(|(written, simplified)| {
                    makes(simplified, operator, wanted) && is_document(first_argument(written), wanted)
                });
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            fits.then_some(GuardIndex { index: oid, strategy: 1, function: operator })
        });
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        found
    }
}

/// Says whether an index has all versions that a snapshot of this transaction may see. If rows were updated without new index entries
/// before the index was made, it has only the new versions; the planner applies the same rule.
pub fn has_versions_of_snapshot(index: pg_sys::Oid) -> bool {
    // SAFETY: the relation is opened and closed here; its row in the catalog is in the relation cache while it is open.
    unsafe {
        let open = pg_sys::index_open(index, pg_sys::AccessShareLock as i32);
        let header = (*(*open).rd_indextuple).t_data;
        let is_frozen = u32::from((*header).t_infomask) & pg_sys::HEAP_XMIN_FROZEN == pg_sys::HEAP_XMIN_FROZEN;
        let made = (*header).t_choice.t_heap.t_xmin;
        let has = !(*(*open).rd_index).indcheckxmin
            || is_frozen
            || pg_sys::TransactionIdPrecedes(made, pg_sys::TransactionXmin);
        pg_sys::index_close(open, pg_sys::AccessShareLock as i32);
        has
    }
}

/// Says whether an index is of an access method.
///
/// # Safety
/// The index must be open.
unsafe fn is_of(index: pg_sys::Relation, method: &CStr) -> bool {
    // SAFETY: as the caller vouches; the name is null or a C string in the memory of this call.
    text(unsafe { pg_sys::get_am_name((*(*index).rd_rel).relam) })
        .is_some_and(|name| name.as_bytes() == method.to_bytes())
}

/// Gives the expression that is an index's first key, as it was written and as in the relation cache: simplified, with default
/// arguments filled in and SQL functions inlined. `None` if the key is a plain column.
///
/// # Safety
/// The index must be open.
unsafe fn first_key(index: pg_sys::Relation) -> Option<(*mut pg_sys::Node, *mut pg_sys::Node)> {
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
        let written = PgList::<pg_sys::Node>::from_pg(pg_sys::stringToNode(text).cast()).head()?;
        let simplified = PgList::<pg_sys::Node>::from_pg(pg_sys::RelationGetIndexExpressions(index)).head()?;
        Some((written, simplified))
    }
}

/// Gives the first argument of a call; null if the expression is not a call.
///
/// # Safety
/// The expression must be a valid node.
unsafe fn first_argument(expression: *mut pg_sys::Node) -> *mut pg_sys::Node {
    // SAFETY: as the caller vouches; the tag says what a node is.
    unsafe {
        if (*expression).type_ != pg_sys::NodeTag::T_FuncExpr {
            return std::ptr::null_mut();
        }
        let call = expression.cast::<pg_sys::FuncExpr>();
        PgList::<pg_sys::Node>::from_pg((*call).args).head().unwrap_or(std::ptr::null_mut())
    }
}

/// Says whether an expression calls the extension's function for the wanted signature, with the wanted constants. `operator` is
/// another function of the extension: a function of that name that belongs to somebody else makes other signatures.
///
/// # Safety
/// The expression must be a valid node.
unsafe fn makes(expression: *mut pg_sys::Node, operator: pg_sys::Oid, wanted: &Wanted<'_>) -> bool {
    // SAFETY: as the caller vouches; the tag says what a node is.
    unsafe {
        if (*expression).type_ != pg_sys::NodeTag::T_FuncExpr {
            return false;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let extension = |function| pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, function);
        let arguments = PgList::<pg_sys::Node>::from_pg(call.args);
        extension(call.funcid) == extension(operator)
            && text(pg_sys::get_func_name(call.funcid))
                .is_some_and(|name| name.as_bytes() == wanted.function.to_bytes())
            && arguments.len() == 1 + wanted.constants.len()
            && arguments.iter_ptr().skip(1).zip(wanted.constants).all(|(node, constant)| is_constant(node, constant))
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

/// Says whether an expression is the document: the column, the columns in their order as arguments of `neardup.document`, or a
/// call of the function that forms it. An index on anything else, such as the beginning of a text, would miss copies.
///
/// # Safety
/// `node` must be null or valid.
unsafe fn is_document(node: *mut pg_sys::Node, wanted: &Wanted<'_>) -> bool {
    // SAFETY: as the caller vouches; the tag says what a node is.
    unsafe {
        if node.is_null() {
            return false;
        }
        let calls = |function: pg_sys::Oid| {
            (*node).type_ == pg_sys::NodeTag::T_FuncExpr && (*node.cast::<pg_sys::FuncExpr>()).funcid == function
        };
        match (wanted.expression, wanted.columns) {
            (Some(function), _) => calls(function),
            (None, [column]) => is_column(node, *column),
            (None, columns) => {
                let Some(joined) = function(c"neardup", c"document", None) else { return false };
                // The parser passes a variadic function's arguments as one array.
                let array = first_argument(node);
                if !calls(joined) || array.is_null() || (*array).type_ != pg_sys::NodeTag::T_ArrayExpr {
                    return false;
                }
                let parts = PgList::<pg_sys::Node>::from_pg((*array.cast::<pg_sys::ArrayExpr>()).elements);
                parts.len() == columns.len()
                    && parts.iter_ptr().zip(columns).all(|(part, column)| is_column(part, *column))
            }
        }
    }
}

/// Says whether an expression is a column, either unchanged or cast to text.
///
/// # Safety
/// `node` must be valid.
unsafe fn is_column(node: *mut pg_sys::Node, column: i16) -> bool {
    // SAFETY: as the caller vouches; the tag says what a node is.
    unsafe {
        match (*node).type_ {
            pg_sys::NodeTag::T_Var => (*node.cast::<pg_sys::Var>()).varattno == column,
            pg_sys::NodeTag::T_RelabelType => is_column((*node.cast::<pg_sys::RelabelType>()).arg.cast(), column),
            // The cast of type character.
            pg_sys::NodeTag::T_FuncExpr => {
                let call = &*node.cast::<pg_sys::FuncExpr>();
                let is_cast = call.funcformat != pg_sys::CoercionForm::COERCE_EXPLICIT_CALL;
                let argument = first_argument(node);
                is_cast && !argument.is_null() && is_column(argument, column)
            }
            _ => false,
        }
    }
}
