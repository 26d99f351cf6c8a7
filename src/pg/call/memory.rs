//! Out of memory: ends the session with SQLSTATE 53200, and only that session.
//!
//! Rust aborts the process when an allocation fails. If a backend aborts, Postgres restarts the whole server, because it must
//! assume that its shared memory is damaged. So this allocator is the system's own, with one difference: where that returns a null
//! pointer, the backend exits in order, by FATAL. An ERROR, as Postgres's own allocator raises, would have to unwind out of the
//! allocator, which Rust does not allow; or it would jump over frames that own memory, which the session would then leak.
//!
//! Where one request can be so large that it is likely to fail, [`claim`] asks first and lets the caller raise an ordinary error.

use pgrx::PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

struct Memory;

// Unit tests run without Postgres, whose functions `exhausted` calls.
#[cfg_attr(not(test), global_allocator)]
#[cfg_attr(test, expect(dead_code, reason = "see above"))]
static MEMORY: Memory = Memory;

// SAFETY: every call goes to the system's allocator with the arguments that the caller guarantees, and its result is returned
// unchanged. No null pointer is returned, because `exhausted` does not return and does not unwind.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System::alloc`.
        present(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System::alloc_zeroed`.
        present(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System::realloc`.
        present(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are those of `System::dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn present(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() { exhausted(size) } else { block }
}

// Postgres's own functions that raise an error, which pgrx does not export: its macros allocate.
unsafe extern "C-unwind" {
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errcode(code: c_int) -> c_int;
    fn errmsg(format: *const c_char, ...) -> c_int;
    fn errdetail(format: *const c_char, ...) -> c_int;
    fn geterrcode() -> c_int;
    fn errhint(format: *const c_char, ...) -> c_int;
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}

const HINT: &CStr =
    c"The session ends, the server goes on. Work on fewer rows or shorter texts at a time, or give the server more memory.";

/// Memory that is released when memory has run out, so that error handling has some. It is never touched, so it takes only
/// address space.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
const RESERVED: Layout = Layout::new::<[u8; 1 << 20]>();

/// Makes Postgres call [`on_error`] for each error until it is back at the top level. Its `previous` is null, because it is at
/// the bottom of the list.
static mut AT_THE_BOTTOM: pg_sys::ErrorContextCallback = pg_sys::ErrorContextCallback {
    previous: std::ptr::null_mut(),
    callback: Some(on_error),
    arg: std::ptr::null_mut(),
};

/// Prepares for an out-of-memory error that Postgres raises during our work. pgrx copies each error before it passes it on; if
/// there is no memory for the copy, it raises the next error, over and over, which ends in a PANIC and takes the server down.
/// So a reserve is released as soon as the error is raised. Called from each check for interrupts.
///
/// A callback of the error context is the only point between raising and copying that Postgres (15 to 18, `errfinish`) opens to
/// an extension: `emit_log_hook` comes after the copy, if at all. Why it is sound at the bottom of that list:
///
/// - The list may be changed in this way. Code that adds a callback keeps the head that it found, and restores it; `PG_TRY`, and
///   pgrx around each call into Postgres, do the same after an error. So a list that ends in ours continues to do so or, if the
///   restored head is null, loses ours until the next check. Ours is a static without a next one: no list becomes a circle, and
///   no frame has to be alive for it. Libraries are never unloaded.
/// - Nothing walks dead frames. This is called from our own code, outside calls into Postgres, and pgrx has restored the head
///   to what it was before the last of them, also if that failed.
/// - `free` is not re-entered. Out-of-memory errors are raised after `malloc` has returned null, and never from a signal
///   handler: what Postgres raises there (`quickdie`, floating-point exceptions) has other codes, for which only the code is
///   read.
/// - It raises nothing, unwinds nothing and allocates nothing: `geterrcode` reads the report that is being made, within
///   `errfinish`.
/// - It does nothing for any other error, and acts for one error: the reserve is allocated again at the next check.
pub fn keep_reserve() {
    // SAFETY: we are in a backend's only thread. The list of callbacks is Postgres's; each is alive as long as it is in the
    // list, which ends with null. Ours lives for ever. Code that takes a callback off the list continues with its previous one,
    // whatever that is.
    unsafe {
        let ours = &raw mut AT_THE_BOTTOM;
        let mut link = &raw mut pg_sys::error_context_stack;
        while !(*link).is_null() && *link != ours {
            link = &raw mut (**link).previous;
        }
        *link = ours;
    }
    if RESERVE.load(Ordering::Relaxed).is_null() {
        // SAFETY: the layout is not empty.
        RESERVE.store(unsafe { System.alloc(RESERVED) }, Ordering::Relaxed);
    }
}

fn give_reserve_back() {
    let reserve = RESERVE.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and the thread that swaps it out has it alone.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
}

/// Called by Postgres while it makes an error's report. It calls nothing that could raise another error.
unsafe extern "C-unwind" fn on_error(_: *mut c_void) {
    // SAFETY: at this point the code may be asked for.
    if unsafe { geterrcode() } == ERRCODE_OUT_OF_MEMORY as c_int {
        give_reserve_back();
    }
}

/// Ends this backend with FATAL 53200.
#[cold]
fn exhausted(size: usize) -> ! {
    give_reserve_back();
    static LEAVING: AtomicBool = AtomicBool::new(false);
    if !LEAVING.swap(true, Ordering::Relaxed) {
        // SAFETY: we are in a backend's only thread, where these may be called at any time; the formats fit their arguments,
        // which live to the end. FATAL does not return and unwinds nothing: it runs Postgres's exit callbacks and ends the
        // process.
        unsafe {
            if errstart(pg_sys::FATAL as c_int, std::ptr::null()) {
                errcode(ERRCODE_OUT_OF_MEMORY as c_int);
                errmsg(c"out of memory".as_ptr());
                errdetail(c"pg_neardup failed on a request of %zu bytes.".as_ptr(), size);
                errhint(c"%s".as_ptr(), HINT.as_ptr());
                errfinish(c"memory.rs".as_ptr(), line!() as c_int, c"exhausted".as_ptr());
            }
        }
    }
    // Memory ran out again during the exit.
    std::process::abort()
}

/// Fails with SQLSTATE 53200 if `bytes` bytes cannot be allocated at once. They are released again, for the work that needs
/// them.
pub fn claim(bytes: usize) -> Result<(), ErrorReport> {
    let refused = || {
        let report = ErrorReport::new(ERRCODE_OUT_OF_MEMORY, "out of memory", "pg_neardup");
        Err(report.set_detail(format!("This needs {bytes} bytes at once.")))
    };
    let Ok(layout) = Layout::array::<u8>(bytes.max(1)) else { return refused() };
    // SAFETY: the layout is of at least one byte.
    let block = unsafe { System.alloc(layout) };
    if block.is_null() {
        return refused();
    }
    // SAFETY: the block was allocated a moment ago, with this layout.
    unsafe { System.dealloc(block, layout) };
    Ok(())
}
