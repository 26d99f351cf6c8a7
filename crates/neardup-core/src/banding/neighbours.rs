//! All signatures of a table in memory, to answer within microseconds whether one has a neighbour.
//!
//! The same multi-index as in the database (see [`probes`](super::probes)): four tables of signatures, each sorted by one band,
//! with the start of each band value. New signatures go into chains, a link for each band, until they are worth sorting in.

use std::ops::Range;

use super::simhash::{DEFAULT_BANDS, band_value, probes};
use crate::{Result, interrupt};

const BANDS: usize = DEFAULT_BANDS as usize;
const VALUES: usize = 1 << 16;
const NONE: u32 = u32::MAX;
/// Up to this many new signatures, chains are short: sorting in sooner would not pay.
const FEW_NEW: usize = 1 << 16;
/// After how many steps a loop asks whether it should stop.
const INTERRUPT_EVERY: usize = 1 << 16;

/// How many keys distance 7 has.
const USUAL_PROBES: usize = 68;

/// Where the signatures with one value of a band are; side by side, so that one look at memory tells.
#[derive(Clone, Copy)]
struct Slot {
    /// Where they begin in `sorted`.
    start: u32,
    /// The newest one of their chain.
    newest: u32,
}

/// The signatures with one value of a band: a range of the sorted ones, and the first of a chain of newer ones.
struct Bucket {
    band: usize,
    old: Range<usize>,
    newest: u32,
}

/// Distinct signatures, ready to be searched by Hamming distance; at most 2^31 of them.
pub struct Neighbours {
    /// For each band and value, and one more for the end.
    slots: Vec<Slot>,
    /// For each band: all older signatures, ordered by that band's value.
    sorted: [Vec<u64>; BANDS],
    /// Newer signatures, each with the next one of its chain in each band.
    recent: Vec<(u64, [u32; BANDS])>,
}

impl Neighbours {
    /// Sorts signatures in; repeated ones count once.
    #[must_use]
    pub fn new(mut signatures: Vec<u64>) -> Self {
        signatures.sort_unstable();
        signatures.dedup();
        let mut this = Self {
            slots: vec![Slot { start: 0, newest: NONE }; BANDS * (VALUES + 1)],
            sorted: [const { Vec::new() }; BANDS],
            recent: Vec::new(),
        };
        this.sort(signatures);
        this
    }

    /// Says how many bytes so many signatures take at most, those of building included.
    #[must_use]
    pub fn bytes(signatures: usize) -> usize {
        let fixed = BANDS * VALUES * 2 * size_of::<u32>() + 2 * FEW_NEW * size_of::<(u64, [u32; BANDS])>();
        fixed + signatures * size_of::<u64>() * (BANDS + 1)
    }

    /// Says how many signatures there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted[0].len() + self.recent.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a signature, unless it is there.
    pub fn insert(&mut self, signature: u64) {
        let mut known = false;
        let bucket = self.bucket(0, band_value(signature, 0, DEFAULT_BANDS) as usize);
        self.each(bucket, |other| known |= other == signature);
        if known {
            return;
        }
        let place = self.recent.len() as u32;
        let mut next = [NONE; BANDS];
        for (band, next) in next.iter_mut().enumerate() {
            let value = band_value(signature, band as u32, DEFAULT_BANDS) as usize;
            *next = std::mem::replace(&mut self.slots[band * (VALUES + 1) + value].newest, place);
        }
        self.recent.push((signature, next));
        if self.recent.len() > FEW_NEW.max(self.sorted[0].len() / 2) {
            let mut all = std::mem::take(&mut self.sorted[0]);
            all.extend(self.recent.drain(..).map(|(signature, _)| signature));
            self.sort(all);
        }
    }

