//! Eight shingles at a time with AVX-512.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use super::portable::{Sink, fill_one_by_one, piece_hash};
use neardup_text::hash::{HIGH_FLIP, LOW_FLIP, PRIME_MX1, PRIME_MX2, SHORT_FLIP};
use std::arch::x86_64::*;

/// Runs the AVX-512 kernel; `false` if the CPU cannot.
#[inline]
pub(super) fn fill(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64], sink: &mut impl Sink) -> bool {
    // VBMI is what makes eight loads one: before it (Skylake), one by one is as fast.
    if is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        // SAFETY: the CPU has the four extensions, and with them AVX-512F.
        unsafe { fill_avx512(text, starts, ends, hashes, sink) };
        true
    } else {
        false
    }
}

/// How many steps of eight the sink lags behind, so that its input is ready when the CPU gets to it: with input still on
/// its way, the addresses that a MinHash writes to are unknown for long, and loads after them wait or are undone.
const LAG: usize = 2;

/// Hashes eight shingles at a time, then the rest one by one.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn fill_avx512<S: Sink>(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64], sink: &mut S) {
    let (starts_by_8, starts_rest) = starts.as_chunks::<8>();
    let (ends_by_8, ends_rest) = ends.as_chunks::<8>();
    let (hashes_by_8, hashes_rest) = hashes.as_chunks_mut::<8>();
    let mut steps = starts_by_8.iter().zip(ends_by_8).enumerate();
    // The loop within has no call in it, or else its twenty constants would be loaded anew each time.
    while steps.len() > 0 {
        let mut unhashed = None;
        for (step, (starts, ends)) in steps.by_ref() {
            let mut others = 0;
            if let Some(hashes) = hashes_by_8.get_mut(step) {
                others = hash_eight::<S>(text, starts, ends, hashes);
            }
            if let Some(ready) = step.checked_sub(LAG).and_then(|step| hashes_by_8.get(step)) {
                sink.take_some(ready);
            }
            if others != 0 {
                unhashed = hashes_by_8.get_mut(step).map(|hashes| (starts, ends, hashes, others));
                break;
            }
        }
        if let Some((starts, ends, hashes, others)) = unhashed {
            for lane in (0..8).filter(|lane| others >> lane & 1 != 0) {
                hashes[lane] = piece_hash(text, starts[lane], ends[lane]);
            }
        }
    }
    for ready in hashes_by_8.iter().skip(hashes_by_8.len().saturating_sub(LAG)) {
        sink.take_some(ready);
    }
    fill_one_by_one(text, starts_rest, ends_rest, hashes_rest);
    sink.take_some(hashes_rest);
}

/// Hashes those of eight shingles that have 4 to 16 bytes, which are five letters as well as five Chinese characters, and
/// gives a bit for each of the others.
///
/// Neighbouring shingles lie within 64 bytes of text. One load brings them in, and byte permutations lay the ends of each
/// shingle into its lane. The rest is XXH3's path for 4 to 8 bytes, or for 9 to 16 bytes, on eight lanes.
///
/// `S`, the sink, only makes a copy for each caller, which the compiler then inlines: called, it would load its twenty
/// constants each time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn hash_eight<S>(text: &[u8], starts: &[u32; 8], ends: &[u32; 8], hashes: &mut [u64; 8]) -> u8 {
    // SAFETY: both arrays hold eight u32, 32 bytes; unaligned loads are allowed.
    let (start, end) =
        unsafe { (_mm256_loadu_epi32(starts.as_ptr().cast()), _mm256_loadu_epi32(ends.as_ptr().cast())) };
    let first_start = _mm256_set1_epi32(starts[0].cast_signed());
    let (offset, end_offset) = (_mm256_sub_epi32(start, first_start), _mm256_sub_epi32(end, first_start));
    let length = _mm256_sub_epi32(end, start);
    // Comparisons are unsigned, so that an offset before the first shingle and a length below the range fail too. Offsets
    // up to 48 and 16 bytes are the 64 of the load.
    let mut in_reach = _mm256_cmple_epu32_mask(offset, _mm256_set1_epi32(48));

    let within = text.get(starts[0] as usize..).unwrap_or_default();
    let bytes = if let Some(bytes) = within.first_chunk::<64>() {
        // SAFETY: 64 bytes, unaligned loads are allowed.
        unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
    } else {
        in_reach &= _mm256_cmple_epu32_mask(end_offset, _mm256_set1_epi32(within.len() as i32));
        // SAFETY: only the bytes of `within` are selected; bytes not selected are not accessed.
        unsafe { _mm512_maskz_loadu_epi8((1 << within.len()) - 1, within.as_ptr().cast()) }
    };
    let above = _mm256_sub_epi32(length, _mm256_set1_epi32(9));
    let medium = _mm256_mask_cmple_epu32_mask(in_reach, above, _mm256_set1_epi32(7));
    if medium == 0xff {
        let hash = hash_medium(bytes, offset, end_offset, length);
        // SAFETY: `hashes` holds eight u64, 64 bytes; unaligned stores are allowed.
        unsafe { _mm512_storeu_epi64(hashes.as_mut_ptr().cast(), hash) };
        return 0;
    }
    let above = _mm256_sub_epi32(length, _mm256_set1_epi32(4));
    let short = _mm256_mask_cmple_epu32_mask(in_reach, above, _mm256_set1_epi32(4));
    let hash = _mm512_mask_mov_epi64(
        hash_medium(bytes, offset, end_offset, length),
        short,
        hash_short(bytes, offset, end_offset, length),
    );
    // SAFETY: `hashes` holds eight u64, 64 bytes; unaligned stores are allowed.
    unsafe { _mm512_storeu_epi64(hashes.as_mut_ptr().cast(), hash) };
    !(medium | short)
}

