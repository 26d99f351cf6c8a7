//! Cancellation: long loops call [`check`] every few thousand steps.
//!
//! The host installs what a check does. In Postgres it is `CHECK_FOR_INTERRUPTS`, which unwinds out of the loop;
//! without a host it does nothing. A loop must therefore leave no shared state half-written across a check.

use std::sync::OnceLock;

static CHECK: OnceLock<fn()> = OnceLock::new();

/// Installs the host's check, once in the life of the process; later calls change nothing.
pub fn install(check: fn()) {
    let _ = CHECK.set(check);
}

/// Returns the host the chance to cancel.
#[inline]
pub fn check() {
    if let Some(check) = CHECK.get() {
        check();
    }
}
