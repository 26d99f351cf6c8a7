//! Pairs each fact that only one text has with its counterpart among those that only the other has.

use std::ops::Range;

use ahash::AHashSet;

use super::body::body;
use super::contradict::{agree, contradict};
use super::fact::{ConflictKind, Date, Fact};
use super::status;
use crate::align::alignment::Gap;
use crate::read::units::Text;
use neardup_text::hash::mix;

/// Two facts that contradict each other, by their units; one may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) kind: ConflictKind,
    pub(crate) a: Range<usize>,
    pub(crate) b: Range<usize>,
    /// Whether both are in the same slot of the same form.
    pub(crate) slot: bool,
}

impl Contradiction {
    /// Says whether it is more than a status word on one side.
    pub(crate) fn is_hard(&self) -> bool {
        self.kind != ConflictKind::Status || self.slot
    }
}

/// The facts that two texts state differently.
#[derive(Debug, Default)]
pub(crate) struct Contradictions {
    /// Facts that contradict each other.
    pub(crate) pairs: Vec<Contradiction>,
    /// How many facts each text states that the other does not mention; the lesser of the two numbers.
    pub(crate) lone: usize,
}

/// One side of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Side<'t> {
    pub(crate) text: &'t Text<'t>,
    pub(crate) facts: &'t [Fact],
    pub(crate) matched: &'t [bool],
}

/// A slot has at most this many units on either side; anything longer is a rewritten passage.
const MAX_SLOT: usize = 30;

/// The same for titles, which may have hardly a word in common.
const MAX_QUOTE_SLOT: usize = 100;

/// The same for names, of which a rewritten passage has many.
const MAX_NAME_SLOT: usize = 12;

/// Returns the greatest width of a slot in which two facts contradict each other.
fn widest_slot(a: &Fact, b: &Fact) -> usize {
    match a.kind {
        ConflictKind::Quoted => MAX_QUOTE_SLOT,
        ConflictKind::Place | ConflictKind::Person => MAX_NAME_SLOT,
        // Names of organisations have many forms, so the slot may contain nothing else.
        ConflictKind::Name => a.units.len().max(b.units.len()) + 1,
        _ => MAX_SLOT,
    }
}

/// The most facts with which one fact is compared.
const MAX_FACTS: usize = 256;

/// The facts that a text states, for look-ups: their keys, ascending.
struct Stated(Vec<u64>);

impl Stated {
    fn new(side: Side<'_>) -> Self {
        let mut stated = Vec::new();
        for fact in side.facts {
            if fact.kind == ConflictKind::Date {
                let own = present(fact);
                for date in fact.dates() {
                    stated.extend(parts(own).map(|fields| date_key(&date, own, fields)));
                }
            } else if side.touched(fact) {
                // A number that is matched at its own position is a different one.
                stated.push(plain_key(fact));
                if fact.is_measured() {
                    stated.push(of_any_measure(fact));
                }
            }
        }
        stated.sort_unstable();
        Self(stated)
    }

    fn has(&self, key: u64) -> bool {
        self.0.binary_search(&key).is_ok()
    }

    /// Says whether a fact of the other text is stated here: the same one, or a date that agrees in the fields that both have.
    fn states(&self, fact: &Fact) -> bool {
        if fact.kind != ConflictKind::Date {
            // 99 is stated where 99 dollars are, and the other way round.
            let bare = if fact.is_measured() { fact.bare() } else { of_any_measure(fact) };
            return self.has(plain_key(fact)) || self.has(bare);
        }
        let own = present(fact);
        let states =
            |date: Date| (1..FIELDS).any(|other| other & own != 0 && self.has(date_key(&date, other, other & own)));
        fact.dates().any(states)
    }
}

/// The key under which a number is stated with any measure.
fn of_any_measure(fact: &Fact) -> u64 {
    mix(fact.bare(), 77)
}

fn plain_key(fact: &Fact) -> u64 {
    if fact.kind.is_figure() { fact.key } else { mix(fact.key, fact.kind as u64 + 1) }
}

