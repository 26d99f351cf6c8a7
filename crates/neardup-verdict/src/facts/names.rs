//! Words in what two texts do not share: places, persons, other names, other nouns.
//!
//! Only clauses with a difference are cut into words, along jieba's dictionary, whose parts of speech tell names; nothing has
//! to be loaded for that; `data/names.tsv` says where it errs. A run of single characters that starts with a family name is taken for a person.

use std::ops::Range;

use super::fact::{ConflictKind, Fact};
use crate::read::hanset::HanSet;
use crate::read::units::{Break, Kind, Text};
use neardup_text::hash::mix;
use neardup_text::lexicon::{Lexicon, Walker};
use neardup_text::path::{self, Method};

/// The most units of a text that are segmented into words; beyond this, the difference is more than single names.
const MAX_UNITS: usize = 800;

/// The longest stretch that is segmented at once, in units.
const MAX_CLAUSE: usize = 60;

include!(concat!(env!("OUT_DIR"), "/names_lists.rs"));

static FAMILIES: HanSet = HanSet::of(FAMILY);
static SHORT_PLACES: HanSet = HanSet::of(PLACE);
static FUNCTIONS: HanSet = HanSet::of(FUNCTION);

/// The class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Place,
    Person,
    Name,
    /// Another noun.
    Noun,
    /// Not a noun.
    Other,
}

/// The words that touch a difference.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Each with its units, ascending.
    words: Vec<(Range<usize>, Class)>,
}

impl Words {
    /// Segments the clauses of `text` that have a unit which is not `matched`.
    pub(crate) fn read(text: &Text<'_>, matched: &[bool]) -> Self {
        let mut words = Self::default();
        let mut budget = MAX_UNITS;
        let within = |unit: usize| text.units.get(unit).is_some_and(|unit| unit.before <= Break::Space);
        let mut from = 0;
        while budget > 0
            && let Some(shared) = matched.get(from..).and_then(|rest| rest.iter().position(|&matched| !matched))
        {
            let differs = from + shared;
            let start = (from + 1..=differs).rev().find(|&unit| !within(unit)).unwrap_or(from);
            let start = differs - (differs - start) % MAX_CLAUSE;
            let end = (start + 1..start + MAX_CLAUSE).find(|&unit| !within(unit)).unwrap_or(start + MAX_CLAUSE);
            budget = budget.saturating_sub(end - start);
            words.clause(text, start..end, matched);
            from = end;
        }
        words.short_places(text, matched);
        words
    }

    fn clause(&mut self, text: &Text<'_>, units: Range<usize>, matched: &[bool]) {
        let lexicon = Lexicon::standard();
        let walker = lexicon.walker();
        let base = text.units.get(units.start).map_or(0, |unit| unit.start as usize);
        let written = text.written(units.clone());
        let mut unit = units.start;
        // A run of single characters, perhaps a name.
        let mut run: Range<usize> = unit..unit;
        path::segment(lexicon, written, Method::ShortestPath, &mut |token| {
            let end = base + token.start + token.text.len();
            let start = unit;
            while unit < units.end && text.units.get(unit).is_some_and(|unit| (unit.start as usize) < end) {
                unit += 1;
            }
            if start == unit {
                return;
            }
            let tag = tag(lexicon, &walker, without_office(token.text));
            let single = unit - start == 1 && text.units.get(start).is_some_and(|unit| unit.kind == Kind::Han);
            let class = match class(tag, single) {
                Class::Person if COUNTRY.contains(&without_office(token.text)) => Class::Place,
                Class::Person if !is_person(tag, token.text) => Class::Noun,
                Class::Noun | Class::Name if starts_with_place(lexicon, &walker, token.text) => Class::Place,
                class => class,
            };
            let loose = single && !FUNCTIONS.is(token.text);
            if loose && run.end == start && !run.is_empty() {
                run.end = unit;
            } else {
                self.person(text, run.clone(), matched);
                run = if loose { start..unit } else { unit..unit };
            }
            self.push(start..unit, class, matched);
        });
        self.person(text, run, matched);
    }

    /// Adds the short names of countries and provinces that are alone in a difference: 俄文版 for 阿文版.
    fn short_places(&mut self, text: &Text<'_>, matched: &[bool]) {
        let is = |at: usize, wanted: bool| matched.get(at).copied().unwrap_or(true) == wanted;
        let alone = |at: &usize| (*at == 0 || is(at - 1, true)) && is(at + 1, true);
        let differs = matched.iter().enumerate().filter(|&(_, &matched)| !matched).map(|(at, _)| at);
        let places = differs.filter(alone).filter(|&at| SHORT_PLACES.is(text.written(at..at + 1)));
        for at in places.take(MAX_UNITS).collect::<Vec<_>>() {
            self.words.retain(|(units, _)| !units.contains(&at));
            self.words.push((at..at + 1, Class::Place));
        }
        self.words.sort_by_key(|(units, _)| units.start);
    }

