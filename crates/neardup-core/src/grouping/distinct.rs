//! Collapses equal signatures before grouping, in linear time.

use super::partition::{Partitioner, Rows, Source};
use super::union_find::UnionFind;
use neardup_text::interrupt;

/// Signatures of which equal ones count once, at their first position; 1 bit per row.
pub(super) struct Distinct<'a> {
    signatures: &'a [u64],
    /// A bit for each row that has an equal one before it.
    repeated: Vec<u64>,
    /// How many are distinct.
    pub count: usize,
}

impl<'a> Distinct<'a> {
    /// Assumes that all signatures are distinct, until [`Self::join_equal`] has checked them.
    pub(super) fn new(signatures: &'a [u64]) -> Self {
        Self { signatures, repeated: vec![0; signatures.len().div_ceil(64)], count: signatures.len() }
    }

    /// Finds equal signatures and joins their positions.
    pub(super) fn join_equal(&mut self, sets: &mut UnionFind) {
        let all = Self::new(self.signatures);
        Partitioner::default().partition(&all, u64::MAX, |partition| {
            interrupt::check();
            let mut start = 0;
            for &end in partition.ends {
                if end - start > 1 {
                    self.join_equal_in_run(partition.rows.slice(start, end), sets);
                }
                start = end;
            }
        });
    }

    /// Does so among signatures that share a hash; positions ascend within the run.
    fn join_equal_in_run(&mut self, run: Rows<'_>, sets: &mut UnionFind) {
        const FEW: usize = 16;
        if run.len() <= FEW {
            for (i, (&signature, &position)) in run.signatures.iter().zip(run.positions).enumerate().skip(1) {
                if let Some(first) = run.signatures[..i].iter().position(|&earlier| earlier == signature) {
                    self.join(run.positions[first], position, sets);
                }
            }
        } else if run.signatures.iter().all(|&signature| signature == run.signatures[0]) {
            run.positions[1..].iter().for_each(|&position| self.join(run.positions[0], position, sets));
        } else {
            let mut order: Vec<(u64, u32)> =
                run.signatures.iter().copied().zip(run.positions.iter().copied()).collect();
            order.sort_unstable();
            for equal in order.chunk_by(|a, b| a.0 == b.0) {
                equal[1..].iter().for_each(|&(_, position)| self.join(equal[0].1, position, sets));
            }
        }
    }

    fn join(&mut self, first: u32, position: u32, sets: &mut UnionFind) {
        sets.union(first, position);
        self.repeated[position as usize / 64] |= 1 << (position % 64);
        self.count -= 1;
    }
}

impl Source for Distinct<'_> {
    fn signatures(&self) -> &[u64] {
        self.signatures
    }

    fn position(&self, index: u32) -> u32 {
        index
    }

    fn takes_part(&self, index: u32) -> bool {
        self.repeated[index as usize / 64] >> (index % 64) & 1 == 0
    }
}
