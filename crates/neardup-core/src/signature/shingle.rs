//! Hashes of shingles, many at a time: every run of N consecutive units (mostly characters) of a text.
//!
//! [`for_each_batch`] takes the text's bytes and the units' boundaries, and passes on buffers of hashes. Each hash equals
//! [`token_hash`](neardup_text::hash::token_hash) of the shingle's bytes. Most tokens of a text are shingles, and hashing them is
//! most of the work of a signature. So they are hashed directly in the text, without building tokens; with AVX-512, eight at a
//! time.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use portable::Sink;
use portable::fill_one_by_one;

/// The most hashes in a batch: 8 kB, so that a batch stays in the first-level cache between being written and read.
pub const BATCH: usize = 1024;

/// Hashes every run of `size` consecutive units and hands the hashes to `take` in text order, up to [`BATCH`] at a time.
///
/// `boundaries` are the byte offsets of the units in ascending order, with the end of the last unit at the end: one more
/// than there are units. A text of fewer than `size` units has no shingle. A boundary beyond the text or out of order is a
/// mistake of the caller, and the shingles that touch it hash as if empty.
#[inline]
pub fn for_each_batch(text: &[u8], boundaries: &[u32], size: usize, take: impl FnMut(&[u64])) {
    struct Batches<F>(F);
    impl<F: FnMut(&[u64])> Sink for Batches<F> {
        #[inline(always)]
        fn take_some(&mut self, _: &[u64]) {}
        #[inline(always)]
        fn take_batch(&mut self, hashes: &[u64]) {
            self.0(hashes);
        }
    }
    let (starts, ends) = spans(boundaries, size);
    hash_into(text, starts, ends, &mut [0; BATCH], &mut Batches(take));
}

/// Returns where the runs of `size` consecutive units start and end, from the boundaries of the units.
#[inline]
#[must_use]
pub fn spans(boundaries: &[u32], size: usize) -> (&[u32], &[u32]) {
    let shingles = if size == 0 { 0 } else { boundaries.len().saturating_sub(size) };
    (boundaries.get(..shingles).unwrap_or_default(), boundaries.get(boundaries.len() - shingles..).unwrap_or_default())
}

/// Hashes the pieces of a text from each start to the end beside it, through a buffer, into a sink.
#[inline]
pub(crate) fn hash_into(text: &[u8], starts: &[u32], ends: &[u32], buffer: &mut [u64; BATCH], sink: &mut impl Sink) {
    for (starts, ends) in starts.chunks(BATCH).zip(ends.chunks(BATCH)) {
        let (hashes, _) = buffer.split_at_mut(starts.len().min(ends.len()));
        fill(text, starts, ends, hashes, sink);
        sink.take_batch(hashes);
        neardup_text::interrupt::check();
    }
}

/// Hashes the pieces of the text from each start to the end beside it; the three slices are equally long.
#[inline]
fn fill(text: &[u8], starts: &[u32], ends: &[u32], hashes: &mut [u64], sink: &mut impl Sink) {
    #[cfg(target_arch = "x86_64")]
    if x86::fill(text, starts, ends, hashes, sink) {
        return;
    }
    fill_one_by_one(text, starts, ends, hashes);
    sink.take_some(hashes);
}

#[cfg(test)]
mod tests {
    use super::{Sink, fill, fill_one_by_one, for_each_batch};
    use neardup_text::hash::token_hash;
    use proptest::prelude::*;

    /// What a sink takes a few at a time.
    struct Taken(Vec<u64>);

    impl Sink for Taken {
        fn take_some(&mut self, hashes: &[u64]) {
            self.0.extend_from_slice(hashes);
        }
        fn take_batch(&mut self, _: &[u64]) {}
    }

    fn boundaries_of(text: &str) -> Vec<u32> {
        text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect()
    }

    fn shingles(text: &str, size: usize) -> Vec<u64> {
        let mut hashes = Vec::new();
        for_each_batch(text.as_bytes(), &boundaries_of(text), size, |batch| hashes.extend_from_slice(batch));
        hashes
    }

    /// The definition: every run of `size` characters is a token.
    fn naive(text: &str, size: usize) -> Vec<u64> {
        let characters: Vec<char> = text.chars().collect();
        characters.windows(size).map(|window| token_hash(&window.iter().collect::<String>())).collect()
    }

    /// Text of every character width, most of it Chinese.
    fn mixed_text(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        let character = prop_oneof![6 => prop::char::range('一', '龥'), 2 => prop::char::range(' ', '~'),
            1 => prop::char::range('à', 'ÿ'), 1 => prop::char::range('😀', '🙏')];
        prop::collection::vec(character, length).prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn each_hash_is_the_token_hash(text in mixed_text(0..300), size in 1_usize..40) {
            prop_assert_eq!(shingles(&text, size), naive(&text, size));
        }

        #[test]
        fn batches_join_without_a_seam(text in mixed_text(1000..2200), size in 1_usize..9) {
            prop_assert_eq!(shingles(&text, size), naive(&text, size));
        }

        #[test]
        fn wrong_boundaries_do_no_harm(
            text in mixed_text(0..60),
            pairs in prop::collection::vec((0_u32..300, prop_oneof![0_u32..300, Just(u32::MAX)]), 0..40),
        ) {
            let (starts, ends): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
            let mut fast = vec![0; starts.len()];
            let mut slow = fast.clone();
            let mut taken = Taken(Vec::new());
            fill(text.as_bytes(), &starts, &ends, &mut fast, &mut taken);
            prop_assert_eq!(&taken.0, &fast);
            fill_one_by_one(text.as_bytes(), &starts, &ends, &mut slow);
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn a_text_shorter_than_the_shingle_has_none() {
        assert!(shingles("四个字吧", 5).is_empty());
        assert_eq!(shingles("五个字呢吧", 5), [token_hash("五个字呢吧")]);
        assert!(shingles("五个字呢吧", 0).is_empty());
        assert!(shingles("", 1).is_empty());
    }
}
