//! The kernels for x86-64, chosen at run time.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use super::portable;
use std::arch::x86_64::{_mm512_cmpeq_epi16_mask, _mm512_cmpeq_epi32_mask, _mm512_loadu_si512};

/// Runs the best kernel beyond the baseline; `None` if the CPU has none.
#[inline]
pub(super) fn equal_values<const BYTES: usize>(a: &[u8], b: &[u8]) -> Option<u32> {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the CPU has AVX-512BW, and with it AVX-512F and POPCNT.
        Some(unsafe { equal_values_avx512::<BYTES>(a, b) })
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        Some(unsafe { equal_values_avx2::<BYTES>(a, b) })
    } else {
        None
    }
}

/// The portable kernel, compiled for vectors of 256 bits.
#[target_feature(enable = "avx2")]
fn equal_values_avx2<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    portable::equal_values::<BYTES>(a, b)
}

/// Sixteen or thirty-two values to a mask, whose bits are counted.
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
fn equal_values_avx512<const BYTES: usize>(a: &[u8], b: &[u8]) -> u32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<64>(), b.as_chunks::<64>());
    let mut count = 0;
    for (a, b) in a.iter().zip(b) {
        // SAFETY: 64 bytes each, unaligned loads are allowed.
        let (a, b) = unsafe { (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast())) };
        count += match BYTES {
            2 => _mm512_cmpeq_epi16_mask(a, b).count_ones(),
            _ => _mm512_cmpeq_epi32_mask(a, b).count_ones(),
        };
    }
    count + portable::equal_values::<BYTES>(a_rest, b_rest)
}

/// Runs each kernel that this CPU has on values of four and of two bytes, for the tests.
#[cfg(test)]
pub(super) fn every_kernel(a: &[u8], b: &[u8]) -> Vec<(&'static str, u32, u32)> {
    let mut results = Vec::new();
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        results.push(unsafe { ("AVX2", equal_values_avx2::<4>(a, b), equal_values_avx2::<2>(a, b)) });
    }
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the CPU has AVX-512BW.
        results.push(unsafe { ("AVX-512BW", equal_values_avx512::<4>(a, b), equal_values_avx512::<2>(a, b)) });
    }
    results
}
