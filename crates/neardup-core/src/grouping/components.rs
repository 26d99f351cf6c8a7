//! Connected components of distinct signatures within a Hamming distance.
//!
//! A cover (see `banding::cover`) gives masks such that near signatures agree on at least one. For each mask, rows with equal
//! masked bits are brought into runs and compared within their run. Skewed data give long runs. Those are searched in the same way
//! again, over the bits that still vary, which are fewer each time. A long run is skipped if it is already one component, or if its
//! components differ from each other in bits that never vary within them. So dense data do not cost quadratic time.

use super::near::Near;
use super::partition::{PADDING, Partitioner, Rows, Source};
use super::union_find::UnionFind;
use crate::banding::cover::Cover;
use neardup_text::interrupt;

/// Up to this many rows are compared directly, without searching for a faster way.
const FEW_ROWS: usize = 1024;

/// Nanoseconds to move one row into its run, and to compare one pair in a run that is not short (EPYC with AVX-512, 1 M rows).
const ROW_COST: f64 = 12.0;
const PAIR_COST: f64 = 0.2;

/// A long run with more components than this is not checked for being apart.
const MOST_COMPONENTS: usize = 16;

/// Data are dense after this many pairs per row, or rows in long runs; from then on shorter runs count as long.
const DENSE: usize = 4;

/// How many signatures are compared with one row after the other while they are in the first-level cache.
const CHUNK: usize = 2048;

/// The sets found so far, and the distance that joins.
pub(super) struct Components {
    pub sets: UnionFind,
    pub distance: u32,
}

impl Components {
    /// Joins all rows within the distance. The `count` signatures that take part must be distinct.
    pub(super) fn join(&mut self, source: &impl Source, count: usize) {
        let varying = varying_bits(source.signatures());
        let plan = Plan::new(count, self.distance, varying.count_ones());
        let Some(cover) = plan.cover else {
            let signatures = source.indexes().map(|i| source.signatures()[i as usize]).collect();
            let positions: Vec<u32> = source.indexes().map(|i| source.position(i)).collect();
            return self.join_all_pairs(signatures, &positions);
        };
        let masks = cover.masks(self.distance, varying);
        let mut partitioner = Partitioner::default();
        let mut near = Near::new(self.distance, (4.0 * plan.mean_run).clamp(64.0, 1024.0) as u32);
        let mut met = 0;
        for (i, &mask) in masks.iter().enumerate() {
            partitioner.partition(source, mask, |partition| {
                interrupt::check();
                near.compare_runs(partition.signatures, partition.ends);
                met += near.pairs.len();
                for (a, b) in near.pairs.drain(..) {
                    let (a, b) = (a as usize, b as usize);
                    let difference = partition.signatures[a] ^ partition.signatures[b];
                    // A pair is met under each mask on which it agrees; the first time suffices.
                    if !masks[..i].iter().any(|earlier| difference & earlier == 0) {
                        self.sets.union(partition.rows.positions[a], partition.rows.positions[b]);
                    }
                }
                for (start, end) in near.long_runs.drain(..) {
                    met += (end - start) as usize;
                    self.join_long_run(partition.rows.slice(start, end), mask);
                }
            });
            if met > DENSE * count {
                near.longest = (plan.mean_run as u32).clamp(16, 64);
                if self.finish(source, plan.cost * (masks.len() - i - 1) as f64 / masks.len() as f64) {
                    return;
                }
            }
        }
    }

    /// Ends the search early if that is known to cost less than `left` nanoseconds: if nothing is left to join, or so few rows
    /// are outside the largest component that they can be compared with all rows.
    fn finish(&mut self, source: &impl Source, left: f64) -> bool {
        if self.all_apart_or_one(source) {
            return true;
        }
        // The majority vote of Boyer and Moore 1981.
        let (mut greatest, mut lead) = (0, 0u32);
        for i in source.indexes() {
            let root = self.sets.find(source.position(i));
            if lead == 0 {
                greatest = root;
            }
            if root == greatest { lead += 1 } else { lead -= 1 }
        }
        let signatures = source.signatures();
        let most = (left / (signatures.len() as f64 * PAIR_COST)) as usize;
        let is_outside = |&i: &u32| self.sets.find(source.position(i)) != greatest;
        let outside: Vec<u32> = source.indexes().filter(is_outside).take(most + 1).collect();
        if outside.len() > most {
            return false;
        }
        let mut near = Near::new(self.distance, u32::MAX);
        for (start, some) in (0..).step_by(CHUNK).zip(signatures.chunks(CHUNK)) {
            for &i in &outside {
                interrupt::check();
                near.compare_all(some, signatures[i as usize]);
                for (j, _) in near.pairs.drain(..) {
                    self.sets.union(source.position(i), source.position(start + j));
                }
            }
        }
        true
    }