/// One more than the fields of a date with all of them, as bits.
const FIELDS: u8 = 1 << 4;

/// Returns all choices of some fields, as bits.
fn parts(fields: u8) -> impl Iterator<Item = u8> {
    std::iter::successors(Some(fields), move |part| Some(part.wrapping_sub(1) & fields)).take_while(|&part| part != 0)
}

/// Returns the fields that a date has, as bits.
fn present(fact: &Fact) -> u8 {
    fact.date.iter().enumerate().map(|(place, field)| u8::from(field.is_some()) << place).sum()
}

/// Returns the key of a date with the fields `told`, by its values in `fields`.
fn date_key(date: &Date, told: u8, fields: u8) -> u64 {
    let values = date.iter().enumerate().filter(|(place, _)| fields >> place & 1 == 1);
    let start = mix(u64::from(told) << 4 | u64::from(fields), 8);
    values.fold(start, |key, (_, field)| mix(key ^ u64::from(field.unwrap_or(0)), 8))
}

impl<'t> Side<'t> {
    /// Says whether the other text lacks a unit of a fact.
    pub(crate) fn touched(&self, fact: &Fact) -> bool {
        self.matched.get(fact.units.clone()).is_some_and(|matched| matched.contains(&false))
    }

    /// Returns the gaps, first and last, in which a fact has units of its own.
    fn gaps(&self, fact: &Fact, gaps: &[Gap], side: impl Fn(&Gap) -> &Range<usize>) -> Option<(usize, usize)> {
        let own = |unit: &usize| self.matched.get(*unit) == Some(&false);
        let at = |unit: usize| Some(gaps.partition_point(|gap| side(gap).end <= unit));
        fact.units.clone().find(own).and_then(at).zip(fact.units.clone().rfind(own).and_then(at))
    }
}

