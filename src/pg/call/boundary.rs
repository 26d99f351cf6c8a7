//! The boundary between Rust and C functions that run user code: functions, queries, triggers.
//!
//! A Postgres error is a C `longjmp`. It must not jump over Rust frames, and none of its fields may be lost: a user's own SQLSTATE,
//! constraint, table, context. pgrx guards each binding, but copies only some of the fields. That is enough for errors that
//! Postgres itself raises. Around user code, [`catch`] keeps the whole `ErrorData` and unwinds the Rust frames, and [`entry`], at
//! the outermost frame, rethrows it unchanged.
//!
//! Functions that may run user code are declared in [`raw`], without pgrx's guard, and called only inside [`catch`]. The check
//! `boundary` of the test suite finds declarations and calls elsewhere.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use cee_scape::call_with_sigsetjmp;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::pgrx_extern_c_guard;

use crate::pg::compat;

/// Postgres's window object, of which only pointers are used.
#[repr(C)]
pub struct WindowObjectData {
    _opaque: [u8; 0],
}

/// The window object of a call.
pub type WindowObject = *mut WindowObjectData;

/// Keeps Rust from adding a backtrace to the DETAIL of errors where the server's environment has `RUST_BACKTRACE`: pgrx's panic hook
/// captures one for each error, also for a cancel. Rust reads the environment at the first capture in a library, and remembers it.
pub fn capture_no_backtraces() {
    const SETTING: &str = "RUST_LIB_BACKTRACE";
    let before = std::env::var_os(SETTING);
    // SAFETY: a server process has one thread. The setting is put back, for other libraries.
    unsafe {
        std::env::set_var(SETTING, "0");
        drop(std::backtrace::Backtrace::capture());
        match before {
            Some(before) => std::env::set_var(SETTING, before),
            None => std::env::remove_var(SETTING),
        }
    }
}

/// Postgres functions without pgrx's guard, to be called inside [`catch`].
pub mod raw {
    use std::ffi::{c_char, c_int, c_long};

    use pgrx::pg_sys;

    use super::WindowObject;

