//! The arguments that GIN passes to the support functions of an operator class, and the results it expects.

use pgrx::{Internal, pg_sys};

/// `GIN_SEARCH_MODE_ALL` (gin.h): every entry of the index is a candidate.
const SEARCH_MODE_ALL: i32 = 2;

fn pointer<T>(argument: Internal) -> *mut T {
    argument.unwrap().map_or(std::ptr::null_mut(), |datum| datum.cast_mut_ptr())
}

/// Passes an array of keys and their number to GIN.
pub fn give_keys(keys: impl ExactSizeIterator<Item = pg_sys::Datum>, count: Internal) -> Internal {
    let number = keys.len();
    // SAFETY: GIN passes a place for the number; palloc gives room for the keys, or raises an error.
    let array = unsafe {
        let place = pointer::<i32>(count);
        if !place.is_null() {
            *place = number as i32;
        }
        let array = pg_sys::palloc(number.max(1) * size_of::<pg_sys::Datum>()).cast::<pg_sys::Datum>();
        keys.enumerate().for_each(|(i, key)| array.add(i).write(key));
        array
    };
    Internal::from(Some(pg_sys::Datum::from(array)))
}

/// Asks GIN for every entry of the index.
pub fn read_whole_index(mode: Internal) {
    let place = pointer::<i32>(mode);
    if !place.is_null() {
        // SAFETY: GIN passes a place for the search mode.
        unsafe { *place = SEARCH_MODE_ALL };
    }
}

/// Which keys of a query an index entry has.
pub struct Checks {
    values: *const i8,
    count: usize,
}

impl Checks {
    /// Takes the array of ternary values that GIN passes.
    pub fn new(check: Internal, count: i32) -> Self {
        let values = pointer::<i8>(check);
        let count = if values.is_null() { 0 } else { usize::try_from(count).unwrap_or(0) };
        Self { values, count }
    }

    /// Says whether any of them has this value.
    pub fn any(&self, value: i8) -> bool {
        // SAFETY: the array has a byte for each key of the query and lives as long as the call.
        (0..self.count).any(|i| unsafe { *self.values.add(i) } == value)
    }
}
