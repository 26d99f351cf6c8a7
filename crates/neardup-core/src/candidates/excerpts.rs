//! Which longer row is kept in the place of each kept row that is an excerpt.

use std::cmp::Reverse;

use ahash::AHashMap;

use super::all::Earlier;
use super::leaders::Member;
use super::row::Bits;

/// A row that is kept in the place of an excerpt. A table of titles has many, so it is kept small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Longer {
    pub(super) long: Earlier,
    pub(super) long_hash: u64,
    pub(super) short: Earlier,
    pub(super) short_hash: u64,
    pub(super) score: f64,
    pub(super) verdict: u8,
    /// Whether the verdict and the score are those on these two rows.
    pub(super) is_judged: bool,
}

impl Longer {
    /// Returns the excerpt as a member of its own group.
    pub(super) fn member(&self) -> Member {
        Member {
            kept: self.short,
            duplicate: self.short,
            kept_hash: self.short_hash,
            duplicate_hash: self.short_hash,
            verdict: self.verdict,
            score: self.score,
            group_size: 0,
        }
    }
}

/// Returns for each kept row that is an excerpt the row in whose favour it becomes a duplicate: the one with the best score, then the first.
/// That one is kept itself. If a still longer row contains it, the excerpt joins that one, if the verdict on these two agrees. They are in the
/// order of the excerpts.
pub(super) fn longest(mut longest: Vec<Longer>, is_kept: impl Fn(u32) -> bool) -> Vec<Longer> {
    let mut held = Bits::default();
    longest.iter().for_each(|longer| held.insert(longer.short.position));
    longest.retain(|longer| is_kept(longer.long.position));
    let mut through: Vec<Longer> = longest.extract_if(.., |longer| held.contains(longer.long.position)).collect();
    longest.sort_by(|a, b| a.short.position.cmp(&b.short.position).then(b.score.total_cmp(&a.score)));
    longest.dedup_by_key(|longer| longer.short.position);
    // A longer row comes after those it holds, so the last one knows best which row it joins.
    through.sort_unstable_by_key(|longer| Reverse(longer.long.position));
    let mut more: AHashMap<u32, Longer> = AHashMap::new();
    for longer in through {
        let (short, long) = (longer.short.position, longer.long.position);
        let last = of_excerpt(&longest, long).or_else(|| more.get(&long)).copied();
        if let (Some(Longer { long, long_hash, .. }), None) = (last, of_excerpt(&longest, short)) {
            more.entry(short).or_insert(Longer { long, long_hash, is_judged: false, ..longer });
        }
    }
    longest.extend(more.into_values());
    longest.sort_unstable_by_key(|longer| longer.short.position);
    longest
}

/// Finds what is kept in the place of an excerpt among those that [`longest`] returns.
pub(super) fn of_excerpt(longest: &[Longer], short: u32) -> Option<&Longer> {
    let at = longest.binary_search_by_key(&short, |longer| longer.short.position).ok()?;
    longest.get(at)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The definition: for each excerpt the best of the rows that hold it and are no excerpts, or else what the last of the others joins.
    fn naive(all: &[Longer], is_kept: impl Fn(u32) -> bool) -> BTreeMap<u32, (u32, bool)> {
        let kept: Vec<&Longer> = all.iter().filter(|longer| is_kept(longer.long.position)).collect();
        let is_excerpt = |position: u32| all.iter().any(|longer| longer.short.position == position);
        let mut joins: BTreeMap<u32, (u32, bool)> = BTreeMap::new();
        let shorts: Vec<u32> = kept.iter().map(|longer| longer.short.position).collect();
        // The longer row comes after the shorter one, so what it joins is known before.
        for short in shorts.into_iter().rev().collect::<std::collections::BTreeSet<_>>().into_iter().rev() {
            let of = || kept.iter().filter(|longer| longer.short.position == short);
            let direct = of().filter(|longer| !is_excerpt(longer.long.position));
            let best = direct.reduce(|best, next| if next.score > best.score { next } else { best });
            if let Some(best) = best {
                joins.insert(short, (best.long.position, true));
                continue;
            }
            let mut longer: Vec<u32> = of().map(|longer| longer.long.position).collect();
            longer.sort_unstable();
            if let Some((last, _)) = longer.iter().rev().find_map(|long| joins.get(long)).copied() {
                joins.insert(short, (last, false));
            }
        }
        joins
    }

    proptest! {
        #[test]
        fn each_excerpt_joins_the_row_of_the_definition(
            pairs in prop::collection::vec((0_u32..12, 1_u32..6, 0_u8..3), 0..30),
            gone in prop::collection::btree_set(0_u32..18, 0..4),
        ) {
            let row = |position: u32| Earlier { position, id: position.into(), time: None };
            let mut seen = std::collections::BTreeSet::new();
            let mut all: Vec<Longer> = pairs
                .into_iter()
                .filter(|(short, more, _)| seen.insert((*short, short + more)))
                .map(|(short, more, score)| Longer {
                    long: row(short + more),
                    long_hash: (short + more).into(),
                    short: row(short),
                    short_hash: short.into(),
                    score: f64::from(score),
                    verdict: 1,
                    is_judged: true,
                })
                .collect();
            // They are found in the order of the longer rows.
            all.sort_by_key(|longer| longer.long.position);
            let is_kept = |position: u32| !gone.contains(&position);
            let found = longest(all.clone(), is_kept);
            prop_assert!(found.iter().all(|longer| longer.long_hash == u64::from(longer.long.position)));
            let found: Vec<_> =
                found.iter().map(|longer| (longer.short.position, (longer.long.position, longer.is_judged))).collect();
            prop_assert_eq!(found, naive(&all, is_kept).into_iter().collect::<Vec<_>>());
        }
    }
}
