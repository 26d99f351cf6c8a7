//! The state of an aggregate: a Rust value that lives as long as the aggregation.
//!
//! The aggregate's state type is `internal`, a pointer that SQL cannot create. So only the aggregate's own functions see it. They
//! must agree on the Rust type behind it.

use std::marker::PhantomData;

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::{Internal, PgMemoryContexts, pg_sys};

/// A call of one of an aggregate's functions.
pub struct AggregateCall<'fcx> {
    /// Null outside an aggregate.
    memory: pg_sys::MemoryContext,
    call: PhantomData<&'fcx ()>,
}

// SAFETY: it corresponds to no argument in SQL.
unsafe impl SqlTranslatable for AggregateCall<'_> {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(AggregateCall);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::Skip);
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = Err(ReturnsError::Datum);
}

// SAFETY: it reads the call's context, and no argument.
unsafe impl<'fcx> ArgAbi<'fcx> for AggregateCall<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        // SAFETY: this is the call's own fcinfo, which every function has.
        let fcinfo: pg_sys::FunctionCallInfo = unsafe { arg.unbox_unchecked() };
        let mut memory = std::ptr::null_mut();
        // SAFETY: fcinfo is valid during the call; outside an aggregate the memory stays null.
        unsafe { pg_sys::AggCheckCallContext(fcinfo, &raw mut memory) };
        Self { memory, call: PhantomData }
    }

    fn is_virtual_arg() -> bool {
        true
    }
}

impl AggregateCall<'_> {
    /// Calls `work` with the state, which starts as `None`, and returns the state for the next call.
    pub fn update<T: 'static, E>(
        &self,
        mut state: Internal,
        work: impl FnOnce(&mut Option<T>) -> Result<(), E>,
    ) -> Result<Internal, E> {
        // SAFETY: the aggregate's functions agree on `Option<T>`, and none keeps a reference beyond its call.
        if let Some(kept) = unsafe { state.get_mut::<Option<T>>() } {
            work(kept)?;
            return Ok(state);
        }
        let mut started = None;
        work(&mut started)?;
        let mut memory = if self.memory.is_null() {
            PgMemoryContexts::CurrentMemoryContext
        } else {
            PgMemoryContexts::For(self.memory)
        };
        Ok(Internal::from(Some(pg_sys::Datum::from(memory.leak_and_drop_on_delete(started)))))
    }
}

/// Reads a state; `None` before the first row.
pub fn read<T: 'static>(state: &Internal) -> Option<&T> {
    // SAFETY: as for `update`.
    unsafe { state.get::<Option<T>>() }.and_then(Option::as_ref)
}

/// Makes a state that lives as long as the current row: one that a parallel worker sent and that is combined at once.
pub fn received<T: 'static>(state: T) -> Internal {
    Internal::new(Some(state))
}