    fn push(&mut self, units: Range<usize>, class: Class, matched: &[bool]) {
        if matched.get(units.clone()).is_some_and(|matched| matched.contains(&false)) {
            self.words.push((units, class));
        }
    }

    /// Takes two or three single characters at the end of a run, of which the first is a family name, as a person.
    fn person(&mut self, text: &Text<'_>, run: Range<usize>, matched: &[bool]) {
        let family = run.clone().find(|&at| FAMILIES.is(text.written(at..at + 1)));
        if let Some(family) = family
            && (2..=3).contains(&(run.end - family))
        {
            self.words.retain(|(units, _)| units.start < family || units.start >= run.end);
            self.push(family..run.end, Class::Person, matched);
        }
    }

    /// Returns the names among the words as facts.
    pub(crate) fn facts(&self, text: &Text<'_>) -> Vec<Fact> {
        let named = self.words.iter().filter_map(|(units, class)| {
            let kind = match class {
                Class::Place => ConflictKind::Place,
                Class::Person => ConflictKind::Person,
                Class::Name => ConflictKind::Name,
                _ => return None,
            };
            let keys = text.units.get(units.clone())?;
            let key = keys.iter().fold(4, |key: u64, unit| mix(key ^ unit.key, 7));
            Some(Fact::new(kind, units.clone(), key))
        });
        named.collect()
    }
}

/// Returns the dictionary's tag of a word; empty for a word that it does not have.
fn tag<'l>(lexicon: &'l Lexicon, walker: &Walker<'_>, word: &str) -> &'l str {
    let end = word.chars().try_fold(walker.root(), |state, c| walker.step(state, c));
    end.and_then(|end| walker.entry(end)).map_or("", |entry| lexicon.tag(entry))
}

/// Says whether a word that the dictionary lists as a person is one: it also lists 谢谢 and 师兄.
fn is_person(tag: &str, word: &str) -> bool {
    let named = tag != "nr" || word.chars().count() > 2 || word.chars().next().is_some_and(|first| FAMILIES.has(first));
    named && !NO_PERSON.contains(&word)
}

/// Says whether a noun is a place plus one character: 四川人, 上海队.
fn starts_with_place(lexicon: &Lexicon, walker: &Walker<'_>, word: &str) -> bool {
    let Some((last, _)) = word.char_indices().next_back() else { return false };
    let place = word.get(..last).unwrap_or_default();
    place.chars().nth(1).is_some() && tag(lexicon, walker, place) == "ns"
}

/// Removes the office that the dictionary joins to some countries: 法国总理.
fn without_office(word: &str) -> &str {
    let country = ["总理", "总统", "首相"].iter().find_map(|office| word.strip_suffix(office));
    country.filter(|country| country.chars().nth(1).is_some()).unwrap_or(word)
}

/// Reads one of jieba's tags.
fn class(tag: &str, single: bool) -> Class {
    match tag {
        "ns" | "nsf" if !single => Class::Place,
        "nr" | "nrt" | "nrfg" if !single => Class::Person,
        "nt" | "nz" if !single => Class::Name,
        "j" | "s" | "vn" | "i" | "l" | "an" => Class::Noun,
        _ if tag.starts_with('n') => Class::Noun,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn names(text: &str) -> Vec<(ConflictKind, String)> {
        let text = Text::read(text).unwrap();
        let words = Words::read(&text, &vec![false; text.units.len()]);
        words.facts(&text).into_iter().map(|fact| (fact.kind, text.written(fact.units).to_owned())).collect()
    }

    #[test]
    fn names_are_known_or_look_like_names() {
        use ConflictKind::{Person, Place};
        assert_eq!(names("四川人吃到美食"), [(Place, "四川人".to_owned())]);
        assert_eq!(names("上海新增三例"), [(Place, "上海".to_owned())]);
        assert_eq!(names("法国总理"), [(Place, "法国总理".to_owned())]);
        assert_eq!(names("欢迎爱尔兰"), [(Place, "爱尔兰".to_owned())]);
        assert_eq!(names("联系人宁继春"), [(Person, "宁继春".to_owned())]);
        assert_eq!(names("谢谢师兄"), []);
    }
}
