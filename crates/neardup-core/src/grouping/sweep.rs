//! Compares rows that are sorted by a quarter: the innermost loop of [`quarters`](super::quarters).
//!
//! It compares four first halves with sixteen others at a time, without branches, so that the compiler can turn the bit counts into
//! vector instructions. Second halves are compared only if the first ones are near. The same code is compiled for several
//! instruction sets; the result is the same on each.

use std::ops::Range;

use super::sorted::{Columns, Halves, LANES, Sorted};

/// A pair of near rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub a: u32,
    pub b: u32,
    /// The bits in which they differ.
    pub difference: Halves,
}

/// Finds near pairs.
pub(super) struct Sweep {
    pub distance: u32,
    pub pairs: Vec<Pair>,
    /// The search stops at so many pairs.
    pub most: usize,
    /// First halves of the rows of a run that have no equal one before them.
    firsts: Vec<u32>,
    /// The indexes of these rows.
    places: Vec<usize>,
}

/// The comparisons to make.
enum Work<'a> {
    /// Between rows of one value.
    Runs,
    /// Between the rows of one value and those of other values: it with these bits changed.
    Neighbours(&'a [usize]),
}

impl Sweep {
    pub(super) fn new(distance: u32, most: usize) -> Self {
        Self { distance, pairs: Vec::new(), most, firsts: Vec::new(), places: Vec::new() }
    }

    /// Compares the rows of each value of a partition. Of equal rows, only the first is compared with the others.
    pub(super) fn compare_runs(&mut self, sorted: &Sorted, partition: usize) {
        dispatch(self, sorted, partition, Work::Runs);
    }

    /// Compares the rows of each value of a partition with those of greater values that differ from it by one of `changes`.
    pub(super) fn compare_neighbours(&mut self, sorted: &Sorted, partition: usize, changes: &[usize]) {
        dispatch(self, sorted, partition, Work::Neighbours(changes));
    }

    #[inline(always)]
    fn compare(
        &mut self,
        sorted: &Sorted,
        partition: usize,
        work: Work<'_>,
        near: impl Fn(Chunk<'_>, Halves, u32) -> u32,
    ) {
        let rows = sorted.columns(partition);
        for value in sorted.values_of(partition) {
            let run = within(sorted, value);
            match work {
                Work::Runs => self.compare_run(rows, run, &near),
                Work::Neighbours(_) if run.is_empty() => {}
                Work::Neighbours(changes) => {
                    for change in changes.iter().filter(|&change| value ^ change > value) {
                        let other = value ^ change;
                        // The first halves may differ in as many bits as the values leave of the distance.
                        let Some(distance) = self.distance.checked_sub(change.count_ones()) else { continue };
                        let others = (sorted.columns_of(other), within(sorted, other));
                        self.compare_two((rows, run.clone()), others, distance, &near);
                    }
                }
            }
        }
    }

    /// Compares the rows of a run with each other: some rows with all before them, then among themselves.
    #[inline(always)]
    fn compare_run(&mut self, rows: Columns<'_>, run: Range<usize>, near: &impl Fn(Chunk<'_>, Halves, u32) -> u32) {
        let (mut firsts, mut places) = (std::mem::take(&mut self.firsts), std::mem::take(&mut self.places));
        firsts.clear();
        places.clear();
        for from in run.clone().step_by(LANES) {
            let Some(chunk) = Chunk::at(rows, from) else { return };
            let mut repeated = 0;
            chunk.each_candidate(&firsts, self.distance, |before| {
                let i = places[before];
                repeated |=
                    self.take(rows, i, (rows, from), near(chunk, rows.row(i), self.distance) & !repeated, run.end);
            });
            let end = run.end.min(from + LANES);
            let apart = repeated == 0 && !may_be_near_within(rows, from, self.distance);
            if apart {
                firsts.extend_from_slice(&rows.first[from..end]);
                places.extend(from..end);
                continue;
            }
            for (lane, i) in (from..end).enumerate() {
                if repeated >> lane & 1 == 0 {
                    let later = near(chunk, rows.row(i), self.distance) & (!1 << lane) & !repeated;
                    repeated |= self.take(rows, i, (rows, from), later, run.end);
                    firsts.push(rows.first[i]);
                    places.push(i);
                }
            }
        }
        (self.firsts, self.places) = (firsts, places);
    }

