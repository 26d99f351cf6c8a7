//! Appends what stays of 64 bytes of text, run by run.
#![allow(unsafe_code, reason = "copies of fixed length into spare room, without a call for each run")]

use super::scan::WORD;

/// Runs of whole characters in the first word of a text.
#[derive(Clone, Copy)]
pub(super) struct Runs<'t> {
    text: &'t str,
    keep: u64,
    spaced: u64,
}

impl<'t> Runs<'t> {
    /// The runs of `keep`, a mask over the first bytes of `text`, each behind a space where `spaced` has its first bit.
    ///
    /// # Safety
    /// Each run begins and ends between two characters of `text`, or at an end of it. `spaced` has no other bits than first ones of runs.
    #[inline(always)]
    pub(super) unsafe fn new(text: &'t str, keep: u64, spaced: u64) -> Self {
        Self { text, keep, spaced }
    }

    /// Returns the text, `keep` and `spaced`, of which what [`Self::new`] asks for is true.
    #[inline(always)]
    pub(super) fn parts(self) -> (&'t str, u64, u64) {
        (self.text, self.keep, self.spaced)
    }
}

/// Appends runs, with their spaces.
#[inline(always)]
pub(super) fn append_runs(out: &mut String, runs: Runs<'_>) {
    /// A run begins within a word and is read a word long.
    const READ: usize = 2 * WORD;
    let (text, mut keep, spaced) = runs.parts();
    let Some(bytes) = text.as_bytes().first_chunk::<READ>() else {
        return append_runs_safely(out, runs);
    };
    // SAFETY: spaces and the runs are appended, which are whole characters.
    let out = unsafe { out.as_mut_vec() };
    // All bytes of a word, a space for each run, and what is written beyond the last one.
    out.reserve(3 * WORD);
    let before = out.len();
    let mut length = before;
    while keep != 0 {
        let start = keep.trailing_zeros();
        let space = (spaced >> start & 1) as usize;
        // SAFETY: `start` is below 64, so that the run is read within `bytes`. No more than 64 bytes and 32 spaces were written
        // before, since a byte is left out before each run but the first; 65 more fit into the room.
        unsafe {
            let to = out.as_mut_ptr().add(length);
            to.write(b' ');
            std::ptr::copy_nonoverlapping(bytes.as_ptr().add(start as usize), to.add(space), WORD);
        }
        length += space + (!(keep >> start)).trailing_zeros() as usize;
        keep &= keep.wrapping_add(1 << start);
    }
    // SAFETY: all up to `length` was written.
    unsafe { out.set_len(length) };
    debug_assert!(
        out.get(before..).is_some_and(|appended| str::from_utf8(appended).is_ok()),
        "a run is cut inside a character"
    );
}

/// Does the same anywhere in a text.
#[cold]
fn append_runs_safely(out: &mut String, runs: Runs<'_>) {
    let (text, mut keep, spaced) = runs.parts();
    while keep != 0 {
        let start = keep.trailing_zeros() as usize;
        let end = start + (!(keep >> start)).trailing_zeros() as usize;
        if spaced >> start & 1 == 1 {
            out.push(' ');
        }
        out.push_str(text.get(start..end).unwrap_or_default());
        // Clears the lowest run.
        keep &= keep.wrapping_add(1 << start);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::scan::WORD;
    use super::{Runs, append_runs, append_runs_safely};

    /// A text, masks of the characters of its first word that are kept and of their runs that a space goes before. Before each run but
    /// one at the beginning is a byte that is left out: what [`Runs::new`] asks for.
    pub(in super::super) fn parts() -> impl Strategy<Value = (String, u64, u64)> {
        ("[a中é😀 ]{0,200}", any::<u64>(), any::<u64>()).prop_map(|(text, kept, spaced)| {
            let within = |&(place, c): &(usize, char)| place + c.len_utf8() <= WORD && kept >> place & 1 == 1;
            let keep = text
                .char_indices()
                .filter(within)
                .fold(0, |keep, (place, c)| keep | (u64::MAX >> (64 - c.len_utf8())) << place);
            (text, keep, spaced & keep & !(keep << 1))
        })
    }

    proptest! {
        #[test]
        fn runs_are_appended_in_one_way((text, keep, spaced) in parts()) {
            let (mut fast, mut safe) = ("x".to_owned(), "x".to_owned());
            // SAFETY: `parts` makes such masks.
            let runs = unsafe { Runs::new(&text, keep, spaced) };
            append_runs(&mut fast, runs);
            append_runs_safely(&mut safe, runs);
            prop_assert_eq!(fast, safe);
        }
    }
}
