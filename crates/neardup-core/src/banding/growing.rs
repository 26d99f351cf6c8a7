//! Looks for neighbours through indexes on [`rotated`] signatures, from the nearest outwards.
//!
//! A step looks up all values that differ from one band of the signature in a given number of bits. When step (flips, band)
//! is done in their order, the search is complete to distance 4 * flips + band, by the argument of
//! [`probes`](super::probes). So it can stop at the first distance that has enough rows. An entry holds the whole signature,
//! which tells whether an earlier step has met it: nothing has to be remembered. Rows are visited only where the answer
//! depends on them, and long runs of one signature are leapt over, so that reposts by the thousand cost no more than one.

use super::rotation::{WIDTH, rotated};
use super::simhash::DEFAULT_BANDS;

/// A way to the start of a range costs as much as this many entries (1 M rows in memory: 1.5 µs to 30 ns).
const ENTRIES_OF_A_SEEK: u64 = 50;

/// So many equal entries in sequence are read before the rest of them is leapt over.
const EQUAL_ENTRIES: u32 = 32;

/// The greatest distance there is.
const FARTHEST: u32 = 64;

/// Four ordered indexes, one for each band, on the rotated signatures of one table or several.
pub trait Rotated {
    /// Where a row stands.
    type Place: Copy;
    /// What is handed out of a row.
    type Row;

    /// Goes to the entries from `first` to `last` of a band's index.
    fn seek(&mut self, band: u32, first: i64, last: i64);
    /// Gives the next entry there, in the order of the rotated signatures, those of several tables merged: the rotated
    /// signature, and the place of its row.
    fn entry(&mut self) -> Option<(i64, Self::Place)>;
    /// Visits a place; `None` if no row there counts.
    fn row(&mut self, place: Self::Place) -> Option<Self::Row>;
    /// About how many entries one band's index has.
    fn entries(&self) -> u64;
}

/// Gives the nearest rows within a distance, at most so many, with their distances, nearest first.
pub fn nearest<I: Rotated>(index: &mut I, signature: u64, within: u32, most: usize) -> Vec<(u32, I::Row)> {
    Search::new(index, within, most, false).run(signature)
}

/// Says whether any row lies within a distance. The first one met ends the search, equal ones being looked for first.
pub fn any_within<I: Rotated>(index: &mut I, signature: u64, within: u32) -> bool {
    !Search::new(index, within, 1, true).run(signature).is_empty()
}

/// Values of one band that differ in so many bits.
#[derive(Clone, Copy)]
struct Step {
    flips: u32,
    band: u32,
}

impl Step {
    fn all() -> impl Iterator<Item = Self> + Clone {
        (0..=WIDTH).flat_map(|flips| (0..DEFAULT_BANDS).map(move |band| Self { flips, band }))
    }

    /// The distance to which the search is complete after this step.
    fn radius(self) -> u32 {
        self.flips * DEFAULT_BANDS + self.band
    }

    /// How many values it looks up.
    fn values(self) -> u64 {
        (0..u64::from(self.flips)).fold(1, |count, i| count * (u64::from(WIDTH) - i) / (i + 1))
    }

    /// Lists the bits by which they differ.
    fn differences(self) -> impl Iterator<Item = u64> {
        let first = (1u64 << self.flips) - 1;
        // Gosper's hack: the next greater word with as many bits.
        let next = |word: &u64| {
            let lowest = word & word.wrapping_neg();
            let carried = word + lowest;
            (lowest != 0).then(|| carried | (((carried ^ word) >> 2) / lowest))
        };
        std::iter::successors(Some(first), next).take_while(|&word| word < 1 << WIDTH)
    }

    /// Whether a signature is met here first that differs in these bits, this step's band before the others.
    fn is_first(self, difference: u64) -> bool {
        (1..DEFAULT_BANDS).all(|turn| {
            let band = (self.band + turn) % DEFAULT_BANDS;
            let flips = (difference >> (WIDTH * (DEFAULT_BANDS - 1 - turn)) & 0xffff).count_ones();
            (flips, band) > (self.flips, self.band)
        })
    }
}

/// A search under way.
struct Search<'i, I: Rotated> {
    index: &'i mut I,
    within: u32,
    most: usize,
    /// Whether the first row met will do, near or far.
    any: bool,
    rows: Vec<(u32, I::Row)>,
    /// By distance: band and rotated signature of what was met and not yet visited.
    met: Vec<Vec<(u32, i64)>>,
}

impl<'i, I: Rotated> Search<'i, I> {
    fn new(index: &'i mut I, within: u32, most: usize, any: bool) -> Self {
        let within = within.min(FARTHEST);
        Self { index, within, most, any, rows: Vec::new(), met: (0..=within).map(|_| Vec::new()).collect() }
    }