    /// Compares the rows of two runs; their first halves may differ by `distance`.
    #[inline(always)]
    fn compare_two(
        &mut self,
        (rows, run): (Columns<'_>, Range<usize>),
        (others, other_run): (Columns<'_>, Range<usize>),
        distance: u32,
        near: &impl Fn(Chunk<'_>, Halves, u32) -> u32,
    ) {
        for from in other_run.clone().step_by(LANES) {
            let Some(chunk) = Chunk::at(others, from) else { return };
            chunk.each_candidate(&rows.first[run.clone()], distance, |before| {
                let i = run.start + before;
                self.take(rows, i, (others, from), near(chunk, rows.row(i), self.distance), other_run.end);
            });
        }
    }

    /// Records a row's pairs with the rows whose bits are set, counted from an index, if they are before `end`. Gives those
    /// that are equal to it.
    #[inline(always)]
    fn take(&mut self, rows: Columns<'_>, i: usize, others: (Columns<'_>, usize), near: u32, end: usize) -> u32 {
        let (others, from) = others;
        let mut equal = 0;
        for lane in lanes(near) {
            let j = from + lane;
            if j < end {
                let difference = others.row(j).difference(rows.row(i));
                equal |= u32::from(difference.bits() == 0) << lane;
                self.push(rows.position[i], others.position[j], difference);
            }
        }
        equal
    }

    #[inline(always)]
    fn push(&mut self, a: u32, b: u32, difference: Halves) {
        if self.pairs.len() < self.most {
            self.pairs.push(Pair { a, b, difference });
        }
    }
}

/// Gives the rows of a value, as indexes in its partition.
#[inline(always)]
fn within(sorted: &Sorted, value: usize) -> Range<usize> {
    let (run, start) = (sorted.run(value), sorted.partition_start(value));
    run.start - start..run.end - start
}

/// [`LANES`] consecutive rows; the last of them may be missing.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    first: &'a [u32; LANES],
    second: &'a [u32; LANES],
}

impl<'a> Chunk<'a> {
    #[inline(always)]
    fn at(rows: Columns<'a>, from: usize) -> Option<Self> {
        Some(Self { first: rows.first[from..].first_chunk()?, second: rows.second[from..].first_chunk()? })
    }

    /// Gives the indexes of the first halves that are near one of these.
    #[inline(always)]
    fn each_candidate(self, firsts: &[u32], distance: u32, mut found: impl FnMut(usize)) {
        let (fours, rest) = firsts.as_chunks::<4>();
        for (place, four) in fours.iter().enumerate() {
            if self.may_be_near(four, distance) {
                for (i, &first) in four.iter().enumerate() {
                    if self.may_be_near(&[first], distance) {
                        found(4 * place + i);
                    }
                }
            }
        }
        for (i, &first) in rest.iter().enumerate() {
            if self.may_be_near(&[first], distance) {
                found(4 * fours.len() + i);
            }
        }
    }

    /// Says whether one of some first halves is near.
    #[inline(always)]
    fn may_be_near<const N: usize>(self, firsts: &[u32; N], distance: u32) -> bool {
        let mut any = false;
        for other in self.first {
            let least = firsts.iter().fold(u32::BITS, |least, first| least.min((other ^ first).count_ones()));
            any |= least <= distance;
        }
        any
    }