/// Contradictions the facts of two sides, in the order of the first text.
///
/// First come facts in the same slot, kind by kind; then figures of several kinds there; last, figures that count the same thing,
/// anywhere. Names at different positions do not contradict each other.
pub(crate) fn pairs(a: Side<'_>, b: Side<'_>, gaps: &[Gap]) -> Contradictions {
    let mut found = Vec::new();
    let body = body(a.text, b.text, gaps);
    let replaced = replaced(a, b, gaps);
    let mut left_a = left(a, b, gaps, |gap| [&gap.a, &gap.b], &replaced);
    let mut left_b = left(b, a, gaps, |gap| [&gap.b, &gap.a], &replaced);
    let left_b_places: Vec<usize> = left_b.iter().map(|fact| fact.map_or(0, |(_, places)| places.1)).collect();
    for pass in [Pass::Kind, Pass::Figures, Pass::Anywhere] {
        for own in &mut left_a {
            let Some((fact, places)) = *own else { continue };
            let fits = |other: &Fact, other_places: (usize, usize)| {
                let slot = places.0 <= other_places.1
                    && other_places.0 <= places.1
                    && gaps.get(places.0).is_some_and(|gap| {
                        gap.a.len().max(gap.b.len()) <= widest_slot(fact, other) || at_edge(gap, fact, other)
                    });
                match pass {
                    Pass::Kind => {
                        let alike = fact.kind == other.kind
                            || fact.kind.is_name() && other.kind.is_name() && alone(gaps, places.0, fact, other);
                        slot && alike && contradict(a.text, fact, b.text, other)
                    }
                    Pass::Figures => {
                        slot && stands_for_others(fact.kind)
                            && stands_for_others(other.kind)
                            && contradict(a.text, fact, b.text, other)
                    }
                    Pass::Anywhere => {
                        fact.kind.is_figure()
                            && fact.kind == other.kind
                            && (fact.kind == ConflictKind::Date || fact.measure == other.measure)
                            && contradict(a.text, fact, b.text, other)
                    }
                }
            };
            // Sorted by place: those of the same slot are near the one at the same rank of places.
            let from = match pass {
                Pass::Anywhere => 0,
                _ => left_b_places.partition_point(|other| *other < places.0).saturating_sub(1),
            };
            let candidates = from..left_b.len().min(from + MAX_FACTS);
            let partner =
                candidates.into_iter().find(|&at| left_b[at].is_some_and(|(other, places)| fits(other, places)));
            if let Some((other, _)) = partner.and_then(|at| left_b[at].take()) {
                *own = None;
                let slot = pass != Pass::Anywhere;
                // Another opening names others and says the same.
                if !fact.kind.is_figure() && !body.contains(&places.0) && fact.kind != ConflictKind::Code {
                    continue;
                }
                found.push(Contradiction { kind: fact.kind, a: fact.units.clone(), b: other.units.clone(), slot });
            }
        }
    }
    named_otherwise(&mut left_a, gaps, &body, |gap| (&gap.a, &gap.b), &mut found);
    named_otherwise(&mut left_b, gaps, &body, |gap| (&gap.b, &gap.a), &mut found);
    let own_first = |a: &Range<usize>, b: &Range<usize>| (a.clone(), b.clone());
    longer_codes(&mut left_a, b.facts, gaps, |gap| &gap.b, own_first, &mut found);
    longer_codes(&mut left_b, a.facts, gaps, |gap| &gap.a, |b, a| own_first(a, b), &mut found);
    statuses(a.text, b.text, gaps, &mut found);
    found.sort_by_key(|pair| (pair.a.start, pair.b.start, pair.kind));
    let count = |left: &[Left<'_>]| left.iter().flatten().count();
    Contradictions { pairs: found, lone: count(&left_a).min(count(&left_b)) }
}

/// Contradictions a quotation with what is at its position without quotation marks: 《红河》 and 青山.
fn named_otherwise(
    left: &mut [Left<'_>],
    gaps: &[Gap],
    body: &Range<usize>,
    sides: impl Fn(&Gap) -> (&Range<usize>, &Range<usize>),
    found: &mut Vec<Contradiction>,
) {
    for own in left {
        let Some((fact, (at, last))) = *own else { continue };
        let is_alone = at == last && body.contains(&at) && fact.kind == ConflictKind::Quoted;
        let Some(gap) = gaps.get(at).filter(|_| is_alone) else { continue };
        let (own_side, other_side) = sides(gap);
        if *own_side == fact.units && (1..=MAX_NAME_SLOT).contains(&other_side.len()) {
            found.push(Contradiction { kind: ConflictKind::Quoted, a: gap.a.clone(), b: gap.b.clone(), slot: true });
            *own = None;
        }
    }
}

/// Contradictions codes with the shorter ones of which they are more: POL023R1 and POL023. All of the shorter one is shared.
fn longer_codes(
    left: &mut [Left<'_>],
    others: &[Fact],
    gaps: &[Gap],
    other_side: impl Fn(&Gap) -> &Range<usize>,
    ordered: impl Fn(&Range<usize>, &Range<usize>) -> (Range<usize>, Range<usize>),
    found: &mut Vec<Contradiction>,
) {
    let mut codes: Vec<&Fact> = others.iter().filter(|other| other.kind == ConflictKind::Code).collect();
    codes.sort_by_key(|code| code.units.start);
    for own in left {
        let Some((fact, (at, last))) = *own else { continue };
        let Some(side) = gaps.get(at).filter(|_| at == last && fact.kind == ConflictKind::Code).map(&other_side) else {
            continue;
        };
        let before = codes.partition_point(|code| code.units.start <= side.start);
        let near = codes.get(before.saturating_sub(1)..).unwrap_or_default().iter().take(2);
        let touches =
            |code: &&&Fact| code.units.start <= side.end && side.start <= code.units.end && code.key != fact.key;
        if let Some(other) = near.filter(|_| side.is_empty()).find(touches) {
            let (a, b) = ordered(&fact.units, &other.units);
            found.push(Contradiction { kind: ConflictKind::Code, a, b, slot: true });
            *own = None;
        }
    }
}

/// Says whether a figure may stand where the other text has one of another kind: a date and a telephone number are about other things.
fn stands_for_others(kind: ConflictKind) -> bool {
    kind.is_figure() && !matches!(kind, ConflictKind::Date | ConflictKind::Phone)
}

/// A round of pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Kind,
    Figures,
    Anywhere,
}

/// A fact with the gaps in which it is; `None` once it is paired.
type Left<'t> = Option<(&'t Fact, (usize, usize))>;

/// Returns the gaps in which one figure replaces another one of its kind and nothing else differs: 第4部 and 第3部. There they contradict
/// each other, even if both texts mention both, but for two that only changed places.
fn replaced(a: Side<'_>, b: Side<'_>, gaps: &[Gap]) -> AHashSet<usize> {
    let of_a = alone_in_gaps(a, gaps, |gap| &gap.a);
    if of_a.is_empty() {
        return AHashSet::new();
    }
    let of_b = alone_in_gaps(b, gaps, |gap| &gap.b);
    let in_b = |at: usize| of_b.binary_search_by_key(&at, |(at, _)| *at).ok().and_then(|place| of_b.get(place));
    let both = of_a.iter().filter_map(|&(at, fact)| Some((at, fact, in_b(at)?.1)));
    let differ: Vec<_> = both.filter(|(_, a, b)| a.kind == b.kind && are_other_values(a, b)).collect();
    let pairs: AHashSet<(u64, u64)> = differ.iter().map(|(_, a, b)| (a.key, b.key)).collect();
    differ.into_iter().filter(|(_, a, b)| !pairs.contains(&(b.key, a.key))).map(|(at, ..)| at).collect()
}

/// Says whether two figures of a kind have different values; dates, in a field that both have.
fn are_other_values(a: &Fact, b: &Fact) -> bool {
    if a.kind != ConflictKind::Date {
        return a.key != b.key;
    }
    !agree(a, b)
}

/// Returns the figures that are all that their gaps hold on one side, one for each gap, in order.
fn alone_in_gaps<'t>(
    side: Side<'t>,
    gaps: &[Gap],
    range: impl Fn(&Gap) -> &Range<usize> + Copy,
) -> Vec<(usize, &'t Fact)> {
    let figures = side.facts.iter().filter(|fact| fact.kind.is_figure() && side.touched(fact));
    let alone = |fact: &'t Fact| {
        let (at, last) = side.gaps(fact, gaps, range)?;
        let within = range(gaps.get(at)?);
        let is_all = fact.units.start <= within.start && within.end <= fact.units.end;
        (at == last && is_all).then_some((at, fact))
    };
    let mut alone: Vec<(usize, &Fact)> = figures.filter_map(alone).collect();
    // The last one of a gap counts.
    alone.reverse();
    alone.sort_by_key(|(at, _)| *at);
    alone.dedup_by_key(|(at, _)| *at);
    alone
}

