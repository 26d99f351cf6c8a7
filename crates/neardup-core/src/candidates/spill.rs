//! Sorts more records than fit into memory: sorted runs are written to temporary files and merged while they are read.
//!
//! A record is an array of numbers, so a million records take only the memory of their numbers. [`Sorter`] keeps as many as it may,
//! sorts them and writes them out. [`Sorted`] returns all of them in ascending order. The caller decides where the files are:
//! [`Storage`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use neardup_text::interrupt;

/// A temporary file: written from start to end, then read once from its start.
pub trait Storage {
    /// Begins a file.
    fn create() -> Self;
    /// Appends bytes.
    fn write(&mut self, bytes: &[u8]);
    /// Returns to the start, to read.
    fn rewind(&mut self);
    /// Fills the buffer, or what the file still has, and returns the number of bytes read.
    fn read(&mut self, buffer: &mut [u8]) -> usize;
}

/// The least and the most runs that are merged at once. Between these bounds, memory for one block of each run decides; if
/// there are more runs, some are merged into one first.
const LEAST_RUNS: usize = 16;
const MOST_RUNS: usize = 256;
/// Records that are read or written at once.
const BLOCK: usize = 512;
/// How many comparisons a sort in memory makes between checks for interrupts.
const COMPARISONS: u32 = 1 << 16;

/// Collects records in any order.
#[derive(Debug)]
pub struct Sorter<S, const N: usize> {
    records: Vec<[u64; N]>,
    /// How many records may be in memory.
    most: usize,
    /// Sorted runs, by how often their records were merged. When a level has as many runs as are merged at once, they become
    /// one run of the next level, so the cost is n log n.
    levels: Vec<Vec<S>>,
    most_runs: usize,
}

impl<S: Storage, const N: usize> Sorter<S, N> {
    /// Makes a sorter that uses about `memory` bytes.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        // Half of the memory is for the blocks; Postgres has its own buffer for each file.
        let most_runs = (memory / 2 / (BLOCK * size_of::<[u64; N]>())).clamp(LEAST_RUNS, MOST_RUNS);
        let most = (memory / size_of::<[u64; N]>()).max(BLOCK);
        Self { records: Vec::new(), most, levels: Vec::new(), most_runs }
    }

    /// Adds a record.
    pub fn push(&mut self, record: [u64; N]) {
        if self.records.len() == self.most {
            self.spill();
        }
        if self.records.len() == self.records.capacity() {
            let more = self.records.len().max(BLOCK).min(self.most - self.records.len());
            self.records.reserve_exact(more);
        }
        self.records.push(record);
    }

    fn spill(&mut self) {
        sort(&mut self.records);
        let mut run = write(self.records.drain(..));
        for level in &mut self.levels {
            level.push(run);
            if level.len() < self.most_runs {
                return;
            }
            run = write(merge::<S, N>(std::mem::take(level), Vec::new().into_iter()));
        }
        self.levels.push(vec![run]);
    }

    /// Returns all records in ascending order.
    #[must_use]
    pub fn finish(mut self) -> Sorted<S, N> {
        sort(&mut self.records);
        merge(self.levels.into_iter().flatten().collect(), self.records.into_iter())
    }
}

/// Sorts records in memory, and can be cancelled meanwhile.
fn sort<const N: usize>(records: &mut [[u64; N]]) {
    let mut comparisons = 0_u32;
    records.sort_unstable_by(|a, b| {
        comparisons = comparisons.wrapping_add(1);
        if comparisons.is_multiple_of(COMPARISONS) {
            interrupt::check();
        }
        a.cmp(b)
    });
}

fn write<S: Storage, const N: usize>(records: impl Iterator<Item = [u64; N]>) -> S {
    let mut file = S::create();
    blocks(records, |block| {
        file.write(block);
        true
    });
    file.rewind();
    file
}

/// Passes records in blocks, in the bytes of a [`Storage`], as long as `take` wants more. No block is longer than what is read of a storage at once.
pub fn blocks<const N: usize>(records: impl Iterator<Item = [u64; N]>, mut take: impl FnMut(&[u8]) -> bool) {
    let most = BLOCK * size_of::<[u64; N]>();
    let mut block = Vec::with_capacity(most);
    for record in records {
        block.extend(record.iter().flat_map(|number| number.to_le_bytes()));
        if block.len() == most {
            interrupt::check();
            if !take(&block) {
                return;
            }
            block.clear();
        }
    }
    take(&block);
}

/// One of the sorted runs that are merged.
#[derive(Debug)]
enum Run<S, const N: usize> {
    Memory(std::vec::IntoIter<[u64; N]>),
    File { file: S, block: Vec<u8>, at: usize },
}

