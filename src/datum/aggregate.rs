//! State of an aggregate function that lives as long as the aggregation.

use pgrx::{Internal, PgMemoryContexts, pg_sys};

/// Gives the state, made by `make` at the first call, to `work`; `None` outside an aggregate.
///
/// # Safety
/// `state` must be the transition value of one aggregate whose every call uses this `T`, `fcinfo` that of the call.
pub unsafe fn with_state<T, R>(
    state: &mut Internal,
    fcinfo: pg_sys::FunctionCallInfo,
    make: impl FnOnce() -> T,
    work: impl FnOnce(&mut T) -> R,
) -> Option<R> {
    let mut context = std::ptr::null_mut();
    // SAFETY: fcinfo is that of the call.
    if unsafe { pg_sys::AggCheckCallContext(fcinfo, &raw mut context) } == 0 {
        return None;
    }
    if !state.initialized() {
        let made = make();
        // SAFETY: the context is the aggregate's; the value is dropped with it, also after an error.
        unsafe { PgMemoryContexts::For(context).switch_to(|_| state.insert(made)) };
    }
    // SAFETY: by contract, the state is a T, and nobody else has it during the call.
    Some(work(unsafe { state.get_mut::<T>() }?))
}

/// Gives the state at the end to `work`; `None` where there was no row.
///
/// # Safety
/// `state` must be the transition value of an aggregate whose every call uses this `T`.
pub unsafe fn with_last_state<T, R>(state: &Internal, work: impl FnOnce(&T) -> R) -> Option<R> {
    // SAFETY: by contract, the state is a T, and nobody else has it during the call.
    unsafe { state.get::<T>() }.map(work)
}