    // SAFETY: the declarations of the headers named, unchanged from PostgreSQL 15 to 18.
    unsafe extern "C-unwind" {
        // executor/spi.h
        pub fn SPI_prepare(source: *const c_char, nargs: c_int, types: *mut pg_sys::Oid) -> pg_sys::SPIPlanPtr;
        pub fn SPI_cursor_open(
            name: *const c_char,
            plan: pg_sys::SPIPlanPtr,
            values: *mut pg_sys::Datum,
            nulls: *const c_char,
            read_only: bool,
        ) -> pg_sys::Portal;
        pub fn SPI_cursor_fetch(portal: pg_sys::Portal, forward: bool, count: c_long);
        pub fn SPI_cursor_close(portal: pg_sys::Portal);
        pub fn SPI_execute_with_args(
            source: *const c_char,
            nargs: c_int,
            types: *mut pg_sys::Oid,
            values: *mut pg_sys::Datum,
            nulls: *const c_char,
            read_only: bool,
            count: c_long,
        ) -> c_int;
        pub fn SPI_execute_plan(
            plan: pg_sys::SPIPlanPtr,
            values: *mut pg_sys::Datum,
            nulls: *const c_char,
            read_only: bool,
            count: c_long,
        ) -> c_int;
        // utils/datum.h
        pub fn datumCopy(value: pg_sys::Datum, by_value: bool, length: c_int) -> pg_sys::Datum;
        pub fn datum_image_eq(a: pg_sys::Datum, b: pg_sys::Datum, by_value: bool, length: c_int) -> bool;
        // fmgr.h
        pub fn pg_detoast_datum(value: *mut pg_sys::varlena) -> *mut pg_sys::varlena;
        pub fn FunctionCall1Coll(
            function: *mut pg_sys::FmgrInfo,
            collation: pg_sys::Oid,
            a: pg_sys::Datum,
        ) -> pg_sys::Datum;
        pub fn FunctionCall2Coll(
            function: *mut pg_sys::FmgrInfo,
            collation: pg_sys::Oid,
            a: pg_sys::Datum,
            b: pg_sys::Datum,
        ) -> pg_sys::Datum;
        pub fn OidOutputFunctionCall(function: pg_sys::Oid, value: pg_sys::Datum) -> *mut c_char;
        pub fn OidInputFunctionCall(
            function: pg_sys::Oid,
            text: *mut c_char,
            parameter: pg_sys::Oid,
            modifier: i32,
        ) -> pg_sys::Datum;
        // access/parallel.h
        pub fn WaitForParallelWorkersToFinish(context: *mut pg_sys::ParallelContext);
        // catalog/index.h
        pub fn FormIndexDatum(
            info: *mut pg_sys::IndexInfo,
            slot: *mut pg_sys::TupleTableSlot,
            state: *mut pg_sys::EState,
            values: *mut pg_sys::Datum,
            nulls: *mut bool,
        );
        // catalog/partition.h
        pub fn get_partition_ancestors(table: pg_sys::Oid) -> *mut pg_sys::List;
        // catalog/pg_inherits.h
        pub fn find_all_inheritors(
            relation: pg_sys::Oid,
            lock: pg_sys::LOCKMODE,
            parents: *mut *mut pg_sys::List,
        ) -> *mut pg_sys::List;
        pub fn has_subclass(relation: pg_sys::Oid) -> bool;
        // commands/sequence.h
        pub fn nextval_internal(relation: pg_sys::Oid, check_permissions: bool) -> i64;
        // windowapi.h
        pub fn WinGetPartitionLocalMemory(window: WindowObject, size: pg_sys::Size) -> *mut std::ffi::c_void;
        pub fn WinGetCurrentPosition(window: WindowObject) -> i64;
        pub fn WinGetPartitionRowCount(window: WindowObject) -> i64;
        pub fn WinGetFuncArgInPartition(
            window: WindowObject,
            argument: c_int,
            position: c_int,
            seek: c_int,
            set_mark: bool,
            is_null: *mut bool,
            is_out: *mut bool,
        ) -> pg_sys::Datum;
        pub fn WinGetFuncArgCurrent(window: WindowObject, argument: c_int, is_null: *mut bool) -> pg_sys::Datum;
        // optimizer/optimizer.h
        pub fn eval_const_expressions(root: *mut pg_sys::PlannerInfo, node: *mut pg_sys::Node) -> *mut pg_sys::Node;
        // storage/predicate.h
        pub fn PredicateLockRelation(relation: pg_sys::Relation, snapshot: pg_sys::Snapshot);
        // storage/shm_mq.h
        pub fn shm_mq_send(
            queue: *mut pg_sys::shm_mq_handle,
            bytes: pg_sys::Size,
            data: *const std::ffi::c_void,
            nowait: bool,
            force_flush: bool,
        ) -> pg_sys::shm_mq_result::Type;
        pub fn shm_mq_receive(
            queue: *mut pg_sys::shm_mq_handle,
            bytes: *mut pg_sys::Size,
            data: *mut *mut std::ffi::c_void,
            nowait: bool,
        ) -> pg_sys::shm_mq_result::Type;
        // storage/buffile.h
        pub fn BufFileCreateTemp(across_transactions: bool) -> *mut pg_sys::BufFile;
        pub fn BufFileWrite(file: *mut pg_sys::BufFile, bytes: *const std::ffi::c_void, size: usize);
        pub fn BufFileSeek(file: *mut pg_sys::BufFile, segment: c_int, offset: i64, whence: c_int) -> c_int;
        pub fn BufFileRead(file: *mut pg_sys::BufFile, buffer: *mut std::ffi::c_void, size: usize) -> usize;
        pub fn BufFileClose(file: *mut pg_sys::BufFile);
        // miscadmin.h
        pub fn ProcessInterrupts();
        // utils/elog.h
        pub fn ThrowErrorData(error: *mut pg_sys::ErrorData);
        pub(in crate::pg) fn ReThrowError(error: *mut pg_sys::ErrorData) -> !;
    }
}

/// Whether the next frame that an error meets is that of [`entry`], with no C code before it.
static IS_DIRECT: AtomicBool = AtomicBool::new(false);

