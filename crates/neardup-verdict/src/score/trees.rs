//! Gradient-boosted trees (Friedman 2001, algorithm 5): the sum of many small decision trees is the log odds that one of two texts may go.
//!
//! Each split compares one number with a threshold. A number whose sign is known may only speak one way (monotone splits): what the other text
//! lacks never speaks for a copy. [`Reach`] bounds the sum while of some numbers only the range is known, so that a pair can be ruled out before it
//! is compared further, without changing any answer. What is ruled out stays so as more numbers become known.

/// One split: the number that is compared, the threshold, and where to go for values below it and for others. A target below zero is the
/// leaf `-1 - target`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The number.
    pub number: u8,
    /// The threshold.
    pub threshold: f32,
    /// Where values go that are less than the threshold, and all others.
    pub next: [i16; 2],
}

/// Trees with their leaves.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'t> {
    /// The sum for no tree at all.
    pub constant: f64,
    /// The first split of each tree.
    pub roots: &'t [i16],
    /// The splits of all trees.
    pub splits: &'t [Split],
    /// What each leaf adds to the log odds.
    pub leaves: &'t [f32],
}

impl Trees<'_> {
    /// Returns the sum for some numbers, as log odds.
    #[must_use]
    pub fn sum(&self, numbers: &[f64]) -> f64 {
        self.roots.iter().fold(self.constant, |sum, &root| {
            let mut at = root;
            while let Some(split) = self.split(at) {
                at = split.next[usize::from(is_above(split, numbers))];
            }
            sum + self.leaf(at)
        })
    }

    /// Returns the splits that some numbers pass, with the leaf that each tree ends in.
    pub fn paths(&self, numbers: &[f64], mut passed: impl FnMut(&[u8], f64)) {
        for &root in self.roots {
            let (mut at, mut path) = (root, Vec::new());
            while let Some(split) = self.split(at) {
                path.push(split.number);
                at = split.next[usize::from(is_above(split, numbers))];
            }
            passed(&path, self.leaf(at));
        }
    }

    /// Arranges the trees to be asked what they can add while only ranges of numbers are known. `None` for more than 256 trees, or one of more than
    /// 16 leaves.
    #[must_use]
    pub fn arranged(&self) -> Option<Arranged> {
        let mut arranged = Arranged { constant: self.constant, numbers: Vec::new(), leaves: Vec::new() };
        for (tree, &root) in self.roots.iter().enumerate() {
            let tree = u8::try_from(tree).ok()?;
            let mut leaves = self.leaves_below(root);
            leaves.sort_by(|a, b| self.leaf(*b).total_cmp(&self.leaf(*a)));
            let mut values = [0.0; LEAVES];
            for (at, leaf) in leaves.iter().enumerate() {
                *values.get_mut(at)? = self.leaf(*leaf) as f32;
            }
            arranged.leaves.push(values);
            let without = |below: i16| {
                let gone = self.leaves_below(below);
                leaves.iter().enumerate().filter(|(_, leaf)| !gone.contains(leaf)).map(|(at, _)| 1 << at).sum::<u16>()
            };
            let mut next = vec![root];
            while let Some(at) = next.pop() {
                let Some(split) = self.split(at) else { continue };
                let number = usize::from(split.number);
                if arranged.numbers.len() <= number {
                    arranged.numbers.resize_with(number + 1, Vec::new);
                }
                let [below, above] = split.next;
                arranged.numbers[number].push(Test {
                    threshold: split.threshold,
                    tree,
                    if_above: without(below),
                    if_below: without(above),
                });
                next.extend(split.next);
            }
        }
        for tests in &mut arranged.numbers {
            tests.sort_by(|a, b| a.threshold.total_cmp(&b.threshold));
        }
        Some(arranged)
    }

    fn leaves_below(&self, at: i16) -> Vec<i16> {
        self.split(at).map_or_else(|| vec![at], |split| split.next.map(|next| self.leaves_below(next)).concat())
    }

    fn split(&self, at: i16) -> Option<&Split> {
        usize::try_from(at).ok().and_then(|at| self.splits.get(at))
    }

    fn leaf(&self, at: i16) -> f64 {
        let leaf = usize::try_from(-1 - i32::from(at)).ok().and_then(|leaf| self.leaves.get(leaf));
        leaf.copied().map_or(0.0, f64::from)
    }
}

/// The most leaves of a tree, and the most trees.
const LEAVES: usize = 16;
const TREES: usize = 256;

/// The splits of all trees by the number that they compare, as in C. Lucchese et al., *QuickScorer: a fast algorithm to rank documents with additive
/// ensembles of regression trees* (SIGIR 2015). There a split that is not passed rules leaves out, and the leftmost leaf left is the tree's; here a
/// range of values rules out what none of them reaches, and leaves are in descending order, so that the first left is the most that the tree can add.
#[derive(Clone, Debug, Default)]
pub struct Arranged {
    constant: f64,
    /// The splits of each number, by threshold.
    numbers: Vec<Vec<Test>>,
    /// The leaves of each tree, the greatest first.
    leaves: Vec<[f32; LEAVES]>,
}

#[derive(Clone, Copy, Debug)]
struct Test {
    threshold: f32,
    tree: u8,
    /// The leaves of the tree that can be reached, a bit each, if the number is at least the threshold, and if it is less.
    if_above: u16,
    if_below: u16,
}

