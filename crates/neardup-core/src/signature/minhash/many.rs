//! The many-hash scheme: for each position, the smallest element in an order that belongs to the position.
//!
//! In round i, each element e falls into one of `count` bins by x = [`mix`]`(e, i)` (x = e in round 0, where e already is a good
//! hash): bin = floor(x * count / 2^64). A bin keeps the smallest (round, x), so once filled it ignores later rounds. Rounds 1 to
//! count - 1 run only while a bin is empty. After that, round count + b fills bin b, if it is still empty, from all elements. The
//! value of a position is the low bits of x.
//!
//! A set of n elements takes about 1 + count * ln(count) / n rounds of n steps. An attacker who chooses tokens that leave a bin
//! empty can raise this to 2 * count rounds, which is still linear in the text.

use crate::signature::shingle::Sink;
use neardup_text::hash::mix;

mod bins;
mod kernel;

pub(super) use bins::MAX_COUNT;
use bins::{EMPTY, INDEX_MASK, bin_of};

/// Elements remembered for later rounds before repetitions are looked for.
const REMEMBERED: usize = 1 << 14;
/// After this many rounds the elements are few or repeat themselves, and repetitions are dropped: about what sorting costs.
const ROUNDS_WITH_REPETITIONS: u64 = 32;
/// The state of one signature being made.
#[derive(Clone, Debug)]
pub(super) struct ManyHash {
    count: usize,
    /// The least x of each bin, first of round 0, at the end of the round that filled it.
    least: [u64; MAX_COUNT],
    /// The elements so far, while round 0 has left a bin empty.
    elements: Vec<u64>,
    /// When to look for repetitions among the elements.
    remembered_limit: usize,
    /// Whether round 0 has filled all bins, so that elements need not be remembered.
    complete: bool,
    any: bool,
    /// What a further round finds for each empty bin; 0 in the others, so that no x is less.
    open: [u64; MAX_COUNT],
    /// The bins that were empty a while ago.
    empty: Vec<u16>,
}

impl ManyHash {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count: count.min(MAX_COUNT),
            least: [EMPTY; MAX_COUNT],
            elements: Vec::new(),
            remembered_limit: REMEMBERED,
            complete: false,
            any: false,
            open: [0; MAX_COUNT],
            empty: Vec::new(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.bins().fill(EMPTY);
        self.elements.clear();
        self.remembered_limit = REMEMBERED;
        self.complete = false;
        self.any = false;
    }

    pub(super) fn add_all(&mut self, elements: &[u64]) {
        for batch in elements.chunks(1024) {
            self.take_some(batch);
            self.take_batch(batch);
        }
    }

    /// Returns the x of each position, or `None` if nothing was added.
    pub(super) fn finish(&mut self) -> Option<impl Iterator<Item = u64>> {
        if !self.any {
            return None;
        }
        if !self.complete {
            self.further_rounds();
        }
        Some(self.bins().iter().copied())
    }

    /// How many elements are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.elements.capacity()
    }

    fn bins(&mut self) -> &mut [u64] {
        let count = self.count;
        self.least.get_mut(..count).unwrap_or_default()
    }

    /// Runs the rounds after round 0 until no bin is empty.
    fn further_rounds(&mut self) {
        let Self { count, least, elements, open, empty, .. } = self;
        let count = *count;
        let bins = least.get(..count).unwrap_or_default();
        for (open, &x) in open.iter_mut().zip(bins) {
            *open = if x == EMPTY { EMPTY } else { 0 };
        }
        empty.clear();
        empty.extend((0..).zip(bins).filter(|&(_, &x)| x == EMPTY).map(|(bin, _)| bin));
        let mut left = empty.len();
        for round in 1..count as u64 {
            if left == 0 {
                return;
            }
            if round == ROUNDS_WITH_REPETITIONS {
                drop_repetitions(elements);
            }
            kernel::run_round(elements, count, round, empty, open);
            // Few elements can only have found few bins.
            left -= if elements.len() < empty.len() / 2 {
                let bins = elements.iter().map(|&element| bin_of(mix(element, round), count as u64));
                settle(bins, least, open)
            } else {
                settle(empty.iter().map(|&bin| usize::from(bin)), least, open)
            };
            if left <= empty.len() / 2 {
                empty.retain(|&bin| least[usize::from(bin) & INDEX_MASK] == EMPTY);
            }
        }
        for &bin in empty.iter() {
            let least = &mut least[usize::from(bin) & INDEX_MASK];
            if *least == EMPTY {
                *least = kernel::least_mixed(elements, count as u64 + u64::from(bin));
            }
        }
    }
}

fn drop_repetitions(elements: &mut Vec<u64>) {
    elements.sort_unstable();
    elements.dedup();
}

/// Closes those of the bins that were found in this round, and says how many they are.
fn settle(bins: impl Iterator<Item = usize>, least: &mut [u64; MAX_COUNT], open: &mut [u64; MAX_COUNT]) -> usize {
    let mut settled = 0;
    for bin in bins {
        let (least, open) = (&mut least[bin & INDEX_MASK], &mut open[bin & INDEX_MASK]);
        if *least == EMPTY && *open != EMPTY {
            *least = *open;
            *open = 0;
            settled += 1;
        }
    }
    settled
}

impl Sink for ManyHash {
    /// Round 0: the hot loop of large texts, without a branch on the random comparison.
    #[inline(always)]
    fn take_some(&mut self, elements: &[u64]) {
        let count = self.count as u64;
        if count.is_power_of_two() {
            // The same bins with fewer instructions, at the usual counts.
            let shift = u64::BITS - count.trailing_zeros();
            for &x in elements {
                let bin = &mut self.least[(x >> shift) as usize & INDEX_MASK];
                *bin = x.min(*bin);
            }
        } else {
            for &x in elements {
                let bin = &mut self.least[bin_of(x, count)];
                *bin = x.min(*bin);
            }
        }
    }

    /// Keeps the elements for further rounds, unless round 0 has filled the last bin.
    fn take_batch(&mut self, elements: &[u64]) {
        self.any |= !elements.is_empty();
        if self.complete {
            return;
        }
        self.complete = self.bins().iter().fold(true, |complete, &x| complete & (x != EMPTY));
        if self.complete {
            self.elements.clear();
            return;
        }
        self.elements.extend_from_slice(elements);
        if self.elements.len() > self.remembered_limit {
            drop_repetitions(&mut self.elements);
            self.remembered_limit = REMEMBERED.max(2 * self.elements.len());
        }
    }
}
