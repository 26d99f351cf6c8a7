//! Signals in two texts that are facts neither of numbers nor of names: each is 1 or 0, and the model weighs it.

use std::ops::Range;

use crate::align::alignment::Gap;
use crate::compare::comparison::{Compared, Comparison};
use crate::facts::{ConflictKind, Contradiction};
use crate::read::hanset::HanSet;
use crate::read::reading::han_key;
use crate::read::units::{Break, Kind, Unit};

/// A text of at most this number of units is a slogan, without a message of its own, beside a longer one.
const SLOGAN: usize = 6;

/// The longer one is at least this many times as long.
const SLOGAN_WITHIN: f64 = 1.5;

/// The meaning of a text of at most this number of units depends on its title: if the titles contradict each other, so do the
/// messages.
const UNDER_TITLE: usize = 40;

/// The same text of at least this number of units is one message whatever the headline, as long as that contradicts nothing.
const WHATEVER_TITLE: usize = 200;

/// Characters after 将 when it announces something and is not part of another word.
static PLANNED: HanSet = HanSet::of("于赴对在从会与和被出率应举访由");

/// If the sentence ends before this number of units, it is the name of the reporter.
const REPORTER: usize = 15;

/// Texts of at most this number of units are about the works they name.
const ABOUT_WORK: usize = 160;

/// Nearly all of an excerpt is in the longer text: a text of which this share is missing there is no excerpt.
const MISSING_OF_EXCERPT: f64 = 0.1;

/// The longer text of an excerpt is at least this many times as long.
const EXCERPT: f64 = 1.5;

/// Texts of similar length are different if at least this share is missing on both sides, with a [`PASSAGE`] on each.
const MISSING_OF_COPY: f64 = 0.15;

/// The least number of units that are missing in one place.
const PASSAGE: usize = 15;

/// Fewer missing units than this do not count.
const LEAST: f64 = 4.0;

/// Texts with fewer units make one statement, which a word turns round.
const STATEMENT: usize = 80;

/// A text that is longer by this share of its units says more.
const SAYS_MORE: f64 = 0.25;

/// Says whether two short texts of about the same length say the opposite of each other somewhere: won and lost, confirmed and denied. Of longer ones,
/// one may hold the other.
pub(crate) fn are_opposed(texts: &Comparison) -> bool {
    let [short, long] = lengths(texts);
    long < STATEMENT
        && short as f64 >= long as f64 * (1.0 - SAYS_MORE)
        && texts.pairs.iter().any(|of| of.kind == ConflictKind::Status && !of.a.is_empty() && !of.b.is_empty())
}

/// The numbers of units, the lesser first.
fn lengths(texts: &Comparison) -> [usize; 2] {
    let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
    [a.min(b), a.max(b)]
}

/// Says whether one text is a slogan or a name within the other.
pub(crate) fn is_slogan(texts: &Comparison) -> bool {
    let [short, long] = lengths(texts);
    (1..=SLOGAN).contains(&short) && short as f64 * SLOGAN_WITHIN <= long as f64
}

/// Says whether texts that are short, or the same, have titles that contradict each other. Of the same text under two titles, these are all
/// that differs.
pub(crate) fn have_other_titles(texts: &Comparison, titles: Option<&Comparison>) -> bool {
    (texts.a.text.units.len().min(texts.b.text.units.len()) <= UNDER_TITLE || texts.is_same())
        && titles.is_some_and(|titles| titles.pairs.iter().any(Contradiction::is_hard))
}

/// Says whether one short text stands under two titles that have less than two thirds of their words in common, or other figures: what it says is in the
/// titles. A teaser, a caption or a form that nobody has filled in comes again with each of them. If it is one, `is_form`, the other row may hold it and
/// go on.
pub(crate) fn are_headed_apart(texts: &Comparison, titles: Option<&Comparison>, is_form: bool) -> bool {
    let shorter = texts.a.text.units.len().min(texts.b.text.units.len());
    let is_short = shorter <= UNDER_TITLE && (texts.is_same() || is_form && texts.shared == shorter);
    is_short
        && titles.is_some_and(|titles| {
            let shorter = titles.a.text.units.len().min(titles.b.text.units.len());
            titles.shared * 3 < shorter * 2 || have_other_figures(titles)
        })
}

