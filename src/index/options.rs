//! The storage parameters of an index: `fillfactor`.
#![allow(unsafe_code, reason = "Postgres calls amoptions by pointer")]

use std::sync::OnceLock;

use pgrx::pg_sys;

use crate::pg::call::boundary;

/// The default fill of pages, in percent.
const FILL: i32 = 82;

/// The parameters as Postgres keeps them with the relation.
#[repr(C)]
struct Options {
    header: i32,
    fill: i32,
}

static KIND: OnceLock<pg_sys::relopt_kind::Type> = OnceLock::new();

/// Defines the parameters, when the library is loaded.
pub fn define() {
    KIND.get_or_init(|| {
        // SAFETY: the strings live for ever.
        unsafe {
            let kind = pg_sys::add_reloption_kind();
            // Nothing that is there changes, as for a B-tree.
            let lock = pg_sys::ShareUpdateExclusiveLock as i32;
            let what = c"How far pages are filled at the build, in percent, on average";
            pg_sys::add_int_reloption(kind as _, c"fillfactor".as_ptr(), what.as_ptr(), FILL, 10, 100, lock);
            kind
        }
    });
}

pub(super) unsafe extern "C-unwind" fn options(given: pg_sys::Datum, validate: bool) -> *mut pg_sys::bytea {
    let kind = KIND.get().copied().unwrap_or_default();
    // SAFETY: this is the outermost frame. The description is of the structure above, and is read during the call only.
    unsafe {
        boundary::entry(|| {
            #[allow(clippy::needless_update, reason = "18 has one field more")]
            let fill = pg_sys::relopt_parse_elt {
                optname: c"fillfactor".as_ptr(),
                opttype: pg_sys::relopt_type::RELOPT_TYPE_INT,
                offset: std::mem::offset_of!(Options, fill) as i32,
                ..Default::default()
            };
            pg_sys::build_reloptions(given, validate, kind, size_of::<Options>(), &raw const fill, 1).cast()
        })
    }
}

/// How far the pages of an index are filled.
///
/// # Safety
/// The index must be open.
pub(super) unsafe fn page_fill(index: pg_sys::Relation) -> i32 {
    // SAFETY: guaranteed by the caller; the options were made by the function above.
    unsafe { (*index).rd_options.cast::<Options>().as_ref().map_or(FILL, |options| options.fill) }
}
