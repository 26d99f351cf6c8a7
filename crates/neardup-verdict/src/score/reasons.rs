//! Why a verdict is what it is, in short phrases.

use std::time::Duration;

use super::evidence::Evidence;
use super::features::Features;
use crate::compare::statements;
use crate::verdict::Message;

/// Two texts open differently if the other text lacks at least this share of both first sentences.
const OPEN_APART: f64 = 0.5;

/// The most conflicts that are listed.
const NAMED: usize = 5;

/// Two questions that differ in this share of their words are two messages.
const OTHER_HEADS: f64 = 0.6;

/// A form that fewer sampled rows follow is not named.
const FOLLOWERS: usize = 3;

/// Titles with less in common are named.
const ALIKE: f64 = 0.5;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest fact that is quoted in full, in characters.
const QUOTED: usize = 40;

/// Shortens a fact for a reason.
pub(crate) fn short(fact: &str) -> String {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match fact.char_indices().nth(QUOTED) {
        None => flat(fact),
        Some((end, _)) => format!("{}...", flat(fact.get(..end).unwrap_or_default())),
    }
}

/// Returns the verdict with its reasons.
pub(crate) fn message(evidence: &Evidence) -> Message {
    let (verdict, score) = evidence.verdict();
    Message { verdict, score, reasons: reasons(evidence) }
}

/// Returns the reasons, the most important first.
fn reasons(evidence: &Evidence) -> Vec<String> {
    let texts = &evidence.texts;
    let mut reasons: Vec<String> = signals(&evidence.inputs.texts).map(str::to_owned).collect();
    reasons.extend(form(evidence));
    for (of, compared) in [("title: ", evidence.titles.as_ref()), ("", Some(texts))] {
        let Some(compared) = compared else { continue };
        let conflicts = compared.conflicts();
        for conflict in conflicts.iter().take(NAMED) {
            let say = |fact: &str| if fact.is_empty() { "nothing".to_owned() } else { short(fact) };
            reasons.push(format!("{of}{}: {} / {}", conflict.kind, say(&conflict.in_a), say(&conflict.in_b)));
        }
        if conflicts.len() > NAMED {
            reasons.push(format!("{of}{} more such facts", conflicts.len() - NAMED));
        }
    }
    if !evidence.left_out.is_empty() {
        reasons.push("boilerplate of both left out".to_owned());
    }
    reasons.extend(furniture(evidence));
    if evidence.hashtags {
        reasons.push("the same words under other hashtags".to_owned());
    }
    let (a, b) = (&texts.a, &texts.b);
    if a.text.units.is_empty() || b.text.units.is_empty() {
        reasons.push("a text without a letter or number".to_owned());
        return reasons;
    }
    if let Some([a, b]) = &evidence.days {
        reasons.push(format!("short reports of other days: {a} / {b}"));
    }
    if let Some(attribution) = &evidence.quoted {
        reasons.push(format!("one answers the other, which it quotes: {}", short(attribution)));
    }
    let named = evidence.titles.as_ref().is_some_and(|titles| !titles.conflicts().is_empty());
    if let Some([a, b]) = evidence.headed_apart.as_ref().filter(|_| !named) {
        reasons.push(format!("one short text under other titles: {} / {}", short(a), short(b)));
    } else if let Some(titles) = evidence.inputs.titles.as_ref().filter(|titles| titles.title_alike < ALIKE) {
        reasons.push(format!("the titles have {:.0} % of their words in common", titles.title_alike * 100.0));
    }
    if let Some(apart) = evidence.inputs.apart.filter(|apart| *apart >= DAY) {
        let days = apart.as_secs() / DAY.as_secs();
        reasons.push(if days == 1 { "a day apart".to_owned() } else { format!("{days} days apart") });
    }
    if evidence.is_continued {
        reasons.push("many rows have the shorter text and go on in other ways".to_owned());
    }
    if evidence.is_of_other_place {
        reasons.push("the links lead to other places of a page".to_owned());
    }
    if evidence.is_phrase {
        reasons.push("many rows have these words, each with another link".to_owned());
    }
    if texts.is_same() {
        reasons.push("no difference but in form: openings, credits, punctuation".to_owned());
        return reasons;
    }
    let (of_a, of_b) = (a.text.units.len(), b.text.units.len());
    let percent = |part: usize, whole: usize| if whole == 0 { 0 } else { (part * 100).checked_div(whole).unwrap_or(0) };
    let moved = a.moved.min(b.moved);
    let held = percent(texts.shared, of_a.min(of_b));
    let share = format!("{held} % of the shorter text is in the longer");
    if held < 30 {
        // In texts that share little, facts contradict nothing.
        reasons.insert(0, share);
    } else {
        reasons.push(share);
    }
    let extra = of_a.abs_diff(of_b);
    if extra * 5 >= of_a.max(of_b) && of_a.max(of_b) > 0 {
        reasons.push(format!("the longer is longer by {} %", percent(extra, of_a.min(of_b).max(1))));
    }
    let (own_a, own_b) = (statements::own(a).count(), statements::own(b).count());
    if own_a > 0 && own_b > 0 {
        let (first, second) = if texts.swapped { (own_b, own_a) } else { (own_a, own_b) };
        reasons.push(format!("each has sentences that the other lacks: {first} / {second}"));
    }
    if statements::leads_apart(texts) >= OPEN_APART {
        reasons.push("they open with different sentences".to_owned());
    }
    let slots = texts.gaps.iter().filter(|gap| !gap.a.is_empty() && !gap.b.is_empty()).count();
    if slots > 0 {
        reasons.push(if slots == 1 { "1 passage replaced".to_owned() } else { format!("{slots} passages replaced") });
    }
    if moved > 0 {
        reasons.push("passages moved".to_owned());
    }
    reasons
}