    /// Puts into `found` each signature within `distance` bits with its distance, nearest first, equally near ones by value.
    ///
    /// # Errors
    /// `InvalidParameter` if `distance` is above [`MAX_DISTANCE`](super::MAX_DISTANCE).
    pub fn within(&self, signature: u64, distance: u32, found: &mut Vec<(u32, u64)>) -> Result<()> {
        found.clear();
        // In three steps, each over all buckets: how many there are in a bucket depends on what memory says, and waiting for
        // that bucket by bucket takes several times longer (24 us against 8 at 200,000 signatures, distance 7).
        let mut buckets = Vec::with_capacity(USUAL_PROBES);
        probes(signature, distance, DEFAULT_BANDS, |key| {
            buckets.push(self.bucket(key as usize / VALUES, key as usize % VALUES))
        })?;
        let firsts = buckets.iter().map(|bucket| {
            let old = self.sorted[bucket.band].get(bucket.old.start).copied().unwrap_or_default();
            old ^ self.recent.get(bucket.newest as usize).map_or(0, |(new, _)| *new)
        });
        std::hint::black_box(firsts.fold(0, |all, first| all ^ first));
        for bucket in buckets {
            self.each(bucket, |other| {
                let apart = (signature ^ other).count_ones();
                if apart <= distance {
                    found.push((apart, other));
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        Ok(())
    }

    #[inline]
    fn bucket(&self, band: usize, value: usize) -> Bucket {
        let at = band * (VALUES + 1) + value;
        let (slot, after) = (self.slots[at], self.slots[at + 1]);
        Bucket { band, old: slot.start as usize..after.start as usize, newest: slot.newest }
    }

    #[inline]
    fn each(&self, bucket: Bucket, mut each: impl FnMut(u64)) {
        self.sorted[bucket.band][bucket.old].iter().for_each(|&signature| each(signature));
        let mut place = bucket.newest;
        while let Some((signature, next)) = self.recent.get(place as usize) {
            each(*signature);
            place = next[bucket.band];
        }
    }

    /// Counts each band's values, then puts each signature where its value's run has got to; chains are empty then.
    fn sort(&mut self, signatures: Vec<u64>) {
        for band in (0..BANDS).rev() {
            let value = |signature: u64| band_value(signature, band as u32, DEFAULT_BANDS) as usize;
            let mut places = vec![0; VALUES + 1];
            for chunk in signatures.chunks(INTERRUPT_EVERY) {
                chunk.iter().for_each(|&signature| places[value(signature) + 1] += 1);
                interrupt::check();
            }
            let mut sum = 0;
            for (place, slot) in places.iter_mut().zip(&mut self.slots[band * (VALUES + 1)..]) {
                sum += *place;
                *place = sum;
                *slot = Slot { start: sum, newest: NONE };
            }
            let mut sorted = vec![0; signatures.len()];
            for chunk in signatures.chunks(INTERRUPT_EVERY) {
                for &signature in chunk {
                    let place = &mut places[value(signature)];
                    sorted[*place as usize] = signature;
                    *place += 1;
                }
                interrupt::check();
            }
            self.sorted[band] = sorted;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn naive(signatures: &[u64], signature: u64, distance: u32) -> Vec<(u32, u64)> {
        let mut found: Vec<(u32, u64)> =
            signatures.iter().map(|other| ((signature ^ other).count_ones(), *other)).collect();
        found.retain(|(apart, _)| *apart <= distance);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Signatures that crowd: few bits set, so that many are near each other.
    fn crowd() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(prop::collection::vec(0u32..64, 0..6), 0..60)
            .prop_map(|sets| sets.iter().map(|set| set.iter().fold(0, |word, bit| word | 1u64 << bit)).collect())
    }

    proptest! {
        #[test]
        fn finds_what_comparing_all_finds(old in crowd(), new in crowd(), probe in crowd(), distance in 0u32..=11) {
            let mut index = Neighbours::new(old.clone());
            new.iter().for_each(|&signature| index.insert(signature));
            let all = [old, new].concat();
            let mut found = Vec::new();
            for &signature in all.iter().chain(&probe) {
                index.within(signature, distance, &mut found).unwrap();
                prop_assert_eq!(&found, &naive(&all, signature, distance));
            }
        }
    }

    #[test]
    fn stays_right_when_it_grows() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state ^ state >> 29
        };
        let all: Vec<u64> = (0..FEW_NEW + 1000).map(|_| random()).collect();
        let mut index = Neighbours::new(all[..10].to_vec());
        all.iter().for_each(|&signature| index.insert(signature));
        assert_eq!(index.len(), all.len());
        let mut found = Vec::new();
        for &signature in all.iter().step_by(9973) {
            index.within(signature ^ 0x0101_0001, 3, &mut found).unwrap();
            assert_eq!(found, naive(&all, signature ^ 0x0101_0001, 3));
        }
        assert!(index.within(0, 12, &mut found).is_err());
        assert!(Neighbours::new(Vec::new()).is_empty());
    }
}
