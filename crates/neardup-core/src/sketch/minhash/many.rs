//! The many-hash scheme: for each position the least element in the order that belongs to the position.
//!
//! In round i, each element e is thrown into one of `count` bins by x = [`mix`]`(e, i)` (x = e in round 0, where e already
//! is a good hash): bin = floor(floor(x / 2^32) * count / 2^32). A bin keeps the least (round, x), so once filled it ignores
//! later rounds. Rounds 1 to count - 1 run only as long as a bin is empty, and then round count + b fills bin b, if it is
//! still empty, from all elements alike. The position's value is the low bits of x.
//!
//! A set of n elements takes about 1 + count * ln(count) / n rounds of n steps. Whoever crafts tokens to keep a bin empty
//! can make that up to 2 * count rounds: still linear in the text.

use crate::sketch::hash::mix;

/// The most positions; a power of two, so that a mask can prove indexes to be in bounds.
pub(super) const MAX_COUNT: usize = 1024;
const INDEX_MASK: usize = MAX_COUNT - 1;
/// Elements remembered for later rounds before repetitions are looked for.
const REMEMBERED: usize = 1 << 14;
/// After this many rounds the elements are few or repeat themselves, and repetitions are dropped.
const ROUNDS_WITH_REPETITIONS: u64 = 4;
/// The x of an empty bin. An element with this x fills no bin in that round.
const EMPTY: u64 = u64::MAX;

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
        self.any |= !elements.is_empty();
        for batch in elements.chunks(1024) {
            first_round(batch, self.count as u64, &mut self.least);
            if !self.complete {
                self.remember(batch);
            }
        }
    }

    /// Keeps the elements for further rounds, unless this batch filled the last bin.
    fn remember(&mut self, batch: &[u64]) {
        self.complete = self.bins().iter().fold(true, |complete, &x| complete & (x != EMPTY));
        if self.complete {
            self.elements.clear();
            return;
        }
        self.elements.extend_from_slice(batch);
        if self.elements.len() > self.remembered_limit {
            self.drop_repetitions();
            self.remembered_limit = REMEMBERED.max(2 * self.elements.len());
        }
    }

    fn drop_repetitions(&mut self) {
        self.elements.sort_unstable();
        self.elements.dedup();
    }

    /// Gives the x of each position, or `None` if nothing was added.
    pub(super) fn finish(&mut self) -> Option<impl Iterator<Item = u64>> {
        if !self.any {
            return None;
        }
        if !self.complete {
            self.further_rounds();
        }
        Some(self.bins().iter().copied())
    }

    fn bins(&mut self) -> &mut [u64] {
        let count = self.count;
        self.least.get_mut(..count).unwrap_or_default()
    }

    fn further_rounds(&mut self) {
        const NEVER: u16 = u16::MAX;
        let count = self.count as u64;
        // The round that filled each bin.
        let mut filled = [0_u16; MAX_COUNT];
        let mut empty = 0;
        for (filled, &mut x) in filled.iter_mut().zip(self.bins()) {
            if x == EMPTY {
                *filled = NEVER;
                empty += 1;
            }
        }
        for round in 1..count {
            if empty == 0 {
                return;
            }
            if round == ROUNDS_WITH_REPETITIONS {
                self.drop_repetitions();
            }
            let stamp = round as u16;
            for batch in self.elements.chunks(4096) {
                for &element in batch {
                    let x = mix(element, round);
                    let bin = bin_of(x, count);
                    let (least, filled) = (&mut self.least[bin], &mut filled[bin]);
                    // A bin filled in an earlier round has a smaller stamp; `least` of an empty one is the largest x.
                    if *filled >= stamp && x < *least {
                        empty -= u32::from(*filled == NEVER);
                        *filled = stamp;
                        *least = x;
                    }
                }
                crate::interrupt::check();
            }
        }
        for (bin, (least, filled)) in self.least.iter_mut().zip(filled).take(self.count).enumerate() {
            if filled == NEVER {
                let round = count + bin as u64;
                *least = self.elements.iter().map(|&element| mix(element, round)).min().unwrap_or(EMPTY);
                crate::interrupt::check();
            }
        }
    }
}

/// The bin of an x; the mask only tells the compiler what `count` <= [`MAX_COUNT`] implies.
#[inline(always)]
fn bin_of(x: u64, count: u64) -> usize {
    (((x >> 32) * count) >> 32) as usize & INDEX_MASK
}

/// Round 0: the hot loop of large texts, without a branch on the random comparison.
#[inline]
fn first_round(elements: &[u64], count: u64, least: &mut [u64; MAX_COUNT]) {
    for &x in elements {
        let bin = &mut least[bin_of(x, count)];
        *bin = x.min(*bin);
    }
}
