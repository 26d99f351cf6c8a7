//! Groups of judged pairs: every row is a duplicate of the one that stays for it, never through a chain.
//!
//! Candidates of a whole table are judged pair by pair, and [`stars`] makes groups of those that a verdict kept. Rows are
//! numbered in the order of preference. In that order each row joins the representative before it of which it is a duplicate by
//! the best score, or becomes a representative. Then a representative that is an excerpt gives way to a later, longer one that
//! holds it, if all that joined it can follow.
//!
//! Promised: a row and its representative are one of the given pairs, in which the row may go and the representative stays. A chain of
//! small changes, each a duplicate of the one before, therefore does not remove what is unlike the row that stays. The answer depends on
//! the set of pairs alone, not on their order. Time is n log n in the pairs, memory linear in them, however many rows the table has.

use std::cmp::Reverse;

use ahash::AHashMap;

use crate::interrupt;

/// A pair of rows on which a verdict said that one of them can go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Number of the row that comes later in the order of preference.
    pub later: u32,
    /// Number of the row that comes earlier.
    pub earlier: u32,
    /// How sure it is that one can go, 0 to 1.
    pub score: f64,
    /// Whether the later one can go while the earlier stays: [`replaces`](crate::verdict::replaces).
    pub later_goes: bool,
    /// Whether the earlier one can go while the later stays, because that is a copy or holds it.
    pub earlier_goes: bool,
}

impl Pair {
    /// Says whether `row`, one of the two, can go while the other stays.
    const fn goes(&self, row: u32) -> bool {
        if row == self.later { self.later_goes } else { self.earlier_goes }
    }
}

/// A row that goes, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The row.
    pub row: u32,
    /// The row that stays for it.
    pub representative: u32,
    /// The pair of the two, by its place in what was given.
    pub pair: usize,
}

/// Groups rows by the pairs that were judged; rows that are not in the answer, which is ascending by row, stay.
///
/// Pairs of a row with itself count for nothing; of several pairs of the same two rows the best counts.
#[must_use]
pub fn stars(pairs: &[Pair]) -> Vec<Member> {
    let mut stars = Stars { pairs, joined: AHashMap::new(), members: AHashMap::new() };
    stars.join();
    stars.prefer_longer();
    let mut members: Vec<Member> =
        stars.joined.into_iter().map(|(row, (representative, pair))| Member { row, representative, pair }).collect();
    members.sort_unstable_by_key(|member| member.row);
    members
}

struct Stars<'p> {
    pairs: &'p [Pair],
    /// Rows that go, each with its representative and the pair of the two.
    joined: AHashMap<u32, (u32, usize)>,
    /// Representatives with the rows that joined them, themselves left out.
    members: AHashMap<u32, Vec<u32>>,
}

/// Pairs between two looks at the clock.
const STRETCH: usize = 1 << 16;

