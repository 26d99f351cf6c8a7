//! Eight shingles at a time with AVX-512.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use super::fill_one_by_one;
use crate::sketch::hash::{HIGH_FLIP, LOW_FLIP, PRIME_MX1, bytes_hash};
use std::arch::x86_64::*;

/// Runs the AVX-512 kernel; `false` if the CPU cannot.
#[inline]
pub(super) fn fill(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64]) -> bool {
    // VBMI is what makes eight loads one: before it (Skylake), one by one is as fast.
    if is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: the CPU has the four extensions, and with them AVX-512F.
        unsafe { fill_avx512(text, starts, ends, hashes) };
        true
    } else {
        false
    }
}

/// Writes the offsets of the characters in as many 64-byte pieces as the text has, and says how many bytes that was; none if
/// the CPU lacks AVX-512 VBMI2.
#[inline]
pub(super) fn char_boundaries(text: &[u8], boundaries: &mut Vec<u32>) -> usize {
    if is_x86_feature_detected!("avx512vbmi2") && is_x86_feature_detected!("avx512bw") {
        // SAFETY: the CPU has both extensions, and with them AVX-512F.
        unsafe { char_boundaries_avx512(text, boundaries) };
        text.len() / 64 * 64
    } else {
        0
    }
}

/// Compresses the indexes of the bytes that begin a character to the front of a vector, and widens them.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
fn char_boundaries_avx512(text: &[u8], boundaries: &mut Vec<u32>) {
    const INDEXES: [u8; 64] = {
        let mut indexes = [0; 64];
        let mut i = 0;
        while i < 64 {
            indexes[i] = i as u8;
            i += 1;
        }
        indexes
    };
    // SAFETY: 64 bytes, unaligned loads are allowed.
    let indexes = unsafe { _mm512_loadu_epi8(INDEXES.as_ptr().cast()) };
    let (pieces, _) = text.as_chunks::<64>();
    let mut length = boundaries.len();
    let mut base = 0;
    for piece in pieces {
        if boundaries.capacity() - length < 64 {
            // SAFETY: the elements up to `length` have been written, and the capacity is larger.
            unsafe { boundaries.set_len(length) };
            boundaries.reserve(text.len() / 3 + 64);
        }
        // SAFETY: 64 bytes, unaligned loads are allowed.
        let bytes = unsafe { _mm512_loadu_epi8(piece.as_ptr().cast()) };
        let begins = _mm512_cmpge_epi8_mask(bytes, _mm512_set1_epi8(-64));
        let packed = _mm512_maskz_compress_epi8(begins, indexes);
        let count = begins.count_ones() as usize;
        let quarters = [
            _mm512_castsi512_si128(packed),
            _mm512_extracti32x4_epi32::<1>(packed),
            _mm512_extracti32x4_epi32::<2>(packed),
            _mm512_extracti32x4_epi32::<3>(packed),
        ];
        let offset = _mm512_set1_epi32(base);
        for (i, quarter) in quarters.into_iter().enumerate() {
            if i < 2 || count > 16 * i {
                let wide = _mm512_add_epi32(_mm512_cvtepu8_epi32(quarter), offset);
                // SAFETY: room for 64 elements after `length` was made above, and 16 i + 16 <= 64; unaligned stores are
                // allowed.
                unsafe { _mm512_storeu_epi32(boundaries.as_mut_ptr().add(length + 16 * i).cast(), wide) };
            }
        }
        length += count;
        base += 64;
    }
    // SAFETY: the capacity is at least `length`, and every element before it was written: each piece writes at least the
    // `count` elements it adds.
    unsafe { boundaries.set_len(length) };
}

