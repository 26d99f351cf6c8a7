//! Training: from a collection to the [`Statistics`](super::Statistics) of a profile, in one pass and bounded memory.
//!
//! [`Training`] receives the token hashes of one document after the other. For each word it counts documents and occurrences and
//! the pairs of adjacent words, and keeps a sketch of where the word occurs:
//!
//! * An occurrence is the pair of a document and the occurrence's number among those of the word in that document. So the Jaccard
//!   similarity of two words' sets of occurrences is the weighted Jaccard similarity of their counts.
//! * The sketch has 64 cells. An occurrence falls into one of them by its hash, and each cell keeps the smallest (Li, Owen, Zhang
//!   2012, "One permutation hashing"; without densification, because empty cells are known as such). Documents are identified by
//!   their tokens, so the sketch sees exact copies as one document.
//!
//! Memory is bounded by N, the number of words to keep: at most about 1.5 kB for each. There is space for 2 N words and 32 N pairs.
//! If there are more words, the N words in most documents stay. A word that was dropped and occurs again starts from zero, so its
//! counts may be too low by at most [`Training::lost`]. If there are more pairs, those with the lowest counts are dropped; each of
//! their occurrences then counts as a different neighbour, which makes entropies a little too high. As long as nothing is dropped,
//! the order of the documents does not matter; otherwise the same order gives the same statistics.

use ahash::AHashMap;

use super::statistics::{CELLS, Statistics, Word};
use neardup_text::hash::mix;
use neardup_text::{Error, ErrorKind, Result, interrupt};

/// How many words a training may be asked to keep.
pub const WORDS: std::ops::RangeInclusive<usize> = 1_000..=1_000_000;

/// Pairs there is room for, per word to keep.
const PAIRS_PER_WORD: usize = 32;

/// Entropies are summed up in units of 2^-20 nats: integers, so that their order does not matter.
const UNIT: f64 = 1_048_576.0;

/// What is counted of one word.
#[derive(Clone, Debug)]
struct Counted {
    hash: u64,
    /// The last document that has it, counted from 1, and its occurrences there.
    last: u64,
    in_last: u32,
    documents: u32,
    /// Occurrences with a neighbour to the left, and to the right.
    left: u64,
    right: u64,
    cells: [u32; CELLS],
}

/// An empty cell.
const EMPTY: u32 = u32::MAX;

/// Counts words over a collection of documents.
#[derive(Debug)]
pub struct Training {
    keep: usize,
    documents: u64,
    lost: u32,
    numbers: AHashMap<u64, u32>,
    words: Vec<Counted>,
    /// How often the first word stands right before the second, by their numbers.
    pairs: AHashMap<(u32, u32), u32>,
}

impl Training {
    /// Starts a training that keeps this many words, 1,000 to 1,000,000.
    ///
    /// # Errors
    /// `InvalidParameter` for another number.
    pub fn new(keep: usize) -> Result<Self> {
        if !WORDS.contains(&keep) {
            let message = format!("words to keep must be between {} and {}: {keep}", WORDS.start(), WORDS.end());
            return Err(Error::new(ErrorKind::InvalidParameter, message));
        }
        Ok(Self::with_room(keep))
    }

    fn with_room(keep: usize) -> Self {
        Self { keep, documents: 0, lost: 0, numbers: AHashMap::new(), words: Vec::new(), pairs: AHashMap::new() }
    }

    /// Returns the number of documents so far.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of words there is something known about.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns the highest number of documents by which the count of a word may be too low.
    #[must_use]
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Counts the tokens of a document, given by their hashes in text order; a document without tokens does not count.
    pub fn add(&mut self, tokens: &[u64]) {
        if tokens.is_empty() {
            return;
        }
        self.documents += 1;
        let document = tokens.iter().fold(0, |document, &token| mix(document ^ token, 1));
        let mut before: Option<u32> = None;
        for (done, &token) in tokens.iter().enumerate() {
            if done % 4096 == 0 {
                interrupt::check();
            }
            if !self.numbers.contains_key(&token) && self.words.len() == 2 * self.keep {
                self.forget_words();
                before = None;
            }
            let number = self.count(token, document);
            if let Some(left) = before {
                self.count_pair(left, number);
            }
            before = Some(number);
        }
    }