/// Lets Postgres cancel, if that is pending. An error of a parallel worker, which may come from foreign code, keeps all its fields: where it would
/// have to pass C code and pgrx's guard, as in a function of an index expression, it is left to that code, which checks between two rows.
pub fn check_for_interrupts() {
    // SAFETY: flags of this process. The frame of `entry` is above if `IS_DIRECT` says so.
    unsafe {
        if pg_sys::InterruptPending != 0 && pg_sys::IsInParallelMode() {
            let is_cancelled = pg_sys::QueryCancelPending != 0 || pg_sys::ProcDiePending != 0;
            if IS_DIRECT.load(Ordering::Relaxed) {
                catch(|| raw::ProcessInterrupts());
            } else if compat::has_parallel_message() && !is_cancelled {
                return;
            }
        }
    }
    pgrx::check_for_interrupts!();
}

/// A Postgres error on its way through Rust frames. Its data live as long as the subtransaction that it will abort.
struct Raised(*mut pg_sys::ErrorData);

// SAFETY: a backend has one thread, which both throws and catches it; `resume_unwind` requires the bound all the same.
unsafe impl Send for Raised {}

/// Calls C code that may run foreign code. A Postgres error in it unwinds the Rust frames up to [`entry`]. The current memory context stays the same.
///
/// # Safety
/// `call` must only call C functions: it must hold no value with a destructor, and must not panic. One of the frames above must
/// be that of [`entry`].
pub unsafe fn catch<T>(call: impl FnOnce() -> T) -> T {
    let mut result = MaybeUninit::uninit();
    let is_direct = IS_DIRECT.swap(false, Ordering::Relaxed);
    // SAFETY: this does what PG_TRY does: the jump buffer is installed while the call runs, and the previous one is restored on
    // both ways out. The closure holds nothing that a jump would skip: the caller guarantees that.
    let jumped = unsafe {
        let memory = pg_sys::CurrentMemoryContext;
        let exception_stack = pg_sys::PG_exception_stack;
        let context_stack = pg_sys::error_context_stack;
        let jumped = call_with_sigsetjmp(false, |buffer| {
            pg_sys::PG_exception_stack = std::ptr::from_ref(buffer).cast_mut().cast();
            result.write(call());
            0
        });
        pg_sys::PG_exception_stack = exception_stack;
        pg_sys::error_context_stack = context_stack;
        // Also without an error: SPI leaves its own as the current one, where what the caller allocates would stay until SPI is finished.
        pg_sys::CurrentMemoryContext = memory;
        jumped
    };
    IS_DIRECT.store(is_direct, Ordering::Relaxed);
    if jumped == 0 {
        // SAFETY: the call has returned, and its result was written.
        return unsafe { result.assume_init() };
    }
    // SAFETY: an error is on Postgres's error stack. Its copy lives until the end of the subtransaction, which the error will
    // abort.
    let error = unsafe {
        let memory = pg_sys::MemoryContextSwitchTo(pg_sys::CurTransactionContext);
        let error = pg_sys::CopyErrorData();
        pg_sys::MemoryContextSwitchTo(memory);
        pg_sys::FlushErrorState();
        error
    };
    resume_unwind(Box::new(Raised(error)))
}

/// Runs the outermost Rust frame of a call from Postgres. An error that [`catch`] has kept leaves it with all its fields, any
/// other error as pgrx reports it.
///
/// # Safety
/// The caller must be an `extern "C-unwind"` function, or one that pgrx has wrapped, and its frame must have nothing with a
/// destructor.
pub unsafe fn entry<T>(work: impl FnOnce() -> T) -> T {
    let is_direct = IS_DIRECT.swap(true, Ordering::Relaxed);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    IS_DIRECT.store(is_direct, Ordering::Relaxed);
    match outcome {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Raised>() {
            Ok(raised) => {
                let error = raised.0;
                drop(raised);
                // SAFETY: the error was copied by `catch`; nothing in this frame is left to be dropped.
                unsafe { raw::ReThrowError(error) }
            }
            // SAFETY: guaranteed by the caller.
            Err(payload) => unsafe { pgrx_extern_c_guard(|| resume_unwind(payload)) },
        },
    }
}
