//! When two facts exclude each other, and when they are two writings of one: 13.8 million and 13,809,879, 05/03/2031 and 3 May 2031, 北京 and
//! 北京市, Thompson and Thomson.

use super::fact::{ConflictKind, Date, Fact};
use super::names::MEDIA;
use crate::read::numerals::Number;
use crate::read::units::{Break, Kind, Text};

/// Says whether two facts exclude each other: 北京 and 北京市, or 消协 and 消费者协会, do not.
pub(super) fn contradict(text_a: &Text<'_>, a: &Fact, text_b: &Text<'_>, b: &Fact) -> bool {
    if a.kind.is_figure() {
        let number = |text: &Text<'_>, fact: &Fact| text.units.get(fact.units.start).and_then(|unit| text.number(unit));
        if a.kind == ConflictKind::Date && b.kind == ConflictKind::Date && agree(a, b) {
            return false;
        }
        if a.kind == ConflictKind::Time && b.kind == ConflictKind::Time && may_be_same_time(a, b) {
            return false;
        }
        let Some((value_a, value_b)) = a.value.zip(b.value) else { return true };
        if a.is_measured() && b.is_measured() && a.measure != b.measure {
            return true;
        }
        let grouped = number(text_a, a).zip(number(text_b, b)).is_some_and(|(of_a, of_b)| {
            // 1.500 may be 1500, or 1,5 mil.
            may_be_grouped(text_a, a) && [of_b, value_b.number].contains(&of_a.times_ten_to(3))
                || may_be_grouped(text_b, b) && [of_a, value_a.number].contains(&of_b.times_ten_to(3))
                || with_groups(text_a, a).any(|whole| whole == of_b)
                || with_groups(text_b, b).any(|whole| whole == of_a)
        });
        return !(value_a.agrees(value_b, a.is_measured() && b.is_measured()) || grouped);
    }
    if a.kind == ConflictKind::Latin {
        return !are_one_name(text_a, a, text_b, b);
    }
    if a.kind == ConflictKind::Code {
        return a.key != b.key;
    }
    let keys = |text: &Text<'_>, fact: &Fact| -> Vec<u64> {
        text.units.get(fact.units.clone()).unwrap_or_default().iter().map(|unit| unit.key).collect()
    };
    let (keys_a, keys_b) = (keys(text_a, a), keys(text_b, b));
    let (short, long) = if keys_a.len() <= keys_b.len() { (keys_a, keys_b) } else { (keys_b, keys_a) };
    if a.kind == ConflictKind::Quoted {
        let holds = long.windows(short.len().max(1)).any(|window| window == short);
        return !(holds || text_a.latin && text_b.latin && are_one_sentence(&short, &long));
    }
    let media = |text: &Text<'_>, fact: &Fact| MEDIA.iter().any(|word| text.written(fact.units.clone()).contains(word));
    // An abbreviation has some characters of the full name, in their order.
    let mut rest = long.iter();
    let abbreviates = short.iter().all(|key| rest.any(|other| other == key));
    let both_media = media(text_a, a) && media(text_b, b);
    !abbreviates && !both_media
}

/// Says whether a number has a point before exactly three digits, where many languages have a separator of thousands.
fn may_be_grouped(text: &Text<'_>, fact: &Fact) -> bool {
    let written = text.written(fact.units.start..fact.units.start + 1);
    written.split_once('.').is_some_and(|(_, after)| after.len() == 3)
}

/// Says whether two times are one if one of them does not say which half of the day it means: 3:30 and 3:30 pm.
fn may_be_same_time(a: &Fact, b: &Fact) -> bool {
    let (Some(hour_a), Some(hour_b)) = (a.date[0], b.date[0]) else { return false };
    let silent = |fact: &Fact, hour: u32| fact.date[2].is_none() && hour <= 12;
    a.date[1] == b.date[1] && hour_a % 12 == hour_b % 12 && (silent(a, hour_a) || silent(b, hour_b))
}