/// Names the signals.
fn signals(features: &Features) -> impl Iterator<Item = &'static str> {
    let all = [
        (features.other_heads, OTHER_HEADS, "two questions over the same text"),
        (features.slogan, 1.0, "the shorter text is too short to be a message"),
        (features.planned, 1.0, "only one announces it"),
        (features.other_work, 1.0, "about other works"),
        (features.own_news, 1.0, "each says much that the other lacks"),
    ];
    all.into_iter().filter(|(value, least, _)| value >= least).map(|(_, _, reason)| reason)
}

/// Returns the reasons that are known from the table alone.
pub(crate) fn of_table(evidence: &Evidence) -> Vec<String> {
    form(evidence).into_iter().chain(furniture(evidence)).collect()
}

/// Says that lines of the whole table do not count.
fn furniture(evidence: &Evidence) -> Option<String> {
    (evidence.furniture > 0).then(|| "lines that the whole table repeats left out".to_owned())
}

/// Says that both follow a form of the table, and what differs first.
fn form(evidence: &Evidence) -> Option<String> {
    let (texts, found) = (&evidence.texts, evidence.surroundings.as_ref()?);
    let is_copy = evidence.verdict().0.keeps_one();
    let rows = match (found.followers, found.others) {
        (FOLLOWERS.., _) => format!("both follow a form of {} rows or more", found.followers),
        // It speaks against a copy, and did not prevail.
        _ if is_copy => return None,
        (_, 1) => "a similar row has something else where the two differ".to_owned(),
        (_, 2..) => format!("{} similar rows have something else where the two differ", found.others),
        _ => return None,
    };
    let gap = texts.gaps.iter().find(|gap| !gap.a.is_empty() && !gap.b.is_empty());
    let Some(gap) = gap else {
        return Some(if is_copy { format!("{rows}; their own parts agree") } else { rows });
    };
    let (a, b) = (short(texts.a.text.written(gap.a.clone())), short(texts.b.text.written(gap.b.clone())));
    let (a, b) = if texts.swapped { (b, a) } else { (a, b) };
    let differ = if is_copy { "they differ first in" } else { "their own parts differ" };
    Some(format!("{rows}; {differ}: {a} / {b}"))
}
