//! Connected components by quarters, for evenly distributed signatures and small distances.
//!
//! Each quarter has a radius r, chosen so that the four values r + 1 add up to d + 1. If two signatures are within distance d, then
//! in at least one quarter they differ in at most r bits; otherwise they would differ in more than d bits. So rows are sorted by
//! one quarter after the other, and compared with those whose quarter is equal or differs in up to r bits. These are many
//! comparisons, but in sequence and many at a time. The cover of [`components`](super::components) needs fewer comparisons but more
//! sorts, which cost more the more rows there are. The cover alone takes, at distances 3 and 7, 1.5 and 3.1 times as long on the
//! signatures of 1 M Chinese texts, and 2.6 and 5.5 times as long on 10 M random ones (`cargo bench -p neardup-core --bench grouping`,
//! Intel Xeon).
//!
//! The number of comparisons is counted in advance. Skewed data would need too many, and dense data give too many pairs; both are
//! left to the cover.

use super::sorted::{Counts, Halves, QUARTERS, Sorted, VALUES};
use super::sweep::{Pair, Sweep};
use super::union_find::UnionFind;
use neardup_text::interrupt;

/// Beyond this distance, half a signature is not selective enough.
pub(super) const MOST_DISTANCE: u32 = 7;

/// Nanoseconds to move one row to its position, to start on a pair of runs, to compare one row with another run, and for each
/// row of that run (EPYC with AVX-512, 1 M and 10 M rows).
const ROW_COST: f64 = 12.0;
const RUN_COST: f64 = 3.0;
const ROW_AND_RUN_COST: f64 = 1.5;
const PAIR_COST: f64 = 0.04;

/// Data are dense if there are more near pairs than this for each row.
const DENSE: usize = 4;

/// Estimates the nanoseconds that [`join`] takes, for any distribution of rows with these `counts`.
pub(super) fn cost(counts: &Counts, distance: u32) -> f64 {
    let cost = |(counts, radius): (&Vec<u32>, u32)| {
        let changes = changes(radius);
        let (mut rows, mut pairs) = (0.0, 0.0);
        for (value, &count) in counts.iter().enumerate() {
            let near: u64 = changes.iter().map(|change| u64::from(counts[value ^ change])).sum();
            rows += f64::from(count);
            pairs += f64::from(count) * (near + u64::from(count)) as f64 / 2.0;
        }
        let runs = 1.0 + changes.len() as f64 / 2.0;
        rows * (ROW_COST + runs * ROW_AND_RUN_COST) + VALUES as f64 * runs * RUN_COST + pairs * PAIR_COST
    };
    counts.iter().zip(radii(distance)).map(cost).sum()
}

/// Joins all rows within the distance and returns true; or stops because the data are dense, with some rows joined, and returns
/// false. `counts` are those of the signatures.
pub(super) fn join(signatures: &[u64], distance: u32, counts: Counts, sets: &mut UnionFind) -> bool {
    let mut search = QuarterSearch {
        signatures,
        counts,
        repeated: vec![0; signatures.len().div_ceil(64)],
        radii: radii(distance).collect(),
        sets,
        left: DENSE * signatures.len(),
    };
    let mut sorted = Sorted::new(signatures.len());
    let mut sweep = Sweep::new(distance, search.left + 1);
    for quarter in 0..search.radii.len() {
        sorted.scatter(signatures, quarter, &search.counts[quarter], &search.repeated);
        for partition in 0..sorted.partitions() {
            interrupt::check();
            sorted.sort(partition);
            sweep.compare_runs(&sorted, partition);
            if !search.take(quarter, &mut sweep.pairs) {
                return false;
            }
        }
        let changes = changes(search.radii[quarter]);
        if changes.is_empty() {
            continue;
        }
        for partition in 0..sorted.partitions() {
            interrupt::check();
            sweep.compare_neighbours(&sorted, partition, &changes);
            if !search.take(quarter, &mut sweep.pairs) {
                return false;
            }
        }
    }
    true
}

/// The state of the search.
struct QuarterSearch<'a> {
    signatures: &'a [u64],
    counts: Counts,
    /// A bit for each row that has an equal one before it; such rows are skipped from the second quarter on.
    repeated: Vec<u64>,
    /// By how many bits the quarters of near rows may differ.
    radii: Vec<u32>,
    sets: &'a mut UnionFind,
    /// How many more pairs are allowed.
    left: usize,
}

