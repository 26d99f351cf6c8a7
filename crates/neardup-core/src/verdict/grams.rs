//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, whatever stands between them; a text of fewer has one gram, all
//! of it. Letters count without case, in half width, Han characters in simplified form. [`Grams`] holds those of one text and meets
//! one text after another: one pass over the other text, no copy of it, no sorting. Time and memory are linear in the texts, also where
//! somebody chose the characters on purpose: the hash of a gram depends on random numbers of the process.

use crate::analysis::normalize::simplified;
use crate::interrupt;

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;

/// The distinct grams of a text, ready to meet those of others.
#[derive(Debug)]
pub(super) struct Grams {
    own: Set,
    /// For each slot of `own` the number of the last text that had this gram.
    seen: Vec<u8>,
    number: u8,
    /// Grams of the other text that this one has not.
    others: Set,
}

impl Grams {
    /// Reads the grams of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut own = Set::new();
        each_gram(text, |gram| {
            own.insert(gram);
            true
        });
        let seen = vec![0; own.slots.len()];
        Self { own, seen, number: 0, others: Set::new() }
    }

    /// Gives the overlap coefficient with another text, |A∩B| / min(|A|, |B|), 0 where either has no gram; `None` if it is below
    /// `least`, found out as early as can be.
    pub(super) fn overlap(&mut self, other: &str, least: f64) -> Option<f64> {
        /// Grams between two looks at whether the overlap can still be reached.
        const STRIDE: usize = 64;
        self.number = self.number.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            1
        });
        self.others.clear();
        let most = other.chars().count();
        let (mut shared, mut read) = (0, 0);
        let size = self.own.len;
        each_gram(other, |gram| {
            match self.own.find(gram).ok().and_then(|slot| self.seen.get_mut(slot)) {
                Some(seen) => {
                    shared += usize::from(*seen != self.number);
                    *seen = self.number;
                }
                None => self.others.insert(gram),
            }
            read += 1;
            // If all grams to come were new and shared. Fewer, or others, would make it less.
            let left = most.saturating_sub(read);
            read % STRIDE != 0 || coefficient(shared + left, size, shared + self.others.len + left) >= least
        });
        // Where the pass ended early, even the best rest would not have reached it, and no rest is worse.
        Some(coefficient(shared, size, shared + self.others.len)).filter(|&overlap| overlap >= least)
    }
}

fn coefficient(shared: usize, a: usize, b: usize) -> f64 {
    let smaller = a.min(b);
    if smaller == 0 { 0.0 } else { shared as f64 / smaller as f64 }
}

/// Hands out the grams of a text, repeated ones too, until `sink` says that it is enough.
#[inline]
fn each_gram(text: &str, mut sink: impl FnMut(u64) -> bool) {
    let (mut gram, mut units) = (0_u64, 0_usize);
    for (count, c) in text.chars().enumerate() {
        if count & 0x3fff == 0x3fff {
            interrupt::check();
        }
        let unit = unit(c);
        if unit == 0 {
            continue;
        }
        gram = gram << UNIT_BITS | u64::from(unit);
        units += 1;
        if units >= UNITS && !sink(gram) {
            return;
        }
    }
    if (1..UNITS).contains(&units) {
        sink(gram);
    }
}

/// Gives a character as a unit, 0 where it is none. Characters beyond 65,535 are folded into 16 bits.
#[inline]
fn unit(c: char) -> u16 {
    match c {
        '\u{4e00}'..='\u{9fff}' => u32::from(simplified(c)) as u16,
        'a'..='z' | '0'..='9' => c as u16,
        'A'..='Z' => c.to_ascii_lowercase() as u16,
        '\0'..='\x7f' => 0,
        _ => rare(c),
    }
}

#[cold]
fn rare(c: char) -> u16 {
    // Full width.
    let c = match u32::from(c) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(c),
        _ => c,
    };
    if !c.is_alphanumeric() {
        return 0;
    }
    let lower = simplified(c.to_lowercase().next().unwrap_or(c));
    let code = u32::from(lower);
    // Beyond 65,535 the low 16 bits, apart from those of the planes below by the code points of surrogates, which no text has.
    if code >> 16 == 0 { code as u16 } else { (code as u16 ^ 0xd800 ^ (code >> 16) as u16).max(1) }
}

/// A set of numbers other than 0, by open addressing.
#[derive(Debug)]
struct Set {
    /// A power of two of them, at least two for each number; 0 is empty.
    slots: Vec<u64>,
    len: usize,
    seeds: [u64; 2],
}

