//! The kernels for x86-64, chosen at run time.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

/// Runs the best kernel beyond the baseline; `None` if the CPU has none.
#[inline]
pub(super) fn equal_values<const BYTES: usize>(a: &[u8], b: &[u8]) -> Option<u32> {
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        Some(unsafe { equal_values_avx2::<BYTES>(a, b) })
    } else {
        None
    }
}

#[target_feature(enable = "avx2")]
fn equal_values_avx2<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    super::equal_values_portable::<BYTES>(a, b)
}