    /// Joins rows within a run of one hash, which rarely has more than one value of the masked bits.
    fn join_long_run(&mut self, run: Rows<'_>, mask: u64) {
        if varying_bits(run.signatures) & mask == 0 {
            return self.join_equal_run(run);
        }
        let mut order: Vec<(u64, u32, u64)> = run
            .signatures
            .iter()
            .zip(run.positions)
            .map(|(&signature, &position)| (signature & mask, position, signature))
            .collect();
        order.sort_unstable();
        for equal in order.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
            let signatures: Vec<u64> = equal.iter().map(|row| row.2).collect();
            let positions: Vec<u32> = equal.iter().map(|row| row.1).collect();
            self.join_equal_run(Rows { signatures: &signatures, positions: &positions });
        }
    }

    /// Joins rows within a run whose masked bits are equal, unless nothing is left to join.
    fn join_equal_run(&mut self, run: Rows<'_>) {
        let varying = varying_bits(run.signatures);
        if varying.count_ones() <= self.distance {
            run.positions.iter().for_each(|&position| _ = self.sets.union(run.positions[0], position));
        } else if !self.finish(&run, Plan::new(run.len(), self.distance, varying.count_ones()).cost) {
            self.join(&run, run.len());
        }
    }

    /// Says whether the run is one component, or a few that are further apart than the distance by constant bits alone.
    fn all_apart_or_one(&mut self, run: &impl Source) -> bool {
        struct Component {
            root: u32,
            ones: u64,
            zeros: u64,
        }
        let mut components: Vec<Component> = Vec::new();
        for i in run.indexes() {
            let (signature, root) = (run.signatures()[i as usize], self.sets.find(run.position(i)));
            if let Some(component) = components.iter_mut().find(|component| component.root == root) {
                component.ones &= signature;
                component.zeros &= !signature;
            } else if components.len() == MOST_COMPONENTS {
                return false;
            } else {
                components.push(Component { root, ones: signature, zeros: !signature });
            }
        }
        components.iter().enumerate().all(|(i, a)| {
            let apart = |b: &Component| ((a.ones & b.zeros) | (a.zeros & b.ones)).count_ones() > self.distance;
            components[..i].iter().all(apart)
        })
    }

    /// Compares all pairs, some rows at a time, and stops when only one component is left.
    fn join_all_pairs(&mut self, mut signatures: Vec<u64>, positions: &[u32]) {
        const ROWS_AT_A_TIME: u32 = 16;
        let count = positions.len() as u32;
        signatures.resize(positions.len() + PADDING, 0);
        let mut apart = self.count_components(positions);
        let mut near = Near::new(self.distance, u32::MAX);
        let mut first = 0;
        while apart > 1 && first < count {
            interrupt::check();
            let end = count.min(first + ROWS_AT_A_TIME);
            near.compare_rows(&signatures, first..end, count);
            for (a, b) in near.pairs.drain(..) {
                apart -= usize::from(self.sets.union(positions[a as usize], positions[b as usize]));
            }
            first = end;
        }
    }

    fn count_components(&mut self, positions: &[u32]) -> usize {
        let mut roots: Vec<u32> = positions.iter().map(|&position| self.sets.find(position)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots.len()
    }
}

/// Returns the bits in which not all signatures are equal.
fn varying_bits(signatures: &[u64]) -> u64 {
    let (ones, any) = signatures.iter().fold((u64::MAX, 0), |(ones, any), word| (ones & word, any | word));
    any & !ones
}

/// How to search a number of rows.
struct Plan {
    /// The cheapest cover, unless comparing all pairs is cheaper.
    cover: Option<Cover>,
    /// The cost of the search in nanoseconds, if the varying bits are random.
    cost: f64,
    /// The mean number of rows that agree on a mask's bits in that case.
    mean_run: f64,
}

impl Plan {
    fn new(rows: usize, distance: u32, bits: u32) -> Self {
        let count = rows as f64;
        let pairs = count * (count - 1.0) / 2.0;
        let mut best = Self { cover: None, cost: pairs * PAIR_COST, mean_run: count };
        if rows <= FEW_ROWS {
            return best;
        }
        for cover in (1..=distance + 1).flat_map(|parts| (1..=5).map(move |kept| Cover { kept, parts })) {
            if cover.blocks(distance) > bits {
                continue;
            }
            let masks = f64::from(cover.masks_count(distance));
            let chances = cover.chances(distance, bits);
            let cost = masks * count * ROW_COST + chances * pairs * PAIR_COST;
            if cost < best.cost {
                best = Self { cover: Some(cover), cost, mean_run: count * chances / masks };
            }
        }
        best
    }
}
