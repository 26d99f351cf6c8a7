//! Signatures sorted by one of their quarters.
//!
//! The quarters are the four bands of an index: 16 bits each, interleaved. A row consists of two halves of 32 bits and its
//! position. The second half contains the quarter that the rows are sorted by; the first half contains two others. The sort has two
//! steps, both stable counting sorts: first into partitions that fit into the processor's cache, then each partition into runs of
//! one value. A partition is stored column by column (first halves, second halves, positions), so that many rows can be compared at
//! a time.

use std::ops::Range;

/// Bits of a quarter.
pub(super) const BITS: u32 = 16;

/// How many values a quarter has.
pub(super) const VALUES: usize = 1 << BITS;

/// Quarters of a signature.
pub(super) const QUARTERS: usize = 4;

/// Rows compared at once: twice as many values lie behind each first half.
pub(super) const LANES: usize = 16;

/// Intended number of rows per partition, in bits, so that the data of the second step stay in the second-level cache.
const PARTITION_BITS: u32 = 14;

/// The most partitions, in bits: each open one costs the first step a cache line.
const MOST_PARTITIONS_BITS: u32 = 11;

/// How many rows have each value of each quarter.
pub(super) type Counts = [Vec<u32>; QUARTERS];

/// A row without its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Halves {
    pub first: u32,
    pub second: u32,
}

impl Halves {
    /// Splits a signature into halves. The even bits of the second half are quarter `quarter`, the odd ones the next quarter,
    /// cyclically, and likewise the bits of the first half are the other two.
    #[inline]
    pub(super) fn of(signature: u64, quarter: usize) -> Self {
        let turned = signature.rotate_right(quarter as u32);
        // Of each four bits, takes two: those of the upper half of the word go between those of the lower half.
        let half = |word: u64| {
            let kept = word & 0x3333_3333_3333_3333;
            (kept | kept >> 30) as u32
        };
        Self { first: half(turned >> 2), second: half(turned) }
    }

    /// Gives the bits in which it differs from another.
    #[inline(always)]
    pub(super) fn difference(self, other: Self) -> Self {
        Self { first: self.first ^ other.first, second: self.second ^ other.second }
    }

    /// Gives the number of set bits.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.first.count_ones() + self.second.count_ones()
    }

    /// Gives the number of set bits in a quarter, counted from the one by which the signature was split.
    #[inline]
    pub(super) fn bits_of(self, quarter: usize) -> u32 {
        let half = if quarter < 2 { self.second } else { self.first };
        (half >> (quarter % 2) & 0x5555_5555).count_ones()
    }

    /// Gives the value of the quarter by which the signature was split.
    #[inline]
    pub(super) fn value(self) -> usize {
        let even = self.second & 0x5555_5555;
        ((even | even >> 15) & 0xffff) as usize
    }
}

/// Counts the values of all quarters.
pub(super) fn count(signatures: &[u64]) -> Counts {
    let mut counts = [(); QUARTERS].map(|()| vec![0; VALUES]);
    for &signature in signatures {
        for (quarter, counts) in counts.iter_mut().enumerate() {
            counts[Halves::of(signature, quarter).value()] += 1;
        }
    }
    counts
}

/// Rows of one partition, column by column.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub first: &'a [u32],
    pub second: &'a [u32],
    pub position: &'a [u32],
}

impl Columns<'_> {
    #[inline(always)]
    pub(super) fn row(self, i: usize) -> Halves {
        Halves { first: self.first[i], second: self.second[i] }
    }
}

/// Sorted rows; 12 bytes each.
pub(super) struct Sorted {
    values: Vec<u32>,
    /// Where the run of each value starts, and where the last one ends.
    starts: Vec<u32>,
    /// Bits of a value within its partition.
    inner: u32,
    next: Vec<u32>,
    unsorted: Vec<u32>,
}