    /// Gives a bit for each row that is near.
    #[inline(always)]
    fn near(self, row: Halves, distance: u32) -> u32 {
        let mut near = 0;
        for (lane, (first, second)) in self.first.iter().zip(self.second).enumerate() {
            let bits = (first ^ row.first).count_ones() + (second ^ row.second).count_ones();
            near |= u32::from(bits <= distance) << lane;
        }
        near
    }
}

/// Says whether the first half of one of the [`LANES`] rows from an index on is near another one; false positives are possible.
#[inline(always)]
fn may_be_near_within(rows: Columns<'_>, from: usize, distance: u32) -> bool {
    let Some(firsts) = rows.first[from..].first_chunk::<{ 2 * LANES }>() else { return true };
    let mut any = false;
    for lane in 0..LANES {
        let apart = |later: usize| (firsts[lane] ^ firsts[lane + later]).count_ones();
        any |= (1..LANES).fold(u32::BITS, |least, later| least.min(apart(later))) <= distance;
    }
    any
}

/// Gives the indexes of the set bits.
#[inline(always)]
fn lanes(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lane
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(sweep: &mut Sweep, sorted: &Sorted, partition: usize, work: Work<'_>) {
    sweep.compare(sorted, partition, work, |chunk: Chunk<'_>, row, distance| chunk.near(row, distance));
}

#[cfg(target_arch = "x86_64")]
use x86::dispatch;

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(unsafe_code, reason = "SIMD kernel: functions compiled for a CPU feature are called after asking for it")]

    use super::{Chunk, Halves, Sorted, Sweep, Work};

    #[inline]
    pub(super) fn dispatch(sweep: &mut Sweep, sorted: &Sorted, partition: usize, work: Work<'_>) {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has both features, as just asked, and with them popcnt.
            unsafe { with_avx512(sweep, sorted, partition, work) }
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has both features, as just asked.
            unsafe { with_avx2(sweep, sorted, partition, work) }
        } else {
            sweep.compare(sorted, partition, work, |chunk: Chunk<'_>, row, distance| chunk.near(row, distance));
        }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
    fn with_avx512(sweep: &mut Sweep, sorted: &Sorted, partition: usize, work: Work<'_>) {
        // Separate from the loop around it: together, the compiler generates worse code for both.
        #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
        #[inline(never)]
        fn near(chunk: Chunk<'_>, row: Halves, distance: u32) -> u32 {
            chunk.near(row, distance)
        }
        sweep.compare(sorted, partition, work, |chunk: Chunk<'_>, row, distance| near(chunk, row, distance));
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn with_avx2(sweep: &mut Sweep, sorted: &Sorted, partition: usize, work: Work<'_>) {
        #[target_feature(enable = "avx2,popcnt")]
        #[inline(never)]
        fn near(chunk: Chunk<'_>, row: Halves, distance: u32) -> u32 {
            chunk.near(row, distance)
        }
        sweep.compare(sorted, partition, work, |chunk: Chunk<'_>, row, distance| near(chunk, row, distance));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sorted::count;
    use super::*;

    /// What this processor's own instructions find is what portable code finds, in runs of all lengths.
    #[test]
    fn every_processor_finds_the_same() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            neardup_text::hash::token_hash(&state.to_string())
        };
        let centres: Vec<u64> = (0..60).map(|_| random()).collect();
        let signatures: Vec<u64> = (0..9000u64)
            .map(|i| centres[(i * i % 61 % 60) as usize] ^ (1 << (random() % 64)) ^ (1 << (random() % 64)))
            .collect();
        let counts = count(&signatures);
        let mut sorted = Sorted::new(signatures.len());
        let portable = |chunk: Chunk<'_>, row: Halves, distance: u32| chunk.near(row, distance);
        for (quarter, counts) in counts.iter().enumerate() {
            sorted.scatter(&signatures, quarter, counts, &vec![0; signatures.len().div_ceil(64)]);
            (0..sorted.partitions()).for_each(|partition| sorted.sort(partition));
            for distance in 0..=7 {
                let changes: Vec<usize> = (0..16).map(|bit| 1 << bit).collect();
                let mut native = Sweep::new(distance, usize::MAX);
                let mut plain = Sweep::new(distance, usize::MAX);
                for partition in 0..sorted.partitions() {
                    native.compare_runs(&sorted, partition);
                    plain.compare(&sorted, partition, Work::Runs, portable);
                    native.compare_neighbours(&sorted, partition, &changes);
                    plain.compare(&sorted, partition, Work::Neighbours(&changes), portable);
                }
                assert!(native.pairs == plain.pairs && (distance < 2 || !plain.pairs.is_empty()));
            }
        }
    }
}
