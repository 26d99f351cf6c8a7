//! Finds the starts of units, 64 bytes at a time with NEON, in text where no character can join another.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vcgeq_u8, vcgtq_s8, vdupq_n_s8, vdupq_n_u8, vgetq_lane_u64, vld1q_u8, vmaxvq_u8, vorrq_u8,
    vpaddq_u8, vreinterpretq_s8_u8, vreinterpretq_u64_u8, vsubq_u8,
};
use std::arch::is_aarch64_feature_detected;

const WORD: usize = 64;

/// Appends the starts of characters from `at` on as long as none of a whole word may join others, and returns where it stopped.
///
/// It stops once there are `full` numbers or a few more, and does nothing if the CPU cannot.
#[inline]
pub(super) fn append_simple(bytes: &[u8], at: usize, bounds: &mut Vec<u32>, full: usize) -> usize {
    if is_aarch64_feature_detected!("neon") {
        // SAFETY: the CPU has what the function is compiled for.
        unsafe { append_neon(bytes, at, bounds, full) }
    } else {
        at
    }
}

#[target_feature(enable = "neon")]
fn append_neon(bytes: &[u8], mut at: usize, bounds: &mut Vec<u32>, full: usize) -> usize {
    while bounds.len() < full
        && let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk())
        && let Some(starts) = simple_starts(word)
    {
        super::append(starts, at, bounds);
        at += WORD;
    }
    at
}

/// Returns a bit for each byte that begins a character; `None` where one may join others.
#[inline]
#[target_feature(enable = "neon")]
fn simple_starts(word: &[u8; WORD]) -> Option<u64> {
    let bits: [u8; 16] = std::array::from_fn(|place| 1 << (place % 8));
    // SAFETY: sixteen bytes each.
    let (words, bits) = unsafe {
        let at = word.as_ptr();
        ([vld1q_u8(at), vld1q_u8(at.add(16)), vld1q_u8(at.add(32)), vld1q_u8(at.add(48))], vld1q_u8(bits.as_ptr()))
    };
    // Simple are U+0020 to U+007F and U+4000 to U+9FFF (E4 to E9); what follows a first byte is judged with it.
    let others = |word: uint8x16_t| {
        let outside = |first: u8, count: u8| vcgeq_u8(vsubq_u8(word, vdupq_n_u8(first)), vdupq_n_u8(count));
        vandq_u8(outside(0x20, 0xa0), outside(0xe4, 6))
    };
    let any = vorrq_u8(vorrq_u8(others(words[0]), others(words[1])), vorrq_u8(others(words[2]), others(words[3])));
    if vmaxvq_u8(any) != 0 {
        return None;
    }
    let starts = words.map(|word| vandq_u8(vcgtq_s8(vreinterpretq_s8_u8(word), vdupq_n_s8(-65)), bits));
    // Eight bytes, each with a bit of its own, add up to one.
    let quarters = vpaddq_u8(vpaddq_u8(starts[0], starts[1]), vpaddq_u8(starts[2], starts[3]));
    Some(vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters))))
}