/// Hashes shingles of 9 to 16 bytes, which is five Chinese characters, eight at a time; others go one by one.
///
/// Eight neighbouring shingles lie within 64 bytes of text. One load brings them in, and byte permutations lay the first
/// and the last eight bytes of each shingle, and the first in reverse, into the lanes. The rest is XXH3's path for 9 to 16
/// bytes on eight lanes, with the product of 64 by 64 bits made of four products of 32 by 32.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn fill_avx512(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64]) {
    let ascending = _mm512_set1_epi64(0x0706_0504_0302_0100);
    let descending = _mm512_set1_epi64(0x0001_0203_0405_0607);
    // Byte 4 i of the offsets, eight times, for lane i.
    let spread =
        _mm512_mullo_epi64(_mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28), _mm512_set1_epi64(0x0101_0101_0101_0101));
    let low_flip = _mm512_set1_epi64(LOW_FLIP.cast_signed());
    let swapped_flip = _mm512_set1_epi64(LOW_FLIP.swap_bytes().cast_signed());
    let high_flip = _mm512_set1_epi64(HIGH_FLIP.cast_signed());
    let prime = _mm512_set1_epi64(PRIME_MX1.cast_signed());
    let low_half = _mm512_set1_epi64(0xffff_ffff);

    let text_end = _mm256_set1_epi32(u32::try_from(text.len()).unwrap_or(u32::MAX).cast_signed());

    let (starts_by_8, starts_rest) = starts.as_chunks::<8>();
    let (ends_by_8, ends_rest) = ends.as_chunks::<8>();
    let (hashes_by_8, hashes_rest) = hashes.as_chunks_mut::<8>();
    for ((starts, ends), hashes) in starts_by_8.iter().zip(ends_by_8).zip(hashes_by_8) {
        // SAFETY: both arrays hold eight u32, 32 bytes; unaligned loads are allowed.
        let (start, end) =
            unsafe { (_mm256_loadu_epi32(starts.as_ptr().cast()), _mm256_loadu_epi32(ends.as_ptr().cast())) };
        let base = _mm256_set1_epi32(starts[0].cast_signed());
        let length = _mm256_sub_epi32(end, start);
        // Unsigned, so that a length below 9 and a start before the first fail too. 48 and 16 bytes are the load's 64.
        let fits = _mm256_cmple_epu32_mask(_mm256_sub_epi32(length, _mm256_set1_epi32(9)), _mm256_set1_epi32(7))
            & _mm256_cmple_epu32_mask(_mm256_sub_epi32(start, base), _mm256_set1_epi32(48))
            & _mm256_cmple_epu32_mask(end, text_end);
        let within = text.get(starts[0] as usize..).unwrap_or_default();
        if fits == 0 {
            fill_one_by_one(text, starts, ends, hashes);
            continue;
        }
        let start = _mm256_sub_epi32(start, base);
        let end = _mm256_sub_epi32(end, base);
        let bytes = if let Some(bytes) = within.first_chunk::<64>() {
            // SAFETY: 64 bytes, unaligned loads are allowed.
            unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
        } else {
            // SAFETY: only the bytes of `within` are selected; bytes not selected are not accessed.
            unsafe { _mm512_maskz_loadu_epi8((1 << within.len()) - 1, within.as_ptr().cast()) }
        };
        let first = _mm512_permutexvar_epi8(spread, _mm512_castsi256_si512(start));
        let last = _mm512_permutexvar_epi8(spread, _mm512_castsi256_si512(_mm256_sub_epi32(end, _mm256_set1_epi32(8))));
        let low = _mm512_permutexvar_epi8(_mm512_add_epi8(first, ascending), bytes);
        let swapped = _mm512_permutexvar_epi8(_mm512_add_epi8(first, descending), bytes);
        let high = _mm512_permutexvar_epi8(_mm512_add_epi8(last, ascending), bytes);
        let low = _mm512_xor_epi64(low, low_flip);
        let swapped = _mm512_xor_epi64(swapped, swapped_flip);
        let high = _mm512_xor_epi64(high, high_flip);

        let low_top = _mm512_srli_epi64::<32>(low);
        let high_top = _mm512_srli_epi64::<32>(high);
        let product_00 = _mm512_mul_epu32(low, high);
        let product_01 = _mm512_mul_epu32(low, high_top);
        let product_10 = _mm512_mul_epu32(low_top, high);
        let product_11 = _mm512_mul_epu32(low_top, high_top);
        // Neither sum can overflow: (2^32 - 1)^2 + 2 (2^32 - 1) is 2^64 - 1.
        let middle = _mm512_add_epi64(product_01, _mm512_srli_epi64::<32>(product_00));
        let middle_low = _mm512_add_epi64(product_10, _mm512_and_epi64(middle, low_half));
        let product_high = _mm512_add_epi64(
            _mm512_add_epi64(product_11, _mm512_srli_epi64::<32>(middle)),
            _mm512_srli_epi64::<32>(middle_low),
        );
        let product_low = _mm512_mask_mov_epi32(_mm512_slli_epi64::<32>(middle_low), 0x5555, product_00);
        let folded = _mm512_xor_epi64(product_low, product_high);

        let sum =
            _mm512_add_epi64(_mm512_add_epi64(_mm512_cvtepu32_epi64(length), swapped), _mm512_add_epi64(high, folded));
        let sum = _mm512_mullo_epi64(_mm512_xor_epi64(sum, _mm512_srli_epi64::<37>(sum)), prime);
        let sum = _mm512_xor_epi64(sum, _mm512_srli_epi64::<32>(sum));
        // SAFETY: `hashes` holds eight u64, 64 bytes; unaligned stores are allowed.
        unsafe { _mm512_storeu_epi64(hashes.as_mut_ptr().cast(), sum) };
        let mut others = !fits;
        while others != 0 {
            let lane = others.trailing_zeros() as usize & 7;
            hashes[lane] = bytes_hash(text.get(starts[lane] as usize..ends[lane] as usize).unwrap_or_default());
            others &= others - 1;
        }
    }
    fill_one_by_one(text, starts_rest, ends_rest, hashes_rest);
}
