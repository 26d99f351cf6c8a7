//! The SQL that must come first, and the code that runs when the library is loaded.

use pgrx::prelude::*;

use crate::guc;
use crate::index;
use crate::pg::call::boundary;
use crate::pg::call::memory::keep_reserve;

extension_sql_file!("bootstrap.sql", bootstrap);

fn check_for_interrupts() {
    keep_reserve();
    pgrx::check_for_interrupts!();
}

/// Connects the core's cancellation checks to the server's, and defines the settings.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    boundary::capture_no_backtraces();
    neardup_text::interrupt::install(check_for_interrupts);
    guc::define();
    index::define();
}
