//! Gradient-boosted trees (Friedman 2001, algorithm 5): the sum of many small decision trees is the log odds that one of two texts may go.
//!
//! Each split compares one number with a threshold. A number whose sign is known may only speak one way (monotone splits): what the other text
//! lacks never speaks for a copy. [`Trees::most`] bounds the sum while of some numbers only the range is known, so that a pair can be ruled out
//! before it is compared further, without changing any answer. A [`Walk`] is the same step by step: it goes on where it stopped as more
//! numbers become known, and ends as soon as the bound is out of reach.

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

    /// Returns a sum that no numbers surpass that are at least `least` and at most `most`, one by one.
    #[must_use]
    pub fn most(&self, least: &[f64], most: &[f64]) -> f64 {
        self.roots.iter().fold(self.constant, |sum, &root| sum + self.most_below(root, [least, most]))
    }

    /// Returns what the trees can add whatever the numbers are.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let most_at = |at: i16| self.most_below(at, [&[], &[]]);
        let below = (0..).take(self.splits.len()).map(|split| most_at(split) as f32).collect();
        Bounds { trees: self.roots.iter().map(|root| most_at(*root)).collect(), below }
    }

    fn most_below(&self, at: i16, [least, most]: [&[f64]; 2]) -> f64 {
        let Some(split) = self.split(at) else { return self.leaf(at) };
        let [below, above] = split.next.map(|next| self.most_below(next, [least, most]));
        if is_above(split, least) {
            above
        } else if most.get(usize::from(split.number)).is_some_and(|most| *most < f64::from(split.threshold)) {
            below
        } else {
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

/// What trees can add at most.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// For each tree, its greatest leaf.
    trees: Vec<f64>,
    /// For each split, the greatest leaf below it.
    below: Vec<f32>,
}

/// How far some numbers have been followed through each tree: to the first split on one that may change, or to a leaf. A tree in which a leaf was
/// reached is not looked at again before the sum.
#[derive(Clone, Debug)]
pub struct Walk<'t> {
    trees: &'t Trees<'t>,
    at: Vec<i16>,
    /// The trees in which no leaf was reached, in their order.
    open: Vec<u16>,
    /// What the others add.
    reached: f64,
}

impl<'t> Walk<'t> {
    /// Begins before the first split of each tree.
    #[must_use]
    pub fn new(trees: &'t Trees<'t>) -> Self {
        let open = (0..).take(trees.roots.len()).collect();
        Self { trees, at: trees.roots.to_vec(), open, reached: 0.0 }
    }

    /// Says whether [`Trees::most`] is at least `least`, by as few trees as that takes, and goes on through the splits on numbers that are
    /// `settled`: their ranges are one value, the same in all later calls. `bounds` are those of the trees.
    pub fn may_reach(&mut self, numbers: &Ranges, settled: &Each<bool>, least: f64, bounds: &Bounds) -> bool {
        let Self { trees, at, open, reached } = self;
        let most_of = |tree: u16| bounds.trees.get(usize::from(tree)).copied().unwrap_or_default();
        // The most that the trees can add: that of each is replaced by what it can add from where it has got to.
        let mut most = trees.constant + *reached + open.iter().map(|tree| most_of(*tree)).sum::<f64>();
        let (mut next, mut kept) = (0, 0);
        while most >= least
            && let Some(&tree) = open.get(next)
        {
            next += 1;
            let Some(at) = at.get_mut(usize::from(tree)) else { continue };
            *at = trees.follow(*at, &numbers.least, |number| settled.get(number));
            let adds = f64::from(trees.most_from(*at, numbers, &bounds.below, f32::MIN));
            most += adds - most_of(tree);
            if *at < 0 {
                *reached += adds;
            } else {
                open[kept] = tree;
                kept += 1;
            }
        }
        open.drain(kept..next);
        most >= least
    }

    /// Returns the sum, as [`Trees::sum`] does.
    #[must_use]
    pub fn sum(&self, numbers: &Each<f32>) -> f64 {
        self.at
            .iter()
            .fold(self.trees.constant, |sum, &at| sum + self.trees.leaf(self.trees.follow(at, numbers, |_| true)))
    }
}

impl Trees<'_> {
    /// Goes on from a split as far as numbers are settled.
    fn follow(&self, mut at: i16, numbers: &Each<f32>, is_settled: impl Fn(u8) -> bool) -> i16 {
        while let Some(split) = self.split(at)
            && is_settled(split.number)
        {
            at = split.next[usize::from(numbers.passes(split))];
        }
        at
    }

    /// Returns the greatest leaf that can be reached from a split, or `least` if that is greater. `most` is the greatest leaf below each
    /// split: where it is no greater than what has been found, nothing is looked at, which saves most of the way.
    fn most_from(&self, mut at: i16, numbers: &Ranges, most: &[f32], least: f32) -> f32 {
        let mut found = least;
        let most_at = |at: i16| usize::try_from(at).map_or_else(|_| self.leaf(at) as f32, |split| most[split]);
        while let Some(split) = self.split(at) {
            if most_at(at) <= found {
                return found;
            }
            let [below, above] = split.next;
            if numbers.least.passes(split) {
                at = above;
            } else if !numbers.most.passes(split) {
                at = below;
            } else if most_at(below) < most_at(above) {
                found = self.most_from(above, numbers, most, found);
                at = below;
            } else {
                found = self.most_from(below, numbers, most, found);
                at = above;
            }
        }
        found.max(self.leaf(at) as f32)
    }
}

