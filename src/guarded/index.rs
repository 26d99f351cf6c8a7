//! The index that finds candidates: on the signature of the document, made by the extension's own function with the guard's settings.
//!
//! An index on anything else, such as the beginning of a text, would miss copies, so the expression is compared node by node.
#![allow(unsafe_code, reason = "reads the expressions of indexes")]

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

use super::settings::{Method, Settings};
use crate::pg::call::trigger::is_text;
use crate::pg::catalog::{self, function};

/// An index that a guard can search, and how.
#[derive(Clone, Copy, Debug)]
pub struct GuardIndex {
    pub index: pg_sys::Oid,
    /// The number of the operator in the index's family.
    pub strategy: u16,
    /// The function behind it.
    pub function: pg_sys::Oid,
}

/// What the first key of such an index must be: a call that makes a signature.
struct Wanted<'w> {
    /// The access method that the index must have, if not any does.
    method: Option<&'w CStr>,
    /// A function whose two arguments are of the types of the operator: the stored signature and the query.
    operator: &'w CStr,
    /// The name of the extension's function that makes the signature.
    function: &'w CStr,
    /// The constants of the call after its document: texts and integers, in their order.
    constants: &'w [Constant<'w>],
    /// The document's columns in the table; empty if a function forms the document from the whole row.
    columns: &'w [i16],
    /// That function.
    expression: Option<pg_sys::Oid>,
}

/// An argument of a call that makes a signature.
enum Constant<'c> {
    /// Of type text.
    Text(&'c str),
    /// Of type integer.
    Integer(i32),
}

/// Returns the index of a table that finds candidates, if there is one: on the signature of the document's columns, or on the
/// signature of what a function makes of the row.
pub fn index_of(
    table: pg_sys::Oid,
    settings: &Settings,
    columns: &[i16],
    expression: Option<pg_sys::Oid>,
) -> Option<GuardIndex> {
    match settings.method {
        Method::Sketch => sketch_index(table, &settings.analyzer, settings.keys, columns, expression),
        Method::SimHash => {
            let constants = [Constant::Text(&settings.analyzer), Constant::Text("count"), Constant::Integer(64)];
            let (operator, function) = (c"simhash_in_ball", c"simhash");
            let wanted = Wanted { method: None, operator, function, constants: &constants, columns, expression };
            find(table, &wanted)
        }
    }
}

/// Returns the index of a table on the sketches of documents.
pub fn sketch_index(
    table: pg_sys::Oid,
    analyzer: &str,
    keys: u32,
    columns: &[i16],
    expression: Option<pg_sys::Oid>,
) -> Option<GuardIndex> {
    let constants = [Constant::Text(analyzer), Constant::Integer(keys as i32)];
    let (operator, function) = (c"sketches_share_key", c"sketch");
    // Of our own access method: a guard reads the last rows of a key, and a list all leaves.
    let method = Some(c"neardup");
    find(table, &Wanted { method, operator, function, constants: &constants, columns, expression })
}

/// Finds an index of a table that serves the wanted operator on the wanted signature, and is valid and not partial. Its expression is read as it was
/// written: Postgres simplifies it for its own use, and runs functions of the owner's for that, but a view over all guards asks here, too.
fn find(table: pg_sys::Oid, wanted: &Wanted<'_>) -> Option<GuardIndex> {
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
                && catalog::predicate_of(index).is_none()
                && first_key(index)
                    .is_some_and(|key| makes(key, operator, wanted) && is_document(first_argument(key), wanted));
            pg_sys::index_close(index, pg_sys::AccessShareLock as i32);
            fits.then_some(GuardIndex { index: oid, strategy: 1, function: operator })
        });
        pg_sys::relation_close(open, pg_sys::AccessShareLock as i32);
        found
    }
}

/// Says whether a name from Postgres is this one.
///
/// # Safety
/// `given` must be null or a C string.
unsafe fn is_named(given: *const std::ffi::c_char, name: &CStr) -> bool {
    // SAFETY: guaranteed by the caller.
    !given.is_null() && unsafe { CStr::from_ptr(given) } == name
}

