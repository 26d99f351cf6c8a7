//! Winnowing: a few fingerprints of a text, chosen so that any shared passage of sufficient length gives a common fingerprint.
//!
//! Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document fingerprinting": of every `window` consecutive
//! tokens, the one with the smallest hash is kept. So two texts with `window` consecutive tokens in common share a fingerprint,
//! regardless of where the passage is and what surrounds it. Of random tokens, 2 / (window + 1) are kept.
//!
//! Promised not to change: the fingerprints of given tokens, because users' indexes store them.

use std::collections::VecDeque;

use neardup_text::interrupt;

/// The longest window: 64 k tokens.
pub const MAX_WINDOW: usize = 1 << 16;

/// Gathers the fingerprints of one text.
#[derive(Debug)]
pub struct Winnower {
    window: usize,
    /// Place and hash of tokens that are smaller than all later ones in the window, smallest first.
    least: VecDeque<(usize, u64)>,
    seen: usize,
    /// The place kept last.
    last: Option<usize>,
    kept: Vec<i32>,
}

impl Winnower {
    /// Starts a text; `window` is brought into 1 to [`MAX_WINDOW`].
    #[must_use]
    pub fn new(window: usize) -> Self {
        let window = window.clamp(1, MAX_WINDOW);
        Self { window, least: VecDeque::new(), seen: 0, last: None, kept: Vec::new() }
    }

    /// Takes the hash of the next token.
    pub fn add(&mut self, hash: u64) {
        if self.seen.is_multiple_of(4096) {
            interrupt::check();
        }
        // Of equal hashes the last counts, so that repeated tokens are kept seldom.
        while self.least.back().is_some_and(|&(_, other)| other >= hash) {
            self.least.pop_back();
        }
        self.least.push_back((self.seen, hash));
        self.seen += 1;
        if self.least.front().is_some_and(|&(place, _)| place + self.window < self.seen) {
            self.least.pop_front();
        }
        if self.seen >= self.window {
            self.keep();
        }
    }

    fn keep(&mut self) {
        if let Some(&(place, hash)) = self.least.front()
            && self.last != Some(place)
        {
            self.last = Some(place);
            self.kept.push(fingerprint(hash));
        }
    }

    /// Returns the distinct fingerprints, ascending; a text shorter than the window has one, a text without tokens none.
    #[must_use]
    pub fn finish(mut self) -> Vec<i32> {
        if self.seen < self.window {
            self.keep();
        }
        self.kept.sort_unstable();
        self.kept.dedup();
        self.kept
    }
}

/// Of the kept hashes the top bits are nearly all zero, being the smallest of a window: the low 31 bits tell them apart.
fn fingerprint(hash: u64) -> i32 {
    (hash as u32 & 0x7fff_ffff).cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use neardup_text::hash::token_hash;

    fn fingerprints(hashes: &[u64], window: usize) -> Vec<i32> {
        let mut winnower = Winnower::new(window);
        hashes.iter().for_each(|&hash| winnower.add(hash));
        winnower.finish()
    }

    /// The definition: the last of the smallest in each window.
    fn naive(hashes: &[u64], window: usize) -> Vec<i32> {
        let windows = hashes.windows(window.min(hashes.len()).max(1));
        let mut kept: Vec<i32> = windows.filter_map(|some| some.iter().min()).map(|&hash| fingerprint(hash)).collect();
        kept.sort_unstable();
        kept.dedup();
        kept
    }

    #[test]
    fn values_are_frozen() {
        let hashes: Vec<u64> = (0..40u32).map(|i| token_hash(&i.to_string())).collect();
        assert_eq!(fingerprints(&hashes, 8), naive(&hashes, 8));
        assert_eq!(fingerprints(&[], 8), [] as [i32; 0]);
        assert_eq!(fingerprints(&[u64::MAX], 8), [0x7fff_ffff]);
        assert_eq!(fingerprints(&[5, 3, 9, 3, 8, 1, 7], 3), [1, 3]);
    }

    proptest! {
        #[test]
        fn windows_give_their_least(hashes in prop::collection::vec(0u64..50, 0..80), window in 1usize..20) {
            prop_assert_eq!(fingerprints(&hashes, window), naive(&hashes, window));
        }

        #[test]
        fn a_shared_passage_shares_a_fingerprint(
            before in prop::collection::vec(any::<u64>(), 0..40),
            passage in prop::collection::vec(any::<u64>(), 10..30),
            after in prop::collection::vec(any::<u64>(), 0..40),
            other in prop::collection::vec(any::<u64>(), 0..40),
        ) {
            let a = fingerprints(&[&before[..], &passage, &after].concat(), 10);
            let b = fingerprints(&[&other[..], &passage].concat(), 10);
            prop_assert!(a.iter().any(|key| b.contains(key)));
        }

        #[test]
        fn few_are_kept(seed: u64) {
            let hashes: Vec<u64> = (0..5000u64).map(|i| token_hash(&format!("{seed}{i}"))).collect();
            let kept = fingerprints(&hashes, 49).len();
            prop_assert!((150..=250).contains(&kept), "{kept}");
        }
    }
}
