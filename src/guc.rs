//! Settings. They are few, and no signature depends on one.
#![allow(unsafe_code, reason = "reads a flag of the process")]

use neardup_text::jieba;
use pgrx::pg_sys;
use pgrx::{GucContext, GucFlags, GucRegistry, GucSetting};

static PRELOAD: GucSetting<bool> = GucSetting::<bool>::new(false);

/// In the postmaster, defines the settings and loads jieba's dictionary where that is asked for.
///
/// Loading there spares each backend the time and shares the memory, but every fork copies page tables for it, also those
/// of sessions that never segment; so it is off by default. Elsewhere Postgres does not let such a setting be defined.
pub fn define() {
    // SAFETY: a flag of the process, set while the postmaster loads libraries and never written elsewhere.
    if !unsafe { pg_sys::process_shared_preload_libraries_in_progress } {
        return;
    }
    GucRegistry::define_bool_guc(
        c"pg_neardup.preload",
        c"Loads jieba's dictionary at server start.",
        c"Otherwise each backend loads it when it first segments.",
        &PRELOAD,
        GucContext::Postmaster,
        GucFlags::default(),
    );
    if PRELOAD.get() {
        jieba::shared().load();
    }
}