/// Says whether an index is of an access method.
///
/// # Safety
/// The index must be open.
unsafe fn is_of(index: pg_sys::Relation, method: &CStr) -> bool {
    // SAFETY: guaranteed by the caller; the name is null or a C string in the memory of this call.
    unsafe { is_named(pg_sys::get_am_name((*(*index).rd_rel).relam), method) }
}

/// Returns the expression that is an index's first key; `None` if the key is a plain column.
///
/// # Safety
/// The index must be open.
unsafe fn first_key(index: pg_sys::Relation) -> Option<*mut pg_sys::Node> {
    // SAFETY: guaranteed by the caller; an expression has the column number 0.
    unsafe {
        let columns = (*(*index).rd_index).indkey.values.as_slice(1);
        if columns[0] != 0 {
            return None;
        }
        catalog::expressions_of(index)?.head()
    }
}

/// Returns the first argument of a call; null if the expression is not a call.
///
/// # Safety
/// The expression must be a valid node.
unsafe fn first_argument(expression: *mut pg_sys::Node) -> *mut pg_sys::Node {
    // SAFETY: guaranteed by the caller; the tag says what a node is.
    unsafe {
        if (*expression).type_ != pg_sys::NodeTag::T_FuncExpr {
            return std::ptr::null_mut();
        }
        let call = expression.cast::<pg_sys::FuncExpr>();
        PgList::<pg_sys::Node>::from_pg((*call).args).head().unwrap_or(std::ptr::null_mut())
    }
}

/// Says whether an expression calls the extension's function for the wanted signature, with the wanted constants. `operator` is
/// another function of the extension: a function of that name that belongs to another role makes other signatures.
///
/// # Safety
/// The expression must be a valid node.
unsafe fn makes(expression: *mut pg_sys::Node, operator: pg_sys::Oid, wanted: &Wanted<'_>) -> bool {
    // SAFETY: guaranteed by the caller; the tag says what a node is.
    unsafe {
        if (*expression).type_ != pg_sys::NodeTag::T_FuncExpr {
            return false;
        }
        let call = &*expression.cast::<pg_sys::FuncExpr>();
        let extension = |function| pg_sys::getExtensionOfObject(pg_sys::ProcedureRelationId, function);
        extension(call.funcid) == extension(operator)
            && is_named(pg_sys::get_func_name(call.funcid), wanted.function)
            && catalog::arguments_of(call).is_some_and(|arguments| {
                arguments.len() == 1 + wanted.constants.len()
                    && arguments
                        .iter_ptr()
                        .skip(1)
                        .zip(wanted.constants)
                        .all(|(node, constant)| is_constant(node, constant))
            })
    }
}

/// # Safety
/// `node` must be valid.
unsafe fn is_constant(node: *mut pg_sys::Node, wanted: &Constant<'_>) -> bool {
    // SAFETY: guaranteed by the caller; a constant is read by the type that it says it has, and a text of another type is one.
    unsafe {
        if let (pg_sys::NodeTag::T_RelabelType, Constant::Text(_)) = ((*node).type_, wanted) {
            let label = &*node.cast::<pg_sys::RelabelType>();
            return label.resulttype == pg_sys::TEXTOID && is_constant(label.arg.cast(), wanted);
        }
        if (*node).type_ != pg_sys::NodeTag::T_Const || (*node.cast::<pg_sys::Const>()).constisnull {
            return false;
        }
        let constant = &*node.cast::<pg_sys::Const>();
        match wanted {
            Constant::Integer(value) => {
                constant.consttype == pg_sys::INT4OID && constant.constvalue.value() as i32 == *value
            }
            Constant::Text(value) => {
                is_text(constant.consttype)
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
    // SAFETY: guaranteed by the caller; the tag says what a node is.
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
    // SAFETY: guaranteed by the caller; the tag says what a node is.
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
