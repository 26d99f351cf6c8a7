//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, ignoring everything between them; a text with fewer of these is a
//! single gram. Case and width are ignored, and Han characters are compared in simplified form.
//!
//! [`Grams`] holds the grams of one text and compares it with one text after another. Nearly all of these share little with it. One
//! pass over such a text shows that, by bits that its grams set, without sorting or copying ([`Grams::may_reach`]). The exact count,
//! on sorted grams, is only for texts that may pass, or that have passed before. Time is at most n log n, and memory is linear in the texts.

use std::cell::OnceCell;

use neardup_core::similarity;
use neardup_text::interrupt;
use neardup_text::normalize::simplified;

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;

/// The grams of a text, prepared for comparison with those of others.
#[derive(Debug)]
pub(super) struct Grams {
    bits: Bits,
    /// A filter of the grams of the other text that this one does not have.
    others: Bits,
}

impl Grams {
    /// Reads the grams of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut bits = Bits::default();
        bits.make_room(text.chars().count());
        each_gram(text, |gram| bits.set(hash(gram)));
        Self { bits, others: Bits::default() }
    }

    /// Gives the overlap coefficient of two texts, |A∩B| / min(|A|, |B|), 0 if either has no gram; `None` if it is below
    /// `least`. Each text comes with its sorted grams, which are computed here if they are needed.
    pub(super) fn overlap(
        &mut self,
        own: (&str, &OnceCell<Vec<u64>>),
        other: (&str, &OnceCell<Vec<u64>>),
        least: f64,
    ) -> Option<f64> {
        if least > 0.0 && other.1.get().is_none() && !self.may_reach(other.0, least) {
            return None;
        }
        fn sorted_once<'g>((text, grams): (&str, &'g OnceCell<Vec<u64>>)) -> &'g [u64] {
            grams.get_or_init(|| sorted(text))
        }
        let (own, other) = (sorted_once(own), sorted_once(other));
        Some(similarity::overlap(own, other)).filter(|&overlap| overlap >= least)
    }

    /// Says whether the overlap coefficient with another text may be `least` or more; `false` is certain.
    fn may_reach(&mut self, other: &str, least: f64) -> bool {
        /// After so many bytes it is checked whether the rest can still make the texts similar enough.
        const PIECE: usize = 1 << 9;
        let Self { bits, others, .. } = self;
        let mut unread = other.chars().count();
        others.make_room(unread);
        // Every shared gram is found, and some others by chance.
        let mut found = 0_usize;
        let mut reader = Reader::default();
        let mut rest = other;
        loop {
            let (piece, next) = rest.split_at(rest.floor_char_boundary(PIECE));
            let mut sink = |gram| {
                let hash = hash(gram);
                let has = bits.has(hash);
                found += usize::from(has);
                others.set_unless(has, hash);
            };
            reader.read(piece, &mut sink);
            if next.is_empty() {
                reader.finish(sink);
            }
            unread -= piece.chars().count();
            // A character completes at most one gram. So no more than this is shared, and each side has at least as many
            // distinct grams as have set a bit. The quotient is at least the exact one, however both are rounded.
            let shared = found + unread;
            let smaller = bits.set.min(shared + others.set);
            let may_reach = shared > 0 && shared as f64 / smaller as f64 >= least;
            if next.is_empty() || !may_reach {
                return may_reach;
            }
            rest = next;
        }
    }
}

/// Gives the distinct grams of a text in ascending order.
fn sorted(text: &str) -> Vec<u64> {
    let mut grams = Vec::with_capacity(text.len() / 3);
    each_gram(text, |gram| grams.push(gram));
    interrupt::check();
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Spreads grams over 64 bits: a folded product with the golden ratio.
#[inline]
fn hash(gram: u64) -> u64 {
    let product = u128::from(gram ^ 0x243f_6a88_85a3_08d3) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

/// A Bloom filter of 32 to 64 bits per gram, in which a gram sets two bits of one word: about one gram in 150 to 500 is found
/// by chance.
#[derive(Debug, Default)]
struct Bits {
    /// The words; their number is a power of two.
    words: Vec<u64>,
    /// How many grams have set a bit: at most the number of distinct ones.
    set: usize,
}

impl Bits {
    /// Clears all bits and resizes the filter for a text of so many characters.
    fn make_room(&mut self, characters: usize) {
        /// Size for a short text, 4 kB.
        const LEAST: usize = 1 << 9;
        let words = (characters / 2).next_power_of_two().max(LEAST);
        self.words.clear();
        self.words.shrink_to(4 * words.max(1 << 16));
        self.words.resize(words, 0);
        self.set = 0;
    }

    /// Gives the word of a gram and the mask of its two bits.
    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        let word = (hash >> 12) as usize & (self.words.len().wrapping_sub(1));
        (word, 1 << (hash & 63) | 1 << (hash >> 6 & 63))
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        let (word, mask) = self.place(hash);
        self.words.get(word).is_some_and(|word| word & mask == mask)
    }

    #[inline]
    fn set(&mut self, hash: u64) {
        self.set_unless(false, hash);
    }

    /// Sets the bits of a gram unless told not to, without a branch.
    #[inline]
    fn set_unless(&mut self, not: bool, hash: u64) {
        let (word, mask) = self.place(hash);
        if let Some(word) = self.words.get_mut(word) {
            let mask = if not { 0 } else { mask };
            self.set += usize::from(*word & mask != mask);
            *word |= mask;
        }
    }
}

/// Passes on the grams of a text, including repeated ones.
#[inline]
fn each_gram(text: &str, mut sink: impl FnMut(u64)) {
    let mut reader = Reader::default();
    reader.read(text, &mut sink);
    reader.finish(sink);
}

/// Reads the grams of a text, piece by piece.
#[derive(Default)]
struct Reader {
    gram: u64,
    units: usize,
}

impl Reader {
    #[inline]
    fn read(&mut self, piece: &str, sink: &mut impl FnMut(u64)) {
        interrupt::check();
        for (count, c) in piece.chars().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            let unit = unit(c);
            if unit == 0 {
                continue;
            }
            self.gram = self.gram << UNIT_BITS | u64::from(unit);
            self.units += 1;
            if self.units >= UNITS {
                sink(self.gram);
            }
        }
    }

    /// Ends the text; a text of one to three units has one gram.
    #[inline]
    fn finish(&self, mut sink: impl FnMut(u64)) {
        if (1..UNITS).contains(&self.units) {
            sink(self.gram);
        }
    }
}

