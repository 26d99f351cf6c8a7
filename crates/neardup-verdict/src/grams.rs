//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, ignoring everything between them; a text with fewer of these is a
//! single gram. Case and width are ignored, and Han characters are compared in simplified form.
//!
//! [`Grams`] holds the distinct grams of a text and finds each. Bits, one for each gram, say of most pairs that the overlap is too low.
//! Otherwise a comparison goes through those of the text that has fewer. What two
//! texts share mostly comes in the same order, so the gram after the last shared one is tried before the gram is looked up. The
//! comparison stops as soon as the rest cannot make the two similar enough. Time and memory are linear in the texts.

use super::distinct::Distinct;
use neardup_text::interrupt;
use neardup_text::normalize::simplified;

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// The least number of bits for a gram: with so many, a gram that another text lacks has at most one chance in eight to go unnoticed.
const BITS: usize = 8;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;

/// The distinct grams of a text.
#[derive(Debug)]
pub(super) struct Grams {
    distinct: Distinct,
    /// A bit for each gram, by its hash; a power of two of them.
    bits: Vec<u64>,
}

impl Grams {
    /// Reads the grams of a text.
    pub(super) fn of(text: &str) -> Self {
        /// The most grams that there is room for before they are counted.
        const FIRST: usize = 1 << 12;
        let mut distinct = Distinct::with_capacity(text.chars().count().min(FIRST));
        let mut reader = Reader::default();
        reader.read(text, &mut |gram| {
            distinct.insert(gram);
        });
        reader.finish(|gram| {
            distinct.insert(gram);
        });
        let words = (BITS * distinct.numbers().len() / 64).next_power_of_two();
        let mut bits = vec![0_u64; words];
        for (count, hash) in distinct.hashes().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            if let Some(word) = bits.get_mut((hash >> 6) as usize & (words - 1)) {
                *word |= 1 << (hash & 63);
            }
        }
        Self { distinct, bits }
    }

    /// Counts grams that the other text certainly lacks, because it lacks their bits. The other text has as many grams or more.
    fn lacking(&self, other: &Self) -> usize {
        let words = self.bits.len();
        // It has as many bits or more; of those at the same position modulo the fewer, one is enough.
        let folded = |at: usize| other.bits.iter().skip(at).step_by(words).fold(0, |all, word| all | word);
        self.bits.iter().enumerate().map(|(at, word)| (word & !folded(at)).count_ones() as usize).sum()
    }

    /// Says whether bits tell much of the overlap of two texts: those of a text with many more grams are mostly set.
    pub(super) fn is_comparable(&self, other: &Self) -> bool {
        self.bits.len() == other.bits.len()
    }

    /// Gives the text with fewer grams, and the other one.
    fn ordered<'g>(&'g self, other: &'g Self) -> (&'g Self, &'g Self) {
        if self.distinct.numbers().len() <= other.distinct.numbers().len() { (self, other) } else { (other, self) }
    }

    /// Says whether the overlap of two texts may be at least `least`, by their bits alone: some 50 ns where the exact overlap of two
    /// texts of 350 characters takes up to 15 µs.
    pub(super) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        let (few, many) = self.ordered(other);
        let smaller = few.distinct.numbers().len();
        smaller == 0 || (smaller - few.lacking(many)) as f64 / smaller as f64 >= least
    }

    /// Gives the overlap coefficient of this text and another, |A∩B| / min(|A|, |B|), 0 if either has no gram; `None` if it is below
    /// `least`.
    pub(super) fn overlap(&self, other: &Self, least: f64) -> Option<f64> {
        /// After so many grams it is checked whether the rest can still make the texts similar enough.
        const PIECE: usize = 1 << 7;
        let (few, many) = self.ordered(other);
        let smaller = few.distinct.numbers().len();
        if !self.may_overlap(other, least) {
            return None;
        }
        let (mut shared, mut unread, mut next) = (0, smaller, 0);
        for piece in few.distinct.numbers().chunks(PIECE) {
            interrupt::check();
            for gram in piece {
                let is_next = many.distinct.numbers().get(next) == Some(gram);
                let at = if is_next { Some(next) } else { many.distinct.find(*gram) };
                if let Some(at) = at {
                    shared += 1;
                    next = at + 1;
                }
            }
            unread -= piece.len();
            // The quotient is at least the exact one, however both are rounded.
            if ((shared + unread) as f64 / smaller as f64) < least {
                return None;
            }
        }
        let overlap = if smaller == 0 { 0.0 } else { shared as f64 / smaller as f64 };
        Some(overlap).filter(|&overlap| overlap >= least)
    }
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
        // Kana and Hangul syllables.
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{ac00}'..='\u{d7a3}' => u32::from(c) as u16,
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
        Grams::of(a).overlap(&Grams::of(b), least)
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

    #[test]
    fn characters_are_units_as_defined() {
        for c in (0..=0xffff).filter_map(char::from_u32) {
            assert_eq!(unit(c) != 0, c.is_alphanumeric(), "{c:?}");
            let simple = u32::from(simplified(c.to_lowercase().next().unwrap()));
            if c.is_alphanumeric() && simple <= 0xffff && !('\u{ff01}'..='\u{ff5e}').contains(&c) {
                assert_eq!(u32::from(unit(c)), simple, "{c:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn agrees_with_the_definition(
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[一-丰]{0,1200}|[\u{20000}-\u{20010}é，]{0,9})", 1..5),
            least in 0.0_f64..1.0,
        ) {
            let own = &texts[0];
            let grams = Grams::of(own);
            for other in texts.iter().chain(&texts) {
                let expected = naive(own, other);
                let of_other = Grams::of(other);
                prop_assert_eq!(grams.overlap(&of_other, 0.0), Some(expected));
                prop_assert_eq!(grams.overlap(&of_other, least), Some(expected).filter(|&found| found >= least));
                prop_assert_eq!(grams.overlap(&of_other, expected), Some(expected), "the bound itself is reached");
                prop_assert_eq!(overlap(other, own, 0.0), Some(expected), "symmetric");
                prop_assert!(grams.may_overlap(&of_other, expected), "the bits rule out nothing that is there");
            }
        }
    }

    #[test]
    fn long_texts_are_counted_exactly() {
        let text = |from: u32, units: u32| -> String {
            (from..from + units).filter_map(|i| char::from_u32(0x4e00 + i.wrapping_mul(7919) % 20_000)).collect()
        };
        for (units, others) in [(100, 60), (1_000, 600), (19_000, 6_000), (600, 19_000)] {
            let (own, held) = (text(0, units), text(units / 2, others));
            let expected = naive(&own, &held);
            assert_eq!(overlap(&own, &own.repeat(3), 0.9), Some(1.0));
            assert_eq!(overlap(&own, &held, expected), Some(expected), "{units} {others}");
            assert_eq!(overlap(&own, &held, expected + 0.01), None, "{units} {others}");
        }
    }
}