/// Returns the numbers that a number is with the group of three digits after it, or as the group after another, where a scanner left
/// spaces: 775 ,000.
fn with_groups(text: &Text<'_>, fact: &Fact) -> impl Iterator<Item = Number> {
    let whole = |at: usize| {
        let (unit, next) = (text.units.get(at)?, text.units.get(at + 1)?);
        let of_three = matches!(next.kind, Kind::Number { width: 3, arabic: true }) && next.before <= Break::Clause;
        let number = text.number(unit)?.times_ten_to(3);
        of_three.then(|| text.number(next).map(|group| number.and(group))).flatten()
    };
    let at = fact.units.start;
    whole(at).into_iter().chain(at.checked_sub(1).and_then(whole))
}

/// A quotation of at least this number of words is a sentence, which another paper translates or shortens a little.
const SENTENCE: usize = 5;

/// Two quotations are one sentence if they share at least this part of the longer one's words, in tenths.
const OF_SENTENCE: usize = 6;

/// Says whether two quotations of words, by their keys, are one sentence.
fn are_one_sentence(short: &[u64], long: &[u64]) -> bool {
    let shared = short.iter().filter(|key| long.contains(key)).count();
    short.len() >= SENTENCE && shared * 10 >= long.len() * OF_SENTENCE
}

/// Says whether two words are one name: one of them is shortened, Corp and Corporation, or spelled a little otherwise, Thompson and Thomson.
fn are_one_name(text_a: &Text<'_>, a: &Fact, text_b: &Text<'_>, b: &Fact) -> bool {
    let shortened = text_a.latin && text_b.latin;
    let (a, b) = (text_a.written(a.units.clone()).to_lowercase(), text_b.written(b.units.clone()).to_lowercase());
    shortened && (a.starts_with(&b) || b.starts_with(&a)) || are_spellings(&a, &b)
}

/// A word with another spelling has at least this number of letters.
const SPELLED: usize = 5;
/// In a word of at least this number of letters, two may differ.
const SPELLED_LONG: usize = 9;

/// Says whether two words differ in so few letters that they are spellings of one: added, left out, changed or swapped.
fn are_spellings(a: &str, b: &str) -> bool {
    // Four bytes for a letter.
    if a.len().max(b.len()) > 4 * LONGEST_SPELLED {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (least, most) = (a.len().min(b.len()), a.len().max(b.len()));
    let allowed = if least >= SPELLED_LONG { 2 } else { 1 };
    let letters = |word: &[char]| word.iter().all(|c| c.is_alphabetic());
    if least < SPELLED || most - least > allowed || !letters(&a) || !letters(&b) {
        return false;
    }
    // The distance of Damerau and Levenshtein, with three rows.
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().is_some_and(|&distance| distance <= allowed)
}

/// Longer words are not compared letter by letter.
const LONGEST_SPELLED: usize = 40;

/// Says whether two dates may be one: they agree in the fields that both have.
pub(super) fn agree(a: &Fact, b: &Fact) -> bool {
    let same = |a: Date, b: Date| std::iter::zip(a, b).filter_map(|(a, b)| a.zip(b)).all(|(a, b)| a == b);
    a.dates().any(|of_a| b.dates().any(|of_b| same(of_a, of_b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_differ_in_a_letter_or_two() {
        for (a, b) in [
            ("haddad", "hadad"),
            ("daciolo", "dacilo"),
            ("amoedo", "amoêdo"),
            ("krailsheimer", "krallsheimer"),
            ("independent", "independant"),
            ("wyllys", "willys"),
            ("thompson", "thomspon"),
        ] {
            assert!(are_spellings(a, b) && are_spellings(b, a), "{a} {b}");
        }
        for (a, b) in
            [("lake", "like"), ("hellion", "hyperon"), ("arlington", "tampa"), ("pol023", "pol024"), ("", "a")]
        {
            assert!(!are_spellings(a, b), "{a} {b}");
        }
    }
}
