//! What two aligned texts look like in numbers that need no language: which words one has and the other lacks, how rare these are in the
//! table, and where they stand.
//!
//! The facts of [`super::features`] know some thirty languages; a word that decides (light or dark, Tampa or Arlington) is in no list. It
//! is short, rare, and stands where the other text has another one.

use std::ops::Range;

use ahash::AHashSet;

use super::features::define_features;
use crate::align::alignment::Gap;
use crate::compare::comparison::{Compared, Comparison};
use crate::read::units::Kind;
use crate::table::rarity::Rarity;

define_features! {
    /// The wording of a pair. `_s` is of the text with fewer units, `_l` of the other; sums and counts are logarithms.
    Wording;
    /// Units.
    units_s: 0,
    units_l: 0,
    /// Share of the units that the other text has, at the same place or moved.
    matched_s: 1,
    matched_l: 1,
    /// The same, weighted by rarity.
    rare_matched_s: 1,
    rare_matched_l: 1,
    /// Share of the units that the other text has anywhere.
    anywhere_s: 1,
    anywhere_l: 1,
    /// Sum of the rarity of words that the other text has nowhere.
    lacking_s: -1,
    lacking_l: 0,
    /// The greatest of them.
    rarest_s: -1,
    rarest_l: 0,
    /// Their mean.
    mean_lacking_s: -1,
    mean_lacking_l: 0,
    /// Replacements, and insertions on one side.
    replacements: 0,
    insertions: 0,
    /// Replacements of at most [`SMALL`] units on both sides.
    small: 0,
    /// Words of the same beginning or nearly the same letters that replace each other, as a share of small replacements.
    spelled_alike: 1,
    /// The rarity that both sides of a replacement have and the other text has nowhere: the greatest, the sum, of small replacements, and
    /// of those between shared passages.
    replaced_most: -1,
    replaced_sum: -1,
    small_most: -1,
    inner_most: -1,
    /// Replacements whose both sides have a rare word.
    rare_replacements: -1,
    /// What is inserted between shared passages.
    inserted_s: -1,
    inserted_l: 0,
    /// What stands before the first shared passage, and after the last.
    lead_s: -1,
    lead_l: 0,
    tail_s: 0,
    tail_l: 0,
    /// Share of the first and of the last [`END`] units that the other text has.
    first_s: 1,
    last_s: 1,
    first_l: 0,
    last_l: 0,
    /// The longest shared passage, as a share of the shorter text.
    longest: 1,
    /// Shared passages.
    blocks: 0,
    /// Numbers, and words with a digit, that the other text has nowhere.
    numbers_s: -1,
    numbers_l: 0,
    /// Numbers that replace each other.
    numbers_replaced: -1,
    /// Words of many letters or of letters and digits, as codes and hashes are, that the other text has nowhere.
    codes_s: -1,
    codes_l: 0,
}

/// A replacement of at most this many units on both sides is small.
const SMALL: usize = 4;

/// A shared passage of at least this many units bounds what stands before the first and after the last.
const PASSAGE: usize = 5;

/// The beginning and the end of a text, in units.
const END: usize = 15;

/// From this rarity on, a word is rare.
const RARE: f64 = 0.5;

/// What one text of a pair has that the other lacks.
struct Lack<'c> {
    compared: &'c Compared,
    /// The rarity of each unit that the other text has nowhere and that has content; 0 for all others.
    rarity: Vec<f64>,
    all: f64,
    matched: f64,
    anywhere: usize,
}

impl<'c> Lack<'c> {
    fn of(compared: &'c Compared, other: &Compared, rarity: &Rarity) -> Self {
        let keys = &compared.text.keys;
        let others = Keys::of(&other.text.keys, compared.matched.iter().filter(|&&matched| !matched).count());
        let rarity = rarity.of(&compared.text);
        let mut lack = Self { compared, rarity: vec![0.0; keys.len()], all: 0.0, matched: 0.0, anywhere: 0 };
        for (at, &key) in keys.iter().enumerate() {
            let is_matched = compared.matched.get(at).copied().unwrap_or_default();
            let is_next = compared.matched.get(at + 1) == Some(&false);
            let rare = rarity.at(at, !is_matched && is_next);
            lack.all += rare;
            if is_matched {
                lack.matched += rare;
            }
            if is_matched || others.have(key) {
                lack.anywhere += 1;
            } else if compared.text.content.get(at).copied().unwrap_or_default() {
                lack.rarity[at] = rare;
            }
        }
        lack
    }

