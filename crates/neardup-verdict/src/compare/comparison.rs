//! Two texts side by side: their alignment, what is moved, their facts, and which of these contradict each other.

use std::ops::Range;
use std::rc::Rc;

use ahash::AHashMap;

use super::prepared::{Prepared, Reading};
use crate::align::alignment::{Gap, align, gaps, runs};
use crate::align::distinct::Distinct;
use crate::facts::{self, Conflict, ConflictKind, Contradiction, Contradictions, Fact, Side};
use crate::read::credits;
use crate::read::numerals::percent_sign;
use crate::read::units::{Kind, Text};
use neardup_text::Result;

/// The shortest passage that counts as moved, in units.
const MOVED: usize = 6;

/// Texts that share less than one in this number of units have no names in the same position.
const UNRELATED: usize = 5;

include!(concat!(env!("OUT_DIR"), "/synonyms.rs"));

/// Says whether two words have the same meaning, by `data/synonyms.tsv`: if one is used instead of the other, nothing counts as replaced.
fn mean_the_same(a: &str, b: &str) -> bool {
    let line = |word: &str| {
        let place = SYNONYMS.binary_search_by_key(&word, |(word, _)| *word).ok()?;
        SYNONYMS.get(place).map(|(_, line)| *line)
    };
    line(a).is_some_and(|of_a| line(b) == Some(of_a))
}

/// Says whether two are the same Latin letters, which one has in one word: `Apple Intelligence` and `AppleIntelligence`.
fn are_joined(a: &str, b: &str) -> bool {
    let joins = |text: &str| text.bytes().any(|byte| matches!(byte, b' ' | b'-'));
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'-'));
    fn bare(text: &str) -> impl Iterator<Item = u8> + '_ {
        text.bytes().filter(u8::is_ascii_alphabetic).map(|byte| byte.to_ascii_lowercase())
    }
    joins(a) != joins(b) && letters(a) && letters(b) && bare(a).eq(bare(b))
}

/// Two compared texts.
///
/// The lesser text in string order is `a`, so that the result does not depend on their order; [`Comparison::conflicts`]
/// restores the given order.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) a: Compared,
    pub(crate) b: Compared,
    /// Number of units that both have, at the same position, in other words, or moved.
    pub(crate) shared: usize,
    pub(crate) gaps: Vec<Gap>,
    /// Facts that contradict each other, in the order of the lesser text.
    pub(crate) pairs: Vec<Contradiction>,
    /// How many facts each text states that the other does not mention; the lesser of the two numbers.
    pub(crate) lone: usize,
    /// Whether the lesser text came second.
    pub(crate) swapped: bool,
}

/// One of two compared texts.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) text: Rc<Text<'static>>,
    /// For each unit, whether the other text has it, at the same position or moved.
    pub(crate) matched: Vec<bool>,
    /// Number of units that the other text has elsewhere.
    pub(crate) moved: usize,
    pub(crate) facts: Rc<Vec<Fact>>,
    /// How many of the units before each one have content that the other text lacks.
    lacking: Vec<u32>,
}

/// Lists the facts that two texts state differently, in the order of the first text.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn conflicts(a: &str, b: &str) -> Result<Vec<Conflict>> {
    Ok(Comparison::new(a, b)?.conflicts())
}

impl Comparison {
    /// Compares two texts.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub(crate) fn new(a: &str, b: &str) -> Result<Self> {
        Ok(Aligned::of(&Prepared::new(a)?, &Prepared::new(b)?).with_facts())
    }

    /// Says whether two texts have the same units.
    pub(crate) fn is_same(&self) -> bool {
        let (a, b) = (&self.a.text.units, &self.b.text.units);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key)
    }

    /// Returns the facts that contradict each other, as written, those of the first text first.
    pub(crate) fn conflicts(&self) -> Vec<Conflict> {
        let written = |pair: &Contradiction| {
            let a = self.a.written(pair.kind, pair.a.clone());
            let b = self.b.written(pair.kind, pair.b.clone());
            let (in_a, in_b) = if self.swapped { (b, a) } else { (a, b) };
            Conflict { kind: pair.kind, in_a, in_b }
        };
        let mut pairs: Vec<&Contradiction> = self.pairs.iter().collect();
        if self.swapped {
            pairs.sort_by_key(|pair| (pair.b.start, pair.a.start, pair.kind));
        }
        pairs.into_iter().map(written).collect()
    }
}

/// Two aligned texts, before names and contradicting facts are looked for; as if there were none.
#[derive(Debug)]
pub(crate) struct Aligned {
    pub(crate) texts: Comparison,
    /// What was matched in each text before equal figures were, if any were.
    matched: Option<[Vec<bool>; 2]>,
    /// Whether they share enough for names to have the same position.
    related: bool,
}