/// Returns facts that only one side states, or that are replaced where they stand, by their gaps.
fn left<'t>(
    side: Side<'t>,
    other: Side<'_>,
    gaps: &[Gap],
    ranges: impl Fn(&Gap) -> [&Range<usize>; 2] + Copy,
    replaced: &AHashSet<usize>,
) -> Vec<Left<'t>> {
    if !side.facts.iter().any(|fact| side.touched(fact)) {
        return Vec::new();
    }
    let stated = Stated::new(other);
    let measured = side.facts.iter().any(|fact| fact.is_measured() && side.touched(fact));
    let values = other.facts.iter().filter(|fact| measured && fact.value.is_some());
    // The last one that begins at a unit counts.
    let mut values: Vec<(usize, &Fact)> = values.map(|fact| (fact.units.start, fact)).collect();
    values.sort_by_key(|(start, _)| *start);
    let value_at = |start: usize| {
        let end = values.partition_point(|(at, _)| *at <= start);
        values.get(end.checked_sub(1)?).filter(|(at, _)| *at == start).map(|(_, fact)| *fact)
    };
    let own = side.facts.iter().filter(|fact| side.touched(fact)).filter_map(|fact| {
        let places = side.gaps(fact, gaps, |gap| ranges(gap)[0])?;
        // The number is shared, and the other text measures it in nothing that is known: 267-km and 267-klm.
        let [own_gap, other_gap] = ranges(gaps.get(places.0)?);
        let before = own_gap.start.checked_sub(fact.units.start).filter(|&before| before > 0 && fact.is_measured());
        let counterpart = before.and_then(|before| other_gap.start.checked_sub(before));
        if counterpart.and_then(value_at).is_some_and(|other| !other.is_measured() && other.bare() == fact.bare()) {
            return None;
        }
        let is_own = fact.kind.is_figure() && replaced.contains(&places.0) || !stated.states(fact);
        is_own.then_some((fact, places))
    });
    let mut left: Vec<_> = own.collect();
    left.sort_by_key(|&(fact, places)| (places.1, fact.units.start, fact.kind));
    left.into_iter().map(Some).collect()
}