    fn sum(&self, units: Range<usize>) -> f64 {
        self.rarity.get(units).unwrap_or_default().iter().sum()
    }

    fn most(&self, units: Range<usize>) -> f64 {
        self.rarity.get(units).unwrap_or_default().iter().copied().fold(0.0, f64::max)
    }

    fn len(&self) -> usize {
        self.rarity.len()
    }

    fn written(&self, at: usize) -> &str {
        self.compared.text.written(at..at + 1)
    }

    fn count(&self, wanted: impl Fn(&Self, usize) -> bool) -> f64 {
        let count = (0..self.len()).filter(|&at| self.rarity[at] > 0.0 && wanted(self, at)).count();
        log(count as f64)
    }

    fn is_number(&self, at: usize) -> bool {
        let is_number = self.compared.text.units.get(at).is_some_and(|unit| matches!(unit.kind, Kind::Number { .. }));
        is_number || self.written(at).bytes().any(|byte| byte.is_ascii_digit())
    }

    /// Says whether a unit is part of a code: digits beside letters without space, or eight and more hexadecimal digits.
    fn is_code(&self, at: usize) -> bool {
        let units = &self.compared.text.units;
        let Some(unit) = units.get(at).filter(|unit| unit.kind != Kind::Han) else { return false };
        let word = |unit: &crate::read::units::Unit| unit.kind == Kind::Word;
        let joined = |other: Option<&crate::read::units::Unit>| {
            other.is_some_and(|other| {
                other.kind != Kind::Han
                    && (other.end == unit.start || other.start == unit.end)
                    && word(other) != word(unit)
            })
        };
        joined(at.checked_sub(1).and_then(|before| units.get(before))) || joined(units.get(at + 1))
    }

    fn share(&self, units: Range<usize>) -> f64 {
        let matched = self.compared.matched.get(units).unwrap_or_default();
        share(matched.iter().filter(|&&matched| matched).count(), matched.len())
    }

    fn matched(&self) -> f64 {
        self.share(0..self.len())
    }
}

/// The keys of a text that others are looked up in.
enum Keys<'k> {
    /// In their order, where that takes no longer than making a set.
    Listed(&'k [u64]),
    Set(AHashSet<u64>),
}

impl<'k> Keys<'k> {
    /// Up to this number, keys are looked up in a list.
    const FEW: usize = 16;

    /// Prepares for a number of look-ups.
    fn of(keys: &'k [u64], lookups: usize) -> Self {
        if lookups <= Self::FEW { Self::Listed(keys) } else { Self::Set(keys.iter().copied().collect()) }
    }

    fn have(&self, key: u64) -> bool {
        match self {
            Self::Listed(keys) => keys.contains(&key),
            Self::Set(keys) => keys.contains(&key),
        }
    }
}

/// Computes the wording of a pair.
pub(crate) fn wording(texts: &Comparison, rarity: &Rarity) -> Wording {
    let (a, b) = (Lack::of(&texts.a, &texts.b, rarity), Lack::of(&texts.b, &texts.a, rarity));
    let is_a_short = a.len() <= b.len();
    let of_texts = |Gap { a, b }: &Gap| if is_a_short { [a.clone(), b.clone()] } else { [b.clone(), a.clone()] };
    let gaps = || texts.gaps.iter().map(of_texts);
    let (s, l) = if is_a_short { (a, b) } else { (b, a) };
    let ends = Ends::of(gaps(), s.len(), l.len());
    let mut found = Wording {
        units_s: log(s.len() as f64),
        units_l: log(l.len() as f64),
        matched_s: s.matched(),
        matched_l: l.matched(),
        rare_matched_s: s.matched / s.all.max(1e-9),
        rare_matched_l: l.matched / l.all.max(1e-9),
        anywhere_s: share(s.anywhere, s.len()),
        anywhere_l: share(l.anywhere, l.len()),
        lacking_s: log(s.sum(0..s.len())),
        lacking_l: log(l.sum(0..l.len())),
        rarest_s: s.most(0..s.len()),
        rarest_l: l.most(0..l.len()),
        mean_lacking_s: mean(&s.rarity),
        mean_lacking_l: mean(&l.rarity),
        first_s: s.share(0..END.min(s.len())),
        last_s: s.share(s.len().saturating_sub(END)..s.len()),
        first_l: l.share(0..END.min(l.len())),
        last_l: l.share(l.len().saturating_sub(END)..l.len()),
        lead_s: log(s.sum(0..ends.first[0])),
        lead_l: log(l.sum(0..ends.first[1])),
        tail_s: log(s.sum(ends.last[0]..s.len())),
        tail_l: log(l.sum(ends.last[1]..l.len())),
        longest: share(ends.longest, s.len()),
        blocks: log(ends.blocks as f64),
        numbers_s: s.count(Lack::is_number),
        numbers_l: l.count(Lack::is_number),
        codes_s: s.count(Lack::is_code),
        codes_l: l.count(Lack::is_code),
        ..Wording::default()
    };
    replaced(&mut found, gaps(), &s, &l);
    found
}

