//! The fragments of a record of generic WAL, as bytes and as what they do to a page.
#![allow(unsafe_code, reason = "writes a shared page in a critical section")]

/// Adds a fragment: its offset, its length, its bytes.
pub fn add_fragment(fragments: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    fragments.extend_from_slice(&(at as u16).to_ne_bytes());
    fragments.extend_from_slice(&(bytes.len() as u16).to_ne_bytes());
    fragments.extend_from_slice(bytes);
}

/// Does to a page what a replay does: zeros from `exposed.0` to `exposed.1`, in what was the hole, then the fragments. It cannot fail.
///
/// # Safety
/// The page must be locked for a change, and `fragments` be made by [`add_fragment`], `length` bytes in all, each within the page.
pub unsafe fn apply(page: *mut u8, exposed: (usize, usize), fragments: *const u8, length: usize) {
    let mut next = fragments;
    // SAFETY: guaranteed by the caller; each fragment begins with its offset and its length.
    unsafe {
        page.add(exposed.0).write_bytes(0, exposed.1.wrapping_sub(exposed.0));
        let end = next.add(length);
        while next < end {
            let at = usize::from(next.cast::<u16>().read_unaligned());
            let length = usize::from(next.add(2).cast::<u16>().read_unaligned());
            next = next.add(4);
            next.copy_to_nonoverlapping(page.add(at), length);
            next = next.add(length);
        }
    }
}