/// Gives a character as a unit, or 0 if it is none. Characters beyond 65,535 are folded into 16 bits.
#[inline]
fn unit(c: char) -> u16 {
    match c {
        '\u{4e00}'..='\u{9fff}' => u32::from(simplified(c)) as u16,
        '\0'..='\x7f' => ascii(c),
        // Full width.
        '\u{ff01}'..='\u{ff5e}' => ascii(char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)),
        // The punctuation of Chinese texts.
        '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3002}' | '\u{3008}'..='\u{3011}' => 0,
        _ => rare(c),
    }
}

#[inline]
fn ascii(c: char) -> u16 {
    if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() as u16 } else { 0 }
}

#[cold]
fn rare(c: char) -> u16 {
    if !c.is_alphanumeric() {
        return 0;
    }
    let code = u32::from(simplified(c.to_lowercase().next().unwrap_or(c)));
    // Beyond 65,535 the low 16 bits, apart from those of the planes below by the code points of surrogates, which no text has.
    if code >> 16 == 0 { code as u16 } else { (code as u16 ^ 0xd800 ^ (code >> 16) as u16).max(1) }
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

    fn overlap(a: &str, b: &str, least: f64) -> Option<f64> {
        with(&mut Grams::of(a), a, b, least)
    }

    fn with(grams: &mut Grams, a: &str, b: &str, least: f64) -> Option<f64> {
        grams.overlap((a, &OnceCell::new()), (b, &OnceCell::new()), least)
    }

    #[test]
    fn writing_does_not_count() {
        let text = "《江口镇》，今日 举办 龙舟赛 ABC";
        assert_eq!(overlap(text, "江口鎮今日舉辦龍舟賽ａｂｃ！", 0.5), Some(1.0));
        assert_eq!(overlap(text, "江口", 0.0), Some(0.0), "a short text is one gram");
        assert_eq!(overlap("江口", "“江口”", 0.9), Some(1.0));
        assert_eq!(overlap(text, "", 0.0), Some(0.0));
        assert_eq!(overlap(text, "！！！", 0.1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn agrees_with_the_definition(
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[一-丰]{0,1200}|[\u{20000}-\u{20010}é，]{0,9})", 1..5),
            least in 0.0_f64..1.0,
        ) {
            let own = &texts[0];
            let mut grams = Grams::of(own);
            for other in texts.iter().chain(&texts) {
                let expected = naive(own, other);
                prop_assert_eq!(with(&mut grams, own, other, 0.0), Some(expected));
                prop_assert_eq!(with(&mut grams, own, other, least), Some(expected).filter(|&found| found >= least));
                prop_assert_eq!(with(&mut grams, own, other, expected), Some(expected), "the bound itself is reached");
                prop_assert_eq!(overlap(other, own, 0.0), Some(expected), "symmetric");
            }
        }
    }

    #[test]
    fn what_shares_little_is_told_by_bits_alone() {
        let text = |from: u32, units: u32| -> String {
            (from..from + units).filter_map(|i| char::from_u32(0x4e00 + i.wrapping_mul(7919) % 20_000)).collect()
        };
        for (from, units) in [(0, 100), (0, 1_000), (0, 8_000)] {
            let own = text(from, units);
            let mut grams = Grams::of(&own);
            for others in [60, 600, 6_000] {
                assert!(!grams.may_reach(&text(9_000, others), 0.4), "{units} {others}");
                let held = text(units / 2, others);
                assert_eq!(
                    with(&mut grams, &own, &held, 0.4),
                    Some(overlap(&own, &held, 0.0).unwrap()).filter(|&o| o >= 0.4)
                );
            }
        }
    }
}