    fn run(mut self, signature: u64) -> Vec<(u32, I::Row)> {
        self.visit(0, 0, rotated(signature, 0).cast_signed());
        // Once a quarter of what reading everything costs is spent, everything is read.
        let entries = self.index.entries();
        let cost_of_a_value = ENTRIES_OF_A_SEEK + (entries >> WIDTH);
        let mut left = entries / 4;
        let mut complete = 0;
        let within = self.within;
        for step in Step::all().take_while(|step| within > 0 && step.radius() <= within) {
            if self.is_full() {
                break;
            }
            let Some(rest) = left.checked_sub(step.values() * cost_of_a_value) else {
                self.read_all(signature, complete);
                break;
            };
            left = rest;
            self.take(signature, step);
            complete = step.radius();
            self.visit_to(complete);
        }
        self.rows
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= self.most
    }

    /// Visits the rows of one signature, one after the other: there may be many.
    fn visit(&mut self, distance: u32, band: u32, word: i64) {
        self.index.seek(band, word, word);
        while !self.is_full()
            && let Some((_, place)) = self.index.entry()
        {
            if let Some(row) = self.index.row(place) {
                self.rows.push((distance, row));
            }
        }
    }

    /// Visits what has been met up to this distance.
    fn visit_to(&mut self, distance: u32) {
        for distance in 1..=distance.min(self.within) {
            for (band, word) in std::mem::take(&mut self.met[distance as usize]) {
                if self.is_full() {
                    return;
                }
                self.visit(distance, band, word);
            }
        }
    }

    fn take(&mut self, signature: u64, step: Step) {
        let word = rotated(signature, step.band);
        for difference in step.differences() {
            let first = (word ^ difference << (64 - WIDTH)) >> (64 - WIDTH) << (64 - WIDTH);
            let mut from = first.cast_signed();
            let last = (first | u64::MAX >> WIDTH).cast_signed();
            // To visit rows is to go elsewhere in the index, so each range is taken up again behind what was visited.
            while let Some(near) = self.next_near(step, word, from, last) {
                let distance = (near.cast_unsigned() ^ word).count_ones();
                self.visit(distance, step.band, near);
                if self.is_full() {
                    return;
                }
                if near == last {
                    break;
                }
                from = near + 1;
            }
        }
    }

    /// Goes through a range and keeps what is near; gives it at once if any row will do.
    fn next_near(&mut self, step: Step, word: u64, first: i64, last: i64) -> Option<i64> {
        let mut distinct = Distinct::new(step.band, first, last);
        while let Some(other) = distinct.next(self.index) {
            let difference = word ^ other.cast_unsigned();
            let distance = difference.count_ones();
            if distance > 0 && distance <= self.within && step.is_first(difference) {
                if self.any {
                    return Some(other);
                }
                self.met[distance as usize].push((step.band, other));
            }
        }
        None
    }

    /// Reads one index from end to end, for what is further than `complete`.
    fn read_all(&mut self, signature: u64, mut complete: u32) {
        let word = rotated(signature, 0);
        while complete < self.within && !self.is_full() {
            self.met.iter_mut().for_each(Vec::clear);
            // What is further away than this is not needed, if all that is nearer has a row.
            let (mut farthest, mut count) = (self.within, 0);
            let mut distinct = Distinct::new(0, i64::MIN, i64::MAX);
            while let Some(other) = distinct.next(self.index) {
                let distance = (word ^ other.cast_unsigned()).count_ones();
                if distance <= complete || distance > farthest {
                    continue;
                }
                self.met[distance as usize].push((0, other));
                count += 1;
                let wanted = self.most - self.rows.len();
                while farthest > complete + 1 && count - self.met[farthest as usize].len() >= wanted {
                    count -= std::mem::take(&mut self.met[farthest as usize]).len();
                    farthest -= 1;
                }
            }
            self.visit_to(farthest);
            complete = farthest;
        }
    }
}

/// The different words of a range, in order.
struct Distinct {
    band: u32,
    /// Where to go on, unless the index is there already.
    start: Option<i64>,
    last: i64,
    word: Option<i64>,
}

impl Distinct {
    fn new(band: u32, first: i64, last: i64) -> Self {
        Self { band, start: Some(first), last, word: None }
    }

