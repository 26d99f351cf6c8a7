//! What the arguments of a selectivity estimator say: which function makes the stored keys, how many keys are looked up.

use std::ffi::CStr;

use pgrx::{PgList, pg_sys};

/// The operands of an array operator while the planner estimates it.
pub struct Operands {
    left: *mut pg_sys::Node,
    right: *mut pg_sys::Node,
}

/// A call among the operands: the function's name, and its arguments where they are integer constants.
pub struct Made {
    /// The function's name without its schema.
    pub by: String,
    /// For each argument its value, if it is an integer constant.
    pub of: Vec<Option<i32>>,
}

impl Operands {
    /// Takes the two operands from an estimator's list of arguments.
    ///
    /// # Safety
    /// `arguments` must be the list that Postgres passed to an estimator that is running.
    pub unsafe fn from_list(arguments: *mut pg_sys::List) -> Option<Self> {
        // SAFETY: the caller vouches for a list of nodes.
        let list = unsafe { PgList::<pg_sys::Node>::from_pg(arguments) };
        Some(Self { left: list.get_ptr(0)?, right: list.get_ptr(1)? })
    }

    /// How the left operand is made; `None` unless it is a call.
    pub fn left(&self) -> Option<Made> {
        made(self.left)
    }

    /// How the right operand is made; `None` unless it is a call.
    pub fn right(&self) -> Option<Made> {
        made(self.right)
    }

    /// The number of elements of the right operand, if it is a constant array.
    pub fn constant_length(&self) -> Option<usize> {
        // SAFETY: the operand is a valid node; a constant of this type is an integer array.
        unsafe {
            let constant = self.right.cast::<pg_sys::Const>();
            if (*self.right).type_ != pg_sys::NodeTag::T_Const
                || (*constant).consttype != pg_sys::INT4ARRAYOID
                || (*constant).constisnull
            {
                return None;
            }
            let array: pgrx::Array<'_, i32> = pgrx::FromDatum::from_datum((*constant).constvalue, false)?;
            Some(array.len())
        }
    }
}

fn made(node: *mut pg_sys::Node) -> Option<Made> {
    // SAFETY: the node is valid; a call has a list of arguments, and a name unless it was dropped meanwhile.
    unsafe {
        if (*node).type_ != pg_sys::NodeTag::T_FuncExpr {
            return None;
        }
        let call = node.cast::<pg_sys::FuncExpr>();
        let name = pg_sys::get_func_name((*call).funcid);
        if name.is_null() {
            return None;
        }
        let arguments = PgList::<pg_sys::Node>::from_pg((*call).args);
        let of = arguments.iter_ptr().map(super::expression::constant_integer).collect();
        Some(Made { by: CStr::from_ptr(name).to_string_lossy().into_owned(), of })
    }
}

/// What Postgres's own estimator says of `stored && constant`, where ANALYZE found keys that many rows share.
///
/// `None` without such statistics: Postgres would then take each key to be in 0.5 % of the rows.
///
/// # Safety
/// The arguments must be those that Postgres passed to a restriction estimator that is running.
pub unsafe fn from_statistics(
    root: *mut pg_sys::PlannerInfo,
    arguments: *mut pg_sys::List,
    relation: i32,
) -> Option<f64> {
    let mut variable = pg_sys::VariableStatData::default();
    let (mut other, mut on_left) = (std::ptr::null_mut(), false);
    // SAFETY: the caller vouches for the arguments; what is found is released here.
    unsafe {
        let found = pg_sys::get_restriction_variable(
            root,
            arguments,
            relation,
            &raw mut variable,
            &raw mut other,
            &raw mut on_left,
        );
        if !found {
            return None;
        }
        let mut known = false;
        if !variable.statsTuple.is_null() {
            let mut slot = pg_sys::AttStatsSlot::default();
            let kind = pg_sys::STATISTIC_KIND_MCELEM as i32;
            known = pg_sys::get_attstatsslot(&raw mut slot, variable.statsTuple, kind, pg_sys::InvalidOid, 0);
            pg_sys::free_attstatsslot(&raw mut slot);
            if let Some(release) = variable.freefunc {
                release(variable.statsTuple);
            }
        }
        known.then(|| {
            let share = pg_sys::OidFunctionCall4Coll(
                pg_sys::Oid::from(pg_sys::F_ARRAYCONTSEL),
                pg_sys::InvalidOid,
                pg_sys::Datum::from(root),
                pg_sys::Datum::from(pg_sys::OID_ARRAY_OVERLAP_OP),
                pg_sys::Datum::from(arguments),
                pg_sys::Datum::from(relation),
            );
            f64::from_bits(share.value() as u64)
        })
    }
}
