//! `amvalidate`: whether an operator class is one that the access method can serve. `SELECT amvalidate(oid) FROM pg_opclass` calls it.
//!
//! The support function says the kind of signature; the kind says the type of the column, the operators and their types. Scans read
//! the arguments of operators by these types without a further check, so a class with other types must not be used.
#![allow(unsafe_code, reason = "reads rows of catalogs in Postgres's caches")]

use std::ffi::{CStr, c_char};

use pgrx::pg_sys;
use pgrx::prelude::*;

use super::kind::{KIND_FUNCTION, Kind};
use crate::pg::call::boundary;

/// An operator that classes of a kind have.
struct Operator {
    strategy: i16,
    /// The name of the type of the right operand.
    right: &'static CStr,
    result: pg_sys::Oid,
    /// The B-tree family that sorts the result, for an operator of an ORDER BY.
    sorted_by: Option<pg_sys::Oid>,
}

/// What classes of a kind are.
struct Rules {
    /// The name of the type of the column, which is also that of the left operands.
    column: &'static CStr,
    operators: &'static [Operator],
}

const SKETCH: Rules = Rules {
    column: c"minhash",
    operators: &[Operator { strategy: 1, right: c"minhash", result: pg_sys::BOOLOID, sorted_by: None }],
};
const SIMHASH: Rules = Rules {
    column: c"simhash",
    operators: &[
        Operator { strategy: 1, right: c"hamming_ball", result: pg_sys::BOOLOID, sorted_by: None },
        Operator {
            strategy: 2,
            right: c"simhash",
            result: pg_sys::INT4OID,
            sorted_by: Some(pg_sys::INTEGER_BTREE_FAM_OID),
        },
    ],
};

/// Gives the rules for a kind.
fn rules(kind: Kind) -> Rules {
    match kind {
        Kind::Sketch => SKETCH,
        Kind::SimHash => SIMHASH,
    }
}

/// Whether a column of this type has signatures of a kind.
pub(super) fn is_of(kind: Kind, column: pg_sys::Oid) -> bool {
    is_ours(column, rules(kind).column)
}

/// `AMOP_ORDER`.
const FOR_ORDER: c_char = b'o' as c_char;

/// `amvalidate`.
pub(super) unsafe extern "C-unwind" fn validate(class: pg_sys::Oid) -> bool {
    // SAFETY: this is the outermost frame.
    unsafe { boundary::entry(|| Class::read(class).is_some_and(|class| class.is_valid())) }
}

/// An operator class and its family.
struct Class {
    family: pg_sys::Oid,
    name: String,
    column: pg_sys::Oid,
}

impl Class {
    fn read(class: pg_sys::Oid) -> Option<Self> {
        // SAFETY: the row is copied before it is released.
        unsafe {
            let row = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::CLAOID as i32, class.into());
            let form = form_of::<pg_sys::FormData_pg_opclass>(row)?;
            let name = CStr::from_ptr(form.opcname.data.as_ptr()).to_string_lossy().into_owned();
            let class = Self { family: form.opcfamily, name, column: form.opcintype };
            pg_sys::ReleaseSysCache(row);
            Some(class)
        }
    }

    /// Reports a fault, as Postgres's own validators do.
    fn fault(&self, what: &str) {
        ereport!(
            PgLogLevel::INFO,
            PgSqlErrorCode::ERRCODE_INVALID_OBJECT_DEFINITION,
            format!("operator class \"{}\" of access method neardup {what}", self.name)
        );
    }

    fn is_valid(&self) -> bool {
        let Some(rules) = self.rules() else { return false };
        let mut is_valid = self.expect(is_ours(self.column, rules.column), || {
            format!("has data type {}, which its support function is not for", type_name(self.column))
        });
        let mut seen = Vec::new();
        let operators = members(pg_sys::SysCacheIdentifier::AMOPSTRATEGY, self.family);
        for operator in operators.into_iter().filter(|o: &pg_sys::FormData_pg_amop| o.amoplefttype == self.column) {
            let number = operator.amopstrategy;
            let name = operator_name(operator.amopopr);
            let Some(rule) = rules.operators.iter().find(|rule| rule.strategy == number) else {
                is_valid =
                    self.expect(false, || format!("contains operator {name} with invalid strategy number {number}"));
                continue;
            };
            seen.push(number);
            // SAFETY: reads a catalog.
            let result = unsafe { pg_sys::get_op_rettype(operator.amopopr) };
            let has_types = is_ours(operator.amoprighttype, rule.right) && result == rule.result;
            is_valid &= self.expect(has_types, || format!("contains operator {name} with wrong types"));
            let sorted_by = (operator.amoppurpose == FOR_ORDER).then_some(operator.amopsortfamily);
            is_valid &= self.expect(sorted_by == rule.sorted_by, || match rule.sorted_by {
                Some(_) => format!("contains operator {name}, which is not FOR ORDER BY pg_catalog.integer_ops"),
                None => format!("contains operator {name}, which cannot be FOR ORDER BY"),
            });
        }
        for rule in rules.operators.iter().filter(|rule| !seen.contains(&rule.strategy)) {
            is_valid = self.expect(false, || format!("lacks the operator with strategy number {}", rule.strategy));
        }
        is_valid
    }

    /// The rules for the kind of signature that the support function names; `None` if there is no such function.
    fn rules(&self) -> Option<Rules> {
        let mut kind = None;
        let mut is_valid = true;
        let functions = members(pg_sys::SysCacheIdentifier::AMPROCNUM, self.family);
        for function in functions.into_iter().filter(|f: &pg_sys::FormData_pg_amproc| f.amproclefttype == self.column) {
            let (number, name) = (function.amprocnum, function_name(function.amproc));
            if u16::try_from(number) != Ok(KIND_FUNCTION) {
                is_valid =
                    self.expect(false, || format!("contains function {name} with invalid support number {number}"));
            } else if function.amprocrighttype != self.column || !gives_number(function.amproc) {
                is_valid = self.expect(false, || format!("contains function {name} with wrong signature"));
            } else {
                // SAFETY: it has no arguments, and only a superuser makes operator classes.
                let number = unsafe { pg_sys::OidFunctionCall0Coll(function.amproc, pg_sys::Oid::INVALID) }.value();
                kind = u8::try_from(number).ok().and_then(Kind::of_number);
                is_valid &= self
                    .expect(kind.is_some(), || format!("contains function {name}, which names no kind of signature"));
            }
        }
        match kind {
            None if is_valid => {
                self.fault(&format!("lacks support function {KIND_FUNCTION}"));
                None
            }
            Some(kind) if is_valid => Some(rules(kind)),
            _ => None,
        }
    }

    fn expect(&self, holds: bool, otherwise: impl FnOnce() -> String) -> bool {
        if !holds {
            self.fault(&otherwise());
        }
        holds
    }
}

