//! Verdicts in SQL: whether two texts are one message, and the facts they state differently.

pub mod columns;
pub mod judge;
pub mod sides;
pub mod verify;

use neardup_core::profile::{Passage, Profile};
use neardup_text::Scratch;
use neardup_verdict::explain::{self, Line};
use neardup_verdict::{Message, Prepared};
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::Record;
use crate::pg::value::text::Text;
use crate::profile;
use crate::text::analyzer;

/// [`Line`] in SQL: section, item, in_a, in_b, value.
type Explained = (String, String, Option<String>, Option<String>, Option<f64>);

fn rows(lines: Vec<Line>) -> TableIterator<'static, Explained> {
    TableIterator::new(
        lines.into_iter().map(|line| (line.section.to_owned(), line.item, line.in_a, line.in_b, line.value)),
    )
}

type Row = (String, f64, Vec<String>);

fn row(message: Message) -> Record<Row> {
    Record((message.verdict.name().to_owned(), message.score, message.reasons))
}

#[pg_extern(sql = false)]
fn same_message(a: Text<'_>, b: Text<'_>) -> Result<Record<Row>> {
    let (a, b) = (&*a, &*b);
    neardup_verdict::same_message(a, b).map(row).map_err(report)
}

// A row without a title still has a text, so a NULL title counts as none; without a text there is no verdict.
#[pg_extern(sql = false)]
fn same_message_titled(
    title_a: Option<Text<'_>>,
    a: Option<Text<'_>>,
    title_b: Option<Text<'_>>,
    b: Option<Text<'_>>,
) -> Result<Option<Record<Row>>> {
    let title_a = title_a.as_deref();
    let a = a.as_deref();
    let title_b = title_b.as_deref();
    let b = b.as_deref();
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let message = neardup_verdict::same_message_titled(title_a.unwrap_or_default(), a, title_b.unwrap_or_default(), b)
        .map_err(report)?;
    Ok(Some(row(message)))
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn fact_conflicts(
    a: Text<'_>,
    b: Text<'_>,
) -> Result<TableIterator<'static, (String, Option<String>, Option<String>)>> {
    let (a, b) = (&*a, &*b);
    let written = |fact: String| (!fact.is_empty()).then_some(fact);
    let conflicts = neardup_verdict::conflicts(a, b).map_err(report)?;
    Ok(TableIterator::new(
        conflicts.into_iter().map(move |c| (c.kind.name().to_owned(), written(c.in_a), written(c.in_b))),
    ))
}

/// How many differences a reviewer is shown.
const SHOWN: usize = 2;

/// Quotes what differs between two texts, of each of them: an array of two; NULL if their letters and digits are the same.
#[pg_extern(sql = false)]
fn difference(a: Text<'_>, b: Text<'_>) -> Result<Option<Vec<String>>> {
    let (a, b) = (&*a, &*b);
    let (a, b) = (Prepared::new(a).map_err(report)?, Prepared::new(b).map_err(report)?);
    let (of_a, of_b): (Vec<_>, Vec<_>) =
        neardup_verdict::differences(&a, &b, SHOWN).into_iter().map(|[a, b]| (a, b)).unzip();
    Ok((!of_a.is_empty()).then(|| vec![of_a.join(" | "), of_b.join(" | ")]))
}

/// Returns all that differs between two texts, one place a row.
#[pg_extern(sql = false)]
fn whole_difference(
    a: Text<'_>,
    b: Text<'_>,
) -> Result<TableIterator<'static, (name!(in_a, String), name!(in_b, String))>> {
    let (a, b) = (&*a, &*b);
    let (a, b) = (Prepared::new(a).map_err(report)?, Prepared::new(b).map_err(report)?);
    Ok(TableIterator::new(neardup_verdict::whole_differences(&a, &b).into_iter().map(|[a, b]| (a, b))))
}

fn explained(a: &str, b: &str, analyzer: &str) -> Result<Vec<Line>> {
    analyzer::with(analyzer, |analyzer, scratch| explain::explain(a, b, analyzer, scratch))?.map_err(report)
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn explain_similarity(
    a: Text<'_>,
    b: Text<'_>,
    analyzer: &str,
) -> Result<TableIterator<'static, (String, String, Option<String>, Option<String>, Option<f64>)>> {
    let (a, b) = (&*a, &*b);
    explained(a, b, analyzer).map(rows)
}

#[pg_extern(sql = false)]
fn explain_similarity_text(a: Text<'_>, b: Text<'_>, analyzer: &str) -> Result<String> {
    let (a, b) = (&*a, &*b);
    Ok(explain::to_text(&explained(a, b, analyzer)?))
}

#[pg_extern(sql = false)]
fn profile_same_message(a: Text<'_>, b: Text<'_>, profile: &str) -> Result<Record<Row>> {
    let (a, b) = (&*a, &*b);
    by_profile(["", a, "", b], profile)
}

#[pg_extern(sql = false)]
fn profile_same_message_titled(
    title_a: Option<Text<'_>>,
    a: Option<Text<'_>>,
    title_b: Option<Text<'_>>,
    b: Option<Text<'_>>,
    profile: Option<&str>,
) -> Result<Option<Record<Row>>> {
    let title_a = title_a.as_deref();
    let a = a.as_deref();
    let title_b = title_b.as_deref();
    let b = b.as_deref();
    let (Some(a), Some(b), Some(profile)) = (a, b, profile) else { return Ok(None) };
    by_profile([title_a.unwrap_or_default(), a, title_b.unwrap_or_default(), b], profile).map(Some)
}

fn by_profile(texts: [&str; 4], profile: &str) -> Result<Record<Row>> {
    let judge =
        |profile: &Profile, scratch: &mut Scratch| neardup_verdict::same_message_by_profile(texts, profile, scratch);
    profile::with(profile, None, judge)?.map(row).map_err(report)
}

fn explained_by_profile(a: &str, b: &str, profile: &str) -> Result<Vec<Line>> {
    let explain = |profile: &Profile, scratch: &mut Scratch| explain::explain_by_profile(a, b, profile, scratch);
    profile::with(profile, None, explain)?.map_err(report)
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn profile_explain_similarity(
    a: Text<'_>,
    b: Text<'_>,
    profile: &str,
) -> Result<TableIterator<'static, (String, String, Option<String>, Option<String>, Option<f64>)>> {
    let (a, b) = (&*a, &*b);
    explained_by_profile(a, b, profile).map(rows)
}

#[pg_extern(sql = false)]
fn profile_explain_similarity_text(a: Text<'_>, b: Text<'_>, profile: &str) -> Result<String> {
    let (a, b) = (&*a, &*b);
    explained_by_profile(a, b, profile).map(|lines| explain::to_text(&lines))
}

/// Returns the sentences of a document that are boilerplate in the profile's collection.
#[pg_extern(sql = false)]
fn profile_boilerplate(document: Text<'_>, profile: &str) -> Result<Vec<String>> {
    let document: &str = &document;
    let passages = profile::with(profile, None, |profile, scratch| profile.boilerplate(document, scratch))?;
    let written = |passage: Passage| document.get(passage.range).unwrap_or_default().trim().to_owned();
    Ok(passages.map_err(report)?.into_iter().map(written).collect())
}
