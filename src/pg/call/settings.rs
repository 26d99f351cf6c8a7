//! Settings under which the text of a value is the same in every session. Keys, marks and hashes of rows are made of such texts, and what one
//! session writes another one with its own DateStyle or extra_float_digits has to find again.

use std::ffi::{CStr, CString};

use pgrx::pg_sys;

/// The same settings as the SQL functions have that read or write keys.
const PLAIN: [(&CStr, &CStr); 6] = [
    (c"datestyle", c"ISO, YMD"),
    (c"intervalstyle", c"postgres"),
    (c"timezone", c"UTC"),
    (c"extra_float_digits", c"1"),
    (c"bytea_output", c"hex"),
    (c"lc_monetary", c"C"),
];

/// Types whose output functions read no settings, and which most columns have.
const INDEPENDENT: [pg_sys::Oid; 10] = [
    pg_sys::INT8OID,
    pg_sys::INT4OID,
    pg_sys::INT2OID,
    pg_sys::TEXTOID,
    pg_sys::VARCHAROID,
    pg_sys::BPCHAROID,
    pg_sys::NAMEOID,
    pg_sys::BOOLOID,
    pg_sys::UUIDOID,
    pg_sys::NUMERICOID,
];

/// Runs `work`, which makes the text of a value of this type, with these settings; without, if the type's output reads none of them.
pub fn for_output<T>(kind: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    if INDEPENDENT.contains(&kind) { work() } else { plain(work) }
}

/// Runs `work` with these settings.
pub fn plain<T>(work: impl FnOnce() -> T) -> T {
    changed(PLAIN.into_iter(), work)
}

/// Runs `work` with other values of the same settings, in their order: those of the caller, for a function of the caller's that is called where
/// the settings are plain.
pub fn with<T>(values: &[CString], work: impl FnOnce() -> T) -> T {
    changed(PLAIN.into_iter().map(|(name, _)| name).zip(values.iter().map(CString::as_c_str)), work)
}

/// Runs `work` with some settings, and then puts them back. What `work` sets itself stays.
///
/// An error leaves by unwinding; the end of the transaction or savepoint then restores the settings.
fn changed<'v, T>(settings: impl Iterator<Item = (&'v CStr, &'v CStr)>, work: impl FnOnce() -> T) -> T {
    // SAFETY: begins a nest level, which ends below.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    for (name, value) in settings {
        // SAFETY: within the level; a value that a setting cannot have raises an error.
        unsafe { set(name, value) };
    }
    let result = work();
    // SAFETY: the level that was begun above.
    unsafe { pg_sys::AtEOXact_GUC(true, level) };
    result
}

/// Changes a setting within the current nest level.
///
/// # Safety
/// Only between `NewGUCNestLevel` and `AtEOXact_GUC`.
pub unsafe fn set(name: &CStr, value: &CStr) {
    // SAFETY: both are C strings; Postgres copies the value.
    unsafe {
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
}
