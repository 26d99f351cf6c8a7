//! Expression trees for planner support functions: reads a call and builds its replacement.

use std::ffi::{CStr, CString};
use std::ptr;

use pgrx::pg_sys;

use crate::pg::catalog;

/// A call of one of this extension's functions that the planner asks to simplify.
pub struct Call {
    request: *mut pg_sys::SupportRequestSimplify,
}

/// An expression, allocated in the planner's memory and valid until planning ends.
#[derive(Clone, Copy)]
pub struct Expression(*mut pg_sys::Node);

impl Call {
    /// Takes the call from the argument of a support function; `None` if the planner asks for something else.
    ///
    /// # Safety
    /// `request` must be what Postgres passed to a support function that is running.
    pub unsafe fn from_request(request: *mut pg_sys::Node) -> Option<Self> {
        // SAFETY: a node is guaranteed by the caller; its tag says what it is.
        let simplify = unsafe { !request.is_null() && (*request).type_ == pg_sys::NodeTag::T_SupportRequestSimplify };
        // Outside a query, too: the predicate of an index must be what a condition of a query becomes. No sublinks can be there.
        simplify.then(|| Self { request: request.cast() })
    }

    /// Returns the call's arguments, with defaults filled in; `None` if one is volatile, because it must not run twice.
    pub fn arguments(&self) -> Option<Vec<Expression>> {
        // SAFETY: the request's call and its list of arguments are valid nodes.
        unsafe {
            let list = (*(*self.request).fcall).args;
            let arguments = pgrx::PgList::<pg_sys::Node>::from_pg(list);
            let stable = !pg_sys::contain_volatile_functions(list.cast());
            stable.then(|| arguments.iter_ptr().map(Expression).collect())
        }
    }

    /// Returns a call of the extension's function `name`, in the schema of the function being simplified.
    pub fn function(&self, name: &str, arguments: &[Expression]) -> Option<Expression> {
        // SAFETY: the request's call is valid.
        unsafe { function_of(beside((*(*self.request).fcall).funcid)?, name, arguments) }
    }

    /// Returns a call of one of the functions that only this extension calls.
    pub fn internal_function(&self, name: &str, arguments: &[Expression]) -> Option<Expression> {
        // SAFETY: the arguments are expressions of the running request.
        unsafe { function_of(c"neardup_internal", name, arguments) }
    }

    /// Returns an application of the extension's operator `name`, in the schema of the function being simplified.
    pub fn operator(&self, name: &CStr, left: Expression, right: Expression) -> Option<Expression> {
        // SAFETY: the request's call is valid; the operator takes these types, and is one of conditions.
        unsafe {
            let schema = pg_sys::get_func_namespace((*(*self.request).fcall).funcid);
            let (a, b) = (pg_sys::exprType(left.0), pg_sys::exprType(right.0));
            Some(application(catalog::operator_between(schema, name, [a, b])?, left, right))
        }
    }

    /// Folds constants, and returns the expression to the planner in place of the call.
    pub fn replace(&self, expression: Expression) -> pg_sys::Datum {
        // SAFETY: the planner's state is that of the running request, the expression was built for it.
        let folded = unsafe { pg_sys::eval_const_expressions((*self.request).root, expression.0) };
        pg_sys::Datum::from(folded)
    }
}

/// Returns the name of the schema that a function is in.
///
/// # Safety
/// Only within a transaction.
unsafe fn beside<'c>(function: pg_sys::Oid) -> Option<&'c CStr> {
    // SAFETY: guaranteed by the caller; the name is in the memory of this call.
    unsafe {
        let name = pg_sys::get_namespace_name(pg_sys::get_func_namespace(function));
        (!name.is_null()).then(|| CStr::from_ptr(name))
    }
}

/// Makes a call of a function in one of the extension's schemas, if there is one. Arguments are copied, because the planner may change an
/// expression in place.
///
/// # Safety
/// The arguments must be valid expressions.
unsafe fn function_of(schema: &CStr, name: &str, arguments: &[Expression]) -> Option<Expression> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut types = Vec::with_capacity(arguments.len());
        let mut list = pgrx::PgList::<pg_sys::Node>::new();
        for argument in arguments {
            types.push(pg_sys::exprType(argument.0));
            list.push(pg_sys::copyObjectImpl(argument.0.cast()).cast());
        }
        // By the catalogs alone: a role that may read a view needs no right on the schemas of what the view calls.
        let function = catalog::function(schema, &CString::new(name).ok()?, Some(&types))?;
        // The collation of the document, as the parser would choose it: an index expression matches only with the same
        // collation.
        let collation = arguments.first().map_or(pg_sys::InvalidOid, |document| pg_sys::exprCollation(document.0));
        let call = pg_sys::makeFuncExpr(
            function,
            pg_sys::get_func_rettype(function),
            list.into_pg(),
            pg_sys::InvalidOid,
            collation,
            pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
        );
        Some(Expression(call.cast()))
    }
}

/// # Safety
/// `operator` must take the types of the two expressions and give a boolean.
unsafe fn application(operator: pg_sys::Oid, left: Expression, right: Expression) -> Expression {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let clause = pg_sys::make_opclause(
            operator,
            pg_sys::BOOLOID,
            false,
            left.0.cast(),
            right.0.cast(),
            pg_sys::InvalidOid,
            pg_sys::InvalidOid,
        );
        pg_sys::set_opfuncid(clause.cast());
        Expression(clause.cast())
    }
}

