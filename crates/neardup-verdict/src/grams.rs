//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, ignoring everything between them; a text with fewer of these is a
//! single gram. Texts are compared as sketches see them, after the default steps of [`normalize`]: without case and width, in one
//! spelling, Han characters in simplified form. Most texts consist of characters whose units need no such pass ([`unit`]); any other text
//! is normalised first.
//!
//! [`Grams`] holds the distinct grams of a text and finds each. A comparison goes through those of the text that has fewer. What two
//! texts share mostly comes in the same order, so the gram after the last shared one is tried before the gram is looked up. The
//! comparison stops as soon as the rest cannot make the two similar enough. Time and memory are linear in the texts.

use std::sync::LazyLock;

use ahash::RandomState;
use neardup_text::interrupt;
use neardup_text::normalize::{Buffer, Steps, normalize, simplified};

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;

/// The distinct grams of a text, with an index: open addressing, at most half full.
#[derive(Debug, Default)]
pub(super) struct Grams {
    /// In the order in which they first occur.
    distinct: Vec<u64>,
    /// The position of the gram in the list, from 1 on; 0 for none. The length is a power of two.
    places: Vec<u32>,
}

/// Seeded anew for each process, so that nobody can write a text whose grams collide.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl Grams {
    /// Reads the grams of a text.
    pub(super) fn of(text: &str) -> Self {
        Self::read(text, unit).unwrap_or_else(|| {
            let mut buffer = Buffer::default();
            Self::read(normalize(text, Steps::CHARS, &mut buffer), normalized_unit).unwrap_or_default()
        })
    }

    /// Reads the grams of a text by the units of its characters; `None` if it has to be [normalised](UNKNOWN).
    fn read(text: &str, unit: impl Fn(char) -> u16) -> Option<Self> {
        /// The least number of places, and the most before grams are counted.
        const LEAST: usize = 1 << 6;
        const FIRST: usize = 1 << 13;
        let places = (2 * text.len()).next_power_of_two().clamp(LEAST, FIRST);
        let mut grams = Self { distinct: Vec::with_capacity(places / 4), places: vec![0; places] };
        let mut reader = Reader::default();
        if !reader.read(text, unit, &mut |gram| grams.insert(gram)) {
            return None;
        }
        reader.finish(|gram| grams.insert(gram));
        Some(grams)
    }

    /// Gives the place of a gram, or the free one where it belongs.
    #[inline]
    fn place(&self, gram: u64) -> usize {
        let last = self.places.len().wrapping_sub(1);
        let mut at = HASHER.hash_one(gram) as usize & last;
        while self.at(at).is_some_and(|there| self.distinct.get(there) != Some(&gram)) {
            at = (at + 1) & last;
        }
        at
    }

    /// Gives the position of the gram that has a place.
    #[inline]
    fn at(&self, place: usize) -> Option<usize> {
        self.places.get(place).and_then(|at| at.checked_sub(1)).map(|at| at as usize)
    }

    #[inline]
    fn insert(&mut self, gram: u64) {
        let place = self.place(gram);
        if self.at(place).is_some() {
            return;
        }
        self.distinct.push(gram);
        if let Some(place) = self.places.get_mut(place) {
            *place = self.distinct.len() as u32;
        }
        if 2 * self.distinct.len() > self.places.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        self.places = vec![0; 4 * self.places.len()];
        for at in 0..self.distinct.len() {
            if at & 0x3fff == 0 {
                interrupt::check();
            }
            let place = self.distinct.get(at).map(|gram| self.place(*gram));
            if let Some(place) = place.and_then(|place| self.places.get_mut(place)) {
                *place = at as u32 + 1;
            }
        }
    }

    /// Gives the overlap coefficient of this text and another, |A∩B| / min(|A|, |B|), 0 if either has no gram; `None` if it is below
    /// `least`.
    pub(super) fn overlap(&self, other: &Self, least: f64) -> Option<f64> {
        /// After so many grams it is checked whether the rest can still make the texts similar enough.
        const PIECE: usize = 1 << 7;
        let (few, many) = if self.distinct.len() <= other.distinct.len() { (self, other) } else { (other, self) };
        let smaller = few.distinct.len();
        let (mut shared, mut unread, mut next) = (0, smaller, 0);
        for piece in few.distinct.chunks(PIECE) {
            interrupt::check();
            for gram in piece {
                let at = if many.distinct.get(next) == Some(gram) { Some(next) } else { many.at(many.place(*gram)) };
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
    /// Reads a text; gives `false` at a character whose unit is [`UNKNOWN`].
    #[inline]
    fn read(&mut self, text: &str, unit: impl Fn(char) -> u16, sink: &mut impl FnMut(u64)) -> bool {
        interrupt::check();
        for (count, c) in text.chars().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            let unit = unit(c);
            if unit == 0 {
                continue;
            }
            if unit == UNKNOWN {
                return false;
            }
            self.gram = self.gram << UNIT_BITS | u64::from(unit);
            self.units += 1;
            if self.units >= UNITS {
                sink(self.gram);
            }
        }
        true
    }

    /// Ends the text; a text of one to three units has one gram.
    #[inline]
    fn finish(&self, mut sink: impl FnMut(u64)) {
        if (1..UNITS).contains(&self.units) {
            sink(self.gram);
        }
    }
}

/// The unit of a character that has to be normalised with its neighbours. No character has the code.
const UNKNOWN: u16 = 0xffff;

/// Gives the unit of a character, as normalisation would make it: 0 if it is none, [`UNKNOWN`] if it depends on its neighbours or is rare.
#[inline]
fn unit(c: char) -> u16 {
    match c {
        '\u{4e00}'..='\u{9fff}' => bits(simplified(c)),
        '\0'..='\x7f' => ascii(c),
        // Kana, signs of repetition and Hangul syllables.
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'
        | '\u{3005}'..='\u{3007}'
        | '\u{ac00}'..='\u{d7a3}' => u32::from(c) as u16,
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
    match c {
        // Of Latin-1, the signs.
        '\u{80}'..='\u{bf}' if !c.is_alphanumeric() => 0,
        // Ideographs.
        '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2f7ff}' | '\u{30000}'..='\u{3fffd}' => {
            normalized_unit(simplified(c))
        }
        // Sound marks of kana, and signs that stand for letters.
        '\0'..='\u{1fff}'
        | '\u{2070}'..='\u{209f}'
        | '\u{20a8}'
        | '\u{2100}'..='\u{218f}'
        | '\u{2460}'..='\u{24ff}'
        | '\u{2e80}'..='\u{2fd5}'
        | '\u{3190}'..='\u{319f}'
        | '\u{3099}'
        | '\u{309a}'
        | '\u{3200}'..='\u{33ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fdfc}'
        | '\u{1ccd6}'..='\u{1ccf9}'
        | '\u{1f100}'..='\u{1f1e5}'
        | '\u{1f200}'..='\u{1f2ff}' => UNKNOWN,
        _ if c.is_alphanumeric() => UNKNOWN,
        _ => 0,
    }
}

/// Gives the unit of a character of a normalised text.
#[inline]
fn normalized_unit(c: char) -> u16 {
    if c.is_alphanumeric() { bits(c) } else { 0 }
}

/// Gives a character in 16 bits.
#[inline]
fn bits(c: char) -> u16 {
    let code = u32::from(c);
    // Beyond 65,535 the low 16 bits, apart from those of the planes below by the code points of surrogates, which no text has.
    if code >> 16 == 0 { code as u16 } else { (code as u16 ^ 0xd800 ^ (code >> 16) as u16).clamp(1, UNKNOWN - 1) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn normalized(text: &str) -> String {
        normalize(text, Steps::CHARS, &mut Buffer::default()).to_owned()
    }

    /// The definition.
    fn naive(a: &str, b: &str) -> f64 {
        let set = |text: &str| -> HashSet<Vec<char>> {
            let units: Vec<char> = normalized(text).chars().filter(|c| c.is_alphanumeric()).collect();
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
    fn characters_are_units_as_normalised() {
        for c in ('\0'..=char::MAX).filter(|&c| unit(c) != UNKNOWN) {
            let folded = normalized(c.encode_utf8(&mut [0; 4]));
            let units: Vec<u16> = folded.chars().map(normalized_unit).filter(|&unit| unit != 0).collect();
            assert_eq!(Some(unit(c)).filter(|&unit| unit != 0).into_iter().collect::<Vec<_>>(), units, "{c:?}");
        }
    }

    #[test]
    fn spellings_do_not_count() {
        for (a, b) in [
            ("Müller trägt die Grüße über Köln", "mueller traegt die gruesse ueber koeln"),
            ("قَالَ محمد إلى المدرسة", "قال محمد الى المدرسه"),
            ("trường đại học Hoà Bình", "tru\u{31b}o\u{31b}\u{300}ng đại học Hòa Bình"),
            ("臺灣の学校がある", "台湾の学校か\u{3099}ある"),
        ] {
            assert_eq!(overlap(a, b, 0.0), Some(1.0), "{a}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn agrees_with_the_definition(
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[一-丰]{0,1200}|[\u{20000}-\u{20010}éüòae℃①😀，]{0,9})", 1..5),
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
