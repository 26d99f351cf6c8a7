//! Groups of near signatures: connected components of "within the threshold".
//!
//! * [`group_simhash`]: 64-bit SimHashes within a Hamming distance; exact.
//! * [`group_by_bands`]: rows that share a band key and are found similar; for MinHash. [`stars_of`] refines its groups.
//! * [`Linkage`]: whether a chain of near rows is one group.
//!
//! The first row of a group in the given order, its representative, names the group. So the order of the rows decides which row is
//! kept. Promised not to change: the result, which depends only on the signatures and their order.

mod bands;
mod components;
mod distinct;
mod linkage;
mod near;
mod partition;
mod simhash;
mod similar;
mod star;
mod union_find;

use neardup_text::{Error, ErrorKind, Result};

pub use bands::group_by_bands;
pub use linkage::Linkage;
pub use simhash::group_simhash;
pub use similar::stars_of;

/// Checks that positions fit 32 bits.
fn count_rows(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| {
        let message = format!("cannot group more than {} rows at once: {count}", u32::MAX);
        Error::new(ErrorKind::LimitExceeded, message)
    })
}
