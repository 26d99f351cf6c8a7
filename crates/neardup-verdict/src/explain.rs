//! Everything that two texts can be asked about their likeness, line by line: measures, verdict and reasons, conflicts, what
//! differs, what is shared, and what each feature adds.

use crate::compare::comparison::Comparison;
use crate::compare::prepared::Prepared;
use crate::compare::statements;
use crate::pair::Pair;
use crate::score::evidence::Evidence;
use crate::score::{model, reasons};
use crate::verdict::Message;
use neardup_core::profile::Profile;
use neardup_core::{document, similarity};
use neardup_text::Result;
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};

/// One line of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// `verdict`, `reason`, `measure`, `boilerplate`, `conflict`, `sentence`, `difference`, `shared` or `feature`.
    pub section: &'static str,
    /// What the line is about.
    pub item: String,
    /// What the first text has.
    pub in_a: Option<String>,
    /// What the second text has.
    pub in_b: Option<String>,
    /// Its number: a score, a measure, a length in characters, or what a feature adds to the log odds.
    pub value: Option<f64>,
}

/// The most differences and shared passages that are listed, the longest of each.
const LISTED: usize = 20;

/// The shortest shared passage that is listed, in units.
const PASSAGE: usize = 4;

impl Line {
    fn new(section: &'static str, item: impl Into<String>, value: Option<f64>) -> Self {
        Self { section, item: item.into(), in_a: None, in_b: None, value }
    }

    fn with(mut self, in_a: &str, in_b: &str) -> Self {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (self.in_a, self.in_b) = (some(in_a), some(in_b));
        self
    }
}

/// Explains how similar two texts are; the measures are those of the analyzer's tokens.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn explain(a: &str, b: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Vec<Line>> {
    let (of_a, of_b) = (Prepared::new(a)?, Prepared::new(b)?);
    explained([a, b], &Pair::new(&of_a, &of_b).evidence()?, analyzer, scratch)
}

/// Explains how similar two texts are by the profile of a collection: boilerplate of both does not count, and the measures are
/// those of the profile's tokens.
///
/// # Errors
/// `InvalidParameter` if the profile is not trained; `LimitExceeded` for a text of 4 GB or more.
pub fn explain_by_profile(a: &str, b: &str, profile: &Profile, scratch: &mut Scratch) -> Result<Vec<Line>> {
    let mut own = Scratch::default();
    let (of_a, of_b) = (Prepared::new(a)?, Prepared::new(b)?);
    let evidence = Pair::new(&of_a, &of_b).by_profile(profile, &mut own).evidence()?;
    explained([a, b], &evidence, profile.analyzer(), scratch)
}

