//! Brings rows that agree on the bits of a mask next to each other, in linear time.
//!
//! A row is a signature and its position. Two steps, both stable counting sorts by a hash of the masked bits: a first one
//! into partitions that fit the processor's cache, a second one within each. Rows that agree end up in one run; a run can also
//! hold rows that do not agree but share the hash, so the caller still compares.

/// Rows aimed at for a partition: what the second step touches (about 100 kB) stays in the second-level cache.
const PARTITION_BITS: u32 = 12;

/// The most partitions, by bits: each open one costs the first step a line of cache.
const MOST_PARTITIONS_BITS: u32 = 11;

/// Odd, with its bits spread evenly: 2^64 divided by the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// How many slots beyond the last row [`Partition::signatures`] can be read.
pub(super) const PADDING: usize = 8;

/// Signatures and the positions they stand at; both of one length.
#[derive(Default)]
pub(super) struct Rows {
    pub signatures: Vec<u64>,
    pub positions: Vec<u32>,
}

impl Rows {
    pub(super) fn push(&mut self, signature: u64, position: u32) {
        self.signatures.push(signature);
        self.positions.push(position);
    }

    pub(super) fn view(&self) -> RowsView<'_> {
        RowsView { signatures: &self.signatures, positions: &self.positions }
    }

    fn resize(&mut self, count: usize) {
        self.signatures.resize(count, 0);
        self.positions.resize(count, 0);
    }
}

/// A part of some [`Rows`].
#[derive(Clone, Copy)]
pub(super) struct RowsView<'a> {
    pub signatures: &'a [u64],
    pub positions: &'a [u32],
}

impl<'a> RowsView<'a> {
    pub(super) fn len(self) -> usize {
        self.positions.len()
    }

    pub(super) fn slice(self, start: u32, end: u32) -> RowsView<'a> {
        let range = start as usize..end as usize;
        RowsView { signatures: &self.signatures[range.clone()], positions: &self.positions[range] }
    }
}

/// The runs of one partition.
pub(super) struct Partition<'a> {
    /// The rows, run after run.
    pub rows: RowsView<'a>,
    /// The signatures again, followed by [`PADDING`] more values of no meaning.
    pub signatures: &'a [u64],
    /// Where each run ends, not decreasing; runs may be empty.
    pub ends: &'a [u32],
}

/// Sorts rows into partitions; keeps its memory, 12 bytes a row, from one call to the next.
#[derive(Default)]
pub(super) struct Partitioner {
    partitions: Rows,
    starts: Vec<u32>,
    local: Rows,
    ends: Vec<u32>,
}

impl Partitioner {
    /// Hands each partition of `signatures`, standing at `position(index)`, to `visit`.
    pub(super) fn partition(
        &mut self,
        signatures: &[u64],
        position: impl Fn(usize) -> u32,
        mask: u64,
        mut visit: impl FnMut(Partition<'_>),
    ) {
        let bits = signatures.len().ilog2_or_zero().saturating_sub(PARTITION_BITS).min(MOST_PARTITIONS_BITS);
        self.scatter(signatures, position, mask, bits);
        let mut start = 0;
        for i in 0..self.starts.len() {
            let end = self.starts[i];
            self.sort_partition(start, end, mask, bits);
            let count = (end - start) as usize;
            visit(Partition {
                rows: self.local.view().slice(0, end - start),
                signatures: &self.local.signatures[..count + PADDING],
                ends: &self.ends,
            });
            start = end;
        }
    }

    /// First step; afterwards `starts` says where each partition ends.
    fn scatter(&mut self, signatures: &[u64], position: impl Fn(usize) -> u32, mask: u64, bits: u32) {
        let partition = |signature: u64| (top_bits(hash(signature, mask), bits)) as usize;
        self.starts.clear();
        self.starts.resize(1 << bits, 0);
        for &signature in signatures {
            self.starts[partition(signature)] += 1;
        }
        counts_to_starts(&mut self.starts);
        self.partitions.resize(signatures.len());
        for (i, &signature) in signatures.iter().enumerate() {
            let next = &mut self.starts[partition(signature)];
            self.partitions.signatures[*next as usize] = signature;
            self.partitions.positions[*next as usize] = position(i);
            *next += 1;
        }
    }

    /// Second step: one partition, into `local` and `ends`.
    fn sort_partition(&mut self, start: u32, end: u32, mask: u64, bits: u32) {
        let rows = self.partitions.view().slice(start, end);
        let local_bits = rows.len().ilog2_or_zero().clamp(4, 16);
        let slot = |signature: u64| (top_bits(hash(signature, mask) << bits, local_bits)) as usize;
        self.ends.clear();
        self.ends.resize(1 << local_bits, 0);
        for &signature in rows.signatures {
            self.ends[slot(signature)] += 1;
        }
        counts_to_starts(&mut self.ends);
        if self.local.positions.len() < rows.len() + PADDING {
            self.local.resize(rows.len() + PADDING);
        }
        for (&signature, &position) in rows.signatures.iter().zip(rows.positions) {
            let next = &mut self.ends[slot(signature)];
            self.local.signatures[*next as usize] = signature;
            self.local.positions[*next as usize] = position;
            *next += 1;
        }
    }
}

#[inline]
fn hash(signature: u64, mask: u64) -> u64 {
    (signature & mask).wrapping_mul(MULTIPLIER)
}

/// Gives the top `bits` bits, 0 to 63 of them, as a number.
#[inline]
fn top_bits(word: u64, bits: u32) -> u64 {
    (word >> 1) >> (63 - bits)
}

fn counts_to_starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

/// The position of the highest bit, 0 for 0.
pub(super) trait Ilog2OrZero {
    fn ilog2_or_zero(self) -> u32;
}

impl Ilog2OrZero for usize {
    fn ilog2_or_zero(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}
