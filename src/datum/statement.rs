//! Which statement is running, how many rows it may write, and when they are all stored.
//!
//! A BEFORE trigger learns none of this from Postgres. Executor hooks tell it; they are set when a guard first fires in a
//! backend, so the statement under way then is known by its portal alone, or not at all.

use std::cell::{Cell, RefCell};

use pgrx::PgList;
use pgrx::pg_sys;
use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::prelude::*;

/// A statement that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// How many statements it stands in, itself included; 0 where that is not known.
    pub depth: usize,
    /// Tells it from other statements of this depth.
    pub serial: u64,
    /// Whether it may write more than one row.
    pub many: bool,
}

/// The statement that was under way when the hooks were set, which they have not seen begin.
#[derive(Default)]
struct First {
    /// Grows when it is through.
    serial: u64,
    /// What has begun since: the first query to end that is not among them is it.
    begun: Vec<*mut pg_sys::QueryDesc>,
}

thread_local! {
    static FIRST: RefCell<First> = const { RefCell::new(First { serial: 0, begun: Vec::new() }) };
    static RUNNING: RefCell<Vec<Statement>> = const { RefCell::new(Vec::new()) };
    static SERIAL: Cell<u64> = const { Cell::new(0) };
    static STORED: Cell<Option<fn()>> = const { Cell::new(None) };
    static ENDED: Cell<Option<fn()>> = const { Cell::new(None) };
    static RUN: Cell<pg_sys::ExecutorRun_hook_type> = const { Cell::new(None) };
    static FINISH: Cell<pg_sys::ExecutorFinish_hook_type> = const { Cell::new(None) };
    static UTILITY: Cell<pg_sys::ProcessUtility_hook_type> = const { Cell::new(None) };
}

/// The innermost statement that runs now.
pub fn current() -> Statement {
    RUNNING.with_borrow(|running| running.last().copied()).unwrap_or_else(|| {
        // SAFETY: the active portal is null or valid, and its statements are read only.
        let many = unsafe { pg_sys::ActivePortal.as_ref().and_then(|portal| writes_many(portal.stmts)) };
        Statement { depth: 0, serial: FIRST.with_borrow(|first| first.serial), many: many.unwrap_or(true) }
    })
}

/// Whether a statement still runs; a COPY that was under way when the hooks were set does so to the end of its transaction.
pub fn is_running(statement: Statement) -> bool {
    RUNNING.with_borrow(|running| match statement.depth.checked_sub(1) {
        Some(place) => running.get(place).is_some_and(|other| other.serial == statement.serial),
        None => FIRST.with_borrow(|first| first.serial == statement.serial),
    })
}

/// Calls `stored` whenever a statement has stored its rows, and `ended` when a transaction has come to its end; to be
/// called once in a backend. Neither may raise an error.
pub fn listen(stored: fn(), ended: fn()) {
    STORED.set(Some(stored));
    ENDED.set(Some(ended));
    // SAFETY: hooks are called by this thread alone; each calls the one it replaces.
    unsafe {
        RUN.set(pg_sys::ExecutorRun_hook);
        FINISH.set(pg_sys::ExecutorFinish_hook);
        UTILITY.set(pg_sys::ProcessUtility_hook);
        pg_sys::ExecutorRun_hook = Some(on_run);
        pg_sys::ExecutorFinish_hook = Some(on_finish);
        pg_sys::ProcessUtility_hook = Some(on_utility);
        pg_sys::RegisterXactCallback(Some(on_end), std::ptr::null_mut());
    }
}

/// Stands for a running statement, until dropped, be it by an error.
struct Frame;

impl Frame {
    fn push(many: bool) -> Self {
        let serial = SERIAL.get() + 1;
        SERIAL.set(serial);
        RUNNING.with_borrow_mut(|running| {
            let depth = running.len() + 1;
            running.push(Statement { depth, serial, many });
        });
        Self
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(Vec::pop);
    }
}

fn stored(frame: Frame) {
    drop(frame);
    if let Some(stored) = STORED.get() {
        stored();
    }
}

/// Whether the first of a portal's statements may write many rows; `None` where that depends on functions it calls.
///
/// # Safety
/// `statements` must be a valid list of planned statements, or null.
unsafe fn writes_many(statements: *mut pg_sys::List) -> Option<bool> {
    // SAFETY: the caller vouches for the list; a portal's statements are PlannedStmts.
    unsafe {
        let statement = PgList::<pg_sys::PlannedStmt>::from_pg(statements).head()?.as_ref()?;
        if statement.commandType == pg_sys::CmdType::CMD_UTILITY {
            return pgrx::is_a(statement.utilityStmt, pg_sys::NodeTag::T_CopyStmt).then_some(true);
        }
        (statement.commandType != pg_sys::CmdType::CMD_SELECT).then(|| plan_writes_many(statement))
    }
}

