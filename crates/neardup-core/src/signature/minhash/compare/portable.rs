//! The portable kernel, and the oracle of the others. The compiler turns it into vector instructions: SSE2 or NEON at the baseline.

/// The positions at which two lists of values of `BYTES` bytes are equal.
#[inline(always)]
pub(super) fn equal_values<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    if BYTES == 2 {
        let (a, b) = (a.as_chunks::<2>().0, b.as_chunks::<2>().0);
        // At most 1024 values, so that a lane of 16 bits can count them.
        let equal: u16 =
            a.iter().zip(b).map(|(a, b)| u16::from(u16::from_ne_bytes(*a) == u16::from_ne_bytes(*b))).sum();
        equal.into()
    } else {
        let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
        a.iter().zip(b).map(|(a, b)| u32::from(u32::from_ne_bytes(*a) == u32::from_ne_bytes(*b))).sum()
    }
}