impl Stars<'_> {
    fn is_representative(&self, row: u32) -> bool {
        !self.joined.contains_key(&row)
    }

    /// Lets each row join the best representative before it.
    fn join(&mut self) {
        let mut order: Vec<usize> = (0..self.pairs.len()).collect();
        order.retain(|&at| self.pairs.get(at).is_some_and(|pair| pair.later_goes && pair.earlier < pair.later));
        order.sort_unstable_by_key(|&at| self.rank(at));
        for (count, &at) in order.iter().enumerate() {
            if count % STRETCH == 0 {
                interrupt::check();
            }
            let Some(&Pair { later, earlier, .. }) = self.pairs.get(at) else { continue };
            // All pairs of a row stand together, and those of the rows before it are done.
            if self.is_representative(later) && self.is_representative(earlier) {
                self.joined.insert(later, (earlier, at));
                self.members.entry(earlier).or_default().push(later);
            }
        }
    }

    /// Later rows last; of a row's pairs the best score first, then the earliest partner, then the place, so that nothing is left to
    /// chance.
    fn rank(&self, at: usize) -> impl Ord + use<> {
        let pair = self.pairs.get(at);
        // Scores are 0 to 1: the bits of such numbers are ordered as they are.
        pair.map(|pair| (pair.later, Reverse(pair.score.max(0.0).to_bits()), pair.earlier, at))
    }

    /// Lets shorter representatives give way to longer ones that hold them and all that joined them.
    fn prefer_longer(&mut self) {
        // The rows that could be held by a later representative, with all that could go for the same one.
        let mut longer: Vec<u32> = self
            .pairs
            .iter()
            .filter(|pair| pair.earlier < pair.later && pair.earlier_goes && !pair.later_goes)
            .filter(|pair| self.is_representative(pair.earlier) && self.is_representative(pair.later))
            .map(|pair| pair.later)
            .collect();
        longer.sort_unstable();
        longer.dedup();
        let mut followers: Vec<(u32, u32, Reverse<u64>, usize)> = Vec::new();
        for (at, pair) in self.pairs.iter().enumerate().filter(|(_, pair)| pair.earlier < pair.later) {
            for (long, row) in [(pair.later, pair.earlier), (pair.earlier, pair.later)] {
                if pair.goes(row) && longer.binary_search(&long).is_ok() {
                    followers.push((long, row, Reverse(pair.score.max(0.0).to_bits()), at));
                }
            }
        }
        followers.sort_unstable();
        followers.dedup_by_key(|&mut (long, row, ..)| (long, row));
        // In this order every row before a long one has found its place, so that an excerpt of an excerpt goes up step by step.
        for of_one in followers.chunk_by(|a, b| a.0 == b.0) {
            interrupt::check();
            self.take_over(of_one);
        }
    }

    /// Lets the earlier representatives among the rows that could go for one long row go for it, each where all of its rows can.
    fn take_over(&mut self, followers: &[(u32, u32, Reverse<u64>, usize)]) {
        let Some(&(long, ..)) = followers.first() else { return };
        if !self.is_representative(long) {
            return;
        }
        let mut by_star: Vec<(u32, u32, usize)> = followers
            .iter()
            .map(|&(_, row, _, at)| (self.joined.get(&row).map_or(row, |&(representative, _)| representative), row, at))
            .filter(|&(representative, ..)| representative < long)
            .collect();
        by_star.sort_unstable();
        for star in by_star.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(representative, ..)) = star.first() else { continue };
            // As many rows as the star has, itself among them: all can follow.
            if star.len() <= self.members.get(&representative).map_or(0, Vec::len) {
                continue;
            }
            self.members.remove(&representative);
            for &(_, row, at) in star {
                self.joined.insert(row, (long, at));
                self.members.entry(long).or_default().push(row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    fn copy(earlier: u32, later: u32, score: f64) -> Pair {
        Pair { later, earlier, score, later_goes: true, earlier_goes: true }
    }

    /// The later one is an excerpt of the earlier.
    fn excerpt(earlier: u32, later: u32) -> Pair {
        Pair { later, earlier, score: 0.9, later_goes: true, earlier_goes: false }
    }

    /// The later one holds the earlier.
    fn held(earlier: u32, later: u32) -> Pair {
        Pair { later, earlier, score: 0.9, later_goes: false, earlier_goes: true }
    }

    fn grouped(pairs: &[Pair]) -> Vec<(u32, u32)> {
        stars(pairs).iter().map(|member| (member.row, member.representative)).collect()
    }

    #[test]
    fn a_row_joins_its_best_representative() {
        assert_eq!(grouped(&[]), []);
        assert_eq!(grouped(&[copy(0, 1, 0.6), copy(0, 2, 0.7), copy(1, 2, 0.9)]), [(1, 0), (2, 0)]);
        assert_eq!(grouped(&[copy(0, 2, 0.7), copy(1, 2, 0.9)]), [(2, 1)]);
        assert_eq!(grouped(&[copy(0, 2, 0.9), copy(1, 2, 0.9)]), [(2, 0)], "the earliest of equal ones");
        assert_eq!(grouped(&[copy(3, 3, 1.0), copy(5, 4, 1.0)]), [], "what is out of order is no pair");
    }

    /// Another tool made 2 rows of 859,092: joined by chains, everything is a duplicate of everything.
    #[test]
    fn a_chain_of_small_changes_keeps_what_is_unlike_the_row_that_stays() {
        const ROWS: u32 = 100_000;
        // Each row is a duplicate of the three before it, and unlike the fourth.
        let pairs: Vec<Pair> =
            (1..ROWS).flat_map(|row| (row.saturating_sub(3)..row).map(move |near| copy(near, row, 0.9))).collect();
        let groups = stars(&pairs);
        assert!(groups.iter().all(|member| member.row - member.representative <= 3));
        assert_eq!(ROWS as usize - groups.len(), ROWS as usize / 4);
    }

    #[test]
    fn an_excerpt_gives_way_with_all_that_joined_it() {
        assert_eq!(grouped(&[held(0, 1)]), [(0, 1)]);
        assert_eq!(grouped(&[excerpt(0, 1)]), [(1, 0)]);
        assert_eq!(grouped(&[copy(0, 1, 0.9), held(0, 2), held(1, 2)]), [(0, 2), (1, 2)]);
        assert_eq!(grouped(&[copy(0, 1, 0.9), held(0, 2)]), [(1, 0)], "one cannot follow");
        // Row 3 comes after the longer one and joined the shorter one by a better score.
        let later = Pair { score: 0.8, ..excerpt(2, 3) };
        assert_eq!(grouped(&[held(0, 2), copy(0, 3, 0.95), later]), [(0, 2), (3, 2)]);
        assert_eq!(grouped(&[held(0, 1), held(1, 2), held(0, 2)]), [(0, 2), (1, 2)], "step by step");
        assert_eq!(grouped(&[held(0, 1), held(1, 2)]), [(0, 1)], "never through a chain");
    }

    #[test]
    fn the_pair_says_why() {
        let pairs = [copy(0, 1, 0.6), copy(0, 1, 0.8), held(0, 2), held(1, 2)];
        let why: Vec<usize> = stars(&pairs).iter().map(|member| member.pair).collect();
        assert_eq!(why, [2, 3]);
        assert_eq!(stars(&pairs[..2])[0].pair, 1, "the better of two");
    }

    fn any_pair() -> impl Strategy<Value = Pair> {
        let goes = prop::sample::select(vec![(true, true), (true, false), (false, true)]);
        (0_u32..30, 0_u32..30, 0_u8..10, goes).prop_map(|(a, b, score, (later_goes, earlier_goes))| Pair {
            later: a.max(b),
            earlier: a.min(b),
            score: f64::from(score) / 10.0,
            later_goes,
            earlier_goes,
        })
    }

    proptest! {
        #[test]
        fn every_row_that_goes_has_a_pair_with_one_that_stays(pairs in prop::collection::vec(any_pair(), 0..120)) {
            let groups = stars(&pairs);
            let gone: HashSet<u32> = groups.iter().map(|member| member.row).collect();
            prop_assert_eq!(gone.len(), groups.len());
            for member in &groups {
                let pair = pairs[member.pair];
                prop_assert!(!gone.contains(&member.representative));
                prop_assert_eq!(
                    [pair.earlier, pair.later],
                    [member.row.min(member.representative), member.row.max(member.representative)]
                );
                prop_assert!(pair.goes(member.row));
            }
            // Nothing stays that could go for an earlier row that stays.
            for pair in pairs.iter().filter(|pair| pair.later_goes && pair.earlier < pair.later) {
                prop_assert!(gone.contains(&pair.later) || gone.contains(&pair.earlier));
            }
        }

        #[test]
        fn the_order_of_the_pairs_does_not_matter(
            pairs in prop::collection::vec(any_pair(), 0..60).prop_shuffle(),
            seed: u64,
        ) {
            // Of each two rows one pair, or else which pair is named depends on the order.
            let pairs: Vec<Pair> =
                pairs.into_iter().map(|pair| ((pair.later, pair.earlier), pair)).collect::<HashMap<_, _>>().into_values().collect();
            let mut turned = pairs.clone();
            turned.rotate_left(seed as usize % pairs.len().max(1));
            turned.reverse();
            prop_assert_eq!(grouped(&pairs), grouped(&turned));
        }
    }
}
