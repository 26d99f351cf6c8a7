//! What happens when the machine has no memory left: the session ends with SQLSTATE 53200, and only that session.
//!
//! Rust aborts the process when it cannot get memory, and a backend that aborts takes the whole server down with it, since Postgres must
//! take its shared memory for damaged. So the allocator is the system's own, with one difference: where it would answer with a null
//! pointer, the backend leaves in order, by FATAL. An ERROR, as Postgres's own allocator raises, would have to unwind out of the
//! allocator, which Rust does not allow, or jump over frames that own memory, which would then be lost to the session.
//!
//! Where one request can be so large that it is likely to fail, [`claim`] asks first and lets the caller raise an ordinary error.

use pgrx::PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY;
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

// SAFETY: every call goes to the system's allocator with the arguments that the caller vouches for, and its answer comes back as it is;
// instead of a null pointer nothing comes back, since `exhausted` does not return and does not unwind.
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

// Postgres's own way to raise an error, which pgrx keeps to itself: its macros allocate.
unsafe extern "C-unwind" {
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errcode(code: c_int) -> c_int;
    fn errmsg(format: *const c_char, ...) -> c_int;
    fn errdetail(format: *const c_char, ...) -> c_int;
    fn errhint(format: *const c_char, ...) -> c_int;
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}

const HINT: &CStr =
    c"The session ends, the server goes on. Work on fewer rows or shorter texts at a time, or give the server more memory.";

/// What the way out may use. Never touched, so it takes address space alone.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
const RESERVED: Layout = Layout::new::<[u8; 1 << 20]>();

/// Puts something by for [`exhausted`], when the library is loaded.
pub fn reserve() {
    // SAFETY: the layout is not empty. A failure leaves null, which is no reserve.
    RESERVE.store(unsafe { System.alloc(RESERVED) }, Ordering::Relaxed);
}

/// Ends this backend with FATAL 53200.
#[cold]
fn exhausted(size: usize) -> ! {
    let reserve = RESERVE.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if !reserve.is_null() {
        // SAFETY: it was allocated with this layout, and whoever swaps it out has it alone.
        unsafe { System.dealloc(reserve, RESERVED) };
    }
    static LEAVING: AtomicBool = AtomicBool::new(false);
    if !LEAVING.swap(true, Ordering::Relaxed) {
        // SAFETY: we are in a backend's only thread, where these may be called at any time; the formats fit their arguments, which live
        // to the end. FATAL does not come back to us and unwinds nothing: it runs Postgres's exit callbacks and leaves the process.
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
    // Memory failed again on the way out.
    std::process::abort()
}

/// Fails with SQLSTATE 53200 if so many bytes cannot be had at once. They are given back: work that needs them comes next.
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
