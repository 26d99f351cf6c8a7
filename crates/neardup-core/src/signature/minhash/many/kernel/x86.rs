//! The kernels for x86-64, chosen at run time.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use super::portable;
use crate::signature::minhash::many::bins::MAX_COUNT;

/// Runs the best kernel that the CPU has.
#[inline]
pub(super) fn run_batch(batch: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    if is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
        // SAFETY: the CPU has both extensions, and with them AVX-512F.
        unsafe { run_batch_avx512(batch, count, round, empty, open) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2.
        unsafe { run_batch_avx2(batch, count, round, empty, open) }
    } else {
        portable::run_batch(batch, count, round, empty, open);
    }
}

#[target_feature(enable = "avx2")]
fn run_batch_avx2(batch: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    portable::run_batch(batch, count, round, empty, open);
}

/// AVX-512DQ multiplies eight words of 64 bits at once, and AVX-512F has their minimum.
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn run_batch_avx512(batch: &[u64], count: usize, round: u64, empty: &[u16], open: &mut [u64; MAX_COUNT]) {
    portable::run_batch(batch, count, round, empty, open);
}

/// Runs each kernel that this CPU has, for the tests.
#[cfg(test)]
pub(super) fn every_kernel(
    batch: &[u64],
    count: usize,
    round: u64,
    empty: &[u16],
    start: [u64; MAX_COUNT],
) -> Vec<(&'static str, [u64; MAX_COUNT])> {
    let mut results = Vec::new();
    if is_x86_feature_detected!("avx2") {
        let mut open = start;
        // SAFETY: the CPU has AVX2.
        unsafe { run_batch_avx2(batch, count, round, empty, &mut open) };
        results.push(("AVX2", open));
    }
    if is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
        let mut open = start;
        // SAFETY: the CPU has both extensions.
        unsafe { run_batch_avx512(batch, count, round, empty, &mut open) };
        results.push(("AVX-512", open));
    }
    results
}