impl QuarterSearch<'_> {
    /// Joins pairs that were found by a quarter; returns false if there are too many.
    fn take(&mut self, quarter: usize, pairs: &mut Vec<Pair>) -> bool {
        let within = pairs.len() <= self.left;
        self.left = self.left.saturating_sub(pairs.len());
        for pair in pairs.drain(..) {
            if pair.difference.bits() == 0 {
                self.leave_out(pair.b);
            }
            // A pair is met in each quarter that is near enough; the first time suffices.
            let nearby = |earlier: usize| pair.difference.bits_of((earlier + QUARTERS - quarter) % QUARTERS);
            if !(0..quarter).any(|earlier| nearby(earlier) <= self.radii[earlier]) {
                self.sets.union(pair.a, pair.b);
            }
        }
        within
    }

    fn leave_out(&mut self, row: u32) {
        let (word, bit) = (row as usize / 64, 1 << (row % 64));
        if self.repeated[word] & bit == 0 {
            self.repeated[word] |= bit;
            for (later, counts) in self.counts.iter_mut().enumerate().skip(1) {
                counts[Halves::of(self.signatures[row as usize], later).value()] -= 1;
            }
        }
    }
}

/// Gives the number of bits by which a quarter may differ, for each quarter that must be searched.
fn radii(distance: u32) -> impl Iterator<Item = u32> {
    let quarters = (distance + 1).min(QUARTERS as u32);
    (0..quarters).map(move |i| (distance + 1) / quarters + u32::from(i < (distance + 1) % quarters) - 1)
}

/// Gives all ways to change 1 to `radius` bits of a quarter.
fn changes(radius: u32) -> Vec<usize> {
    if radius == 0 {
        return Vec::new();
    }
    (1..VALUES).filter(|change| change.count_ones() <= radius).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sorted::count;
    use super::*;

    /// Clusters: centres, some with a quarter in common, each followed by copies a few bits away.
    fn rows() -> impl Strategy<Value = Vec<u64>> {
        let row = (0usize..8, prop::collection::vec(0u32..64, 0..9));
        let mask = prop_oneof![Just(u64::MAX), Just(0x7777_7777_7777_7777), Just(0x1111_1111_ffff_ffff), any::<u64>()];
        (mask, prop::collection::vec(any::<u64>(), 8), prop::collection::vec(row, 0..120)).prop_map(
            |(mask, centres, rows)| {
                rows.iter()
                    .map(|(centre, flips)| flips.iter().fold(centres[*centre] & mask, |word, flip| word ^ (1 << flip)))
                    .collect()
            },
        )
    }

    fn naive(signatures: &[u64], distance: u32) -> Vec<u32> {
        let mut sets = UnionFind::new(signatures.len() as u32);
        for (i, a) in (0..).zip(signatures) {
            for (j, b) in (0..i).zip(signatures) {
                if (a ^ b).count_ones() <= distance {
                    sets.union(i, j);
                }
            }
        }
        sets.into_representatives()
    }

    fn check(signatures: &[u64], distance: u32) -> Option<Vec<u32>> {
        let mut sets = UnionFind::new(signatures.len() as u32);
        join(signatures, distance, count(signatures), &mut sets).then(|| sets.into_representatives())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn groups_are_the_naive_ones_unless_dense(signatures in rows(), distance in 0u32..=MOST_DISTANCE) {
            let pairs = |i: usize| signatures[..i].iter().filter(|b| (signatures[i] ^ **b).count_ones() <= distance).count();
            let pairs: usize = (0..signatures.len()).map(pairs).sum();
            match check(&signatures, distance) {
                Some(groups) => prop_assert_eq!(groups, naive(&signatures, distance)),
                None => prop_assert!(pairs * QUARTERS > DENSE * signatures.len()),
            }
        }
    }

    /// Several partitions, and every distribution of a difference over the quarters.
    #[test]
    fn pairs_at_the_distance_are_joined_and_others_not() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            neardup_text::hash::token_hash(&state.to_string())
        };
        for distance in 0..=MOST_DISTANCE {
            let mut signatures = Vec::new();
            for i in 0..5000u32 {
                let mut other = random();
                signatures.push(other);
                let apart = distance + i % 2;
                while (other ^ signatures[signatures.len() - 1]).count_ones() < apart {
                    other ^= 1 << (random() % 64);
                }
                signatures.push(other);
            }
            let expected = (0..10_000).map(|i| if i % 4 == 1 { i - 1 } else { i });
            assert!(check(&signatures, distance).is_some_and(|groups| groups.into_iter().eq(expected)), "{distance}");
        }
    }

    #[test]
    fn dense_data_are_left_alone() {
        let signatures: Vec<u64> = (0..1 << 12).collect();
        assert_eq!(check(&signatures, 3), None);
        // Equal ones are no obstacle, whatever their number.
        assert_eq!(check(&[7; 5000], 3), Some(vec![0; 5000]));
    }

    /// The radii are such that no difference escapes, and no smaller ones would do.
    #[test]
    fn radii_add_up() {
        for distance in 0..=MOST_DISTANCE {
            assert_eq!(radii(distance).map(|radius| radius + 1).sum::<u32>(), distance + 1);
        }
    }
}