/// The leaves of each tree that some numbers may reach, a bit each.
#[derive(Clone, Debug)]
pub struct Reach([u16; TREES]);

impl Default for Reach {
    /// All leaves: nothing is known yet.
    fn default() -> Self {
        Self([u16::MAX; TREES])
    }
}

impl Reach {
    /// Rules out leaves that a number from `least` to `most` cannot reach.
    pub fn narrow(&mut self, trees: &Arranged, number: usize, least: f64, most: f64) {
        let tests = trees.numbers.get(number).map_or(&[][..], Vec::as_slice);
        let (least, most) = (rounded_down(least), rounded_down(most));
        let mut left = tests.iter();
        for test in left.by_ref() {
            if test.threshold > least {
                if most < test.threshold {
                    self.keep(test.tree, test.if_below);
                }
                break;
            }
            self.keep(test.tree, test.if_above);
        }
        for test in left.rev() {
            if most >= test.threshold {
                break;
            }
            self.keep(test.tree, test.if_below);
        }
    }

    /// Returns the most that the trees add: their sum, if each number has been narrowed to one value.
    #[must_use]
    pub fn most(&self, trees: &Arranged) -> f64 {
        trees.leaves.iter().zip(&self.0).fold(trees.constant, |sum, (leaves, reached)| {
            sum + f64::from(leaves[reached.trailing_zeros() as usize % LEAVES])
        })
    }

    fn keep(&mut self, tree: u8, leaves: u16) {
        self.0[usize::from(tree)] &= leaves;
    }
}

/// Rounds a number down to the precision of thresholds. It is at least a threshold exactly if it was before.
fn rounded_down(number: f64) -> f32 {
    let rounded = number as f32;
    if f64::from(rounded) > number { rounded.next_down() } else { rounded }
}

fn is_above(split: &Split, numbers: &[f64]) -> bool {
    numbers.get(usize::from(split.number)).is_some_and(|number| *number >= f64::from(split.threshold))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trees() -> impl Strategy<Value = (Vec<Split>, Vec<f32>, Vec<i16>)> {
        // Trees of three splits and four leaves.
        let tree = (prop::collection::vec((0_u8..4, -1.0_f32..1.0), 3), prop::collection::vec(-1.0_f32..1.0, 4));
        prop::collection::vec(tree, 1..6).prop_map(|trees| {
            let (mut splits, mut leaves, mut roots) = (Vec::new(), Vec::new(), Vec::new());
            for (of, ends) in trees {
                let (first, leaf) = (splits.len() as i16, -1 - leaves.len() as i16);
                let next = [[first + 1, first + 2], [leaf, leaf - 1], [leaf - 2, leaf - 3]];
                roots.push(first);
                splits.extend(of.iter().zip(next).map(|(&(number, threshold), next)| Split {
                    number,
                    threshold,
                    next,
                }));
                leaves.extend(ends);
            }
            (splits, leaves, roots)
        })
    }

    proptest! {
        #[test]
        fn no_value_surpasses_the_most(
            (splits, leaves, roots) in trees(),
            ends in prop::collection::vec((-1.5_f64..1.5, prop_oneof![Just(0.0), 0.0_f64..3.0]), 4),
            within in prop::collection::vec(0.0_f64..=1.0, 4),
        ) {
            let trees = Trees { constant: 0.5, roots: &roots, splits: &splits, leaves: &leaves };
            let arranged = trees.arranged().unwrap_or_default();
            let [least, most]: [Vec<f64>; 2] = [0.0, 1.0].map(|of| ends.iter().map(|(from, wide)| from + of * wide).collect());
            let numbers: Vec<f64> = least.iter().zip(&most).zip(within).map(|((from, to), at)| (from + (to - from) * at).min(*to)).collect();
            let mut reach = Reach::default();
            (0..4).for_each(|number| reach.narrow(&arranged, number, least[number], most[number]));
            prop_assert_eq!(reach.most(&arranged), trees.most(&least, &most));
            prop_assert!(trees.sum(&numbers) <= reach.most(&arranged) + 1e-9);
            // What was ruled out does not change what is found once all is known, in any order.
            (0..4).rev().for_each(|number| reach.narrow(&arranged, number, numbers[number], numbers[number]));
            prop_assert_eq!(reach.most(&arranged), trees.sum(&numbers));
        }

        #[test]
        fn rounding_down_passes_the_same_thresholds(number in -2.0_f64..2.0, threshold in -2.0_f32..2.0) {
            for number in [number, threshold.into(), f64::from(threshold).next_down(), f64::from(threshold).next_up()] {
                let split = Split { number: 0, threshold, next: [0, 0] };
                prop_assert_eq!(rounded_down(number) >= threshold, is_above(&split, &[number]));
            }
        }
    }

    impl Trees<'_> {
        /// The most that the trees add for numbers in these ranges, branch by branch.
        fn most(&self, least: &[f64], most: &[f64]) -> f64 {
            self.roots.iter().fold(self.constant, |sum, &root| sum + self.most_below(root, [least, most]))
        }

        fn most_below(&self, at: i16, [least, most]: [&[f64]; 2]) -> f64 {
            let Some(split) = self.split(at) else { return self.leaf(at) };
            let [below, above] = split.next.map(|next| self.most_below(next, [least, most]));
            match [least, most].map(|numbers| is_above(split, numbers)) {
                [true, _] => above,
                [_, false] => below,
                [false, true] => below.max(above),
            }
        }
    }
}
