//! What two texts share below another opening and above another ending: a portal that lifts a report writes its own headline.

use std::ops::Range;

use crate::align::alignment::Gap;
use crate::read::units::{Break, Text};

/// The shortest shared passage that is the body of two texts, in units.
const BODY: usize = 12;

/// The longest opening or ending of other words, in units, and its largest share of a text.
const EDGE: usize = 60;
const EDGE_SHARE: usize = 4;

/// Returns the gaps between which two texts have one body: those before are their openings (headlines, leads, date lines), those after
/// their endings (attributions, signatures), if these are whole sentences.
pub(super) fn body(a: &Text<'_>, b: &Text<'_>, gaps: &[Gap]) -> Range<usize> {
    let starts = |text: &Text<'_>, at: usize| text.units.get(at).is_none_or(|unit| unit.before == Break::Stop);
    let (len_a, len_b) = (a.units.len(), b.units.len());
    let fits = |units_a: usize, units_b: usize| {
        units_a.max(units_b) <= EDGE && units_a * EDGE_SHARE <= len_a && units_b * EDGE_SHARE <= len_b
    };
    let after = |at: usize| gaps.get(at + 1).map_or(len_a, |next| next.a.start) - gaps[at].a.end;
    let before = |at: usize| gaps[at].a.start - at.checked_sub(1).map_or(0, |last| gaps[last].a.end);
    let (mut head, mut tail) = (0, gaps.len());
    if gaps.first().is_some_and(|gap| gap.a.start.min(gap.b.start) < BODY)
        && let Some(at) = (0..gaps.len()).find(|&at| after(at) >= BODY)
        && (starts(a, gaps[at].a.end) || starts(b, gaps[at].b.end))
        && fits(gaps[at].a.end, gaps[at].b.end)
    {
        head = at + 1;
    }
    if gaps.last().is_some_and(|gap| (len_a - gap.a.end).min(len_b - gap.b.end) < BODY)
        && let Some(at) = (0..gaps.len()).rev().find(|&at| before(at) >= BODY)
        && (starts(a, gaps[at].a.start) || starts(b, gaps[at].b.start))
        && fits(len_a - gaps[at].a.start, len_b - gaps[at].b.start)
    {
        tail = at;
    }
    head..tail.max(head)
}
