//! What runs when the library is loaded.
#![allow(unsafe_code, reason = "_PG_init is found by its name")]

use pgrx::prelude::*;

use crate::guc;
use crate::index;
use crate::pg::call::boundary;
use crate::pg::call::memory::keep_reserve;

fn check_for_interrupts() {
    keep_reserve();
    boundary::check_for_interrupts();
}

/// Connects the core's cancellation checks to the server's, and defines the settings.
#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    boundary::capture_no_backtraces();
    neardup_text::interrupt::install(check_for_interrupts);
    guc::define();
    index::define();
}