impl Aligned {
    /// Aligns two texts.
    pub(crate) fn of(a: &Prepared<'_>, b: &Prepared<'_>) -> Self {
        let swapped = b.text() < a.text();
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let a = a.read(None);
        let b = b.read(Some(&a));
        Self::align(&a, &b, swapped)
    }

    /// Aligns two texts without some stretches of each, in bytes; with all of them if one text consists of nothing else.
    pub(crate) fn without(texts: [&Prepared<'_>; 2], out: [Vec<Range<usize>>; 2]) -> Self {
        Self::bare(texts, &out).unwrap_or_else(|| Self::of(texts[0], texts[1]))
    }

    /// Aligns two texts without some stretches of each; `None` if one text consists of nothing else.
    pub(crate) fn bare(texts: [&Prepared<'_>; 2], out: &[Vec<Range<usize>>; 2]) -> Option<Self> {
        let [a, b] = texts;
        if out.iter().all(Vec::is_empty) {
            return Some(Self::of(a, b));
        }
        let swapped = b.text() < a.text();
        let ((a, out_a), (b, out_b)) =
            if swapped { ((b, &out[1]), (a, &out[0])) } else { ((a, &out[0]), (b, &out[1])) };
        if !credits::has_letters_outside(a.plain(), out_a) || !credits::has_letters_outside(b.plain(), out_b) {
            return None;
        }
        let a = a.read_without(out_a, None);
        let b = b.read_without(out_b, Some(&a));
        Some(Self::align(&a, &b, swapped))
    }

    fn align(of_a: &Reading, of_b: &Reading, swapped: bool) -> Self {
        let (a, b) = (&of_a.text, &of_b.text);
        let (keys_a, keys_b) = (&a.keys, &b.keys);
        let weight = |unit: usize| a.units.get(unit).map_or(1, |unit| if unit.kind == Kind::Han { 1 } else { 2 });
        let blocks = align(keys_a, keys_b, &weight);
        let gaps = gaps(&blocks, keys_a.len(), keys_b.len());
        let (mut matched_a, mut matched_b) = (vec![true; keys_a.len()], vec![true; keys_b.len()]);
        for gap in &gaps {
            matched_a[gap.a.clone()].fill(false);
            matched_b[gap.b.clone()].fill(false);
        }
        let mut same = 0;
        let is_word = |side: &Range<usize>| (1..=4).contains(&side.len());
        for gap in gaps.iter().filter(|gap| is_word(&gap.a) && is_word(&gap.b)) {
            let (in_a, in_b) = (a.written(gap.a.clone()), b.written(gap.b.clone()));
            if mean_the_same(in_a, in_b) || are_joined(in_a, in_b) {
                matched_a[gap.a.clone()].fill(true);
                matched_b[gap.b.clone()].fill(true);
                same += gap.a.len().min(gap.b.len());
            }
        }
        let (ranges_a, ranges_b) = (gaps.iter().map(|gap| &gap.a), gaps.iter().map(|gap| &gap.b));
        let (mut moved_a, mut moved_b) = (0, 0);
        if let Some(runs_a) = unmatched_runs(keys_a, ranges_a)
            && let Some(runs_b) = unmatched_runs(keys_b, ranges_b)
        {
            moved_a = mark_moved(keys_a, &gaps, |gap| &gap.a, &runs_b, &mut matched_a);
            moved_b = mark_moved(keys_b, &gaps, |gap| &gap.b, &runs_a, &mut matched_b);
        }
        let matched: usize = matched_a.iter().filter(|&&matched| matched).count();
        let related = matched * UNRELATED >= a.units.len().min(b.units.len());
        let (mut a, mut b) = (Compared::new(of_a, matched_a, moved_a), Compared::new(of_b, matched_b, moved_b));
        let figures = equal_figures(&a, &b, &gaps);
        let matched = (!figures.is_empty()).then(|| [a.matched.clone(), b.matched.clone()]);
        for (units_a, units_b) in figures {
            same += units_a.len().min(units_b.len());
            a.matched[units_a].fill(true);
            b.matched[units_b].fill(true);
        }
        a.count_lacking();
        b.count_lacking();
        let shared = blocks.iter().map(|block| block.len).sum::<usize>() + same + a.moved.min(b.moved);
        let shared = shared.min(a.text.units.len()).min(b.text.units.len());
        let texts = Comparison { a, b, gaps, pairs: Vec::new(), lone: 0, shared, swapped };
        Self { texts, matched, related }
    }

    /// Segments the words, and compares the facts of the two texts.
    pub(crate) fn with_facts(self) -> Comparison {
        let Self { mut texts, matched, related } = self;
        if related {
            let unmatched = |compared: &Compared| compared.matched.iter().filter(|&&matched| !matched).count();
            let a_has_more = unmatched(&texts.a) > unmatched(&texts.b);
            let mut sides = [(0, &mut texts.a), (1, &mut texts.b)];
            if a_has_more {
                sides.reverse();
            }
            for (at, compared) in sides {
                let matched = matched.as_ref().map_or(&compared.matched, |matched| &matched[at]);
                let names = facts::names(&compared.text, matched, &compared.facts);
                if !names.is_empty() {
                    Rc::make_mut(&mut compared.facts).extend(names);
                }
                let side = compared.side();
                if !side.facts.iter().any(|fact| side.touched(fact)) {
                    // Names of the other text contradict nothing.
                    break;
                }
            }
        }
        let Contradictions { pairs, lone } = facts::pairs(texts.a.side(), texts.b.side(), &texts.gaps);
        Comparison { pairs, lone, ..texts }
    }
}

impl Compared {
    fn new(reading: &Reading, matched: Vec<bool>, moved: usize) -> Self {
        let (text, facts) = (Rc::clone(&reading.text), Rc::clone(&reading.facts));
        Self { text, matched, moved, facts, lacking: Vec::new() }
    }

    /// Counts what the other text lacks, once it is known what is matched.
    fn count_lacking(&mut self) {
        let mut lacking = 0;
        let lacks = self.text.content.iter().zip(&self.matched).map(|(&says, &matched)| says && !matched);
        self.lacking.reserve_exact(self.matched.len() + 1);
        self.lacking.push(0);
        self.lacking.extend(lacks.map(|lacks| {
            lacking += u32::from(lacks);
            lacking
        }));
    }

    /// Counts the units of a stretch that the other text lacks and that have content.
    pub(crate) fn lacks(&self, units: Range<usize>) -> usize {
        let before = |unit: usize| self.lacking.get(unit).copied().unwrap_or_default();
        before(units.end).saturating_sub(before(units.start)) as usize
    }

    /// Returns a fact as it is written, with its percent sign.
    fn written(&self, kind: ConflictKind, units: Range<usize>) -> String {
        let mut written = self.text.written(units.clone()).to_owned();
        let end =
            units.end.checked_sub(1).and_then(|last| self.text.units.get(last)).map_or(0, |unit| unit.end as usize);
        let after = self.text.text.get(end..).unwrap_or_default();
        if kind == ConflictKind::Percent {
            written.push_str(percent_sign(after).and_then(|len| after.get(..len)).unwrap_or_default());
        }
        written
    }

    fn side(&self) -> Side<'_> {
        Side { text: &self.text, facts: &self.facts, matched: &self.matched }
    }
}

/// Returns the figures that are written differently in the same gap (1.2 million and 1,200,000), by their units.
fn equal_figures(a: &Compared, b: &Compared, gaps: &[Gap]) -> Vec<(Range<usize>, Range<usize>)> {
    let key = |gap: usize, fact: &Fact| (gap, fact.kind, fact.key);
    let places = |compared: &Compared, side: fn(&Gap) -> &Range<usize>| -> Vec<_> {
        let open = |fact: &&Fact| fact.kind.is_figure() && compared.matched.get(fact.units.start) == Some(&false);
        let place = |fact: &Fact| gaps.partition_point(|gap| side(gap).end <= fact.units.start);
        compared.facts.iter().filter(open).map(|fact| (key(place(fact), fact), fact.units.clone())).collect()
    };
    let open = places(a, |gap| &gap.a);
    if open.is_empty() {
        return Vec::new();
    }
    let mut open: AHashMap<_, _> = open.into_iter().collect();
    let of_b = places(b, |gap| &gap.b).into_iter();
    of_b.filter_map(|(place, units_b)| Some((open.remove(&place)?, units_b))).collect()
}

/// Hashes of the runs of [`MOVED`] units inside gaps, if there are any.
fn unmatched_runs<'g>(keys: &[u64], gaps: impl Iterator<Item = &'g Range<usize>> + Clone) -> Option<Distinct> {
    let gaps = gaps.filter(|gap| gap.len() >= MOVED);
    gaps.clone().next()?;
    let mut found = Distinct::with_capacity(gaps.clone().map(|gap| gap.len() + 1 - MOVED).sum());
    for keys in gaps.filter_map(|gap| keys.get(gap.clone())) {
        for run in runs(keys, MOVED) {
            found.insert(run);
        }
    }
    Some(found)
}

/// Marks the units of gaps that recur in a gap of the other text, and counts them.
fn mark_moved(
    keys: &[u64],
    gaps: &[Gap],
    side: impl Fn(&Gap) -> &Range<usize>,
    other: &Distinct,
    matched: &mut [bool],
) -> usize {
    let mut moved = 0;
    for gap in gaps {
        let range = side(gap);
        for (at, run) in (range.start..).zip(runs(&keys[range.clone()], MOVED)) {
            if other.find(run).is_some() {
                for unit in &mut matched[at..at + MOVED] {
                    moved += usize::from(!*unit);
                    *unit = true;
                }
            }
        }
    }
    moved
}