/// Counts replacements and insertions.
fn replaced(found: &mut Wording, gaps: impl Iterator<Item = [Range<usize>; 2]>, s: &Lack<'_>, l: &Lack<'_>) {
    let (mut small, mut alike, mut replacements, mut insertions) = (0, 0, 0, 0);
    let (mut sum, mut inserted, mut rare, mut numbers) = (0.0, [0.0; 2], 0, 0);
    for [of_s, of_l] in gaps {
        let is_inner = of_s.start > 0 && of_s.end < s.len() && of_l.start > 0 && of_l.end < l.len();
        if of_s.is_empty() || of_l.is_empty() {
            insertions += 1;
            if is_inner {
                inserted[0] += s.sum(of_s.clone());
                inserted[1] += l.sum(of_l.clone());
            }
            continue;
        }
        replacements += 1;
        let both = s.sum(of_s.clone()).min(l.sum(of_l.clone()));
        let most = s.most(of_s.clone()).min(l.most(of_l.clone()));
        sum += both;
        rare += usize::from(most >= RARE);
        found.replaced_most = found.replaced_most.max(both);
        if is_inner {
            found.inner_most = found.inner_most.max(most);
        }
        let has_number = |lack: &Lack<'_>, units: &Range<usize>| {
            units.clone().any(|at| lack.rarity.get(at).is_some_and(|rare| *rare > 0.0) && lack.is_number(at))
        };
        numbers += usize::from(has_number(s, &of_s) && has_number(l, &of_l));
        if of_s.len().max(of_l.len()) <= SMALL {
            small += 1;
            let is_alike =
                are_spelled_alike(s.compared.text.written(of_s.clone()), l.compared.text.written(of_l.clone()));
            alike += usize::from(is_alike);
            if !is_alike {
                found.small_most = found.small_most.max(most);
            }
        }
    }
    found.replaced_most = log(found.replaced_most);
    found.replaced_sum = log(sum);
    found.replacements = log(f64::from(replacements));
    found.insertions = log(f64::from(insertions));
    found.small = log(f64::from(small));
    found.spelled_alike = share(alike, small as usize);
    found.rare_replacements = log(rare as f64);
    found.numbers_replaced = log(numbers as f64);
    found.inserted_s = log(inserted[0]);
    found.inserted_l = log(inserted[1]);
}

/// Where the shared passages of two texts begin and end.
struct Ends {
    first: [usize; 2],
    last: [usize; 2],
    longest: usize,
    blocks: usize,
}

impl Ends {
    fn of(gaps: impl Iterator<Item = [Range<usize>; 2]>, s: usize, l: usize) -> Self {
        let mut ends = Self { first: [s, l], last: [0, 0], longest: 0, blocks: 0 };
        let mut from = [0, 0];
        let tail = [s..s, l..l];
        for gap in gaps.chain([tail]) {
            let len = gap[0].start.saturating_sub(from[0]);
            if len > 0 {
                ends.blocks += 1;
                ends.longest = ends.longest.max(len);
                if len >= PASSAGE.min(s) {
                    if ends.last == [0, 0] {
                        ends.first = from;
                    }
                    ends.last = [gap[0].start, gap[1].start];
                }
            }
            from = [gap[0].end, gap[1].end];
        }
        ends
    }
}

/// Says whether two words are one in two spellings or forms: all but two letters at their ends are the same, or one letter in five differs.
fn are_spelled_alike(a: &str, b: &str) -> bool {
    if a.len().min(b.len()) < 4 {
        return false;
    }
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (a, b) = (letters(a), letters(b));
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    if short < 4 || a.iter().chain(&b).any(char::is_ascii_digit) {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    long - start - end <= (long / 5).max(1)
}

fn log(value: f64) -> f64 {
    libm::log(1.0 + value)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn mean(values: &[f64]) -> f64 {
    let present = values.iter().filter(|value| **value > 0.0);
    present.clone().sum::<f64>() / present.count().max(1) as f64
}