/// Says whether the same text stands under two headlines that do not contradict each other, and is long enough to be a message of its own: whoever
/// publishes it once more, or to another reader, words the headline anew.
pub(crate) fn is_headed_anew(texts: &Comparison, titles: &Comparison) -> bool {
    texts.is_same() && is_long(texts) && !titles.pairs.iter().any(Contradiction::is_hard) && !have_other_figures(titles)
}

/// Says whether both texts say enough to be messages of their own.
pub(crate) fn is_long(texts: &Comparison) -> bool {
    texts.a.text.units.len().min(texts.b.text.units.len()) >= WHATEVER_TITLE
}

/// Says whether a figure in one title stands where the other one has another.
fn have_other_figures(titles: &Comparison) -> bool {
    let has_figure = |compared: &Compared, side: &Range<usize>| {
        let is_figure = |unit: &Unit| {
            let written = compared.text.text.get(unit.start as usize..unit.end as usize).unwrap_or_default();
            matches!(unit.kind, Kind::Number { .. }) || written.contains(|c: char| c.is_ascii_digit())
        };
        compared.text.units.get(side.clone()).is_some_and(|units| units.iter().any(is_figure))
    };
    titles.gaps.iter().any(|gap| has_figure(&titles.a, &gap.a) && has_figure(&titles.b, &gap.b))
}

/// Says whether two short texts are about other works, each in 《》.
pub(crate) fn are_about_other_works(texts: &Comparison) -> bool {
    texts.a.text.units.len().min(texts.b.text.units.len()) <= ABOUT_WORK
        && has_own_work(&texts.a, &texts.b)
        && has_own_work(&texts.b, &texts.a)
}

/// Says whether only one of two first sentences announces something, in words that the other text lacks.
pub(crate) fn only_one_plans(texts: &Comparison) -> bool {
    let (a, b) = (plans(&texts.a), plans(&texts.b));
    a.contains(&false) && b.is_empty() || b.contains(&false) && a.is_empty()
}

/// For each announcement in its first sentence, says whether the other text has it too.
fn plans(compared: &Compared) -> Vec<bool> {
    let ends = |(at, unit): &(usize, &Unit)| *at >= REPORTER && unit.before == Break::Stop;
    let sentence = compared.text.units.iter().enumerate().take_while(|unit| !ends(unit));
    let will = han_key('将');
    let plan = |unit: &Unit| {
        if unit.key != will {
            return false;
        }
        let mut rest = compared.text.text.get(unit.start as usize..).unwrap_or_default().chars();
        unit.kind == Kind::Han && rest.next() == Some('将') && rest.next().is_some_and(|next| PLANNED.has(next))
    };
    sentence.zip(&compared.matched).filter(|((_, unit), _)| plan(unit)).map(|(_, &matched)| matched).collect()
}

/// Says whether a text names a work in 《》 that the other does not.
fn has_own_work(compared: &Compared, other: &Compared) -> bool {
    let works = compared.facts.iter().filter(|fact| fact.kind == ConflictKind::Quoted);
    let is_work = |start: usize| {
        let start = compared.text.units.get(start).map_or(0, |unit| unit.start as usize);
        compared.text.text.get(..start).is_some_and(|before| before.ends_with('《'))
    };
    let named = |key: u64| other.facts.iter().any(|fact| fact.kind == ConflictKind::Quoted && fact.key == key);
    works.filter(|work| is_work(work.units.start)).any(|work| !named(work.key))
}

/// Says whether each of two texts has too much that the other lacks for a copy or an excerpt.
pub(crate) fn have_own_news(texts: &Comparison) -> bool {
    let (a, b) = (texts.a.text.units.len(), texts.b.text.units.len());
    let (short, long) = (a.min(b) as f64, a.max(b) as f64);
    let missing = texts.a.lacks(0..a).min(texts.b.lacks(0..b)) as f64;
    let has_passage = |compared: &Compared, side: fn(&Gap) -> &Range<usize>| {
        texts.gaps.iter().any(|gap| compared.lacks(side(gap).clone()) >= PASSAGE)
    };
    if missing < LEAST {
        return false;
    }
    long >= EXCERPT * short && missing >= MISSING_OF_EXCERPT * short
        || missing >= MISSING_OF_COPY * short
            && has_passage(&texts.a, |gap| &gap.a)
            && has_passage(&texts.b, |gap| &gap.b)
}
