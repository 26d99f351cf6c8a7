//! Connected components of distinct signatures within a Hamming distance.
//!
//! A cover (see `banding::cover`) gives masks such that near signatures agree on at least one. For each mask the rows are
//! brought into runs of equal masked bits, and compared within their run. Skewed data give long runs; those are searched in
//! the same way again, over the bits that still vary, which are fewer each time. A long run that is one component already, or
//! whose components are apart by bits that never vary within them, is left alone, so that dense data cost no square.

use super::near::Near;
use super::partition::{PADDING, Partition, Partitioner, Rows, Source};
use super::union_find::UnionFind;
use crate::banding::cover::Cover;
use crate::interrupt;

/// Rows up to this number are compared outright, without looking for something better.
const FEW_ROWS: usize = 1024;

/// Nanoseconds to bring one row into its run, and to compare one pair in a run of some length (EPYC with AVX-512, 1 M rows).
const ROW_COST: f64 = 12.0;
const PAIR_COST: f64 = 0.2;

/// More components than this in a long run are not checked for being apart.
const MOST_COMPONENTS: usize = 16;

/// Data are dense once this many pairs for each row were met, or rows in long runs; then it pays to look at components first.
const DENSE: usize = 4;

/// Signatures compared with one row after the other while they are in the first-level cache.
const CHUNK: usize = 2048;

/// The sets found so far, and the distance that joins.
pub(super) struct Components {
    pub sets: UnionFind,
    pub distance: u32,
}

impl Components {
    /// Joins all rows within the distance; the `count` signatures that take part must be distinct.
    pub(super) fn join(&mut self, source: &impl Source, count: usize) {
        let varying = varying_bits(source.signatures());
        let Some(cover) = best_cover(count, self.distance, varying.count_ones()) else {
            let signatures = source.indexes().map(|i| source.signatures()[i as usize]).collect();
            let positions: Vec<u32> = source.indexes().map(|i| source.position(i)).collect();
            return self.join_all_pairs(signatures, &positions);
        };
        let masks = cover.masks(self.distance, varying);
        let mut partitioner = Partitioner::default();
        let mut near = Near::new(self.distance, longest_ordinary_run(cover, count, self.distance, varying));
        let mut met = 0;
        for (i, &mask) in masks.iter().enumerate() {
            let dense = met > DENSE * count;
            partitioner.partition(source, mask, |partition| {
                interrupt::check();
                if dense {
                    self.compare_open_runs(&partition, &mut near);
                } else {
                    near.compare_runs(partition.signatures, partition.ends);
                }
                met += near.pairs.len();
                for (a, b) in near.pairs.drain(..) {
                    let (a, b) = (a as usize, b as usize);
                    let difference = partition.signatures[a] ^ partition.signatures[b];
                    // A pair is met under each mask it agrees on; the first time was enough.
                    if !masks[..i].iter().any(|earlier| difference & earlier == 0) {
                        self.sets.union(partition.rows.positions[a], partition.rows.positions[b]);
                    }
                }
                for (start, end) in near.long_runs.drain(..) {
                    met += (end - start) as usize;
                    self.join_long_run(partition.rows.slice(start, end), mask);
                }
            });
            let left = (masks.len() - i - 1) as f64 * count as f64 * ROW_COST;
            if met > DENSE * count && self.finish(source, left) {
                return;
            }
        }
    }

    /// Compares within the runs that have something left to join.
    fn compare_open_runs(&mut self, partition: &Partition<'_>, near: &mut Near) {
        let mut start = 0;
        for &end in partition.ends {
            if end - start > near.longest {
                near.long_runs.push((start, end));
            } else if end - start > 1 && !self.all_apart_or_one(&partition.rows.slice(start, end)) {
                near.compare_rows(partition.signatures, start..end, end);
            }
            start = end;
        }
    }

    /// Ends the search early where that is known to cost less than `left` nanoseconds: where nothing is left to join, or where
    /// so few rows are outside the greatest component that they can be compared with all rows.
    fn finish(&mut self, source: &impl Source, left: f64) -> bool {
        if self.all_apart_or_one(source) {
            return true;
        }
        let part: Vec<u32> = source.indexes().collect();
        // The majority vote of Boyer and Moore 1981.
        let (mut greatest, mut lead) = (0, 0u32);
        for &i in &part {
            let root = self.sets.find(source.position(i));
            if lead == 0 {
                greatest = root;
            }
            if root == greatest { lead += 1 } else { lead -= 1 }
        }
        let outside: Vec<u32> = part.into_iter().filter(|&i| self.sets.find(source.position(i)) != greatest).collect();
        let signatures = source.signatures();
        if outside.len() as f64 * signatures.len() as f64 * PAIR_COST > left {
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

    /// Joins within a run of one hash, which seldom is more than one value of the masked bits.
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

    /// Joins within a run whose masked bits are equal, unless there is nothing left to join.
    fn join_equal_run(&mut self, run: Rows<'_>) {
        if varying_bits(run.signatures).count_ones() <= self.distance {
            run.positions.iter().for_each(|&position| _ = self.sets.union(run.positions[0], position));
        } else if !self.all_apart_or_one(&run) {
            self.join(&run, run.len());
        }
    }

    /// Says that the run is one component, or few that are further apart than the distance by constant bits alone.
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

    /// Compares all pairs, some rows at a time, and stops once there is one component.
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

/// Gives the bits in which not all signatures are equal.
fn varying_bits(signatures: &[u64]) -> u64 {
    let (ones, any) = signatures.iter().fold((u64::MAX, 0), |(ones, any), word| (ones & word, any | word));
    any & !ones
}

/// Says up to what length runs are compared outright: what chance explains, and little more, since those runs are not checked
/// for being one component already.
fn longest_ordinary_run(cover: Cover, rows: usize, distance: u32, varying: u64) -> u32 {
    let chances = cover.chances(distance, varying.count_ones());
    let mean = rows as f64 * chances / f64::from(cover.masks_count(distance));
    (4.0 * mean).clamp(64.0, 1024.0) as u32
}

/// Chooses the cover that costs least for that many random rows; `None` where comparing all pairs costs less.
fn best_cover(rows: usize, distance: u32, bits: u32) -> Option<Cover> {
    if rows <= FEW_ROWS {
        return None;
    }
    let pairs = rows as f64 * (rows as f64 - 1.0) / 2.0;
    let mut best = (pairs * PAIR_COST, None);
    for parts in 1..=distance + 1 {
        for kept in 1..=5 {
            let cover = Cover { kept, parts };
            if cover.blocks(distance) > bits {
                continue;
            }
            let masks = f64::from(cover.masks_count(distance));
            let cost = masks * rows as f64 * ROW_COST + cover.chances(distance, bits) * pairs * PAIR_COST;
            if cost < best.0 {
                best = (cost, Some(cover));
            }
        }
    }
    best.1
}
