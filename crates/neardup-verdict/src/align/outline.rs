//! What is kept of the grams of a text where there is no room for them all: enough to say of most other texts that they share too little.
//!
//! Of a text with few grams it is a hash of each, which tells nearly as much as the grams. Of any other text it is a bit for each gram, so that
//! nothing is looked up while the text is read; how many distinct grams there are is then known between two bounds: each bit is of at least one.

use super::distinct::Seeds;
use super::grams::{self, Grams, folded, set};

/// The most grams of which hashes are kept. Of more, bits take less memory, and are compared in less time.
const FEW: usize = 128;

/// The least number of bits for a character: with more, somewhat more pairs would be ruled out, but a list would have room for fewer outlines.
const BITS: usize = 4;

/// Words that have a bit for each hash.
const WORDS: usize = 1 << (u16::BITS - u64::BITS.ilog2());

/// An outline of the grams of a text.
#[derive(Clone, Debug)]
pub(crate) enum Outline {
    /// A hash of each distinct gram, in ascending order.
    Hashes(Box<[u16]>),
    /// The bits, a power of two of words, and how many distinct grams there are at least and at most: the latter is more than [`FEW`].
    Bits { bits: Box<[u64]>, least: u32, most: u32 },
}

impl Outline {
    /// Reads the grams of a text of `characters` characters.
    pub(crate) fn of(text: &str, characters: usize) -> Self {
        let bits = if characters > FEW { Self::bits(text, characters) } else { None };
        bits.unwrap_or_else(|| Self::hashes(text, characters))
    }

    /// Reads the hashes of the grams of a text; the bits, if there are more than [`FEW`], because a character may have two units.
    fn hashes(text: &str, characters: usize) -> Self {
        let seeds = Seeds::of_process();
        let mut found =
            grams::read(text, || Vec::with_capacity(characters), |found: &mut Vec<u64>, gram| found.push(gram));
        found.sort_unstable();
        found.dedup();
        if found.len() > FEW {
            let (count, bits) = (found.len() as u32, Grams::of(text, characters).into_bits());
            return Self::Bits { bits, least: count, most: count };
        }
        let mut hashes: Vec<u16> = found.into_iter().map(|gram| seeds.hash(gram) as u16).collect();
        hashes.sort_unstable();
        Self::Hashes(hashes.into())
    }

    /// Reads the bits of the grams of a text; `None` if there are few grams.
    fn bits(text: &str, characters: usize) -> Option<Self> {
        let words = (BITS * characters / 64).next_power_of_two();
        let seeds = Seeds::of_process();
        let begin = || (vec![0_u64; words].into_boxed_slice(), 0_usize);
        let (bits, most) = grams::read(text, begin, |(bits, read), gram| {
            set(bits, seeds.hash(gram));
            *read += 1;
        });
        let least = bits.iter().map(|word| word.count_ones()).sum();
        (most > FEW).then_some(Self::Bits { bits, least, most: most as u32 })
    }