impl<S: Storage, const N: usize> Run<S, N> {
    fn next(&mut self) -> Option<[u64; N]> {
        match self {
            Self::Memory(records) => records.next(),
            Self::File { file, block, at } => {
                if *at == block.len() {
                    interrupt::check();
                    block.resize(BLOCK * size_of::<[u64; N]>(), 0);
                    let read = file.read(block);
                    block.truncate(read);
                    *at = 0;
                }
                let mut numbers = block.get(*at..*at + size_of::<[u64; N]>())?.as_chunks().0.iter();
                *at += size_of::<[u64; N]>();
                Some(std::array::from_fn(|_| numbers.next().map_or(0, |bytes| u64::from_le_bytes(*bytes))))
            }
        }
    }
}

/// All records in ascending order.
#[derive(Debug)]
pub struct Sorted<S, const N: usize> {
    runs: Vec<Run<S, N>>,
    /// The next record of each run.
    heads: BinaryHeap<Reverse<([u64; N], usize)>>,
}

fn merge<S: Storage, const N: usize>(files: Vec<S>, records: std::vec::IntoIter<[u64; N]>) -> Sorted<S, N> {
    let files = files.into_iter().map(|file| Run::File { file, block: Vec::new(), at: 0 });
    let mut runs: Vec<Run<S, N>> = files.chain([Run::Memory(records)]).collect();
    let heads =
        runs.iter_mut().enumerate().filter_map(|(run, records)| Some(Reverse((records.next()?, run)))).collect();
    Sorted { runs, heads }
}

impl<S: Storage, const N: usize> Sorted<S, N> {
    /// Merges in what another sorter has sorted: its [`blocks`].
    #[must_use]
    pub fn with(mut self, file: S) -> Self {
        let mut run = Run::File { file, block: Vec::new(), at: 0 };
        if let Some(head) = run.next() {
            self.heads.push(Reverse((head, self.runs.len())));
            self.runs.push(run);
        }
        self
    }
}

impl<S: Storage, const N: usize> Iterator for Sorted<S, N> {
    type Item = [u64; N];

    fn next(&mut self) -> Option<[u64; N]> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((record, run)) = *head;
        let run = self.runs.get_mut(run)?;
        match run.next() {
            Some(next) => head.0.0 = next,
            None => {
                // Its memory or file is no longer needed.
                *run = Run::Memory(Vec::new().into_iter());
                std::collections::binary_heap::PeekMut::pop(head);
            }
        }
        Some(record)
    }
}

/// A file in memory, for tests.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct InMemory {
    bytes: Vec<u8>,
    at: usize,
}

#[cfg(test)]
impl Storage for InMemory {
    fn create() -> Self {
        Self::default()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn rewind(&mut self) {
        self.at = 0;
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        let bytes = &self.bytes[self.at..self.bytes.len().min(self.at + buffer.len())];
        buffer[..bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
        bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted<const N: usize>(records: impl Iterator<Item = [u64; N]>, memory: usize) -> Vec<[u64; N]> {
        let mut sorter = Sorter::<InMemory, N>::new(memory);
        records.for_each(|record| sorter.push(record));
        sorter.finish().collect()
    }

    #[test]
    fn many_runs_are_merged_before_there_are_too_many() {
        let count = (LEAST_RUNS * (LEAST_RUNS + 1) * BLOCK * 2 + 7) as u64;
        let numbers = (0..count).map(|number| [number.wrapping_mul(0x9e37_79b9_7f4a_7c15), number]);
        let mut expected: Vec<_> = numbers.clone().collect();
        expected.sort_unstable();
        assert_eq!(sorted(numbers, 0), expected);
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_a_sort_in_memory(
            records in prop::collection::vec(prop::array::uniform3(0_u64..50), 0..5000),
            memory in 0_usize..200_000,
        ) {
            let mut expected = records.clone();
            expected.sort_unstable();
            prop_assert_eq!(sorted(records.into_iter(), memory), expected);
        }

        #[test]
        fn what_others_have_sorted_is_merged(
            parts in prop::collection::vec(prop::collection::vec(prop::array::uniform2(0_u64..5000), 0..2000), 1..4),
            memory in 0_usize..50_000,
        ) {
            let finished = |records: &Vec<[u64; 2]>| {
                let mut sorter = Sorter::<InMemory, 2>::new(memory);
                records.iter().for_each(|record| sorter.push(*record));
                sorter.finish()
            };
            let passed = |sorted: Sorted<InMemory, 2>| {
                let mut file = InMemory::create();
                blocks(sorted, |block| {
                    file.write(block);
                    true
                });
                file.rewind();
                file
            };
            let all = parts[1..].iter().fold(finished(&parts[0]), |all, part| all.with(passed(finished(part))));
            let mut expected = parts.concat();
            expected.sort_unstable();
            prop_assert_eq!(all.collect::<Vec<_>>(), expected);
        }
    }
}
