//! The bottom-k scheme: the k smallest distinct values of one hash function.
//!
//! The hash function is the high 32 bits of the element; two elements that agree in them count as one.

/// How many candidates beyond k are gathered before the k smallest are picked out.
const SLACK: usize = 2048;

/// The state of one signature being made.
#[derive(Clone, Debug)]
pub(super) struct BottomK {
    count: usize,
    /// Every value up to `limit` so far, with repetitions.
    candidates: Vec<u32>,
    /// No value above this one can be among the k smallest.
    limit: u32,
}

impl BottomK {
    pub(super) fn new(count: usize) -> Self {
        Self { count, candidates: Vec::new(), limit: u32::MAX }
    }

    pub(super) fn reset(&mut self) {
        self.candidates.clear();
        self.limit = u32::MAX;
    }

    pub(super) fn add_all(&mut self, elements: &[u64]) {
        for batch in elements.chunks(SLACK) {
            self.candidates
                .extend(batch.iter().map(|element| (element >> 32) as u32).filter(|&value| value <= self.limit));
            if self.candidates.len() > self.count + SLACK {
                self.pick();
            }
        }
    }

    /// Keeps the k smallest distinct candidates, in ascending order.
    fn pick(&mut self) {
        // Without repetitions the k smallest are among the first 2 k, which is less to sort; with them, sort all.
        if self.candidates.len() > 2 * self.count {
            self.candidates.select_nth_unstable(2 * self.count);
            let (first, _) = self.candidates.split_at_mut(2 * self.count);
            first.sort_unstable();
            let distinct = first.chunk_by(|a, b| a == b).count();
            if distinct >= self.count {
                self.candidates.truncate(2 * self.count);
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

    /// Gives the values in ascending order, or `None` if nothing was added.
    pub(super) fn finish(&mut self) -> Option<impl Iterator<Item = u64>> {
        if self.candidates.is_empty() {
            return None;
        }
        self.pick();
        Some(self.candidates.iter().map(|&value| u64::from(value)))
    }
}
