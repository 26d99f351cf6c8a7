//! Brings rows that agree on the bits of a mask next to each other, in linear time.
//!
//! A row is a signature and its position. There are two steps, both stable counting sorts by a hash of the masked bits: the first
//! into partitions that fit into the processor's cache, the second within each partition. Rows that agree end up in one run. A run
//! can also contain rows that do not agree but share the hash, so the caller still compares.

/// Intended number of rows per partition, in bits, so that the data of the second step stay in the second-level cache.
const PARTITION_BITS: u32 = 12;

/// The most partitions, in bits: each open one costs the first step a cache line.
const MOST_PARTITIONS_BITS: u32 = 11;

/// Odd, with uniformly distributed bits: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// How many values [`Partition::signatures`] has after the last row.
pub(super) const PADDING: usize = 8;

/// A source of rows: a position for each signature, and whether the row takes part.
pub(super) trait Source {
    fn signatures(&self) -> &[u64];
    fn position(&self, index: u32) -> u32;
    fn takes_part(&self, index: u32) -> bool;

    /// Lists the rows that take part, by their index among the signatures.
    fn indexes(&self) -> impl Iterator<Item = u32> {
        (0..self.signatures().len() as u32).filter(|&index| self.takes_part(index))
    }
}

/// Signatures and their positions, both of the same length.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub signatures: &'a [u64],
    pub positions: &'a [u32],
}

impl<'a> Rows<'a> {
    pub(super) fn len(self) -> usize {
        self.positions.len()
    }

    pub(super) fn slice(self, start: u32, end: u32) -> Self {
        let range = start as usize..end as usize;
        Self { signatures: &self.signatures[range.clone()], positions: &self.positions[range] }
    }
}

impl Source for Rows<'_> {
    fn signatures(&self) -> &[u64] {
        self.signatures
    }

    fn position(&self, index: u32) -> u32 {
        self.positions[index as usize]
    }

    fn takes_part(&self, _: u32) -> bool {
        true
    }
}

/// The runs of one partition.
pub(super) struct Partition<'a> {
    /// The rows, run after run.
    pub rows: Rows<'a>,
    /// The signatures again, followed by [`PADDING`] more values without meaning.
    pub signatures: &'a [u64],
    /// Where each run ends, not decreasing; runs may be empty.
    pub ends: &'a [u32],
}

/// Sorts rows into partitions. Keeps its memory, 12 bytes per row, from one call to the next.
#[derive(Default)]
pub(super) struct Partitioner {
    /// Low half and high half of the signature, and the position: 12 bytes, where a struct would take 16.
    scattered: Vec<[u32; 3]>,
    starts: Vec<u32>,
    signatures: Vec<u64>,
    positions: Vec<u32>,
    ends: Vec<u32>,
}

