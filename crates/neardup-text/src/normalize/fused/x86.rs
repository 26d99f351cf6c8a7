//! The fused pass compiled for CPUs with AVX2, and with kernels of its own for AVX-512.
#![allow(unsafe_code, reason = "SIMD kernels: functions compiled for a CPU feature are called after asking for it")]

use std::arch::x86_64::*;

use super::super::append::{Runs, append_runs};
use super::super::kinds::{Kinds, SEEN, WIDE_COMMA, judge};
use super::super::scan::WORD;
use super::super::simplified::changes_by;
use super::{Pass, becomes_space};

/// Goes through the text with what the CPU has; `false`, and nothing is done, if it has neither AVX-512 (with VBMI2) nor AVX2.
#[inline]
pub(super) fn all(pass: &mut Pass<'_, '_>) -> bool {
    if has_avx512() {
        // SAFETY: the CPU has what the function is compiled for; AVX-512F comes with AVX-512BW.
        unsafe { all_avx512(pass) };
        return true;
    }
    all_narrow(pass)
}

/// The same without AVX-512.
#[inline]
pub(super) fn all_narrow(pass: &mut Pass<'_, '_>) -> bool {
    let can = is_x86_feature_detected!("avx2") && has_bit_instructions();
    if can {
        // SAFETY: the CPU has what the function is compiled for.
        unsafe { all_avx2(pass) };
    }
    can
}

fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && has_bit_instructions()
}

fn has_bit_instructions() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[expect(clippy::redundant_closure, reason = "closures are compiled for these features, as the function is")]
fn all_avx2(pass: &mut Pass<'_, '_>) {
    pass.all_with(|seen| judge(seen), |out, runs| append_runs(out, runs), |_, _| true);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn all_avx512(pass: &mut Pass<'_, '_>) {
    pass.all_with(
        |seen| judge_avx512(seen),
        |out, runs| append_avx512(out, runs),
        |seen, first| any_changes_avx512(seen, first),
    );
}

/// First two bytes of the blocks that nearly all signs of several bytes are of: U+2000, U+3000 and U+FF00, 64 characters each.
const BLOCKS: [[u8; 2]; 3] = [[0xe2, 0x80], [0xe3, 0x80], [0xef, 0xbc]];

/// For the last byte of a character of these blocks, a bit for each block in which it becomes space.
static SPACES: [u8; 64] = {
    let mut spaces = [0; 64];
    let mut last = 0;
    while last < 64 {
        let mut block = 0;
        while block < BLOCKS.len() {
            let [first, second] = BLOCKS[block];
            let code = (first as usize & 0xf) << 12 | (second as usize & 0x3f) << 6 | last;
            spaces[last] |= (becomes_space(code) as u8) << block;
            block += 1;
        }
        last += 1;
    }
    spaces
};

/// Judges a word as [`judge`] does, but knows only the signs of [`BLOCKS`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn judge_avx512(seen: &[u8; SEEN]) -> Kinds {
    let set = |value: u8| _mm512_set1_epi8(value.cast_signed());
    // SAFETY: 64 bytes each of 66 or of 64, unaligned loads are allowed.
    let [byte, second, third, spaces] = unsafe {
        [seen.as_ptr(), seen.as_ptr().add(1), seen.as_ptr().add(2), SPACES.as_ptr()]
            .map(|from| _mm512_loadu_epi8(from.cast()))
    };
    let within = |first: u8, count: u8| _mm512_cmplt_epu8_mask(_mm512_sub_epi8(byte, set(first)), set(count));
    let is = |value: u8| _mm512_cmpeq_epi8_mask(byte, set(value));
    let has_second = |value: u8| _mm512_cmpeq_epi8_mask(second, set(value));

    let (small, digits, capitals) = (within(b'a', 26), within(b'0', 10), within(b'A', 26));
    let (followers, near) = (within(0x80, 0x40), within(0xc2, 0x20));
    let han = within(0xe4, 6) & !(is(0xe4) & has_second(0xb7));
    let others = !(followers | han | small | digits);

    let (points, percents) = (is(b'.') | is(b','), is(b'%'));
    let narrow = within(b' ', 0x5f) & !(small | digits | capitals | points | percents) | within(b'\t', 5);
    // The permutation reads the lowest six bits of each byte.
    let blocks = _mm512_permutexvar_epi8(third, spaces);
    let wide = |block: usize| {
        let [first, second] = BLOCKS[block];
        is(first) & has_second(second) & _mm512_test_epi8_mask(blocks, set(1 << block))
    };
    let [first, middle, last] = WIDE_COMMA;
    let commas = is(first) & has_second(middle) & _mm512_cmpeq_epi8_mask(third, set(last));
    Kinds {
        others,
        followers,
        digits,
        capitals,
        spaces: narrow | wide(0) | wide(1) | wide(2),
        signs: points | commas,
        percents,
        near,
        far: _mm512_movepi8_mask(byte) & !(followers | near),
    }
}