fn explained([a, b]: [&str; 2], evidence: &Evidence, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Vec<Line>> {
    let texts = &evidence.texts;
    let Message { verdict, score, reasons } = reasons::message(evidence);
    let mut lines = vec![Line::new("verdict", verdict.name(), Some(score))];
    lines.extend(reasons.into_iter().map(|reason| Line::new("reason", reason, None)));
    measures(a, b, analyzer, scratch, &mut lines)?;
    for passage in &evidence.left_out {
        let (length, shown) = (passage.chars().count(), reasons::short(passage.trim()));
        lines.push(Line::new("boilerplate", "in both", Some(length as f64)).with(&shown, &shown));
    }
    for conflict in texts.conflicts() {
        lines.push(Line::new("conflict", conflict.kind.name(), None).with(&conflict.in_a, &conflict.in_b));
    }
    own_statements(texts, &mut lines);
    passages(texts, &mut lines);
    for (name, value, added) in model::contributions(&evidence.inputs) {
        let shown = format!("{value:.2}");
        lines.push(Line {
            in_a: None,
            in_b: None,
            ..Line::new("feature", format!("{} = {shown}", name.replace('_', " ")), Some(added))
        });
    }
    Ok(lines)
}

fn measures(a: &str, b: &str, analyzer: &Analyzer, scratch: &mut Scratch, lines: &mut Vec<Line>) -> Result<()> {
    let mut set = |text: &str| -> Result<Vec<u64>> {
        let mut set = Vec::new();
        analyzer.tokens(text, scratch, &mut |token| set.push(token_hash(token)))?;
        set.sort_unstable();
        set.dedup();
        Ok(set)
    };
    let (set_a, set_b) = (set(a)?, set(b)?);
    let count = |set: &[u64]| set.len().to_string();
    let shared = similarity::intersection_len(&set_a[..], &set_b[..]);
    lines.push(Line::new("measure", "shared tokens", Some(shared as f64)).with(&count(&set_a), &count(&set_b)));
    lines.push(Line::new("measure", "jaccard", Some(similarity::jaccard(&set_a, &set_b))));
    lines.push(Line::new("measure", "overlap", Some(similarity::overlap(&set_a, &set_b))));
    lines.push(Line::new("measure", "cosine", Some(similarity::cosine(&set_a, &set_b))));
    let signatures = (document::simhash(a, analyzer, scratch)?, document::simhash(b, analyzer, scratch)?);
    if let (Some(a), Some(b)) = signatures {
        lines.push(Line::new("measure", "simhash distance", Some(f64::from((a ^ b).count_ones()))));
    }
    Ok(())
}

/// Lists the sentences of either text of which the other has little, in their order.
fn own_statements(texts: &Comparison, lines: &mut Vec<Line>) {
    let sides = if texts.swapped { [&texts.b, &texts.a] } else { [&texts.a, &texts.b] };
    for (item, compared) in ["only in a", "only in b"].into_iter().zip(sides) {
        for statement in statements::own(compared).take(LISTED) {
            let written = compared.text.written(statement);
            let shown = reasons::short(written);
            let line = Line::new("sentence", item, Some(written.chars().count() as f64));
            lines.push(if item == "only in a" { line.with(&shown, "") } else { line.with("", &shown) });
        }
    }
}

/// Lists the differences, in the order of the texts, and the longest shared passages.
fn passages(texts: &Comparison, lines: &mut Vec<Line>) {
    let mut gaps: Vec<_> = texts.gaps.iter().collect();
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.a.len().max(gap.b.len())));
    gaps.truncate(LISTED);
    gaps.sort_by_key(|gap| (gap.a.start, gap.b.start));
    for gap in gaps {
        let (a, b) = (texts.a.text.written(gap.a.clone()), texts.b.text.written(gap.b.clone()));
        let (a, b) = if texts.swapped { (b, a) } else { (a, b) };
        let item = match (a.is_empty(), b.is_empty()) {
            (false, false) => "replaced",
            (false, true) => "only in a",
            _ => "only in b",
        };
        let length = a.chars().count().max(b.chars().count());
        lines.push(Line::new("difference", item, Some(length as f64)).with(&reasons::short(a), &reasons::short(b)));
    }
    // The stretch between two gaps is shared.
    let mut from = (0, 0);
    let ends = (texts.a.text.units.len(), texts.b.text.units.len());
    let mut shared = Vec::new();
    for (a, b) in texts.gaps.iter().map(|gap| (gap.a.clone(), gap.b.clone())).chain([(ends.0..ends.0, ends.1..ends.1)])
    {
        if a.start - from.0 >= PASSAGE {
            shared.push((from.0..a.start, from.1..b.start));
        }
        from = (a.end, b.end);
    }
    shared.sort_by_key(|(a, _)| (std::cmp::Reverse(a.len()), a.start));
    for (a, b) in shared.into_iter().take(LISTED) {
        let (a, b) = (texts.a.text.written(a), texts.b.text.written(b));
        let (a, b) = if texts.swapped { (b, a) } else { (a, b) };
        let length = a.chars().count();
        lines.push(Line::new("shared", "passage", Some(length as f64)).with(&reasons::short(a), &reasons::short(b)));
    }
}

/// Writes an explanation as text, a heading for each section.
#[must_use]
pub fn to_text(lines: &[Line]) -> String {
    let mut text = String::new();
    let mut section = "";
    for line in lines {
        if line.section != section {
            section = line.section;
            text += section;
            text.push('\n');
        }
        text += "  ";
        text += &line.item;
        if line.in_a.is_some() || line.in_b.is_some() {
            let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
            text += &format!(": {} | {}", side(&line.in_a), side(&line.in_b));
        }
        if let Some(value) = line.value {
            let value = format!("{value:.3}");
            text += &format!("  {}", value.trim_end_matches('0').trim_end_matches('.'));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn lines(a: &str, b: &str) -> Vec<Line> {
        explain(a, b, &"chars:2".parse().unwrap(), &mut Scratch::default()).unwrap()
    }

    #[test]
    fn explains_both_ways() {
        let (a, b) = ("滨河市昨日新增3例", "昨日新增5例，均为外地输入");
        let there = lines(a, b);
        let back = lines(b, a);
        let swap = |line: Line| Line { in_a: line.in_b, in_b: line.in_a, ..line };
        let of = |lines: &[Line], section: &str| -> Vec<Line> {
            lines.iter().filter(|line| line.section == section).cloned().collect()
        };
        assert_eq!(of(&there, "conflict"), of(&back, "conflict").into_iter().map(swap).collect::<Vec<_>>());
        assert_eq!(of(&there, "conflict")[0], Line::new("conflict", "number", None).with("3例", "5例"));
        assert_eq!(of(&there, "feature"), of(&back, "feature"));
        let differences = of(&there, "difference");
        assert_eq!(differences[0], Line::new("difference", "only in a", Some(3.0)).with("滨河市", ""));
        assert_eq!(of(&there, "shared")[0].in_a.as_deref(), Some("昨日新增"));
    }

    #[test]
    fn writes_text() {
        let text = to_text(&lines("第七集", "第8集"));
        assert!(text.starts_with("verdict\n  update  "), "{text}");
        assert!(text.contains("conflict\n  ordinal: 第七集 | 第8集\n"), "{text}");
    }
}
