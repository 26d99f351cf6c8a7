//! Finds the starts of units, 64 bytes at a time with AVX-512, in text where no character can join another.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use std::arch::x86_64::*;

const WORD: usize = 64;

/// Appends the starts of characters from `at` on as long as none of a word may join others, and returns where it stopped.
///
/// It stops once there are `full` numbers or a few more, and does nothing if the CPU cannot.
#[inline]
pub(super) fn append_simple(bytes: &[u8], at: usize, bounds: &mut Vec<u32>, full: usize) -> usize {
    if is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the CPU has what the function is compiled for; AVX-512F comes with AVX-512BW.
        unsafe { append_avx512(bytes, at, bounds, full) }
    } else {
        at
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")]
fn append_avx512(bytes: &[u8], mut at: usize, bounds: &mut Vec<u32>, full: usize) -> usize {
    let byte = |value: u8| _mm512_set1_epi8(value.cast_signed());
    let places: [u8; WORD] = std::array::from_fn(|place| place as u8);
    // SAFETY: 64 bytes, unaligned loads are allowed.
    let places = unsafe { _mm512_loadu_epi8(places.as_ptr().cast()) };
    bounds.reserve(full.saturating_sub(bounds.len()) + 2 * WORD);
    let mut length = bounds.len();
    while length < full && at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let (word, within) = if let Some(word) = rest.first_chunk::<WORD>() {
            // SAFETY: 64 bytes, unaligned loads are allowed.
            (unsafe { _mm512_loadu_epi8(word.as_ptr().cast()) }, u64::MAX)
        } else {
            let within = (1 << rest.len()) - 1;
            // SAFETY: only the bytes of `rest` are selected; bytes not selected are not accessed.
            (unsafe { _mm512_maskz_loadu_epi8(within, rest.as_ptr().cast()) }, within)
        };
        // Simple are U+0020 to U+007F and U+4000 to U+9FFF (E4 to E9); what follows a first byte is judged with it.
        let simple = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(word, byte(0x20)), byte(0xa0))
            | _mm512_cmple_epu8_mask(_mm512_sub_epi8(word, byte(0xe4)), byte(5));
        if !simple & within != 0 {
            break;
        }
        let starts = _mm512_cmpgt_epi8_mask(word, byte(0xbf)) & within;
        let found = _mm512_maskz_compress_epi8(starts, places);
        let base = _mm512_set1_epi32((at as u32).cast_signed());
        // SAFETY: `length` was below `full` before this word, and there is room for two words more than `full`.
        unsafe {
            let to = bounds.as_mut_ptr().add(length);
            store(to, base, _mm512_castsi512_si128(found));
            store(to.add(16), base, _mm512_extracti32x4_epi32::<1>(found));
            if starts.count_ones() > 32 {
                store(to.add(32), base, _mm512_extracti32x4_epi32::<2>(found));
                store(to.add(48), base, _mm512_extracti32x4_epi32::<3>(found));
            }
        }
        length += starts.count_ones() as usize;
        at += WORD;
    }
    // SAFETY: all numbers up to `length` were written in order, each word after the other.
    unsafe { bounds.set_len(length) };
    at
}

/// Stores 16 numbers, each a place added to the base.
///
/// # Safety
/// `to` points to room for 16 numbers.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut u32, base: __m512i, places: __m128i) {
    // SAFETY: the caller has the room; unaligned stores are allowed.
    unsafe { _mm512_storeu_epi32(to.cast(), _mm512_add_epi32(base, _mm512_cvtepu8_epi32(places))) };
}