impl Partitioner {
    /// Passes each partition of the rows that take part to `visit`.
    pub(super) fn partition(&mut self, source: &impl Source, mask: u64, mut visit: impl FnMut(Partition<'_>)) {
        let bits = bits_for(source.signatures().len()).saturating_sub(PARTITION_BITS).min(MOST_PARTITIONS_BITS);
        self.scatter(source, mask, bits);
        let mut start = 0;
        for i in 0..self.starts.len() {
            let end = self.starts[i] as usize;
            self.sort_partition(start..end, mask, bits);
            let count = end - start;
            visit(Partition {
                rows: Rows { signatures: &self.signatures[..count], positions: &self.positions[..count] },
                signatures: &self.signatures[..count + PADDING],
                ends: &self.ends,
            });
            start = end;
        }
    }

    /// First step. Afterwards `starts` says where each partition ends.
    fn scatter(&mut self, source: &impl Source, mask: u64, bits: u32) {
        let partition = |signature: u64| top_bits(hash(signature, mask), bits);
        self.starts.clear();
        self.starts.resize(1 << bits, 0);
        for (i, &signature) in (0..).zip(source.signatures()) {
            self.starts[partition(signature)] += u32::from(source.takes_part(i));
        }
        counts_to_starts(&mut self.starts);
        // A row that takes no part is written too, to a slot after all others: a move costs less than a mispredicted branch.
        let waste = source.signatures().len();
        self.scattered.resize(waste + 1, [0; 3]);
        for (i, &signature) in (0..).zip(source.signatures()) {
            let takes_part = source.takes_part(i);
            let next = &mut self.starts[partition(signature)];
            let slot = if takes_part { *next as usize } else { waste };
            self.scattered[slot] = [signature as u32, (signature >> 32) as u32, source.position(i)];
            *next += u32::from(takes_part);
        }
    }

    /// Second step: one partition, into `signatures`, `positions` and `ends`.
    fn sort_partition(&mut self, range: std::ops::Range<usize>, mask: u64, bits: u32) {
        let rows = &self.scattered[range];
        let local_bits = bits_for(rows.len()).clamp(4, 16);
        let slot = |signature: u64| top_bits(hash(signature, mask) << bits, local_bits);
        self.ends.clear();
        self.ends.resize(1 << local_bits, 0);
        for row in rows {
            self.ends[slot(signature_of(row))] += 1;
        }
        counts_to_starts(&mut self.ends);
        if self.positions.len() < rows.len() + PADDING {
            self.signatures.resize(rows.len() + PADDING, 0);
            self.positions.resize(rows.len() + PADDING, 0);
        }
        for row in rows {
            let signature = signature_of(row);
            let next = &mut self.ends[slot(signature)];
            self.signatures[*next as usize] = signature;
            self.positions[*next as usize] = row[2];
            *next += 1;
        }
    }
}

#[inline]
fn signature_of(row: &[u32; 3]) -> u64 {
    u64::from(row[0]) | u64::from(row[1]) << 32
}

#[inline]
fn hash(signature: u64, mask: u64) -> u64 {
    (signature & mask).wrapping_mul(MULTIPLIER)
}

/// Returns the top `bits` bits, 0 to 63 of them, as a number.
#[inline]
fn top_bits(word: u64, bits: u32) -> usize {
    ((word >> 1) >> (63 - bits)) as usize
}

fn bits_for(count: usize) -> u32 {
    count.checked_ilog2().unwrap_or(0)
}

/// Replaces each count by the sum of the counts before it.
fn counts_to_starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use neardup_text::hash::token_hash;

    struct Every<'a> {
        signatures: &'a [u64],
        nth: u32,
    }

    impl Source for Every<'_> {
        fn signatures(&self) -> &[u64] {
            self.signatures
        }

        fn position(&self, index: u32) -> u32 {
            index * 2
        }

        fn takes_part(&self, index: u32) -> bool {
            index % self.nth != 1
        }
    }

    /// Several partitions, one of them far too large: each row comes out once, and rows that agree in one run, in order.
    #[test]
    fn rows_that_agree_come_together() {
        for (count, nth) in [(0, 2), (1, 2), (100, 2), (20_000, 2), (20_000, 3), (40_000, u32::MAX)] {
            let signatures: Vec<u64> =
                (0..count).map(|i| if i % 3 == 0 { 7 } else { token_hash(&(i % 5000).to_string()) }).collect();
            let source = Every { signatures: &signatures, nth };
            for mask in [u64::MAX, 0x0f0f_0f0f_0f0f_0f0f, 0xf000] {
                let mut run_of = HashMap::new();
                let mut seen: Vec<u32> = Vec::new();
                let mut runs = 0;
                Partitioner::default().partition(&source, mask, |partition| {
                    assert_eq!(partition.signatures.len(), partition.rows.len() + PADDING);
                    let mut start = 0;
                    for &end in partition.ends {
                        let run = partition.rows.slice(start, end);
                        assert!(run.positions.is_sorted());
                        for (&signature, &position) in run.signatures.iter().zip(run.positions) {
                            assert_eq!(signature, signatures[position as usize / 2]);
                            assert_eq!(*run_of.entry(signature & mask).or_insert(runs), runs);
                            seen.push(position / 2);
                        }
                        runs += 1;
                        start = end;
                    }
                    assert_eq!(start as usize, partition.rows.len());
                });
                seen.sort_unstable();
                assert!(seen.into_iter().eq(source.indexes()));
            }
        }
    }
}
