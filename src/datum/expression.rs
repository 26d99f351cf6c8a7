//! Expression trees for planner support functions: reads a call, builds what stands for it.

use std::ffi::CString;
use std::ptr;

use pgrx::pg_sys;

/// Postgres's operator family `array_ops` of GIN, whose number is fixed in pg_opfamily.dat.
const GIN_ARRAY_OPS: pg_sys::Oid = pg_sys::Oid::from_u32(2745);

/// A call of one of this extension's functions that the planner asks to simplify.
pub struct Call {
    request: *mut pg_sys::SupportRequestSimplify,
}

/// An expression, allocated in the planner's memory and valid until planning ends.
#[derive(Clone, Copy)]
pub struct Expression(*mut pg_sys::Node);

impl Call {
    /// Takes the call out of the argument of a support function; `None` if the planner asks for something else.
    ///
    /// # Safety
    /// `request` must be what Postgres passed to a support function that is running.
    pub unsafe fn from_request(request: *mut pg_sys::Node) -> Option<Self> {
        // SAFETY: the caller vouches for a node; its tag says what it is.
        let simplify = unsafe { !request.is_null() && (*request).type_ == pg_sys::NodeTag::T_SupportRequestSimplify };
        let call = Self { request: request.cast() };
        // SAFETY: the request is of this type. Outside a query there is no planner state, so sublinks could not be planned.
        (simplify && unsafe { !(*call.request).root.is_null() }).then_some(call)
    }

    /// The call's arguments, defaults filled in; `None` if one is volatile, for it must not run twice.
    pub fn arguments(&self) -> Option<Vec<Expression>> {
        // SAFETY: the request's call and its list of arguments are valid nodes.
        unsafe {
            let list = (*(*self.request).fcall).args;
            let arguments = pgrx::PgList::<pg_sys::Node>::from_pg(list);
            let stable = !pg_sys::contain_volatile_functions(list.cast());
            stable.then(|| arguments.iter_ptr().map(Expression).collect())
        }
    }

    /// `stored && sought` of two integer arrays, by the operator whose estimates fit keys. Where pg_upgrade has left that one out of
    /// the family of the indexes, by Postgres's own, so that they still serve.
    pub fn overlap(&self, stored: Expression, sought: Expression) -> Expression {
        // SAFETY: the name is made here; a missing operator is Postgres's own error. make_opclause gives an OpExpr.
        unsafe {
            let mut qualified = pgrx::PgList::<pg_sys::Node>::new();
            for name in [c"neardup", c"&&"] {
                qualified.push(pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
            }
            let ours = pg_sys::LookupOperName(
                ptr::null_mut(),
                qualified.into_pg(),
                pg_sys::INT4ARRAYOID,
                pg_sys::INT4ARRAYOID,
                false,
                -1,
            );
            let served = pg_sys::op_in_opfamily(ours, GIN_ARRAY_OPS);
            let operator = if served { ours } else { pg_sys::Oid::from(pg_sys::OID_ARRAY_OVERLAP_OP) };
            let clause = pg_sys::make_opclause(
                operator,
                pg_sys::BOOLOID,
                false,
                stored.0.cast(),
                sought.0.cast(),
                pg_sys::InvalidOid,
                pg_sys::InvalidOid,
            );
            pg_sys::set_opfuncid(clause.cast());
            Expression(clause.cast())
        }
    }

    /// A call of the extension's function `name`, which must be in the schema of the function being simplified.
    pub fn function(&self, name: &str, result: pg_sys::Oid, arguments: &[Expression]) -> Expression {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: lists and strings are made here of valid nodes; a missing function is Postgres's own error. Arguments are
        // copied, since the planner may change an expression where it stands.
        unsafe {
            let schema = pg_sys::get_namespace_name(pg_sys::get_func_namespace((*(*self.request).fcall).funcid));
            let mut qualified = pgrx::PgList::<pg_sys::Node>::new();
            qualified.push(pg_sys::makeString(schema).cast());
            qualified.push(pg_sys::makeString(pg_sys::pstrdup(name.as_ptr())).cast());
            let mut types = Vec::with_capacity(arguments.len());
            let mut list = pgrx::PgList::<pg_sys::Node>::new();
            for argument in arguments {
                types.push(pg_sys::exprType(argument.0));
                list.push(pg_sys::copyObjectImpl(argument.0.cast()).cast());
            }
            let function = pg_sys::LookupFuncName(qualified.into_pg(), types.len() as i32, types.as_ptr(), false);
            let call = pg_sys::makeFuncExpr(
                function,
                result,
                list.into_pg(),
                pg_sys::InvalidOid,
                pg_sys::InvalidOid,
                pg_sys::CoercionForm::COERCE_EXPLICIT_CALL,
            );
            Expression(call.cast())
        }
    }

    /// Folds constants and gives the expression to the planner in place of the call.
    pub fn replace(&self, expression: Expression) -> pg_sys::Datum {
        // SAFETY: the planner's state is that of the running request, the expression was built for it.
        let folded = unsafe { pg_sys::eval_const_expressions((*self.request).root, expression.0) };
        pg_sys::Datum::from(folded)
    }
}

impl Expression {
    /// An integer constant.
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

    /// The value of an integer constant; `None` for other expressions and for NULL.
    pub fn as_integer(self) -> Option<i32> {
        constant_integer(self.0)
    }

    /// Whether the expression reads a column.
    pub fn has_column(self) -> bool {
        // SAFETY: the expression is a valid node.
        unsafe { pg_sys::contain_var_clause(self.0) }
    }

    /// All of the conditions.
    pub fn all(conditions: &[Self]) -> Self {
        Self::join(pg_sys::BoolExprType::AND_EXPR, conditions)
    }

    /// Any of the conditions.
    pub fn any(conditions: &[Self]) -> Self {
        Self::join(pg_sys::BoolExprType::OR_EXPR, conditions)
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

/// The value of a node that is an integer constant; `None` for other nodes and for NULL.
pub(super) fn constant_integer(node: *mut pg_sys::Node) -> Option<i32> {
    // SAFETY: only called with valid nodes; the tag says whether it is a constant.
    unsafe {
        let constant = node.cast::<pg_sys::Const>();
        ((*node).type_ == pg_sys::NodeTag::T_Const
            && (*constant).consttype == pg_sys::INT4OID
            && !(*constant).constisnull)
            .then(|| (*constant).constvalue.value() as i32)
    }
}

/// Answers a planner's question for the share of rows that a condition lets through; says whether that was the question.
///
/// # Safety
/// `request` must be what Postgres passed to a support function that is running.
pub unsafe fn answer_selectivity(request: *mut pg_sys::Node, share: f64) -> bool {
    // SAFETY: the caller vouches for a node; its tag says what it is.
    unsafe {
        if request.is_null() || (*request).type_ != pg_sys::NodeTag::T_SupportRequestSelectivity {
            return false;
        }
        (*request.cast::<pg_sys::SupportRequestSelectivity>()).selectivity = share;
    }
    true
}

/// What a support function answers to a question it does not know.
pub fn no_answer() -> pg_sys::Datum {
    pg_sys::Datum::from(ptr::null_mut::<pg_sys::Node>())
}
