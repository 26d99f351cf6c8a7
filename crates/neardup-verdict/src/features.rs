//! What a comparison looks like in numbers: the input of the model.
//!
//! [`NAMES`] says what each number is and which way it may speak: what contradicts can only speak for keeping both, what is
//! shared only for keeping one. All are symmetric in the two texts.

use std::ops::Range;

use super::align::align;
use super::comparison::{Compared, Comparison};
use super::facts::{Class, ConflictKind, Fact, Pair};

/// Number of features.
pub const COUNT: usize = 25;

/// Names of the features, and the sign that their weights may have: 1, -1, or 0 for either.
pub const NAMES: [(&str, i8); COUNT] = [
    ("held", 1),
    ("alike", 1),
    ("little shared", -1),
    ("short", 0),
    ("longer", 0),
    ("longer, short", -1),
    ("both have more", -1),
    ("both have more, short", -1),
    ("replaced", -1),
    ("replaced inside", -1),
    ("largest replacement", -1),
    ("slots", 0),
    ("nouns replaced, short", -1),
    ("any conflict", -1),
    ("conflicts", -1),
    ("conflicts, short", -1),
    ("conflict density", -1),
    ("conflicts in the lead", -1),
    ("figures disagree", -1),
    ("dates", -1),
    ("names", -1),
    ("quoted", -1),
    ("both tell more", -1),
    ("other heads", -1),
    ("title conflicts, short", -1),
];

/// The features of a pair.
pub type Features = [f64; COUNT];

/// Units in which a report says what it is about.
const LEAD: usize = 60;

/// The longest first line that may be a title, in units.
const HEAD: usize = 50;

fn log(count: usize) -> f64 {
    libm::log(count as f64 + 1.0)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Computes the features of a pair of texts, and of their titles where both have one.
pub(super) fn features(texts: &Comparison<'_>, titles: Option<&Comparison<'_>>) -> Features {
    let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
    let (short, long) = (a.min(b), a.max(b));
    let shared = texts.shared;
    let held = share(shared, short);
    let brief = 1.0 / (1.0 + short as f64 / 40.0);
    let count = |wanted: &dyn Fn(&Pair) -> bool| texts.pairs.iter().filter(|pair| wanted(pair)).count();
    let hard = count(&is_hard);
    let lead = count(&|pair| is_hard(pair) && (pair.a.start < LEAD && pair.b.start < LEAD));
    let figures = count(&|pair| pair.kind.is_figure());
    let agreeing = agreeing_figures(&texts.a).min(agreeing_figures(&texts.b));
    let lacking = unmatched(&texts.a).min(unmatched(&texts.b));
    let shape = Shape::of(texts);
    let longer = libm::log(share(long.max(1), short.max(1)));
    [
        held,
        share(shared, long),
        1.0 / (1.0 + shared as f64 / 8.0),
        brief,
        longer,
        longer * brief,
        share(lacking, short),
        share(lacking, short) * brief,
        share(shape.replaced, short),
        share(shape.replaced_inside, short),
        share(shape.largest, short),
        log(shape.slots),
        log(shape.nouns_replaced) * brief,
        f64::from(u8::from(hard > 0)),
        log(hard),
        log(hard) * brief,
        hard as f64 * 20.0 / (short as f64 + 20.0),
        log(lead),
        share(figures, figures + agreeing),
        log(count(&|pair| pair.kind == ConflictKind::Date)),
        log(count(&|pair| matches!(pair.kind, ConflictKind::Place | ConflictKind::Person | ConflictKind::Name))),
        log(count(&|pair| matches!(pair.kind, ConflictKind::Quoted | ConflictKind::Latin))),
        log(texts.lone) * brief,
        heads_apart(texts),
        titles.map_or(0.0, |titles| log(titles.pairs.iter().filter(|pair| is_hard(pair)).count())) * brief,
    ]
}

/// Says whether a pair of facts is more than a status word on one side.
pub(super) fn is_hard(pair: &Pair) -> bool {
    pair.kind != ConflictKind::Status || pair.slot
}

fn unmatched(compared: &Compared<'_>) -> usize {
    compared.matched.iter().filter(|&&matched| !matched).count()
}

/// Figures that stand in what is shared.
fn agreeing_figures(compared: &Compared<'_>) -> usize {
    let agrees = |fact: &&Fact| {
        fact.kind.is_figure()
            && compared.matched.get(fact.units.clone()).is_some_and(|matched| !matched.contains(&false))
    };
    compared.facts.iter().filter(agrees).count()
}

/// How little two first lines share, where both are questions over a text of their own; otherwise 0.
pub(super) fn heads_apart(texts: &Comparison<'_>) -> f64 {
    let (Some(a), Some(b)) = (head(&texts.a), head(&texts.b)) else { return 0.0 };
    let shared: usize = align(&a, &b, &|_| 1).iter().map(|block| block.len).sum();
    1.0 - share(shared, a.len().min(b.len()))
}

/// The units of a first line that is a question, short and with more text after it.
fn head(compared: &Compared<'_>) -> Option<Vec<u64>> {
    let text = &compared.text.text;
    let (line, rest) = text.split_at_checked(memchr::memchr(b'\n', text.as_bytes())?)?;
    if rest.trim().is_empty() || !line.trim_end().ends_with(['？', '?']) {
        return None;
    }
    let units = compared.text.units.partition_point(|unit| (unit.start as usize) < line.len());
    let head = compared.text.units.get(..units).filter(|head| (1..=HEAD).contains(&head.len()))?;
    Some(head.iter().map(|unit| unit.key).collect())
}

/// The shape of the difference, in units.
#[derive(Debug, Default)]
struct Shape {
    replaced: usize,
    replaced_inside: usize,
    largest: usize,
    slots: usize,
    nouns_replaced: usize,
}

impl Shape {
    fn of(texts: &Comparison<'_>) -> Self {
        let mut shape = Self::default();
        let ends = (texts.a.text.units.len(), texts.b.text.units.len());
        for gap in &texts.gaps {
            let left = |matched: &[bool], range: &Range<usize>| {
                matched.get(range.clone()).map_or(0, |matched| matched.iter().filter(|&&matched| !matched).count())
            };
            let less = left(&texts.a.matched, &gap.a).min(left(&texts.b.matched, &gap.b));
            if less == 0 {
                continue;
            }
            let at_end = (gap.a.start, gap.b.start) == (0, 0) || (gap.a.end, gap.b.end) == ends;
            shape.replaced += less;
            shape.largest = shape.largest.max(less);
            shape.replaced_inside += if at_end { 0 } else { less };
            shape.slots += 1;
            let (of_a, of_b) = (nouns(&texts.a, &gap.a), nouns(&texts.b, &gap.b));
            shape.nouns_replaced += of_a.min(of_b);
        }
        shape
    }
}

/// Counts the nouns in a stretch.
fn nouns(compared: &Compared<'_>, range: &Range<usize>) -> usize {
    let words = &compared.words.words;
    let from = words.partition_point(|(units, _)| units.end <= range.start);
    let inside = words.get(from..).unwrap_or_default().iter().take_while(|(units, _)| units.start < range.end);
    inside.filter(|(_, class)| matches!(class, Class::Place | Class::Person | Class::Name | Class::Noun)).count()
}