    /// Counts one occurrence, and returns the word's number.
    fn count(&mut self, token: u64, document: u64) -> u32 {
        let next = self.words.len() as u32;
        let number = *self.numbers.entry(token).or_insert(next);
        if number == next {
            let unseen =
                Counted { hash: token, last: 0, in_last: 0, documents: 0, left: 0, right: 0, cells: [EMPTY; CELLS] };
            self.words.push(unseen);
        }
        let word = &mut self.words[number as usize];
        if word.last != self.documents {
            word.last = self.documents;
            word.in_last = 0;
            word.documents = word.documents.saturating_add(1);
        }
        word.in_last = word.in_last.saturating_add(1);
        let hash = mix(document, 1 + u64::from(word.in_last));
        let cell = &mut word.cells[(hash >> 58) as usize];
        *cell = (*cell).min((hash as u32).min(EMPTY - 1));
        number
    }

    fn count_pair(&mut self, left: u32, right: u32) {
        self.words[left as usize].right += 1;
        self.words[right as usize].left += 1;
        if let Some(count) = self.pairs.get_mut(&(left, right)) {
            *count = count.saturating_add(1);
            return;
        }
        if self.pairs.len() == PAIRS_PER_WORD * self.keep {
            self.forget_pairs();
        }
        self.pairs.insert((left, right), 1);
    }

    /// Numbers of the words that are in the most documents; of equally many, the ones of smaller hashes.
    fn most_frequent(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.words.len() as u32).collect();
        if numbers.len() > self.keep {
            let rank = |&number: &u32| {
                let word = &self.words[number as usize];
                (std::cmp::Reverse(word.documents), word.hash)
            };
            numbers.select_nth_unstable_by_key(self.keep, rank);
            numbers.truncate(self.keep);
        }
        numbers
    }

    fn forget_words(&mut self) {
        interrupt::check();
        let kept = self.most_frequent();
        let mut stays = vec![None; self.words.len()];
        (0..).zip(&kept).for_each(|(new, &old)| stays[old as usize] = Some(new));
        let lost = self.words.iter().zip(&stays).filter(|(_, new)| new.is_none()).map(|(word, _)| word.documents).max();
        self.lost = self.lost.saturating_add(lost.unwrap_or(0));
        self.words = kept.iter().map(|&old| self.words[old as usize].clone()).collect();
        self.numbers = (0..).zip(&self.words).map(|(number, word)| (word.hash, number)).collect();
        let pairs = std::mem::take(&mut self.pairs);
        let renumbered = pairs
            .into_iter()
            .filter_map(|((left, right), count)| Some(((stays[left as usize]?, stays[right as usize]?), count)));
        self.pairs = renumbered.collect();
    }

    /// Leaves at most half of the pairs, or those that stand together most often.
    fn forget_pairs(&mut self) {
        interrupt::check();
        let mut counts: Vec<u32> = self.pairs.values().copied().collect();
        let middle = counts.len() / 2;
        let (_, &mut least, _) = counts.select_nth_unstable(middle);
        self.pairs.retain(|_, &mut count| count > least);
    }

    /// Ends the training and returns the bytes of its [`Statistics`].
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut together = vec![(0_u64, 0_u64); self.words.len()];
        for (&(left, right), &count) in &self.pairs {
            let sum = (f64::from(count) * libm::log(f64::from(count)) * UNIT) as u64;
            together[left as usize].1 += sum;
            together[right as usize].0 += sum;
        }
        let mut kept = self.most_frequent();
        kept.sort_unstable_by_key(|&number| self.words[number as usize].hash);
        let mut words = Vec::with_capacity(kept.len());
        let mut values = Vec::new();
        for number in kept {
            let word = &self.words[number as usize];
            let (left, right) = together[number as usize];
            let entropy = (entropy(word.left, left) + entropy(word.right, right)) / 2.0;
            let filled = |cell: &u32| *cell != EMPTY;
            let cells = word.cells.iter().map(filled).enumerate().fold(0, |all, (at, has)| all | u64::from(has) << at);
            values.extend(word.cells.iter().copied().filter(filled).map(|cell| (mix(u64::from(cell), 1) >> 48) as u16));
            let entropy = (entropy * 65_536.0) as u32;
            words.push(Word { hash: word.hash, documents: word.documents, entropy, cells });
        }
        Statistics::to_bytes(self.documents, &words, &values)
    }
}

/// The entropy, in nats, of neighbours seen `total` times in all, whose counts c have this sum of c ln c.
fn entropy(total: u64, sum: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    (libm::log(total as f64) - sum as f64 / UNIT / total as f64).max(0.0)
}

#[cfg(test)]
mod tests;
