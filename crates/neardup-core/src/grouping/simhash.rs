//! Groups of SimHashes within a Hamming distance.

use super::Linkage;
use super::components::Components;
use super::distinct::Distinct;
use super::star::stars;
use super::union_find::UnionFind;
use crate::banding::check_distance;
use neardup_text::Result;

/// Returns for each signature the position of its group's representative: the first row of the group in the given order.
///
/// # Errors
/// `InvalidParameter` if `distance` is above [`MAX_DISTANCE`](crate::banding::MAX_DISTANCE); `LimitExceeded` for more than
/// 4,294,967,295 signatures.
pub fn group_simhash(signatures: &[u64], distance: u32, linkage: Linkage) -> Result<Vec<u32>> {
    check_distance(distance)?;
    let count = super::count_rows(signatures.len())?;
    let components = components(signatures, count, distance);
    match linkage {
        Linkage::Components => Ok(components),
        Linkage::Star => stars(signatures, &components, distance),
    }
}

fn components(signatures: &[u64], count: u32, distance: u32) -> Vec<u32> {
    let mut sets = UnionFind::new(count);
    let mut distinct = Distinct::new(signatures);
    distinct.join_equal(&mut sets);
    let mut components = Components { sets, distance };
    if distance > 0 {
        components.join(&distinct, distinct.count);
    }
    components.sets.into_representatives()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use neardup_text::hash::token_hash;

    /// Walks from each row not yet reached to all rows within the distance, and on from those.
    fn naive_components(signatures: &[u64], distance: u32) -> Vec<u32> {
        let mut label = vec![u32::MAX; signatures.len()];
        for first in 0..signatures.len() {
            let mut reached = Vec::from_iter((label[first] == u32::MAX).then_some(first));
            while let Some(i) = reached.pop() {
                label[i] = first as u32;
                for j in 0..signatures.len() {
                    if label[j] == u32::MAX && (signatures[i] ^ signatures[j]).count_ones() <= distance {
                        label[j] = first as u32;
                        reached.push(j);
                    }
                }
            }
        }
        label
    }

    fn naive_stars(signatures: &[u64], distance: u32) -> Vec<u32> {
        let mut label: Vec<u32> = Vec::new();
        for (i, signature) in signatures.iter().enumerate() {
            if let Some(equal) = signatures[..i].iter().position(|other| other == signature) {
                label.push(label[equal]);
                continue;
            }
            let representatives = (0..i).filter(|&j| label[j] as usize == j);
            let nearest = representatives.map(|j| ((signature ^ signatures[j]).count_ones(), j)).min();
            label.push(nearest.filter(|&(apart, _)| apart <= distance).map_or(i, |(_, j)| j) as u32);
        }
        label
    }

    /// Clusters: centres, each followed by copies a few bits away, in mixed order.
    fn clustered() -> impl Strategy<Value = Vec<u64>> {
        let row = (0usize..8, prop::collection::vec(0u32..64, 0..14));
        (prop::collection::vec(any::<u64>(), 8), prop::collection::vec(row, 0..80)).prop_map(|(centres, rows)| {
            rows.iter()
                .map(|(centre, flips)| flips.iter().fold(centres[*centre], |word, flip| word ^ (1 << flip)))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn components_are_the_naive_ones(signatures in clustered(), distance in 0u32..=11) {
            let groups = group_simhash(&signatures, distance, Linkage::Components).unwrap();
            prop_assert_eq!(groups, naive_components(&signatures, distance));
        }

        #[test]
        fn stars_are_the_naive_ones(signatures in clustered(), distance in 0u32..=11) {
            let groups = group_simhash(&signatures, distance, Linkage::Star).unwrap();
            prop_assert_eq!(groups, naive_stars(&signatures, distance));
        }
    }

    /// Enough rows for covers, partitions and long runs: around few centres, only the bits of `mask` vary.
    fn many() -> impl Strategy<Value = Vec<u64>> {
        let mask = prop_oneof![Just(u64::MAX), any::<u64>(), Just(0xfff), Just(0x3_ffff), Just(0x00ff_00ff_0000_00ff)];
        (mask, any::<u64>(), 1u64..64, 1usize..12, 600usize..2500).prop_map(|(mask, seed, centres, flips, count)| {
            let mut state = seed;
            let mut random = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                token_hash(&state.to_string())
            };
            let centres: Vec<u64> = (0..centres * 8).map(|_| random()).collect();
            (0..count)
                .map(|_| {
                    let centre = centres[(random() % centres.len() as u64) as usize];
                    let flips = (0..random() as usize % flips).fold(0, |word, _| word ^ 1 << (random() % 64));
                    if random() % 4 == 0 { random() & mask } else { (centre ^ flips) & mask }
                })
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn many_groups_are_the_naive_ones(signatures in many(), distance in 0u32..=11) {
            let groups = group_simhash(&signatures, distance, Linkage::Components).unwrap();
            prop_assert!(groups == naive_components(&signatures, distance));
            let groups = group_simhash(&signatures, distance, Linkage::Star).unwrap();
            prop_assert!(groups == naive_stars(&signatures, distance));
        }
    }

    /// Too many rows for the naive way: many small clusters of a known shape, far apart by construction.
    #[test]
    fn groups_of_a_hundred_thousand_rows_are_known() {
        let centre = |i: u32| token_hash(&(i % 20_000).to_string());
        // Each step of a chain moves by 3 bits.
        let step = |i: u32| (0..i / 20_000 % 5).fold(0, |word, step| word | 0b111 << (7 * step));
        let signatures: Vec<u64> = (0..100_000).map(|i| centre(i) ^ step(i)).collect();
        let expected: Vec<u32> = (0..100_000).map(|i| i % 20_000).collect();
        for distance in [3, 5] {
            assert!(group_simhash(&signatures, distance, Linkage::Components).unwrap() == expected);
        }
        let alone: Vec<u32> = (0..100_000).collect();
        assert!(group_simhash(&signatures, 2, Linkage::Components).unwrap() == alone);
        let repeated = [signatures.clone(), signatures].concat();
        let twice: Vec<u32> = [&alone[..], &alone].concat();
        assert!(group_simhash(&repeated, 2, Linkage::Components).unwrap() == twice);
        assert!(group_simhash(&repeated, 3, Linkage::Components).unwrap() == [&expected[..], &expected].concat());
    }

    /// More representatives in one component than are compared one by one.
    #[test]
    fn a_large_component_of_stars_is_the_naive_one() {
        // A step to the next number of a Gray code flips one bit, here two: all are one chain.
        let signatures: Vec<u64> = (0..9000u64).map(|i| (i ^ i >> 1).wrapping_mul(0x0010_0000_0001)).collect();
        let groups = group_simhash(&signatures, 2, Linkage::Components).unwrap();
        assert!(groups.iter().all(|&group| group == 0));
        let groups = group_simhash(&signatures, 2, Linkage::Star).unwrap();
        let stars = (0..).zip(&groups).filter(|&(i, &group)| i == group).count();
        assert!(stars > 3 * 512, "{stars}");
        assert!(groups == naive_stars(&signatures, 2));
    }

    #[test]
    fn limits_are_errors() {
        let error = group_simhash(&[1], 12, Linkage::Components).unwrap_err();
        assert_eq!(error.message, "distance must be between 0 and 11: 12");
        assert_eq!(group_simhash(&[], 3, Linkage::Components).unwrap(), [] as [u32; 0]);
        assert_eq!(group_simhash(&[0, 0, 1 << 40], 0, Linkage::Star).unwrap(), [0, 0, 2]);
    }
}