/// The fixed part of a catalog's row.
///
/// # Safety
/// `row` must be null or a row of the catalog that `T` describes.
unsafe fn form_of<'r, T>(row: pg_sys::HeapTuple) -> Option<&'r T> {
    // SAFETY: as the caller vouches; GETSTRUCT.
    unsafe { row.as_ref().and_then(|row| pg_sys::GETSTRUCT(std::ptr::from_ref(row).cast_mut()).cast::<T>().as_ref()) }
}

/// The operators or functions of a family: `T` describes the rows of the cache.
fn members<T: Copy>(cache: pg_sys::SysCacheIdentifier::Type, family: pg_sys::Oid) -> Vec<T> {
    let none = pg_sys::Datum::null();
    // SAFETY: the list has as many members as it says; their rows are copied before it is released. Both callers name the cache that
    // belongs to `T`.
    unsafe {
        let list = pg_sys::SearchSysCacheList(cache as i32, 1, family.into(), none, none);
        let count = usize::try_from((*list).n_members).unwrap_or(0);
        let rows = (*list).members.as_slice(count).iter();
        let copies = rows.filter_map(|member| form_of::<T>(&raw mut (**member).tuple).copied()).collect();
        pg_sys::ReleaseCatCacheList(list);
        copies
    }
}

/// Whether a type is the extension's own of this name.
fn is_ours(oid: pg_sys::Oid, name: &CStr) -> bool {
    // SAFETY: reads catalogs; the row is used before it is released.
    unsafe {
        let extension = pg_sys::get_extension_oid(c"pg_neardup".as_ptr(), true);
        if pg_sys::getExtensionOfObject(pg_sys::TypeRelationId, oid) != extension {
            return false;
        }
        let row = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, oid.into());
        let Some(form) = form_of::<pg_sys::FormData_pg_type>(row) else { return false };
        let is_name = CStr::from_ptr(form.typname.data.as_ptr()) == name;
        pg_sys::ReleaseSysCache(row);
        is_name
    }
}

/// Whether a function has no arguments and returns an integer.
fn gives_number(function: pg_sys::Oid) -> bool {
    let (mut arguments, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: reads a catalog; the answers are allocated in the memory of the call.
    let result = unsafe { pg_sys::get_func_signature(function, &raw mut arguments, &raw mut count) };
    result == pg_sys::INT4OID && count == 0
}

fn text_of(text: *mut c_char) -> String {
    // SAFETY: a C string in the memory of the call.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn operator_name(operator: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    text_of(unsafe { pg_sys::format_operator(operator) })
}

fn function_name(function: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    text_of(unsafe { pg_sys::format_procedure(function) })
}

fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: reads a catalog.
    text_of(unsafe { pg_sys::format_type_be(oid) })
}