/// What each number may be: at least, and at most.
#[derive(Clone, Debug)]
pub struct Ranges {
    least: Each<f32>,
    most: Each<f32>,
}

impl Ranges {
    /// Rounds both down, as [`Each::rounded_down`] does.
    #[must_use]
    pub fn new(least: &[f64], most: &[f64]) -> Self {
        Self { least: Each::rounded_down(least), most: Each::rounded_down(most) }
    }

    /// Of numbers that are known.
    #[must_use]
    pub fn known(numbers: &[f64]) -> Self {
        let least = Each::rounded_down(numbers);
        Self { most: least.clone(), least }
    }
}

/// A value for each number that a [`Split`] may name, so that none has to be checked for.
#[derive(Clone, Debug)]
pub struct Each<T>([T; 1 << u8::BITS]);

impl<T: Copy + Default> Each<T> {
    fn of(values: impl Iterator<Item = T>) -> Self {
        let mut each = Self([T::default(); _]);
        each.0.iter_mut().zip(values).for_each(|(to, value)| *to = value);
        each
    }

    fn get(&self, number: u8) -> T {
        self.0[usize::from(number)]
    }
}

impl Each<bool> {
    /// Marks some numbers.
    #[must_use]
    pub fn marked(marked: &[bool]) -> Self {
        Self::of(marked.iter().copied())
    }
}

impl Each<f32> {
    /// Rounds numbers down to the precision of thresholds. Each is at least a threshold exactly if it was before.
    #[must_use]
    pub fn rounded_down(numbers: &[f64]) -> Self {
        Self::of(numbers.iter().map(|&number| {
            let rounded = number as f32;
            if f64::from(rounded) > number { rounded.next_down() } else { rounded }
        }))
    }

    fn passes(&self, split: &Split) -> bool {
        self.get(split.number) >= split.threshold
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
            ends in prop::collection::vec((-1.5_f64..1.5, prop_oneof![Just(0.0), 0.0_f64..3.0]), 4),
            within in prop::collection::vec(0.0_f64..=1.0, 4),
        ) {
            let trees = Trees { constant: 0.5, roots: &roots, splits: &splits, leaves: &leaves };
            let [least, most]: [Vec<f64>; 2] = [0.0, 1.0].map(|of| ends.iter().map(|(from, wide)| from + of * wide).collect());
            let numbers: Vec<f64> = least.iter().zip(&most).zip(within).map(|((from, to), at)| (from + (to - from) * at).min(*to)).collect();
            prop_assert!(trees.sum(&numbers) <= trees.most(&least, &most) + 1e-9);
            prop_assert!((trees.most(&numbers, &numbers) - trees.sum(&numbers)).abs() < 1e-9);
        }

        #[test]
        fn a_walk_ends_where_the_trees_do(
            (splits, leaves, roots) in trees(),
            ends in prop::collection::vec((-1.5_f64..1.5, prop_oneof![Just(0.0), 0.0_f64..3.0]), 4),
            within in prop::collection::vec(0.0_f64..=1.0, 4),
            settled in prop::collection::vec(any::<bool>(), 4),
            bound in -3.0_f64..3.0,
        ) {
            let trees = Trees { constant: 0.5, roots: &roots, splits: &splits, leaves: &leaves };
            let [least, most]: [Vec<f64>; 2] = [0.0, 1.0].map(|of| ends.iter().map(|(from, wide)| from + of * wide).collect());
            let settled: Vec<bool> = (0..4).map(|at| least[at] == most[at] && settled[at]).collect();
            let later: Vec<f64> = least.iter().zip(&most).zip(within).map(|((from, to), at)| (from + (to - from) * at).min(*to)).collect();
            let mut walk = Walk::new(&trees);
            let may = walk.may_reach(&Ranges::new(&least, &most), &Each::marked(&settled), bound, &trees.bounds());
            prop_assert_eq!(may, trees.most(&least, &most) >= bound);
            // A walk that stopped early goes on as well.
            let all = Each::marked(&[true; 4]);
            let may = walk.may_reach(&Ranges::new(&later, &later), &all, bound, &trees.bounds());
            prop_assert_eq!(may, trees.sum(&later) >= bound);
            prop_assert_eq!(walk.sum(&Each::rounded_down(&later)), trees.sum(&later));
        }

        #[test]
        fn rounding_down_passes_the_same_thresholds(number in -2.0_f64..2.0, threshold in -2.0_f32..2.0) {
            for number in [number, threshold.into(), f64::from(threshold).next_down(), f64::from(threshold).next_up()] {
                let split = Split { number: 0, threshold, next: [0, 0] };
                prop_assert_eq!(Each::rounded_down(&[number]).passes(&split), is_above(&split, &[number]));
            }
        }
    }
}