    /// Returns how much memory it takes besides itself, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Hashes(hashes) => size_of_val(&**hashes),
            Self::Bits { bits, .. } => size_of_val(&**bits),
        }
    }

    /// Returns how many distinct grams there are, at least and at most.
    fn grams(&self) -> [usize; 2] {
        match self {
            Self::Hashes(hashes) => [hashes.len(); 2],
            Self::Bits { least, most, .. } => [*least as usize, *most as usize],
        }
    }

    /// Counts grams that the other text certainly lacks; none, if bits cannot be compared with hashes.
    fn lacking(&self, other: &Self) -> usize {
        match (self, other) {
            (Self::Hashes(hashes), Self::Hashes(others)) => hashes.len() - common(hashes, others),
            (Self::Hashes(hashes), Self::Bits { bits, .. }) => {
                let has = |hash: u16| folded(bits, WORDS, usize::from(hash) / 64) >> (hash % 64) & 1 == 1;
                hashes.iter().filter(|hash| !has(**hash)).count()
            }
            (Self::Bits { bits, .. }, Self::Bits { bits: others, .. }) => grams::lacking(bits, others),
            (Self::Bits { .. }, Self::Hashes(_)) => 0,
        }
    }

    /// Says whether the part of this text's grams that the other one has may be at least `least`.
    fn may_be_in(&self, other: &Self, least: f64) -> bool {
        let [_, most] = self.grams();
        most == 0 || (most - self.lacking(other)) as f64 / most as f64 >= least
    }

    /// Says whether the overlap of two texts may be at least `least`.
    pub(crate) fn may_overlap(&self, other: &Self, least: f64) -> bool {
        let (few, many) = if self.grams()[1] <= other.grams()[1] { (self, other) } else { (other, self) };
        // The other one may yet be the one with fewer distinct grams.
        few.may_be_in(many, least) || many.grams()[0] < few.grams()[1] && many.may_be_in(few, least)
    }

    /// Returns the greatest overlap that two texts may have, and the greatest share of the grams of both that both have.
    pub(crate) fn at_most(&self, other: &Self) -> [f64; 2] {
        let ([of_a, of_b], lacks) = ([self.grams(), other.grams()], [self.lacking(other), other.lacking(self)]);
        let share = |most: usize, lacks: usize| if most == 0 { 0.0 } else { (most - lacks) as f64 / most as f64 };
        let mut overlap = 0.0;
        // Either may be the one with fewer distinct grams.
        if of_a[0] <= of_b[1] {
            overlap = share(of_a[1], lacks[0]);
        }
        if of_b[0] <= of_a[1] {
            overlap = share(of_b[1], lacks[1]).max(overlap);
        }
        let shared = (of_a[1] - lacks[0]).min(of_b[1] - lacks[1]);
        [overlap, share(shared + lacks[0] + lacks[1], lacks[0] + lacks[1])]
    }
}

/// Counts what two ascending lists have in common. Without a branch for each hash, because which one is less cannot be foreseen.
fn common(a: &[u16], b: &[u16]) -> usize {
    let (mut at_a, mut at_b, mut found) = (0, 0, 0);
    while let (Some(of_a), Some(of_b)) = (a.get(at_a), b.get(at_b)) {
        at_a += usize::from(of_a <= of_b);
        at_b += usize::from(of_b <= of_a);
        found += usize::from(of_a == of_b);
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Outline {
        Outline::of(text, text.chars().count())
    }

    #[test]
    fn texts_with_few_grams_are_told_apart() {
        let text = |from: u32, units: u32| -> String {
            (from..from + units).filter_map(|i| char::from_u32(0x4e00 + i)).collect()
        };
        let (own, half) = (of(&text(0, 40)), of(&text(20, 40)));
        assert!(matches!(own, Outline::Hashes(_)));
        assert!(own.may_overlap(&half, 17.0 / 37.0) && !own.may_overlap(&half, 0.6));
        for units in [FEW as u32 + 1, 1_000, 20_000] {
            let long = of(&text(20, units));
            assert!(own.may_overlap(&long, 17.0 / 37.0) && !own.may_overlap(&long, 0.9));
        }
        assert!(of("").may_overlap(&own, 0.9), "of nothing, nothing is known");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn nothing_that_is_there_is_ruled_out(
            texts in prop::collection::vec("([一-丟a-cA 。]{0,40}|[a-e]{0,300}|[一-丰]{0,1200}|[一-龥]{100,200}|[äüßa-c]{0,900}|哈{100,300}[一-丟]{0,9}|[aeoyòóúéÉäÖßåñйёЁЖи\u{300}\u{301}\u{306}\u{308}① ]{0,60}|[ 。a-b]{100,400})", 1..4),
            long in "[一-龥]{9000,9001}",
            from in 0_usize..2000,
        ) {
            let part: String = long.chars().skip(from).take(from / 9).collect();
            let texts: Vec<&String> = texts.iter().chain([&long, &part]).collect();
            for own in &texts {
                for other in &texts {
                    let grams = [own, other].map(|text| Grams::of(text, text.chars().count()));
                    let overlap = grams[0].overlap(&grams[1], 0.0).unwrap_or_default();
                    prop_assert!(of(own).may_overlap(&of(other), overlap), "{} {}", own, other);
                    let shared = overlap * grams[0].len().min(grams[1].len()) as f64;
                    let resemblance = shared / ((grams[0].len() + grams[1].len()) as f64 - shared).max(1.0);
                    let most = of(own).at_most(&of(other));
                    prop_assert!(most[0] >= overlap && most[1] >= resemblance - 1e-12, "{} {} {:?}", own, other, most);
                }
            }
        }
    }
}