/// Says whether two names are directly before or after a shared passage.
fn at_edge(gap: &Gap, a: &Fact, b: &Fact) -> bool {
    let starts = a.units.start == gap.a.start && b.units.start == gap.b.start;
    let ends = a.units.end == gap.a.end && b.units.end == gap.b.end;
    matches!(a.kind, ConflictKind::Place | ConflictKind::Person) && (starts || ends)
}

/// Says whether two names are all that a slot contains: the dictionary lists some countries as persons.
fn alone(gaps: &[Gap], at: usize, a: &Fact, b: &Fact) -> bool {
    gaps.get(at).is_some_and(|gap| gap.a == a.units && gap.b == b.units)
}

/// Says whether a stretch is what remains if a status word is missing: nothing, or in English one word, as in isn't and is.
fn leaves(text: &Text<'_>, stretch: &Range<usize>) -> bool {
    stretch.len() <= usize::from(text.latin)
}

/// Contradictions status words that touch the same gap.
fn statuses(text_a: &Text<'_>, text_b: &Text<'_>, gaps: &[Gap], found: &mut Vec<Contradiction>) {
    let spoken = if gaps.is_empty() { 0 } else { text_a.languages() & text_b.languages() };
    for gap in gaps.iter().filter(|gap| gap.a.len().max(gap.b.len()) <= MAX_SLOT) {
        let mut in_a = status::find(text_a, gap.a.clone(), spoken);
        let mut in_b = status::find(text_b, gap.b.clone(), spoken);
        // A status word on both sides of the gap does not count.
        let partner = |a: &status::Status| in_b.iter().position(|b| a.agrees(text_a, b, text_b));
        let common: Vec<(usize, usize)> = in_a.iter().enumerate().filter_map(|(i, a)| Some((i, partner(a)?))).collect();
        for &(i, _) in common.iter().rev() {
            in_a.remove(i);
        }
        let mut taken: Vec<usize> = common.into_iter().map(|(_, j)| j).collect();
        taken.sort_unstable();
        taken.dedup();
        for j in taken.into_iter().rev() {
            in_b.remove(j);
        }
        for a in in_a {
            let rival = in_b.iter().position(|b| a.opposes(b));
            match rival.map(|at| in_b.remove(at)) {
                Some(b) => found.push(Contradiction { kind: ConflictKind::Status, a: a.units, b: b.units, slot: true }),
                None if status::turns(text_a, &a) => {
                    let slot = a.units == gap.a && leaves(text_b, &gap.b);
                    let b = gap.b.start..gap.b.start;
                    found.push(Contradiction { kind: ConflictKind::Status, a: a.units, b, slot });
                }
                None => {}
            }
        }
        for b in in_b.into_iter().filter(|b| status::turns(text_b, b)) {
            let slot = b.units == gap.b && leaves(text_a, &gap.a);
            let a = gap.a.start..gap.a.start;
            found.push(Contradiction { kind: ConflictKind::Status, a, b: b.units, slot });
        }
    }
}
