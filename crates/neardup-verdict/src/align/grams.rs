//! How much of the shorter of two texts the other one has: the overlap coefficient of their 4-grams, exactly.
//!
//! A gram is four consecutive letters, digits or Han characters, ignoring everything between them; a text with fewer of these is a
//! single gram. Texts are compared as sketches see them, after the default steps of [`normalize`]: without case and width, in one
//! spelling, Han characters in simplified form. Most texts consist of characters whose units need no such pass ([`units`]); any other text
//! is normalised first.
//!
//! [`Grams`] holds the distinct grams of a text and finds each. Bits, one for each gram, say of most pairs that the overlap is too low.
//! Otherwise a comparison goes through those of the text that has fewer. What two
//! texts share mostly comes in the same order, so the gram after the last shared one is tried before the gram is looked up. The
//! comparison stops as soon as the rest cannot make the two similar enough. Of a text that is compared only once, the grams are not kept
//! at first: [`Grams::may_overlap_text`] reads only as much of it as shows that the overlap is too low. Time and memory are linear in the
//! texts.

use memchr::memchr_iter;

use super::distinct::Distinct;
use neardup_text::interrupt;
use neardup_text::normalize::{Buffer, Steps, normalize, simplified};

/// Units in a gram: as many as fit 64 bits.
const UNITS: usize = 4;

/// The least number of bits for a gram: with this number, a gram that another text lacks has at most one chance in eight to go unnoticed.
const BITS: usize = 8;

/// Bits of a unit.
const UNIT_BITS: u32 = 16;
const UNIT: u32 = (1 << UNIT_BITS) - 1;

/// The distinct grams of a text.
#[derive(Debug)]
pub(crate) struct Grams {
    distinct: Distinct,
    /// A bit for each gram, by its hash; a power of two of words.
    bits: Box<[u64]>,
}

