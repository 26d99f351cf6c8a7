//! Groups of rows that share a band key and whose signatures are similar; for MinHash.

use super::partition::{Partitioner, Source};
use super::union_find::UnionFind;
use neardup_text::{Error, ErrorKind, Result, interrupt};

/// In a bucket of up to this many rows, every pair is verified; in a larger one, no row is verified against more than this.
const FULL_BUCKET: usize = 64;

/// Returns for each row the position of its group's representative, the first row of the group.
///
/// `keys` holds the band keys row after row, `bands` per row, as [`minhash_bands`](crate::banding::minhash_bands) gives them.
/// Rows that share the key of a band form a bucket. `similar` is called with pairs of a bucket, the earlier row first, unless
/// they are already in one group; true joins them. It may be called with a pair again for another band.
///
/// The result is exact, given the keys, as long as no bucket holds more than 64 rows. In a larger bucket, where boilerplate or
/// reposts put thousands of rows, each row is verified against the first row of up to 64 groups of the bucket, those joined or
/// met last. So the work stays linear and no pair is joined unverified. But a row similar only to a later row of a group, or to
/// one of too many groups, may be missed there; other bands can still find it.
///
/// Takes 24 bytes per row besides the keys, or 36 if most rows share a key.
///
/// # Errors
/// `InvalidParameter` if `bands` is 0 or does not divide the number of keys; `LimitExceeded` for more than 4,294,967,295 rows.
pub fn group_by_bands(keys: &[i32], bands: usize, mut similar: impl FnMut(u32, u32) -> bool) -> Result<Vec<u32>> {
    if bands == 0 || !keys.len().is_multiple_of(bands) {
        let message = format!("bands must divide the number of keys, {}: {bands}", keys.len());
        return Err(Error::new(ErrorKind::InvalidParameter, message));
    }
    let count = super::count_rows(keys.len() / bands)?;
    let mut sets = UnionFind::new(count);
    let mut partitioner = Partitioner::default();
    let mut rows = vec![0; count as usize];
    let mut bucket: Vec<u64> = Vec::new();
    for band in 0..bands {
        for ((i, row), keys) in (0..).zip(&mut rows).zip(keys.chunks_exact(bands)) {
            *row = u64::from(keys[band].cast_unsigned()) << 32 | i;
        }
        partitioner.partition(&Keyed(&rows), u64::MAX << 32, |partition| {
            interrupt::check();
            let mut start = 0;
            for &end in partition.ends {
                if end - start > 1 {
                    bucket.clear();
                    bucket.extend(partition.rows.slice(start, end).signatures);
                    // The run may have several keys with the same hash.
                    bucket.sort_unstable();
                    for equal in bucket.chunk_by(|a, b| a >> 32 == b >> 32) {
                        join_bucket(equal, &mut sets, &mut similar);
                    }
                }
                start = end;
            }
        });
    }
    Ok(sets.into_representatives())
}

/// Verifies the rows of one bucket, given in order in the low halves of the words.
fn join_bucket(bucket: &[u64], sets: &mut UnionFind, similar: &mut impl FnMut(u32, u32) -> bool) {
    // Rows to verify against: all earlier ones, or the first one of each group, the latest groups last.
    let full = bucket.len() <= FULL_BUCKET;
    let mut against: Vec<u32> = Vec::new();
    for &word in bucket {
        let row = word as u32;
        interrupt::check();
        let known = against.iter().rposition(|&other| sets.find(other) == sets.find(row));
        if let Some(place) = known.filter(|_| !full) {
            // Keeps the groups in use at the end.
            against[place..].rotate_left(1);
            continue;
        }
        let mut joined = None;
        for (place, &other) in against.iter().enumerate().rev() {
            if sets.find(other) != sets.find(row) && similar(other, row) {
                sets.union(other, row);
                joined = Some(place);
            }
        }
        match joined.filter(|_| !full) {
            Some(place) => against[place..].rotate_left(1),
            None => {
                if against.len() == FULL_BUCKET {
                    against.remove(0);
                }
                against.push(row);
            }
        }
    }
}

/// Key in the high half, row in the low half.
struct Keyed<'a>(&'a [u64]);

impl Source for Keyed<'_> {
    fn signatures(&self) -> &[u64] {
        self.0
    }

    fn position(&self, index: u32) -> u32 {
        index
    }

    fn takes_part(&self, _: u32) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// Relabels until nothing changes.
    fn naive(keys: &[i32], bands: usize, similar: impl Fn(u32, u32) -> bool) -> Vec<u32> {
        let rows: Vec<&[i32]> = keys.chunks(bands).collect();
        let mut label: Vec<u32> = (0..rows.len() as u32).collect();
        loop {
            let before = label.clone();
            for (i, a) in rows.iter().enumerate() {
                for (j, b) in rows.iter().enumerate() {
                    if a.iter().zip(*b).any(|(a, b)| a == b) && similar(i.min(j) as u32, i.max(j) as u32) {
                        label[i] = label[i].min(label[j]);
                    }
                }
            }
            if label == before {
                return label;
            }
        }
    }

    proptest! {
        #[test]
        fn small_buckets_are_exact(
            (bands, keys) in (1usize..5).prop_flat_map(|bands| {
                (Just(bands), prop::collection::vec(0i32..12, 0..60).prop_map(move |mut keys| {
                    keys.truncate(keys.len() / bands * bands);
                    keys
                }))
            }),
            salt: u32,
        ) {
            let similar = |a: u32, b: u32| !(a ^ salt).wrapping_mul(b ^ 0x9e37_79b9).wrapping_mul(salt | 1).is_multiple_of(3);
            prop_assert_eq!(group_by_bands(&keys, bands, similar).unwrap(), naive(&keys, bands, similar));
        }
    }

    /// One bucket of 20,000 rows of 20 messages: linear, and exact since the messages are clear-cut.
    #[test]
    fn a_huge_bucket_is_linear() {
        let keys = vec![7; 20_000];
        let mut asked = 0;
        let groups = group_by_bands(&keys, 1, |a, b| {
            asked += 1;
            a % 20 == b % 20
        });
        let expected: Vec<u32> = (0..20_000).map(|i| i % 20).collect();
        assert!(groups.unwrap() == expected);
        assert!(asked <= 20_000 * FULL_BUCKET);
        let mut asked = 0;
        let alone = group_by_bands(&keys, 1, |_, _| {
            asked += 1;
            false
        });
        assert_eq!(alone.unwrap().into_iter().collect::<HashSet<u32>>().len(), 20_000);
        assert!(asked <= 20_000 * FULL_BUCKET);
    }

    #[test]
    fn shape_has_to_fit() {
        let message = |keys: &[i32], bands| group_by_bands(keys, bands, |_, _| true).unwrap_err().message;
        assert_eq!(message(&[1, 2, 3], 2), "bands must divide the number of keys, 3: 2");
        assert_eq!(message(&[], 0), "bands must divide the number of keys, 0: 0");
        assert_eq!(group_by_bands(&[], 3, |_, _| true).unwrap(), [] as [u32; 0]);
    }
}