    fn next(&mut self, index: &mut impl Rotated) -> Option<i64> {
        let mut equal = 0;
        loop {
            if let Some(start) = self.start.take() {
                index.seek(self.band, start, self.last);
            }
            let (word, _) = index.entry()?;
            if self.word != Some(word) {
                self.word = Some(word);
                return self.word;
            }
            equal += 1;
            if equal == EQUAL_ENTRIES {
                equal = 0;
                self.start = Some(word.checked_add(1).filter(|next| *next <= self.last)?);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sketch::hash::token_hash;

    /// Sorted words for each band, and which places hold a row that counts.
    struct Sorted {
        bands: Vec<Vec<(i64, usize)>>,
        counts: Vec<bool>,
        entries: u64,
        range: (u32, std::ops::Range<usize>),
        visited: usize,
        read: usize,
    }

    impl Sorted {
        fn new(signatures: &[u64], counts: &[bool], entries: u64) -> Self {
            let band = |band| {
                let word = |(place, &signature)| (rotated(signature, band).cast_signed(), place);
                let mut words: Vec<_> = signatures.iter().enumerate().map(word).collect();
                words.sort_unstable();
                words
            };
            let bands = (0..DEFAULT_BANDS).map(band).collect();
            Self { bands, counts: counts.to_vec(), entries, range: (0, 0..0), visited: 0, read: 0 }
        }
    }

    impl Rotated for Sorted {
        type Place = usize;
        type Row = usize;

        fn seek(&mut self, band: u32, first: i64, last: i64) {
            let words = &self.bands[band as usize];
            let range = words.partition_point(|word| word.0 < first)..words.partition_point(|word| word.0 <= last);
            self.range = (band, range);
        }

        fn entry(&mut self) -> Option<(i64, usize)> {
            self.read += 1;
            self.range.1.next().map(|i| self.bands[self.range.0 as usize][i])
        }

        fn row(&mut self, place: usize) -> Option<usize> {
            self.visited += 1;
            self.counts[place].then_some(place)
        }

        fn entries(&self) -> u64 {
            self.entries
        }
    }

    fn naive(signatures: &[u64], counts: &[bool], signature: u64, within: u32) -> Vec<u32> {
        let all = signatures.iter().zip(counts).filter(|row| *row.1).map(|row| (row.0 ^ signature).count_ones());
        let mut distances: Vec<u32> = all.filter(|&distance| distance <= within).collect();
        distances.sort_unstable();
        distances
    }

    /// Rows at all distances from the signature sought, some twice; some do not count.
    fn rows() -> impl Strategy<Value = (u64, Vec<u64>, Vec<bool>)> {
        let flips = prop::collection::vec(prop::collection::vec(0u32..64, 0..20), 0..120);
        (any::<u64>(), flips, prop::collection::vec(prop::bool::weighted(0.7), 120)).prop_map(
            |(signature, flips, counts)| {
                let near = |flips: &Vec<u32>| flips.iter().fold(signature, |word, flip| word ^ 1 << flip);
                let rows: Vec<u64> = flips.iter().map(near).collect();
                let counts = counts[..rows.len()].to_vec();
                (signature, rows, counts)
            },
        )
    }

    proptest! {
        #[test]
        fn the_nearest_are_the_naive_ones(
            (signature, rows, counts) in rows(),
            within in prop_oneof![0u32..=19, Just(64)],
            most in prop_oneof![0usize..10, Just(usize::MAX)],
            entries in prop_oneof![Just(0u64), 100u64..6000, Just(1 << 20)],
        ) {
            let mut expected = naive(&rows, &counts, signature, within);
            prop_assert_eq!(any_within(&mut Sorted::new(&rows, &counts, entries), signature, within), !expected.is_empty());
            expected.truncate(most);
            let found = nearest(&mut Sorted::new(&rows, &counts, entries), signature, within, most);
            prop_assert_eq!(found.iter().map(|row| row.0).collect::<Vec<_>>(), expected);
            let mut places: Vec<usize> = found.iter().map(|row| row.1).collect();
            prop_assert!(found.iter().all(|&(distance, place)| (rows[place] ^ signature).count_ones() == distance));
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), found.len());
        }
    }

    /// The steps go through every value of a band once, and say when they are through.
    #[test]
    fn steps_list_every_value_once() {
        for band in 0..DEFAULT_BANDS {
            let steps = Step::all().filter(|step| step.band == band);
            let mut values: Vec<u64> = steps.clone().flat_map(Step::differences).collect();
            assert!(steps.clone().all(|step| step.differences().count() as u64 == step.values()));
            values.sort_unstable();
            assert!(values.into_iter().eq(0..1 << WIDTH));
        }
        assert_eq!(Step::all().take(6).map(Step::radius).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    }

    /// Many equal rows in one band with many that are far: the first row that counts is enough, and equal ones are leapt over.
    #[test]
    fn skew_costs_little() {
        let signature = 0x0123_4567_89ab_cdef;
        let shares_a_band = |i: u64| signature ^ (token_hash(&i.to_string()) & 0xeeee_eeee_eeee_eeee);
        let mut rows = vec![signature; 10_000];
        rows.extend((0..1000).map(shares_a_band));
        let counts = vec![true; rows.len()];
        for (sought, visits) in [(signature, 1), (signature ^ 1, 1), (signature ^ 0b110, 1), (shares_a_band(5000), 0)] {
            for search in [
                |index: &mut Sorted, sought| usize::from(any_within(index, sought, 3)),
                |index: &mut Sorted, sought| nearest(index, sought, 3, 1).len(),
            ] {
                let mut index = Sorted::new(&rows, &counts, 1 << 20);
                assert_eq!(search(&mut index, sought), visits);
                assert_eq!(index.visited, visits);
                assert!(index.read < 1500, "{}", index.read);
            }
        }
    }
}
