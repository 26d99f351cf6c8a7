//! What differs between two texts, as short quotations for a person who reviews the pair.

use std::ops::Range;

use super::comparison::{Aligned, Compared};
use super::prepared::Prepared;

/// Characters that are quoted before and after a difference.
const CONTEXT: usize = 40;

/// The most characters of a difference that are quoted.
const LONGEST: usize = 80;

/// Quotes the first `most` differences of two texts with the text around them, of the first text and of the second.
///
/// Punctuation, case, links and markup do not count as differences. If one text has nothing at such a position, its quotation is
/// only the text around it. Takes linear time. Swapping the texts swaps the quotations.
#[must_use]
pub fn differences(a: &Prepared<'_>, b: &Prepared<'_>, most: usize) -> Vec<[String; 2]> {
    let texts = Aligned::of(a, b).texts;
    let mut gaps: Vec<_> = texts.gaps.iter().collect();
    if texts.swapped {
        gaps.sort_by_key(|gap| (gap.b.start, gap.a.start));
    }
    let quoted = gaps.into_iter().take(most).map(|gap| [quote(&texts.a, &gap.a), quote(&texts.b, &gap.b)]);
    quoted.map(|[a, b]| if texts.swapped { [b, a] } else { [a, b] }).collect()
}

/// Returns all that differs between two texts, whole: of the first text and of the second, for each place.
#[must_use]
pub fn whole_differences(a: &Prepared<'_>, b: &Prepared<'_>) -> Vec<[String; 2]> {
    let texts = Aligned::of(a, b).texts;
    let mut gaps: Vec<_> = texts.gaps.iter().collect();
    if texts.swapped {
        gaps.sort_by_key(|gap| (gap.b.start, gap.a.start));
    }
    let written = |compared: &Compared, units: &Range<usize>| compared.text.written(units.clone()).trim().to_owned();
    let both = gaps.into_iter().map(|gap| [written(&texts.a, &gap.a), written(&texts.b, &gap.b)]);
    both.map(|[a, b]| if texts.swapped { [b, a] } else { [a, b] }).collect()
}

/// Quotes some units, which may be none, with the text around them. What it adds is ASCII, which every client can be told.
fn quote(compared: &Compared, units: &Range<usize>) -> String {
    let text = &*compared.text.text;
    let unit = |at: usize| compared.text.units.get(at);
    let before = units.start.checked_sub(1).and_then(unit).map_or(0, |unit| unit.end as usize);
    let (start, end) = match (unit(units.start), units.end.checked_sub(1).and_then(unit)) {
        (Some(first), Some(last)) if !units.is_empty() => (first.start as usize, last.end as usize),
        _ => (before, before),
    };
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let head = part(0..start);
    let from = head.char_indices().rev().nth(CONTEXT - 1).map_or(0, |(at, _)| at);
    let after = part(end..text.len());
    let to = after.char_indices().nth(CONTEXT).map_or(text.len(), |(at, _)| end + at);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (opening, closing) = (if from > 0 { "..." } else { "" }, if to < text.len() { "..." } else { "" });
    let shown = match part(start..end).char_indices().nth(LONGEST) {
        None => flat(part(from..to)),
        Some((cut, _)) => format!("{} ... {}", flat(part(from..start + cut)), flat(part(end..to))),
    };
    format!("{opening}{shown}{closing}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn quoted(a: &str, b: &str) -> Vec<[String; 2]> {
        differences(&Prepared::new(a).unwrap(), &Prepared::new(b).unwrap(), 3)
    }

    #[test]
    fn a_difference_is_quoted_with_what_is_around_it() {
        let opening = "The harbour office of the town reports that the ferry to the island ".repeat(2);
        let text = |time: &str| format!("{opening}leaves at {time} from the northern pier.");
        let found = quoted(&text("half past nine"), &text("noon"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0][0].starts_with("...") && found[0][0].contains("leaves at half past nine from"), "{found:?}");
        assert!(found[0][1].contains("leaves at noon from"), "{found:?}");
        assert_eq!(quoted("江口镇举办龙舟赛。", "江口镇举办龙舟赛"), Vec::<[String; 2]>::new());
        assert_eq!(quoted("江口镇", "江口镇举办龙舟赛"), [["江口镇".to_owned(), "江口镇举办龙舟赛".to_owned()]]);
    }

    proptest! {
        #[test]
        fn swapping_swaps(a in "([一-五]{2,4}[，。\n]?|[a-c ]{1,9}|[0-9]{1,3}){0,20}", b in "([一-五]{2,4}[，。\n]?|[a-c ]{1,9}){0,20}") {
            let swapped: Vec<_> = quoted(&b, &a).into_iter().map(|[b, a]| [a, b]).collect();
            prop_assert_eq!(quoted(&a, &b), swapped);
        }
    }
}
