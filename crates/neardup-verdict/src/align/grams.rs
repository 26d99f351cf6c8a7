//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, ignoring everything between them; a text with fewer of these is a
//! single gram. Texts are compared as sketches see them, after the default steps of [`normalize`]: without case and width, in one
//! spelling, Han characters in simplified form. Most texts consist of characters whose units need no such pass ([`unit`]); any other text
//! is normalised first.
//!
//! [`Grams`] holds the distinct grams of a text and finds each. Bits, one for each gram, say of most pairs that the overlap is too low.
//! Otherwise a comparison goes through those of the text that has fewer. What two
//! texts share mostly comes in the same order, so the gram after the last shared one is tried before the gram is looked up. The
//! comparison stops as soon as the rest cannot make the two similar enough. Of a text that is compared only once, the grams are not kept
//! at first: [`Grams::may_overlap_text`] reads only as much of it as shows that the overlap is too low. Time and memory are linear in the
//! texts.

use super::distinct::Distinct;
use neardup_text::interrupt;
use neardup_text::normalize::{Buffer, Steps, normalize, simplified};

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// The least number of bits for a gram: with this number, a gram that another text lacks has at most one chance in eight to go unnoticed.
const BITS: usize = 8;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;

/// The distinct grams of a text.
#[derive(Debug)]
pub(crate) struct Grams {
    distinct: Distinct,
    outline: Outline,
}

/// What is kept of the grams of a text where there is no room for them all: enough to say of most other texts that they share too little.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// How many distinct ones there are.
    grams: usize,
    /// A bit for each gram, by its hash; a power of two of them.
    bits: Box<[u64]>,
}

impl Outline {
    /// Returns how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.bits)
    }

    /// Counts grams that the other text certainly lacks, because it lacks their bits. The other text has as many grams or more.
    fn lacking(&self, other: &Self) -> usize {
        let words = self.bits.len();
        let count = |word: u64, of_other: u64| (word & !of_other).count_ones() as usize;
        if words == other.bits.len() {
            return self.bits.iter().zip(&other.bits).map(|(word, of_other)| count(*word, *of_other)).sum();
        }
        // It has more bits; of those at the same position modulo the fewer, one is enough.
        let folded = |at: usize| other.bits.iter().skip(at).step_by(words).fold(0, |all, word| all | word);
        self.bits.iter().enumerate().map(|(at, word)| count(*word, folded(at))).sum()
    }

    /// Says whether the overlap of two texts may be at least `least`, by their bits alone.
    pub(crate) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        let (few, many) = if self.grams <= other.grams { (self, other) } else { (other, self) };
        few.grams == 0 || (few.grams - few.lacking(many)) as f64 / few.grams as f64 >= least
    }
}

