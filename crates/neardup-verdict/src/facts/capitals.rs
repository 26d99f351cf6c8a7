//! Sentences in which a capital letter does not tell a name: those written in capitals, and headlines With Most Words Capitalised above
//! a text that is not.

use std::ops::Range;

use super::vocabulary::is_common;
use crate::read::units::{Break, Kind, Text, Unit};

/// A sentence with fewer words is no evidence of how it is written.
const LEAST: usize = 3;

/// The most words of a headline.
const HEADLINE: usize = 30;

/// The share of capitals, in tenths, from which a sentence is written in them.
const TENTHS: usize = 7;

/// How a sentence is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Capitals,
    Headline,
    Plain,
    Short,
}

/// Returns the sentences in which capital letters tell no names, by their units.
pub(super) fn plain(text: &Text<'_>) -> Vec<Range<usize>> {
    if !text.latin {
        return Vec::new();
    }
    let mut sentences = Vec::new();
    let mut from = 0;
    for at in 1..=text.units.len() {
        if text.units.get(at).is_none_or(|unit| unit.before == Break::Stop) {
            sentences.push((from..at, style(text, from..at)));
            from = at;
        }
    }
    let has_body = sentences.iter().any(|(_, style)| *style == Style::Plain);
    let says_nothing = |style: &Style| *style == Style::Capitals || *style == Style::Headline && has_body;
    sentences.retain(|(_, style)| says_nothing(style));
    sentences.into_iter().map(|(units, _)| units).collect()
}

fn style(text: &Text<'_>, units: Range<usize>) -> Style {
    let (mut words, mut loud, mut other, mut capital) = (0, 0, 0, 0);
    for unit in text.units.get(units).unwrap_or_default().iter().filter(|unit| unit.kind == Kind::Word) {
        let written = written(text, unit);
        let mut letters = written.chars();
        let (Some(first), Some(_)) = (letters.next(), letters.next()) else { continue };
        words += 1;
        loud += usize::from(written.chars().all(char::is_uppercase));
        if !is_common(unit.key) {
            other += 1;
            capital += usize::from(first.is_uppercase());
        }
    }
    if words < LEAST {
        Style::Short
    } else if loud * 10 >= words * TENTHS {
        Style::Capitals
    } else if other >= LEAST && words <= HEADLINE && capital * 10 > other * TENTHS {
        Style::Headline
    } else {
        Style::Plain
    }
}

fn written<'t>(text: &'t Text<'_>, unit: &Unit) -> &'t str {
    text.text.get(unit.start as usize..unit.end as usize).unwrap_or_default()
}
