//! The distinct tokens of a sequence, numbered in the order of first occurrence.

/// A hash table from token hash to number, flat and reusable.
#[derive(Debug)]
pub(super) struct Distinct {
    /// Number + 1 of the token in each slot, 0 for none; a power of two of them.
    slots: Vec<u32>,
    /// Spreads hashes over slots. It is random because token hashes are not: the writer of a text could choose
    /// tokens whose hashes crowd together. It decides where a token is looked for, never what is found.
    spread: u64,
    /// The number of the distinct token at each place of the sequence.
    pub(super) ids: Vec<u32>,
    /// The hash of each distinct token.
    pub(super) hashes: Vec<u64>,
    /// The place of each one's first occurrence.
    pub(super) first: Vec<u32>,
    /// How often each one occurs.
    pub(super) counts: Vec<u32>,
}

impl Default for Distinct {
    fn default() -> Self {
        let spread = ahash::RandomState::new().hash_one(0u64) | 1;
        Self { slots: Vec::new(), spread, ids: Vec::new(), hashes: Vec::new(), first: Vec::new(), counts: Vec::new() }
    }
}

impl Distinct {
    /// Slots for a text of which nothing but the length is known: enough that a news article never grows the table, few
    /// enough that a text of one repeated word does not pay for its length.
    fn slots(tokens: usize) -> usize {
        (2 * tokens).clamp(64, 1 << 14).next_power_of_two()
    }

    /// Numbers the tokens of a sequence of at most `u32::MAX`.
    pub(super) fn find(&mut self, tokens: &[u64]) {
        self.ids.clear();
        self.hashes.clear();
        self.first.clear();
        self.counts.clear();
        self.resize(Self::slots(tokens.len()));
        self.ids.reserve(tokens.len());
        for (chunk, tokens) in tokens.chunks(1 << 16).enumerate() {
            neardup_text::interrupt::check();
            for (at, &hash) in (chunk as u32 * (1 << 16)..).zip(tokens) {
                self.add(at, hash);
            }
        }
    }

    #[inline]
    fn add(&mut self, at: u32, hash: u64) {
        let slot = self.slot(hash);
        let found = self.slots[slot];
        if found != 0 {
            self.counts[found as usize - 1] += 1;
            self.ids.push(found - 1);
            return;
        }
        self.ids.push(self.hashes.len() as u32);
        self.hashes.push(hash);
        self.first.push(at);
        self.counts.push(1);
        self.slots[slot] = self.hashes.len() as u32;
        if self.hashes.len() * 2 > self.slots.len() {
            self.resize(self.slots.len() * 2);
        }
    }

    /// Returns the slot of a hash, or the free slot where it belongs. At least half of the slots are free.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let shift = self.slots.len().leading_zeros() + 1;
        let mut slot = (hash.wrapping_mul(self.spread) >> shift) as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == 0 || self.hashes[found as usize - 1] == hash {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Empties the table to `slots` slots, and puts back what it held.
    fn resize(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, 0);
        for number in 0..self.hashes.len() {
            let slot = self.slot(self.hashes[number]);
            self.slots[slot] = number as u32 + 1;
        }
    }
}
