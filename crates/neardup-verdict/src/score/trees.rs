//! Gradient-boosted trees (Friedman 2001, algorithm 5): the sum of many small decision trees is the log odds that one of two texts may go.
//!
//! Each split compares one number with a threshold. A number whose sign is known may only speak one way (monotone splits): what the other text
//! lacks never speaks for a copy. [`Trees::most`] bounds the sum while some numbers are unknown, so that a pair can be ruled out before it is
//! compared further, without changing any answer.

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

    /// Returns a sum that no values of the numbers that are not `known` surpass.
    #[must_use]
    pub fn most(&self, numbers: &[f64], known: &[bool]) -> f64 {
        self.roots.iter().fold(self.constant, |sum, &root| sum + self.most_below(root, numbers, known))
    }

    /// Says whether [`Trees::most`] is at least `least`, by as few trees as that takes. `after` is [`Trees::most_after`].
    #[must_use]
    pub fn may_reach(&self, numbers: &[f64], known: &[bool], least: f64, after: &[f64]) -> bool {
        let mut sum = self.constant;
        for (&root, after) in self.roots.iter().zip(after) {
            sum += self.most_below(root, numbers, known);
            if sum + after < least {
                return false;
            }
        }
        sum >= least
    }

    /// Returns for each tree the most that all trees after it can add.
    #[must_use]
    pub fn most_after(&self) -> Vec<f64> {
        let mut most = 0.0;
        let mut after: Vec<f64> = Vec::with_capacity(self.roots.len());
        for &root in self.roots.iter().rev() {
            after.push(most);
            most += self.most_below(root, &[], &[]);
        }
        after.reverse();
        after
    }

    fn most_below(&self, at: i16, numbers: &[f64], known: &[bool]) -> f64 {
        let Some(split) = self.split(at) else { return self.leaf(at) };
        if known.get(usize::from(split.number)).copied().unwrap_or_default() {
            self.most_below(split.next[usize::from(is_above(split, numbers))], numbers, known)
        } else {
            let [below, above] = split.next.map(|next| self.most_below(next, numbers, known));
            below.max(above)
        }
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

    fn split(&self, at: i16) -> Option<&Split> {
        usize::try_from(at).ok().and_then(|at| self.splits.get(at))
    }

    fn leaf(&self, at: i16) -> f64 {
        let leaf = usize::try_from(-1 - i32::from(at)).ok().and_then(|leaf| self.leaves.get(leaf));
        leaf.copied().map_or(0.0, f64::from)
    }
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
        fn no_value_surpasses_the_bound(
            (splits, leaves, roots) in trees(),
            numbers in prop::collection::vec(-1.5_f64..1.5, 4),
            others in prop::collection::vec(-1.5_f64..1.5, 4),
            known in prop::collection::vec(any::<bool>(), 4),
        ) {
            let trees = Trees { constant: 0.5, roots: &roots, splits: &splits, leaves: &leaves };
            let mixed: Vec<f64> = (0..4).map(|at| if known[at] { numbers[at] } else { others[at] }).collect();
            prop_assert!(trees.sum(&mixed) <= trees.most(&numbers, &known) + 1e-9);
            prop_assert!((trees.most(&mixed, &[true; 4]) - trees.sum(&mixed)).abs() < 1e-9);
            for least in [-1.0, 0.0, 1.0] {
                let most = trees.most(&numbers, &known);
                prop_assert_eq!(trees.may_reach(&numbers, &known, least, &trees.most_after()), most >= least);
            }
        }
    }
}