/// Says whether the step `simplified` changes one of the characters that begin at the bits of `first`, which have three bytes or four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn any_changes_avx512(seen: &[u8; SEEN], first: u64) -> bool {
    /// Half of the most such characters in a word: loops of fixed length are not mispredicted.
    const HALF: usize = 11;
    // SAFETY: 64 bytes each of 66, unaligned loads are allowed.
    let [byte, second, third] = unsafe {
        [seen.as_ptr(), seen.as_ptr().add(1), seen.as_ptr().add(2)].map(|from| _mm512_loadu_epi8(from.cast()))
    };
    let packed = |bytes| _mm512_castsi512_si256(_mm512_maskz_compress_epi8(first, bytes));
    let [second, third] = [second, third].map(|bytes| _mm512_cvtepu8_epi16(packed(bytes)));
    let (mut firsts, mut lasts) = ([0_u8; 32], [0_u16; 32]);
    // SAFETY: room for 32 bytes and for 32 numbers of two bytes, unaligned stores are allowed.
    unsafe {
        _mm256_storeu_si256(firsts.as_mut_ptr().cast(), packed(byte));
        let last = _mm512_or_si512(second, _mm512_slli_epi16::<8>(third));
        _mm512_storeu_epi16(lasts.as_mut_ptr().cast(), last);
    }
    // Through memory: the compiler would take the numbers out of the vectors one by one, in twice the time.
    let (firsts, lasts) = std::hint::black_box((&firsts, &lasts));
    let ((firsts, _), (lasts, _)) = (firsts.as_chunks::<HALF>(), lasts.as_chunks::<HALF>());
    let halves = if first.count_ones() as usize > HALF { 2 } else { 1 };
    let mut pairs = firsts.iter().zip(lasts).take(halves);
    pairs.any(|(firsts, lasts)| firsts.iter().zip(lasts).any(|(&first, &last)| changes_by(first, last)))
}

/// Appends runs as [`append_runs`] does: the last byte before a run becomes the space, and all that stays moves together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn append_avx512(out: &mut String, runs: Runs<'_>) {
    let (text, keep, spaced) = runs.parts();
    if spaced & 1 == 1 {
        out.push(' ');
    }
    let before = spaced >> 1;
    let word = if let Some(word) = text.as_bytes().first_chunk::<WORD>() {
        // SAFETY: 64 bytes, unaligned loads are allowed.
        unsafe { _mm512_loadu_epi8(word.as_ptr().cast()) }
    } else {
        // SAFETY: only the bytes of `text` are selected; bytes not selected are not accessed.
        unsafe { _mm512_maskz_loadu_epi8((1 << text.len()) - 1, text.as_ptr().cast()) }
    };
    let word = _mm512_mask_mov_epi8(word, before, _mm512_set1_epi8(b' '.cast_signed()));
    let packed = _mm512_maskz_compress_epi8(keep | before, word);
    // SAFETY: there is room for the 64 bytes written, of which as many are text as are selected. They are whole characters and
    // spaces, since the runs are whole characters, and a byte before a run belongs to none.
    unsafe {
        let out = out.as_mut_vec();
        out.reserve(WORD);
        _mm512_storeu_epi8(out.as_mut_ptr().add(out.len()).cast(), packed);
        let length = out.len();
        out.set_len(length + (keep | before).count_ones() as usize);
        debug_assert!(
            out.get(length..).is_some_and(|appended| str::from_utf8(appended).is_ok()),
            "a run is cut inside a character"
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::append::{Runs, append_runs, tests::parts};
    use super::super::super::kinds::{Kinds, SEEN, judge};
    use super::super::super::simplified::simplified;
    use super::{any_changes_avx512, append_avx512, becomes_space, has_avx512, judge_avx512};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn words_are_judged_as_without_avx512(text in "([中国一㐀鿿䷀が후，。“…·é😀a-zA-Z0-9.,% \n\u{7f}]|[後臺]?|\\PC){80}") {
            if !has_avx512() {
                return Ok(());
            }
            let mut seen = [b'a'; SEEN];
            seen.iter_mut().zip(text.bytes()).for_each(|(seen, byte)| *seen = byte);
            // SAFETY: the CPU has AVX-512.
            let (found, any_changes) = unsafe {
                let kinds = judge_avx512(&seen);
                (kinds, any_changes_avx512(&seen, kinds.far))
            };
            let expected = judge(&seen);
            // Each knows some of the signs of several bytes.
            prop_assert_eq!(Kinds { spaces: expected.spaces, signs: expected.signs, ..found }, expected);
            let mut begun = text.char_indices().take_while(|&(place, _)| place < 64);
            let places = |is: fn(char) -> bool| {
                begun.clone().filter(|&(_, c)| is(c)).fold(0_u64, |places, (place, _)| places | 1 << place)
            };
            let spaces = places(|c| c <= '\u{ffff}' && becomes_space(c as usize));
            prop_assert_eq!((found.spaces | expected.spaces) & !spaces, 0);
            prop_assert_eq!(found.signs, places(|c| matches!(c, '.' | ',' | '，')));
            prop_assert_eq!(expected.signs & !found.signs, 0);
            prop_assert_eq!(any_changes, begun.any(|(_, c)| c <= '\u{ffff}' && simplified(c) != c));
        }

        #[test]
        fn runs_are_appended_as_without_avx512((text, keep, spaced) in parts()) {
            if !has_avx512() {
                return Ok(());
            }
            let (mut fast, mut expected) = ("x".to_owned(), "x".to_owned());
            // SAFETY: `parts` makes such masks.
            let runs = unsafe { Runs::new(&text, keep, spaced) };
            // SAFETY: the CPU has AVX-512.
            unsafe { append_avx512(&mut fast, runs) };
            append_runs(&mut expected, runs);
            prop_assert_eq!(fast, expected);
        }
    }
}
