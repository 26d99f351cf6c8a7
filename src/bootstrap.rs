//! The SQL that must come first, and the code that runs when the library is loaded.

use pgrx::prelude::*;

use crate::guc;
use crate::index;
use crate::pg::call::memory::keep_reserve;

extension_sql_file!("../sql/bootstrap.sql", bootstrap);

fn check_for_interrupts() {
    keep_reserve();
    pgrx::check_for_interrupts!();
}

/// Keeps Rust from adding a backtrace to the DETAIL of errors where the server's environment has `RUST_BACKTRACE`: pgrx's panic hook
/// captures one for each error, also for a cancel. Rust reads the environment at the first capture in a library, and remembers it.
fn capture_no_backtraces() {
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

/// Connects the core's cancellation checks to the server's, and defines the settings.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    capture_no_backtraces();
    neardup_text::interrupt::install(check_for_interrupts);
    guc::define();
    index::define();
}
