//! Compares each signature of a run with the later ones: the innermost loop of grouping.
//!
//! It compares eight at a time, without branches, so that the compiler can turn the bit counts into vector instructions. The same
//! code is compiled for several instruction sets; the result is the same on each.

use std::ops::Range;

use super::partition::PADDING;

/// Finds near pairs within runs.
pub(super) struct Near {
    pub distance: u32,
    /// Pairs found, as indexes in the partition.
    pub pairs: Vec<(u32, u32)>,
    /// Runs longer than `longest`, as start and end: left to the caller.
    pub long_runs: Vec<(u32, u32)>,
    pub longest: u32,
}

/// The comparisons to make.
enum Work<'a> {
    /// Within runs that end here.
    Runs(&'a [u32]),
    /// Of these rows, each with all that follow up to an end.
    Rows(Range<u32>, u32),
    /// Of all rows with another signature.
    All(u64),
}

impl Near {
    pub(super) fn new(distance: u32, longest: u32) -> Self {
        Self { distance, pairs: Vec::new(), long_runs: Vec::new(), longest }
    }

    /// Compares within each run; `signatures` has [`PADDING`] values after the last run.
    pub(super) fn compare_runs(&mut self, signatures: &[u64], ends: &[u32]) {
        dispatch(self, signatures, Work::Runs(ends));
    }

    /// Compares each of `rows` with those after it up to `end`; `signatures` has [`PADDING`] values after `end`.
    pub(super) fn compare_rows(&mut self, signatures: &[u64], rows: Range<u32>, end: u32) {
        dispatch(self, signatures, Work::Rows(rows, end));
    }

    /// Compares all `signatures` with another one; returns the pairs as the index and 0.
    pub(super) fn compare_all(&mut self, signatures: &[u64], other: u64) {
        dispatch(self, signatures, Work::All(other));
    }

    #[inline(always)]
    fn compare(&mut self, signatures: &[u64], work: Work<'_>) {
        match work {
            Work::Runs(ends) => {
                let mut start = 0;
                for &end in ends {
                    if end - start > self.longest {
                        self.long_runs.push((start, end));
                    } else {
                        for i in start + 1..end {
                            compare_one(signatures, i - 1, end, self.distance, &mut self.pairs);
                        }
                    }
                    start = end;
                }
            }
            Work::Rows(rows, end) => {
                for i in rows {
                    compare_one(signatures, i, end, self.distance, &mut self.pairs);
                }
            }
            Work::All(other) => {
                for (start, some) in (0..).step_by(PADDING).zip(signatures.chunks(PADDING)) {
                    let near = |signature: u64| (signature ^ other).count_ones() <= self.distance;
                    let any = match some.as_array::<PADDING>() {
                        Some(eight) => eight.iter().fold(false, |any, &signature| any | near(signature)),
                        None => true,
                    };
                    if any {
                        self.pairs.extend((start..).zip(some).filter(|row| near(*row.1)).map(|row| (row.0, 0)));
                    }
                }
            }
        }
    }
}

/// Compares the signature at `i` with those after it up to `end`.
#[inline(always)]
fn compare_one(signatures: &[u64], i: u32, end: u32, distance: u32, pairs: &mut Vec<(u32, u32)>) {
    let signature = signatures[i as usize];
    let near = |other: u64| u64::from((signature ^ other).count_ones()) <= u64::from(distance);
    let mut from = i + 1;
    while from < end {
        // Reads up to 7 values beyond the run; the second check drops them.
        let Some((eight, _)) = signatures[from as usize..].split_first_chunk::<PADDING>() else { return };
        if eight.iter().fold(false, |any, &other| any | near(other)) {
            pairs.extend((from..end).zip(eight).filter(|&(_, &other)| near(other)).map(|(j, _)| (i, j)));
        }
        from += PADDING as u32;
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(near: &mut Near, signatures: &[u64], work: Work<'_>) {
    near.compare(signatures, work);
}

#[cfg(target_arch = "x86_64")]
use x86::dispatch;

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(unsafe_code, reason = "SIMD kernel: functions compiled for a CPU feature are called after asking for it")]

    use super::{Near, Work};

    #[inline]
    pub(super) fn dispatch(near: &mut Near, signatures: &[u64], work: Work<'_>) {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
            // SAFETY: the processor has both features, as just asked.
            unsafe { with_avx512(near, signatures, work) }
        } else if is_x86_feature_detected!("popcnt") {
            // SAFETY: the processor has the feature, as just asked.
            unsafe { with_popcnt(near, signatures, work) }
        } else {
            near.compare(signatures, work);
        }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
    fn with_avx512(near: &mut Near, signatures: &[u64], work: Work<'_>) {
        near.compare(signatures, work);
    }

    #[target_feature(enable = "popcnt")]
    fn with_popcnt(near: &mut Near, signatures: &[u64], work: Work<'_>) {
        near.compare(signatures, work);
    }
}