/// Whether a plan may write more than one row, as far as the planner knows.
fn plan_writes_many(statement: &pg_sys::PlannedStmt) -> bool {
    // SAFETY: a planned statement has a plan tree, and the left child of a ModifyTable is what gives it rows.
    unsafe {
        if !pgrx::is_a(statement.planTree.cast(), pg_sys::NodeTag::T_ModifyTable) || statement.hasModifyingCTE {
            return true;
        }
        (*statement.planTree).lefttree.as_ref().is_none_or(|source| source.plan_rows > 1.0)
    }
}

/// # Safety
/// `query` must be a query that is being executed.
unsafe fn query_writes_many(query: *mut pg_sys::QueryDesc) -> bool {
    // SAFETY: the caller vouches for the query; it has a planned statement.
    unsafe { (*query).plannedstmt.as_ref().is_none_or(plan_writes_many) }
}

#[cfg(not(feature = "pg18"))]
#[pg_guard]
unsafe extern "C-unwind" fn on_run(
    query: *mut pg_sys::QueryDesc,
    direction: pg_sys::ScanDirection::Type,
    count: u64,
    once: bool,
) {
    // SAFETY: Postgres passes the query it runs; the arguments go on as they came.
    run(query, || unsafe {
        match RUN.get() {
            Some(hook) => pg_guard_ffi_boundary(|| hook(query, direction, count, once)),
            None => pg_sys::standard_ExecutorRun(query, direction, count, once),
        }
    });
}

#[cfg(feature = "pg18")]
#[pg_guard]
unsafe extern "C-unwind" fn on_run(query: *mut pg_sys::QueryDesc, direction: pg_sys::ScanDirection::Type, count: u64) {
    // SAFETY: Postgres passes the query it runs; the arguments go on as they came.
    run(query, || unsafe {
        match RUN.get() {
            Some(hook) => pg_guard_ffi_boundary(|| hook(query, direction, count)),
            None => pg_sys::standard_ExecutorRun(query, direction, count),
        }
    });
}

fn run(query: *mut pg_sys::QueryDesc, run: impl FnOnce()) {
    FIRST.with_borrow_mut(|first| {
        if first.serial == 0 {
            first.begun.push(query);
        }
    });
    // SAFETY: the query is the one that Postgres runs.
    let frame = Frame::push(unsafe { query_writes_many(query) });
    run();
    stored(frame);
}

#[pg_guard]
unsafe extern "C-unwind" fn on_finish(query: *mut pg_sys::QueryDesc) {
    let was_first = FIRST.with_borrow_mut(|first| {
        let is_first = first.serial == 0 && !first.begun.contains(&query);
        if is_first {
            *first = First { serial: 1, begun: Vec::new() };
        }
        is_first
    });
    // SAFETY: as above.
    unsafe {
        let frame = Frame::push(query_writes_many(query));
        if was_first && let Some(stored) = STORED.get() {
            stored();
        }
        match FINISH.get() {
            Some(hook) => pg_guard_ffi_boundary(|| hook(query)),
            None => pg_sys::standard_ExecutorFinish(query),
        }
        stored(frame);
    }
}

#[pg_guard]
#[allow(clippy::too_many_arguments, reason = "the hook's type is Postgres's")]
unsafe extern "C-unwind" fn on_utility(
    statement: *mut pg_sys::PlannedStmt,
    text: *const std::ffi::c_char,
    read_only: bool,
    context: pg_sys::ProcessUtilityContext::Type,
    parameters: pg_sys::ParamListInfo,
    environment: *mut pg_sys::QueryEnvironment,
    receiver: *mut pg_sys::DestReceiver,
    completion: *mut pg_sys::QueryCompletion,
) {
    // SAFETY: as above.
    unsafe {
        let frame = Frame::push(true);
        match UTILITY.get() {
            Some(hook) => pg_guard_ffi_boundary(|| {
                hook(statement, text, read_only, context, parameters, environment, receiver, completion);
            }),
            None => pg_sys::standard_ProcessUtility(
                statement,
                text,
                read_only,
                context,
                parameters,
                environment,
                receiver,
                completion,
            ),
        }
        stored(frame);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_end(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    use pg_sys::XactEvent::{XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE};
    if [XACT_EVENT_ABORT, XACT_EVENT_COMMIT, XACT_EVENT_PREPARE].contains(&event)
        && let Some(ended) = ENDED.get()
    {
        FIRST.with_borrow_mut(|first| *first = First { serial: 1, begun: Vec::new() });
        ended();
    }
}
