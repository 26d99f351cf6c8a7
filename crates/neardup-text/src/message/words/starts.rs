//! A quick look at how a line begins: nearly all lines begin as no phrase does.
//!
//! A filter has a bit for the first two characters of each phrase, in small and capital letters. It may pass a line that begins
//! otherwise, and never keeps back one that begins with a phrase.

/// The words of a filter.
pub const WORDS: usize = 64;

/// Returns the number of the bit for two characters, the letters of ASCII without case.
pub fn bit(first: char, second: char) -> usize {
    let both = u32::from(first.to_ascii_lowercase()).wrapping_mul(0x9e37_79b1)
        ^ u32::from(second.to_ascii_lowercase()).wrapping_mul(0x85eb_ca6b);
    (both.wrapping_mul(0xc2b2_ae35) >> 20) as usize
}
