//! The bottom-k scheme: the k smallest distinct values of one hash function.
//!
//! Values are whole elements, or only their high 32 bits if no more are stored; then two elements with equal high bits count as
//! one.
//!
//! Whole values are keys of an index. They are followed by one more value, the smallest of the text's opening: the k smallest
//! values of a long text often have nothing in common with those of its own headline or lead.

/// How many candidates beyond k are gathered before the k smallest are picked out.
const SLACK: usize = 2048;

/// The number of elements, in the order added, that are the opening. Two values of the first 16 would add nearly twice as many
/// candidates to news as two of the first 32, because of datelines; those of the first 64 find fewer headlines
/// (`docs/candidates.md`).
const OPENING: usize = 32;

/// The state of one signature being made.
#[derive(Clone, Debug)]
pub(super) struct BottomK {
    count: usize,
    /// How far an element is shifted to the right to be a value.
    shift: u32,
    /// Every value up to `limit` so far, with repetitions.
    candidates: Vec<u64>,
    /// The smallest candidates, while they are picked.
    small: Vec<u64>,
    /// No value above this one can be among the k smallest.
    limit: u64,
    /// How many elements were added, and the smallest of the opening.
    added: usize,
    opening: u64,
}

impl BottomK {
    /// Gathers `count` values of 64 bits, or of 32.
    pub(super) fn new(count: usize, whole: bool) -> Self {
        let shift = if whole { 0 } else { 32 };
        Self { count, shift, candidates: Vec::new(), small: Vec::new(), limit: u64::MAX, added: 0, opening: u64::MAX }
    }

    pub(super) fn reset(&mut self) {
        self.candidates.clear();
        self.limit = u64::MAX;
        self.added = 0;
        self.opening = u64::MAX;
    }

    pub(super) fn add_all(&mut self, elements: &[u64]) {
        let opening = elements.iter().take(OPENING.saturating_sub(self.added));
        self.opening = opening.fold(self.opening, |least, &element| least.min(element));
        self.added = self.added.saturating_add(elements.len());
        for batch in elements.chunks(SLACK) {
            self.candidates
                .extend(batch.iter().map(|element| element >> self.shift).filter(|&value| value <= self.limit));
            if self.candidates.len() > self.count + SLACK {
                self.pick();
            }
        }
    }

    /// Keeps the k smallest distinct candidates, in ascending order.
    fn pick(&mut self) {
        // Values are spread evenly up to the limit, so nearly always the k smallest are below this one: k plus six standard
        // deviations of them are expected there. If repetitions leave fewer, all are sorted.
        let wanted = self.count + 6 * self.count.isqrt() + 16;
        if self.candidates.len() > 2 * wanted {
            let most = self.limit.min(u64::MAX >> self.shift);
            let cut = (u128::from(most) * wanted as u128 / self.candidates.len() as u128) as u64;
            self.small.resize(self.candidates.len(), 0);
            let mut length = 0;
            for &value in &self.candidates {
                if let Some(place) = self.small.get_mut(length) {
                    *place = value;
                    length += usize::from(value <= cut);
                }
            }
            self.small.truncate(length);
            self.small.sort_unstable();
            self.small.dedup();
            if self.small.len() >= self.count {
                std::mem::swap(&mut self.small, &mut self.candidates);
            }
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
        self.candidates.truncate(self.count);
        if self.candidates.len() == self.count
            && let Some(&last) = self.candidates.last()
        {
            self.limit = last;
        }
    }

    /// Returns the values in strictly ascending order, or `None` if nothing was added: the k smallest, then, of whole values, the
    /// smallest of the opening unless it is one of them.
    pub(super) fn finish(&mut self) -> Option<&[u64]> {
        if self.candidates.is_empty() {
            return None;
        }
        self.pick();
        if self.shift == 0 && self.candidates.last().is_some_and(|&last| self.opening > last) {
            self.candidates.push(self.opening);
        }
        Some(&self.candidates)
    }
}
