//! The kernels for x86-64, chosen at run time.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use super::portable::count_ones_sliced;
use std::arch::x86_64::{
    _mm_srli_si128, _mm512_add_epi64, _mm512_castsi512_si128, _mm512_cvtepu8_epi64, _mm512_extracti32x4_epi32,
    _mm512_loadu_epi64, _mm512_mask_add_epi8, _mm512_set1_epi8, _mm512_setzero_si512, _mm512_storeu_epi64,
};

/// Runs the best kernel beyond the baseline; `false` if the CPU has none.
#[inline]
pub(super) fn count_ones(hashes: &[u64], ones: &mut [u64; 64]) -> bool {
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the CPU has AVX-512BW, which implies AVX-512F.
        unsafe { count_ones_avx512(hashes, ones) };
        true
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        unsafe { count_ones_avx2(hashes, ones) };
        true
    } else {
        false
    }
}

/// The portable kernel, compiled for vectors of 256 bits.
#[target_feature(enable = "avx2")]
fn count_ones_avx2(hashes: &[u64], ones: &mut [u64; 64]) {
    count_ones_sliced(hashes, ones);
}

/// A byte counter for each bit; a hash is the mask of the counters to raise.
#[target_feature(enable = "avx512f,avx512bw")]
fn count_ones_avx512(hashes: &[u64], ones: &mut [u64; 64]) {
    // Hidden from the compiler, which otherwise turns the masked addition of a known 1 into two instructions.
    let one = _mm512_set1_epi8(std::hint::black_box(1));
    // Bytes overflow after 255 additions.
    for chunk in hashes.chunks(255) {
        // Two sets of counters, so that two additions are under way at once.
        let mut even = _mm512_setzero_si512();
        let mut odd = _mm512_setzero_si512();
        let (pairs, rest) = chunk.as_chunks::<2>();
        for &[a, b] in pairs {
            even = _mm512_mask_add_epi8(even, a, even, one);
            odd = _mm512_mask_add_epi8(odd, b, odd, one);
        }
        for &hash in rest {
            even = _mm512_mask_add_epi8(even, hash, even, one);
        }
        // Even and odd together count at most 255, so their sum cannot overflow either.
        let counts = _mm512_mask_add_epi8(even, u64::MAX, even, odd);
        let quarters = [
            _mm512_castsi512_si128(counts),
            _mm512_extracti32x4_epi32::<1>(counts),
            _mm512_extracti32x4_epi32::<2>(counts),
            _mm512_extracti32x4_epi32::<3>(counts),
        ];
        let (totals, _) = ones.as_chunks_mut::<16>();
        for (totals, quarter) in totals.iter_mut().zip(quarters) {
            let (halves, _) = totals.as_chunks_mut::<8>();
            for (total, bytes) in halves.iter_mut().zip([quarter, _mm_srli_si128::<8>(quarter)]) {
                let at = total.as_mut_ptr().cast();
                // SAFETY: `at` points to eight u64 that this loop alone holds, 64 bytes; unaligned access is allowed.
                unsafe {
                    _mm512_storeu_epi64(at, _mm512_add_epi64(_mm512_loadu_epi64(at), _mm512_cvtepu8_epi64(bytes)));
                }
            }
        }
    }
}

/// Runs each kernel that this CPU has, for the tests.
#[cfg(test)]
pub(super) fn every_kernel(hashes: &[u64]) -> Vec<(&'static str, [u64; 64])> {
    let mut results = Vec::new();
    if is_x86_feature_detected!("avx2") {
        let mut ones = [0; 64];
        // SAFETY: the CPU has AVX2.
        unsafe { count_ones_avx2(hashes, &mut ones) };
        results.push(("AVX2", ones));
    }
    if is_x86_feature_detected!("avx512bw") {
        let mut ones = [0; 64];
        // SAFETY: the CPU has AVX-512BW.
        unsafe { count_ones_avx512(hashes, &mut ones) };
        results.push(("AVX-512BW", ones));
    }
    results
}