/// Slots of a new set: with 8 bytes each they stay in the first-level cache.
const FIRST_SLOTS: usize = 1 << 9;

impl Set {
    fn new() -> Self {
        let random = ahash::RandomState::new();
        Self { slots: vec![0; FIRST_SLOTS], len: 0, seeds: [random.hash_one(1_u8), random.hash_one(2_u8)] }
    }

    /// Takes all numbers out.
    fn clear(&mut self) {
        if self.len > 0 {
            self.slots.truncate(FIRST_SLOTS);
            self.slots.shrink_to(FIRST_SLOTS << 6);
            self.slots.fill(0);
            self.len = 0;
        }
    }

    /// Gives the slot of a number, or the one where it would go.
    #[inline]
    fn find(&self, number: u64) -> Result<usize, usize> {
        let product = u128::from(number ^ self.seeds[0]) * u128::from(self.seeds[1] | 1);
        let mut slot = (product as u64 ^ (product >> 64) as u64) as usize;
        loop {
            // The mask only tells the compiler that a power of two of slots is more than this.
            slot &= self.slots.len() - 1;
            match self.slots.get(slot) {
                Some(0) => return Err(slot),
                Some(&found) if found == number => return Ok(slot),
                _ => slot += 1,
            }
        }
    }

    #[inline]
    fn insert(&mut self, number: u64) {
        if let Err(free) = self.find(number)
            && let Some(slot) = self.slots.get_mut(free)
        {
            *slot = number;
            self.len += 1;
            if self.len * 2 > self.slots.len() {
                self.grow();
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        interrupt::check();
        let twice = vec![0; 2 * self.slots.len()];
        let numbers = std::mem::replace(&mut self.slots, twice);
        for number in numbers.into_iter().filter(|&number| number != 0) {
            if let Err(free) = self.find(number)
                && let Some(slot) = self.slots.get_mut(free)
            {
                *slot = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The definition.
    fn naive(a: &str, b: &str) -> f64 {
        let set = |text: &str| -> HashSet<Vec<char>> {
            let units: Vec<char> =
                text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).map(simplified).collect();
            if (1..4).contains(&units.len()) {
                return HashSet::from([units]);
            }
            units.windows(4).map(<[char]>::to_vec).collect()
        };
        let (a, b) = (set(a), set(b));
        let smaller = a.len().min(b.len());
        if smaller == 0 { 0.0 } else { a.intersection(&b).count() as f64 / smaller as f64 }
    }

    #[test]
    fn writing_does_not_count() {
        let mut grams = Grams::of("《江口镇》，今日 举办 龙舟赛 ABC");
        assert_eq!(grams.overlap("江口鎮今日舉辦龍舟賽ａｂｃ！", 0.0), Some(1.0));
        assert_eq!(grams.overlap("江口", 0.0), Some(0.0), "a short text is one gram");
        assert_eq!(Grams::of("江口").overlap("“江口”", 0.9), Some(1.0));
        assert_eq!(grams.overlap("", 0.0), Some(0.0));
        assert_eq!(grams.overlap("！！！", 0.1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn agrees_with_the_definition(
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[\u{20000}-\u{20010}é，]{0,9})", 1..5),
            least in 0.0_f64..1.0,
        ) {
            let mut grams = Grams::of(&texts[0]);
            for other in texts.iter().chain(&texts) {
                let expected = naive(&texts[0], other);
                prop_assert_eq!(grams.overlap(other, 0.0), Some(expected));
                prop_assert_eq!(grams.overlap(other, least), Some(expected).filter(|&found| found >= least));
                prop_assert_eq!(grams.overlap(other, expected), Some(expected), "the bound itself is reached");
                prop_assert_eq!(Grams::of(other).overlap(&texts[0], 0.0), Some(expected), "symmetric");
            }
        }
    }

    #[test]
    fn many_texts_and_long_ones_in_turn() {
        let long: String =
            (0..40_000_u32).filter_map(|i| char::from_u32(0x4e00 + i.wrapping_mul(7919) % 20_000)).collect();
        let half: String = long.chars().take(20_000).collect();
        let mut grams = Grams::of(&half);
        for _ in 0..300 {
            assert_eq!(grams.overlap("短文一篇而已", 0.0), Some(0.0));
        }
        for _ in 0..3 {
            assert_eq!(grams.overlap(&long, 0.9), Some(1.0));
            assert_eq!(grams.overlap("短文一篇而已", 0.1), None);
        }
    }
}