impl Grams {
    /// Reads the grams of a text of `characters` characters.
    pub(crate) fn of(text: &str, characters: usize) -> Self {
        /// The most grams that there is room for before they are counted.
        const FIRST: usize = 1 << 12;
        let begin = || Distinct::with_capacity(characters.min(FIRST));
        let distinct = read(text, begin, |distinct, gram| {
            distinct.insert(gram);
        });
        let words = (BITS * distinct.numbers().len() / 64).next_power_of_two();
        let mut bits = vec![0_u64; words].into_boxed_slice();
        for (count, gram) in distinct.numbers().iter().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            set(&mut bits, distinct.hash(*gram));
        }
        Self { distinct, bits }
    }

    /// Returns how much memory they take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.distinct.bytes() + size_of_val(&*self.bits)
    }

    pub(super) fn into_bits(self) -> Box<[u64]> {
        self.bits
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.distinct.numbers().len()
    }

    /// Returns the text with fewer grams, and the other one.
    fn ordered<'g>(&'g self, other: &'g Self) -> (&'g Self, &'g Self) {
        if self.distinct.numbers().len() <= other.distinct.numbers().len() { (self, other) } else { (other, self) }
    }

    /// Says whether the overlap of two texts may be at least `least`, by their bits alone.
    pub(crate) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        let (few, many) = self.ordered(other);
        let count = few.distinct.numbers().len();
        count == 0 || (count - lacking(&few.bits, &many.bits)) as f64 / count as f64 >= least
    }

    /// Says whether the overlap with another text of `characters` characters may be at least `least`. It reads that text only until the rest
    /// cannot make the two similar enough, and keeps nothing of it.
    pub(crate) fn may_overlap_text(&self, text: &str, characters: usize, least: f64) -> bool {
        /// After this number of bytes it is checked whether the rest can still make the texts similar enough.
        const PIECE: usize = 1 << 9;
        let own = self.distinct.numbers().len();
        // The bits of this text, each word beside one with bits of grams that it lacks: those that set one are distinct.
        let mut words: Vec<[u64; 2]> = self.bits.iter().map(|word| [*word, 0]).collect();
        // A character completes one gram at most, or two if it has two units: a letter of Latin-1, whose first byte no other character has.
        let doubled = |text: &str| memchr_iter(0xc3, text.as_bytes()).count();
        let most = characters + doubled(text);
        let (mut found, mut lone, mut unread) = (0, 0, most);
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
            if !reader.read(piece, units, &mut sink) {
                return true;
            }
            if next.is_empty() {
                reader.finish(sink);
            }
            unread -= piece.chars().count() + doubled(piece);
            // The quotient is at least the exact one, however both are rounded.
            let shared = found + unread;
            let may_overlap = shared as f64 / own.min(shared + lone).max(1) as f64 >= least;
            // If it goes on like this, the rest will not rule them out.
            let likely = own > 0 && (found * most) as f64 >= least * (own.min(most) * (most - unread)) as f64;
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
pub(super) fn set(bits: &mut [u64], hash: u64) {
    let (word, mask) = place(bits.len(), hash);
    if let Some(word) = bits.get_mut(word) {
        *word |= mask;
    }
}

/// Returns a word of a text's bits as if it had at most `words` of them: of the bits at the same position modulo `words`, one is enough.
pub(super) fn folded(bits: &[u64], words: usize, at: usize) -> u64 {
    let at = if bits.len() < words { at & (bits.len() - 1) } else { at };
    bits.iter().skip(at).step_by(words).fold(0, |all, word| all | word)
}

/// Counts grams of which another text has no bit, so that it certainly lacks them. The other text has as many words or more.
pub(super) fn lacking(bits: &[u64], of_other: &[u64]) -> usize {
    let count = |word: u64, of_other: u64| (word & !of_other).count_ones() as usize;
    if bits.len() == of_other.len() {
        return bits.iter().zip(of_other).map(|(word, of_other)| count(*word, *of_other)).sum();
    }
    bits.iter().enumerate().map(|(at, word)| count(*word, folded(of_other, bits.len(), at))).sum()
}

/// Adds the grams of a text to what `begin` returns; once more from the beginning, if the text has to be [normalised](UNKNOWN).
pub(super) fn read<S>(text: &str, begin: impl Fn() -> S, add: impl Fn(&mut S, u64)) -> S {
    let mut found = begin();
    let mut reader = GramReader::default();
    if !reader.read(text, units, &mut |gram| add(&mut found, gram)) {
        let mut buffer = Buffer::default();
        (found, reader) = (begin(), GramReader::default());
        let unit = |c| normalized_unit(c).into();
        reader.read(normalize(text, Steps::CHARS, &mut buffer), unit, &mut |gram| add(&mut found, gram));
    }
    reader.finish(|gram| add(&mut found, gram));
    found
}

/// Reads the grams of a text, piece by piece.
#[derive(Default)]
struct GramReader {
    gram: u64,
    units: usize,
}

impl GramReader {
    /// Reads a text; returns `false` at a character whose units are [`UNKNOWN`].
    #[inline]
    fn read(&mut self, text: &str, units: impl Fn(char) -> u32, sink: &mut impl FnMut(u64)) -> bool {
        interrupt::check();
        for (count, c) in text.chars().enumerate() {
            if count & 0x3fff == 0x3fff {
                interrupt::check();
            }
            let units = units(c);
            if units == 0 {
                continue;
            }
            if units > UNIT {
                if units == UNKNOWN {
                    return false;
                }
                self.push(units & UNIT, sink);
                self.push(units >> UNIT_BITS, sink);
                continue;
            }
            self.push(units, sink);
        }
        true
    }

    #[inline]
    fn push(&mut self, unit: u32, sink: &mut impl FnMut(u64)) {
        self.gram = self.gram << UNIT_BITS | u64::from(unit);
        self.units += 1;
        if self.units >= UNITS {
            sink(self.gram);
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

/// The units of a character that has to be normalised with its neighbours. No character has them.
const UNKNOWN: u32 = u32::MAX;

/// Returns the units of a character, as normalisation would make them, the first in the lowest bits: 0 for none, [`UNKNOWN`] for those that may
/// depend on its neighbours, and for letters that are not listed. Marks are among these, so no letter here is followed by one.
#[inline]
fn units(c: char) -> u32 {
    match c {
        '\u{4e00}'..='\u{9fff}' => bits(simplified(c)).into(),
        '\0'..='\x7f' => ascii(c),
        // Kana, signs of repetition and Hangul syllables.
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'
        | '\u{3005}'..='\u{3007}'
        | '\u{ac00}'..='\u{d7a3}' => c.into(),
        // Full width.
        '\u{ff01}'..='\u{ff5e}' => ascii(char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)),
        // The punctuation of Chinese texts.
        '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3002}' | '\u{3008}'..='\u{3011}' => 0,
        // Cyrillic.
        '\u{430}'..='\u{44f}' => c.into(),
        '\u{410}'..='\u{42f}' => u32::from(c) + 0x20,
        _ => rare(c),
    }
}

#[inline]
fn ascii(c: char) -> u32 {
    if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() as u32 } else { 0 }
}

#[cold]
fn rare(c: char) -> u32 {
    /// Two units.
    const fn two(text: [char; 2]) -> u32 {
        text[0] as u32 | (text[1] as u32) << UNIT_BITS
    }
    match c {
        // Of Latin-1, the signs; of its letters those that no vowel after them takes the tone of.
        '\u{80}'..='\u{bf}' if !c.is_alphanumeric() => 0,
        '×' | '÷' => 0,
        'ä' | 'Ä' | 'æ' | 'Æ' => two(['a', 'e']),
        'ö' | 'Ö' | 'ø' | 'Ø' => two(['o', 'e']),
        'ü' | 'Ü' => two(['u', 'e']),
        'å' | 'Å' => two(['a', 'a']),
        'ß' => two(['s', 's']),
        'ò' | 'ó' | 'õ' | 'ù' | 'ú' | 'Ò' | 'Ó' | 'Õ' | 'Ù' | 'Ú' => UNKNOWN,
        '\u{c0}'..='\u{de}' => u32::from(c) + 0x20,
        '\u{e0}'..='\u{ff}' => c.into(),
        'ё' | 'Ё' => 'е'.into(),
        // Numbers in circles, and degrees.
        '①'..='⑨' => u32::from(c) - u32::from('①') + u32::from('1'),
        '℃' => 'c'.into(),
        // Ideographs.
        '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2f7ff}' | '\u{30000}'..='\u{3fffd}' => {
            normalized_unit(simplified(c)).into()
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
    if code >> 16 == 0 { code as u16 } else { (code as u16 ^ 0xd800 ^ (code >> 16) as u16).clamp(1, u16::MAX - 1) }
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
        for c in ('\0'..=char::MAX).filter(|&c| units(c) != UNKNOWN) {
            let folded = normalized(c.encode_utf8(&mut [0; 4]));
            let expected: Vec<u16> = folded.chars().map(normalized_unit).filter(|&unit| unit != 0).collect();
            let found = [units(c) & UNIT, units(c) >> UNIT_BITS].map(|unit| unit as u16).into_iter();
            assert_eq!(found.filter(|&unit| unit != 0).collect::<Vec<_>>(), expected, "{c:?}");
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
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[一-丰]{0,1200}|[\u{20000}-\u{20010}éüòae℃①😀，]{0,9}|[äüßa-c]{0,900}|[а-яёЁйa-cÀ-ÿ¨´゛\u{301}\u{308}\u{20d0}]{0,40}|[aeoyòóúéÉäÖßåñйёЁЖи\u{300}\u{301}\u{306}\u{308}① ]{0,60})", 1..5),
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