/// The planner's question whether an index can serve a call of one of the extension's functions.
pub struct IndexQuestion {
    request: *mut pg_sys::SupportRequestIndexCondition,
    arguments: Vec<Expression>,
}

impl IndexQuestion {
    /// Takes the question from the argument of a support function; `None` if the planner asks for something else.
    ///
    /// # Safety
    /// `request` must be what Postgres passed to a support function that is running.
    pub unsafe fn from_request(request: *mut pg_sys::Node) -> Option<Self> {
        // SAFETY: a node is guaranteed by the caller; its tag says what it is.
        unsafe {
            if request.is_null() || (*request).type_ != pg_sys::NodeTag::T_SupportRequestIndexCondition {
                return None;
            }
            let request = request.cast::<pg_sys::SupportRequestIndexCondition>();
            if (*(*request).node).type_ != pg_sys::NodeTag::T_FuncExpr {
                return None;
            }
            let call = (*request).node.cast::<pg_sys::FuncExpr>();
            let arguments = pgrx::PgList::<pg_sys::Node>::from_pg((*call).args).iter_ptr().map(Expression).collect();
            Some(Self { request, arguments })
        }
    }

    /// Returns an argument of the call, if it does not depend on the indexed table.
    pub fn argument(&self, i: usize) -> Option<Expression> {
        let argument = *self.arguments.get(i)?;
        // SAFETY: the request is that of the running question.
        let fixed =
            unsafe { pg_sys::is_pseudo_constant_for_index((*self.request).root, argument.0, (*self.request).index) };
        fixed.then_some(argument)
    }

    /// Returns the one of the first two arguments that is not indexed.
    pub fn other_argument(&self) -> Option<Expression> {
        // SAFETY: as above.
        match unsafe { (*self.request).indexarg } {
            0 => self.argument(1),
            1 => self.argument(0),
            _ => None,
        }
    }

    /// Returns a call of the extension's function `name`, in the schema of the function asked about; constants are folded.
    pub fn function(&self, name: &str, arguments: &[Expression]) -> Option<Expression> {
        // SAFETY: as above.
        unsafe {
            let call = function_of(beside((*self.request).funcid)?, name, arguments)?;
            Some(Expression(pg_sys::eval_const_expressions((*self.request).root, call.0)))
        }
    }

    /// Returns the answer: the index's first operator between the indexed argument and `query`; the call itself must still be
    /// checked for each row. `None` if the index's family has no such operator.
    pub fn condition(&self, query: Expression) -> Option<pg_sys::Datum> {
        // SAFETY: as above; the list is in the planner's memory.
        unsafe {
            let indexed = *self.arguments.get(usize::try_from((*self.request).indexarg).ok()?)?;
            let (a, b) = (pg_sys::exprType(indexed.0), pg_sys::exprType(query.0));
            let operator = pg_sys::get_opfamily_member((*self.request).opfamily, a, b, 1);
            if operator == pg_sys::Oid::INVALID {
                return None;
            }
            (*self.request).lossy = true;
            let mut list = pgrx::PgList::<pg_sys::Node>::new();
            list.push(application(operator, indexed, query).0);
            Some(pg_sys::Datum::from(list.into_pg()))
        }
    }
}

impl Expression {
    /// Returns a text constant.
    pub fn text(value: &str) -> Self {
        // SAFETY: a constant of the built-in type, in the planner's memory.
        let constant = unsafe {
            pg_sys::makeConst(
                pg_sys::TEXTOID,
                -1,
                pg_sys::DEFAULT_COLLATION_OID,
                -1,
                pgrx::IntoDatum::into_datum(value).unwrap_or(pg_sys::Datum::null()),
                false,
                false,
            )
        };
        Self(constant.cast())
    }

    /// `a && b` of two integer arrays, by Postgres's own operator.
    pub fn arrays_overlap(a: Self, b: Self) -> Self {
        // SAFETY: the operator takes two arrays of one type.
        unsafe { application(pg_sys::Oid::from(pg_sys::OID_ARRAY_OVERLAP_OP), a, b) }
    }

    /// Returns an integer constant.
    pub fn integer(value: i32) -> Self {
        // SAFETY: a by-value constant of the built-in type, whose length is 4.
        let constant = unsafe {
            pg_sys::makeConst(
                pg_sys::INT4OID,
                -1,
                pg_sys::InvalidOid,
                size_of::<i32>() as i32,
                pg_sys::Datum::from(value),
                false,
                true,
            )
        };
        Self(constant.cast())
    }

    /// Says whether the expression reads a column.
    pub fn has_column(self) -> bool {
        // SAFETY: the expression is a valid node.
        unsafe { pg_sys::contain_var_clause(self.0) }
    }

    /// Joins the conditions by AND.
    pub fn all(conditions: &[Self]) -> Self {
        Self::join(pg_sys::BoolExprType::AND_EXPR, conditions)
    }

    fn join(kind: pg_sys::BoolExprType::Type, conditions: &[Self]) -> Self {
        if let &[only] = conditions {
            return only;
        }
        let mut list = pgrx::PgList::<pg_sys::Node>::new();
        for condition in conditions {
            list.push(condition.0);
        }
        // SAFETY: a list of boolean expressions.
        Self(unsafe { pg_sys::makeBoolExpr(kind, list.into_pg(), -1) }.cast())
    }
}

/// Returns a support function's answer to a question it does not know.
pub fn no_answer() -> pg_sys::Datum {
    pg_sys::Datum::from(ptr::null_mut::<pg_sys::Node>())
}