impl Grams {
    /// Reads the grams of a text of `characters` characters.
    pub(crate) fn of(text: &str, characters: usize) -> Self {
        let distinct = Self::read(text, characters, unit).or_else(|| {
            let mut buffer = Buffer::default();
            Self::read(normalize(text, Steps::CHARS, &mut buffer), characters, normalized_unit)
        });
        let distinct = distinct.unwrap_or_else(|| Distinct::with_capacity(0));
        let words = (BITS * distinct.numbers().len() / 64).next_power_of_two();
        let mut bits = vec![0_u64; words].into_boxed_slice();
        for (count, gram) in distinct.numbers().iter().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            set(&mut bits, distinct.hash(*gram));
        }
        Self { outline: Outline { grams: distinct.numbers().len(), bits }, distinct }
    }

    /// Reads the grams of a text by the units of its characters; `None` if it has to be [normalised](UNKNOWN).
    fn read(text: &str, characters: usize, unit: impl Fn(char) -> u16) -> Option<Distinct> {
        /// The most grams that there is room for before they are counted.
        const FIRST: usize = 1 << 12;
        let mut distinct = Distinct::with_capacity(characters.min(FIRST));
        let mut reader = GramReader::default();
        let is_read = reader.read(text, unit, &mut |gram| {
            distinct.insert(gram);
        });
        if !is_read {
            return None;
        }
        reader.finish(|gram| {
            distinct.insert(gram);
        });
        Some(distinct)
    }

    pub(crate) fn into_outline(self) -> Outline {
        self.outline
    }

    /// Says whether bits tell much of the overlap of two texts: those of a text with many more grams are mostly set.
    pub(crate) fn is_comparable(&self, other: &Self) -> bool {
        self.outline.bits.len() == other.outline.bits.len()
    }

    /// Returns the text with fewer grams, and the other one.
    fn ordered<'g>(&'g self, other: &'g Self) -> (&'g Self, &'g Self) {
        if self.distinct.numbers().len() <= other.distinct.numbers().len() { (self, other) } else { (other, self) }
    }

    /// Says whether the overlap of two texts may be at least `least`, by their bits alone.
    pub(crate) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        self.outline.may_overlap(&other.outline, least)
    }

    /// Says whether the overlap with another text of `characters` characters may be at least `least`. It reads that text only until the rest
    /// cannot make the two similar enough, and keeps nothing of it.
    pub(crate) fn may_overlap_text(&self, text: &str, characters: usize, least: f64) -> bool {
        /// After this number of bytes it is checked whether the rest can still make the texts similar enough.
        const PIECE: usize = 1 << 9;
        let own = self.distinct.numbers().len();
        // The bits of this text, each word beside one with bits of grams that it lacks: those that set one are distinct.
        let mut words: Vec<[u64; 2]> = self.outline.bits.iter().map(|word| [*word, 0]).collect();
        let (mut found, mut lone, mut unread) = (0, 0, characters);
        let mut reader = GramReader::default();
        let mut rest = text;
        loop {
            let (piece, next) = rest.split_at(rest.floor_char_boundary(PIECE));
            // Without a branch, because which texts have a gram cannot be foreseen.
            let mut sink = |gram| {
                let (word, mask) = place(words.len(), self.distinct.hash(gram));
                let Some([own, lacking]) = words.get_mut(word) else { return };
                let is_new = mask & !(*own | *lacking);
                found += usize::from(*own & mask != 0);
                lone += usize::from(is_new != 0);
                *lacking |= is_new;
            };
            if !reader.read(piece, unit, &mut sink) {
                return true;
            }
            if next.is_empty() {
                reader.finish(sink);
            }
            unread -= piece.chars().count();
            // A character completes one gram at most. The quotient is at least the exact one, however both are rounded.
            let shared = found + unread;
            let may_overlap = shared as f64 / own.min(shared + lone).max(1) as f64 >= least;
            // If it goes on like this, the rest will not rule them out.
            let read = characters - unread;
            let likely = (found * characters) as f64 >= least * (own.min(characters) * read) as f64;
            if next.is_empty() || !may_overlap || likely {
                return may_overlap;
            }
            rest = next;
        }
    }

    /// Returns the overlap coefficient of this text and another, |A∩B| / min(|A|, |B|), 0 if either has no gram; `None` if it is below
    /// `least`.
    pub(crate) fn overlap(&self, other: &Self, least: f64) -> Option<f64> {
        /// After this number of grams it is checked whether the rest can still make the texts similar enough.
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

/// Returns the word of a hash among a power of two of them, and the mask of its bit.
#[inline]
fn place(words: usize, hash: u64) -> (usize, u64) {
    ((hash >> 6) as usize & words.wrapping_sub(1), 1 << (hash & 63))
}

/// Sets the bit of a hash.
#[inline]
fn set(bits: &mut [u64], hash: u64) {
    let (word, mask) = place(bits.len(), hash);
    if let Some(word) = bits.get_mut(word) {
        *word |= mask;
    }
}

/// Reads the grams of a text, piece by piece.
#[derive(Default)]
struct GramReader {
    gram: u64,
    units: usize,
}

impl GramReader {
    /// Reads a text; returns `false` at a character whose unit is [`UNKNOWN`].
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

/// Returns the unit of a character, as normalisation would make it: 0 if it is none, [`UNKNOWN`] if it depends on its neighbours or is rare.
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

/// Returns the unit of a character of a normalised text.
#[inline]
fn normalized_unit(c: char) -> u16 {
    if c.is_alphanumeric() { bits(c) } else { 0 }
}

/// Returns a character in 16 bits.
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

    fn grams(text: &str) -> Grams {
        Grams::of(text, text.chars().count())
    }

    fn overlap(a: &str, b: &str, least: f64) -> Option<f64> {
        grams(a).overlap(&grams(b), least)
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
            let own_grams = grams(own);
            for other in texts.iter().chain(&texts) {
                let expected = naive(own, other);
                let of_other = grams(other);
                prop_assert_eq!(own_grams.overlap(&of_other, 0.0), Some(expected));
                prop_assert_eq!(own_grams.overlap(&of_other, least), Some(expected).filter(|&found| found >= least));
                prop_assert_eq!(own_grams.overlap(&of_other, expected), Some(expected), "the bound itself is reached");
                prop_assert_eq!(overlap(other, own, 0.0), Some(expected), "symmetric");
                prop_assert!(own_grams.may_overlap(&of_other, expected), "the bits rule out nothing that is there");
                let may_overlap = own_grams.may_overlap_text(other, other.chars().count(), expected);
                prop_assert!(may_overlap, "reading a part rules out nothing that is there");
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