/// Spreads byte 4 i of `offsets` over the eight bytes of lane i.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn spread(offsets: __m256i) -> __m512i {
    let lanes = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);
    let pattern = _mm512_mullo_epi64(lanes, _mm512_set1_epi64(0x0101_0101_0101_0101));
    _mm512_permutexvar_epi8(pattern, _mm512_castsi256_si512(offsets))
}

/// XXH3's path for 9 to 16 bytes, with the product of 64 by 64 bits made of products of 32 by 32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn hash_medium(bytes: __m512i, offset: __m256i, end_offset: __m256i, length: __m256i) -> __m512i {
    let first = _mm512_add_epi8(spread(offset), _mm512_set1_epi64(0x0706_0504_0302_0100));
    let last = _mm512_add_epi8(spread(end_offset), _mm512_set1_epi64(0xfffe_fdfc_fbfa_f9f8_u64.cast_signed()));
    let low = _mm512_xor_epi64(_mm512_permutexvar_epi8(first, bytes), _mm512_set1_epi64(LOW_FLIP.cast_signed()));
    let high = _mm512_xor_epi64(_mm512_permutexvar_epi8(last, bytes), _mm512_set1_epi64(HIGH_FLIP.cast_signed()));
    let reverse = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
    let swapped = _mm512_shuffle_epi8(low, reverse);

    let low_top = _mm512_srli_epi64::<32>(low);
    let high_top = _mm512_srli_epi64::<32>(high);
    let product_00 = _mm512_mul_epu32(low, high);
    let product_01 = _mm512_mul_epu32(low, high_top);
    let product_10 = _mm512_mul_epu32(low_top, high);
    let product_11 = _mm512_mul_epu32(low_top, high_top);
    // Neither sum can overflow: (2^32 - 1)^2 + 2 (2^32 - 1) is 2^64 - 1.
    let middle = _mm512_add_epi64(product_01, _mm512_srli_epi64::<32>(product_00));
    let middle_low = _mm512_add_epi64(product_10, _mm512_and_epi64(middle, _mm512_set1_epi64(0xffff_ffff)));
    let product_high = _mm512_add_epi64(
        _mm512_add_epi64(product_11, _mm512_srli_epi64::<32>(middle)),
        _mm512_srli_epi64::<32>(middle_low),
    );
    let product_low = _mm512_mask_shuffle_epi32::<_MM_PERM_CCAA>(product_00, 0xaaaa, middle_low);
    let folded = _mm512_xor_epi64(product_low, product_high);

    let ends = _mm512_add_epi64(_mm512_add_epi64(_mm512_cvtepu32_epi64(length), swapped), high);
    let sum = _mm512_add_epi64(ends, folded);
    let sum = _mm512_mullo_epi64(
        _mm512_xor_epi64(sum, _mm512_srli_epi64::<37>(sum)),
        _mm512_set1_epi64(PRIME_MX1.cast_signed()),
    );
    _mm512_xor_epi64(sum, _mm512_srli_epi64::<32>(sum))
}

/// XXH3's path for 4 to 8 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
fn hash_short(bytes: __m512i, offset: __m256i, end_offset: __m256i, length: __m256i) -> __m512i {
    // The last four bytes in the low half of a lane, the first four in the high half.
    let ends = _mm512_mask_mov_epi32(spread(offset), 0x5555, spread(end_offset));
    let place = _mm512_add_epi8(ends, _mm512_set1_epi64(0x0302_0100_fffe_fdfc));
    let h = _mm512_xor_epi64(_mm512_permutexvar_epi8(place, bytes), _mm512_set1_epi64(SHORT_FLIP.cast_signed()));
    let rotated = _mm512_xor_epi64(_mm512_rol_epi64::<49>(h), _mm512_rol_epi64::<24>(h));
    let prime = _mm512_set1_epi64(PRIME_MX2.cast_signed());
    let h = _mm512_mullo_epi64(_mm512_xor_epi64(h, rotated), prime);
    let h = _mm512_xor_epi64(h, _mm512_add_epi64(_mm512_srli_epi64::<35>(h), _mm512_cvtepu32_epi64(length)));
    let h = _mm512_mullo_epi64(h, prime);
    _mm512_xor_epi64(h, _mm512_srli_epi64::<28>(h))
}