impl Sorted {
    /// Allocates memory for so many rows.
    pub(super) fn new(rows: usize) -> Self {
        let bits = rows.checked_ilog2().unwrap_or(0).saturating_sub(PARTITION_BITS).min(MOST_PARTITIONS_BITS);
        let inner = BITS - bits;
        Self {
            values: vec![0; 3 * rows + 2 * LANES],
            starts: vec![0; VALUES + 1],
            inner,
            next: Vec::new(),
            unsorted: Vec::new(),
        }
    }

    pub(super) fn partitions(&self) -> usize {
        VALUES >> self.inner
    }

    /// Gives the values of the quarter in a partition.
    pub(super) fn values_of(&self, partition: usize) -> Range<usize> {
        partition << self.inner..(partition + 1) << self.inner
    }

    /// Gives the rows of a value, as indexes in all sorted rows.
    #[inline]
    pub(super) fn run(&self, value: usize) -> Range<usize> {
        self.starts[value] as usize..self.starts[value + 1] as usize
    }

    /// Gives the start of the partition of a value.
    #[inline]
    pub(super) fn partition_start(&self, value: usize) -> usize {
        self.starts[value >> self.inner << self.inner] as usize
    }

    /// Gives the columns of a partition; the first two continue with values without meaning.
    #[inline]
    pub(super) fn columns(&self, partition: usize) -> Columns<'_> {
        let values = self.values_of(partition);
        let (start, end) = (self.starts[values.start] as usize, self.starts[values.end] as usize);
        let count = end - start;
        let columns = &self.values[3 * start..];
        Columns { first: columns, second: &columns[count..], position: &columns[2 * count..3 * count] }
    }

    /// Gives the columns of the partition of a value.
    #[inline]
    pub(super) fn columns_of(&self, value: usize) -> Columns<'_> {
        self.columns(value >> self.inner)
    }

    /// First step: moves rows into partitions by quarter `quarter`, whose values `counts` counts, without the `repeated` rows.
    pub(super) fn scatter(&mut self, signatures: &[u64], quarter: usize, counts: &[u32], repeated: &[u64]) {
        let mut sum = 0;
        for (start, &count) in self.starts.iter_mut().zip(counts) {
            *start = sum;
            sum += count;
        }
        self.starts[VALUES] = sum;
        self.next.clear();
        self.next.extend(self.starts[..VALUES].iter().step_by(1 << self.inner));
        let mut position = 0;
        for (some, &repeated) in signatures.chunks(64).zip(repeated) {
            for (i, &signature) in some.iter().enumerate() {
                if repeated >> i & 1 == 0 {
                    let halves = Halves::of(signature, quarter);
                    let next = &mut self.next[halves.value() >> self.inner];
                    let place = 3 * *next as usize;
                    *next += 1;
                    if let Some(row) = self.values.get_mut(place..place + 3) {
                        row.copy_from_slice(&[halves.first, halves.second, position + i as u32]);
                    }
                }
            }
            position += 64;
        }
    }

    /// Second step: sorts a partition into runs.
    pub(super) fn sort(&mut self, partition: usize) {
        let values = self.values_of(partition);
        let (start, end) = (self.starts[values.start] as usize, self.starts[values.end] as usize);
        let count = end - start;
        let rows = &mut self.values[3 * start..3 * end];
        self.unsorted.clear();
        self.unsorted.extend_from_slice(rows);
        self.next.clear();
        self.next.extend(self.starts[values.clone()].iter().map(|&place| place - start as u32));
        let (first, rest) = rows.split_at_mut(count);
        let (second, position) = rest.split_at_mut(count);
        let (rows, _) = self.unsorted.as_chunks::<3>();
        for row in rows {
            let halves = Halves { first: row[0], second: row[1] };
            let next = &mut self.next[halves.value() - values.start];
            let place = *next as usize;
            *next += 1;
            first[place] = row[0];
            second[place] = row[1];
            position[place] = row[2];
        }
    }
}
