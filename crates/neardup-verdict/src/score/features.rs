//! What a comparison looks like in numbers: the input of the model. What is known beyond the two texts is [`super::context`]'s.
//!
//! [`Features::NAMES`] says what each number is and which way it may speak: what contradicts can only speak for keeping both, what is
//! shared only for keeping one. All are symmetric in the two texts.

use std::ops::Range;

use super::signals;
use crate::align::alignment::align;
use crate::compare::comparison::{Compared, Comparison};
use crate::compare::statements;
use crate::facts::{ConflictKind, Contradiction, Fact};

/// Defines a struct of numbers, with their names and the signs that their weights may have: 1, -1, or 0 for either.
macro_rules! define_features {
    ($(#[$what:meta])* $struct:ident; $($(#[$doc:meta])* $name:ident: $sign:literal,)*) => {
        $(#[$what])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[allow(missing_docs, reason = "a comment may speak of two numbers")]
        pub struct $struct { $($(#[$doc])* pub $name: f64,)* }

        impl $struct {
            /// Number of features.
            pub const COUNT: usize = [$(stringify!($name)),*].len();

            /// The features' names and the signs that their weights may have, in the order of their values.
            pub const NAMES: [(&'static str, i8); Self::COUNT] = [$((stringify!($name), $sign)),*];

            /// Returns the features in the order of their names.
            #[must_use]
            pub const fn values(&self) -> [f64; Self::COUNT] {
                [$(self.$name),*]
            }
        }
    };
}
pub(crate) use define_features;

define_features! {
    /// The features of a pair.
    Features;
    /// Share of the shorter text that the longer one has.
    held: 1,
    /// Share of the longer text that the shorter one has.
    alike: 1,
    /// Whether the whole shorter text is some of the longer one's sentences or lines: 1 or 0.
    sentences_of: 1,
    /// How little is shared: 1 for nothing, less for more.
    little_shared: -1,
    /// How short the shorter text is: 1 at most, less for longer ones; the features of short texts are multiplied by it.
    short: 0,
    /// Logarithm of the ratio of the lengths.
    longer: 0,
    /// The same, for short texts.
    longer_short: -1,
    /// What each text has that the other lacks, the lesser of the two, as a share of the shorter text.
    both_have_more: -1,
    /// The same, for short texts.
    both_have_more_short: -1,
    /// Share of the first statement that the other text lacks, the lesser of the two texts', for texts of even length: less, the longer
    /// one of the two is. A report may contain an earlier one and contradict its opening.
    leads_apart: -1,
    /// Share of the shorter text in replacements.
    replaced: -1,
    /// Share of the shorter text in replacements between shared passages.
    replaced_inside: -1,
    /// Share of the shorter text in the largest replacement.
    largest_replacement: -1,
    /// Number of replacements.
    slots: 0,
    /// Number of replacements of some length between shared passages, for long texts, of which they are a small share.
    refilled_long: -1,
    /// Whether a single letter replaces another one: type C instead of type B.
    letters: -1,
    /// Whether a fact contradicts another: 1 or 0.
    any_conflict: -1,
    /// The same, for texts of even length.
    any_conflict_even: -1,
    /// Number of contradicting facts, for short texts; this and most counts are logarithms.
    conflicts_short: -1,
    /// Number of contradicting facts relative to the length of the text.
    conflict_density: -1,
    /// Contradicting facts in the first [`LEAD`] units of both, for texts of even length.
    lead_conflicts: -1,
    /// Share of the figures that contradict each other.
    figures_disagree: -1,
    /// The same, for texts of even length.
    figures_disagree_even: -1,
    /// Contradicting dates.
    dates: -1,
    /// Contradicting places, persons and other names.
    names: -1,
    /// The same, for texts of even length.
    names_even: -1,
    /// Contradicting quotations and Latin words.
    quoted: -1,
    /// Facts that the other text does not mention, the lesser number of the two texts', for short texts.
    both_tell_more_short: -1,
    /// The same, for long texts.
    both_tell_more_long: -1,
    /// How little two questions above the texts share.
    other_heads: -1,
    /// Contradicting facts of the titles, for texts that are short or the same.
    title_conflicts_short: -1,
    /// Whether one text is a slogan or a name within the other: 1 or 0, as the following.
    slogan: -1,
    /// Whether texts that are short, or the same, have titles that contradict each other.
    other_title: -1,
    /// Whether only one first sentence announces something: an announcement, and the report of the event.
    planned: -1,
    /// Whether two short texts are about other works.
    other_work: -1,
    /// Whether each text has too much that the other lacks.
    own_news: -1,
}

/// The positions of the features of contradicting facts; those of the titles are others.
pub(crate) const FACTS: Range<usize> = place("any_conflict")..place("other_heads");

/// Returns the position of a feature.
const fn place(name: &str) -> usize {
    let mut at = 0;
    while at < Features::COUNT && !are_equal(Features::NAMES[at].0.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The number of units in which a report states its subject.
const LEAD: usize = 60;

/// A replacement of fewer units on either side is another spelling.
const REFILLED: usize = 2;

/// So is a replacement of fewer bytes.
const REFILLED_BYTES: usize = 3;

/// The longest first line that may be a title, in units.
const HEAD: usize = 50;

fn log(count: usize) -> f64 {
    libm::log(count as f64 + 1.0)
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Computes the features of a pair of texts, and of their titles where both have one.
pub(crate) fn features(texts: &Comparison, titles: Option<&Comparison>) -> Features {
    let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
    let (short, long) = (a.min(b), a.max(b));
    let shared = texts.shared;
    let held = share(shared, short);
    let brief = brief(short);
    let lacking = texts.a.lacks(0..a).min(texts.b.lacks(0..b));
    let shape = Shape::of(texts);
    let longer = longer(short, long);
    let even = even(longer);
    let features = Features {
        held,
        alike: share(shared, long),
        sentences_of: flag(statements::are_sentences_of(texts)),
        little_shared: 1.0 / (1.0 + shared as f64 / 8.0),
        short: brief,
        longer,
        longer_short: longer * brief,
        both_have_more: share(lacking, short),
        both_have_more_short: share(lacking, short) * brief,
        leads_apart: statements::leads_apart(texts) * even,
        replaced: share(shape.replaced, short),
        replaced_inside: share(shape.replaced_inside, short),
        largest_replacement: share(shape.largest, short),
        slots: log(shape.slots),
        refilled_long: log(shape.refilled) * (1.0 - brief),
        letters: flag(shape.letters),
        other_heads: heads_apart(texts),
        title_conflicts_short: titles
            .map_or(0.0, |titles| log(titles.pairs.iter().filter(|pair| pair.is_hard()).count()))
            * if texts.is_same() { 1.0 } else { brief },
        slogan: flag(signals::is_slogan(texts)),
        other_title: flag(signals::have_other_titles(texts, titles)),
        planned: flag(signals::only_one_plans(texts)),
        other_work: flag(signals::are_about_other_works(texts)),
        own_news: flag(signals::have_own_news(texts)),
        ..Features::default()
    };
    features.with_facts(texts)
}

impl Features {
    /// Returns the same with the features of the facts of two texts, once these have been compared. Facts change no other.
    pub(crate) fn with_facts(self, texts: &Comparison) -> Self {
        let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
        let (short, long) = (a.min(b), a.max(b));
        let (brief, even) = (brief(short), even(longer(short, long)));
        let count = |wanted: &dyn Fn(&Contradiction) -> bool| texts.pairs.iter().filter(|pair| wanted(pair)).count();
        let hard = count(&Contradiction::is_hard);
        let lead = count(&|pair| pair.is_hard() && (pair.a.start < LEAD && pair.b.start < LEAD));
        let figures = count(&|pair| pair.kind.is_figure());
        let agreeing = || agreeing_figures(&texts.a).min(agreeing_figures(&texts.b));
        let any_conflict = flag(hard > 0);
        let figures_disagree = if figures == 0 { 0.0 } else { share(figures, figures + agreeing()) };
        let names = log(count(&|pair| pair.kind.is_name()));
        Self {
            any_conflict,
            any_conflict_even: any_conflict * even,
            conflicts_short: log(hard) * brief,
            conflict_density: hard as f64 * 20.0 / (short as f64 + 20.0),
            lead_conflicts: log(lead) * even,
            figures_disagree,
            figures_disagree_even: figures_disagree * even,
            dates: log(count(&|pair| pair.kind == ConflictKind::Date)),
            names,
            names_even: names * even,
            quoted: log(count(&|pair| {
                matches!(pair.kind, ConflictKind::Quoted | ConflictKind::Latin | ConflictKind::Code)
            })),
            both_tell_more_short: log(texts.lone) * brief,
            both_tell_more_long: log(texts.lone) * (1.0 - brief),
            ..self
        }
    }
}

/// Returns how short a text of `units` units is.
fn brief(units: usize) -> f64 {
    1.0 / (1.0 + units as f64 / 40.0)
}

fn longer(short: usize, long: usize) -> f64 {
    libm::log(share(long.max(1), short.max(1)))
}

/// Returns 1 for texts of the same length, 0 if one is e times as long as the other.
fn even(longer: f64) -> f64 {
    1.0 - longer.min(1.0)
}

fn flag(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// Counts the figures in shared passages.
fn agreeing_figures(compared: &Compared) -> usize {
    let agrees = |fact: &&Fact| {
        fact.kind.is_figure()
            && compared.matched.get(fact.units.clone()).is_some_and(|matched| !matched.contains(&false))
    };
    compared.facts.iter().filter(agrees).count()
}

/// Returns how little two first lines share, if both are questions above a text of their own; otherwise 0.
fn heads_apart(texts: &Comparison) -> f64 {
    let (Some(a), Some(b)) = (head(&texts.a), head(&texts.b)) else { return 0.0 };
    let shared: usize = align(&a, &b, &|_| 1).iter().map(|block| block.len).sum();
    1.0 - share(shared, a.len().min(b.len()))
}

/// Returns the units of a first line that is a short question with more text after it.
fn head(compared: &Compared) -> Option<Vec<u64>> {
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
    refilled: usize,
    letters: bool,
}

impl Shape {
    fn of(texts: &Comparison) -> Self {
        let mut shape = Self::default();
        let ends = (texts.a.text.units.len(), texts.b.text.units.len());
        for gap in &texts.gaps {
            let less = texts.a.lacks(gap.a.clone()).min(texts.b.lacks(gap.b.clone()));
            if less == 0 {
                continue;
            }
            let at_end = (gap.a.start, gap.b.start) == (0, 0) || (gap.a.end, gap.b.end) == ends;
            shape.replaced += less;
            shape.largest = shape.largest.max(less);
            shape.replaced_inside += if at_end { 0 } else { less };
            shape.slots += 1;
            let written = [texts.a.text.written(gap.a.clone()), texts.b.text.written(gap.b.clone())];
            let bytes = written[0].len().min(written[1].len());
            shape.refilled += usize::from(!at_end && less >= REFILLED && bytes >= REFILLED_BYTES);
            shape.letters |=
                written.iter().all(|side| matches!(side.as_bytes(), [letter] if letter.is_ascii_alphabetic()));
        }
        shape
    }
}
