//! Evaluates measures on the user's own texts: how well each separates duplicates from other pairs, which threshold to use, and
//! charts.
#![allow(unsafe_code, reason = "functions behind the error boundary")]

mod trials;

use neardup_chart::Series;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::evaluate::{Measure, Point, best};
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, invalid, report};
use crate::pg::call::boundary;
use crate::pg::call::column::number;
use crate::pg::table::scan;
use trials::{STAND_IN_JACCARD, STAND_IN_OVERLAP, inner, run_on_documents, run_on_pairs, trials};

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn evaluate(
    query: &str,
    measures: Vec<Option<String>>,
    analyzers: Vec<Option<String>>,
    weighting: &str,
) -> Result<TableIterator<'static, (String, Option<String>, f64, i64, i64, f64, f64, f64, f64)>> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let mut trials = trials(&measures, &analyzers, weighting)?;
            run_on_pairs(query, &mut trials)?;
            Ok(TableIterator::new(trials.into_iter().flat_map(|trial| {
                let points = trial.points();
                points.into_iter().map(move |point| {
                    let measure = trial.method.measure.name().to_owned();
                    let counts = (point.called.cast_signed(), point.right.cast_signed());
                    let shares = (point.precision(), point.recall(), point.f1());
                    let (threshold, time) = (point.threshold, trial.milliseconds());
                    (measure, trial.analyzer(), threshold, counts.0, counts.1, shares.0, shares.1, shares.2, time)
                })
            })))
        })
    }
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(sql = false)]
fn suggest(
    query: &str,
    precision: f64,
    sample: i32,
    measures: Vec<Option<String>>,
    analyzers: Vec<Option<String>>,
    weighting: &str,
) -> Result<
    TableIterator<'static, (String, Option<String>, Option<f64>, Option<f64>, Option<f64>, Option<f64>, f64, String)>,
> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            if !(0.0..=1.0).contains(&precision) {
                let message = format!("precision must be between 0 and 1: {}", number(precision));
                return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
            }
            let sample = within("sample", sample, 2..=3000)? as usize;
            let columns = scan::columns(inner(query));
            let labelled = columns != 1;
            // Comparing all pairs by facts would take minutes, and the substitute ignores facts.
            let mut trials = trials(&measures, &analyzers, weighting)?;
            if measures.is_empty() && !labelled {
                trials.retain(|trial| trial.method.measure != Measure::Message);
            }
            let basis = if labelled {
                run_on_pairs(query, &mut trials)?;
                format!("{} labelled pairs", trials.first().map_or(0, |trial| trial.values.len()))
            } else {
                run_on_documents(query, sample, &mut trials)?;
                format!(
                    "{} pairs of a sample; stand-in for labels: Jaccard >= {STAND_IN_JACCARD} or overlap >= {STAND_IN_OVERLAP} of character 5-grams",
                    trials.first().map_or(0, |trial| trial.values.len())
                )
            };
            let mut rows: Vec<_> = trials.iter().map(|trial| (best(&trial.points(), precision), trial)).collect();
            // The best recall first; among equals, the fastest.
            rows.sort_by(|(a, first), (b, second)| {
                let right = |point: &Option<Point>| point.map_or(-1, |point| point.right.cast_signed());
                right(b).cmp(&right(a)).then(first.time.cmp(&second.time))
            });
            let rows: Vec<_> = rows
                .into_iter()
                .map(|(point, trial)| {
                    let threshold = point.map(|point| point.threshold);
                    let shares = (point.map(|p| p.precision()), point.map(|p| p.recall()), point.map(|p| p.f1()));
                    let measure = trial.method.measure.name().to_owned();
                    (
                        measure,
                        trial.analyzer(),
                        threshold,
                        shares.0,
                        shares.1,
                        shares.2,
                        trial.milliseconds(),
                        basis.clone(),
                    )
                })
                .collect();
            Ok(TableIterator::new(rows))
        })
    }
}

#[pg_extern(sql = false)]
fn curves_svg(
    query: &str,
    measures: Vec<Option<String>>,
    analyzers: Vec<Option<String>>,
    weighting: &str,
) -> Result<String> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            let mut trials = trials(&measures, &analyzers, weighting)?;
            let distances = trials.iter().filter(|trial| trial.method.measure.is_distance()).count();
            if distances != 0 && distances != trials.len() {
                return Err(report(
                    Error::new(ErrorKind::InvalidParameter, "cannot plot a distance and a similarity on one axis")
                        .with_hint("Plot simhash by itself."),
                ));
            }
            run_on_pairs(query, &mut trials)?;
            let series: Vec<Series> = trials
                .iter()
                .map(|trial| {
                    let points = trial.points().iter().map(|p| (p.threshold, p.precision(), p.recall())).collect();
                    Series { name: trial.name(), points }
                })
                .collect();
            Ok(neardup_chart::precision_and_recall(&series, distances != 0))
        })
    }
}

#[pg_extern(sql = false)]
fn histogram_svg(values: Array<f64>, title: &str, bins: i32) -> Result<String> {
    let values: Vec<f64> = values.iter().flatten().collect();
    neardup_chart::histogram(title, &values, within("bins", bins, 1..=200)? as usize).map_err(invalid)
}

#[pg_extern(sql = false)]
fn word_cloud_svg(words: Array<&str>, weights: Array<f64>) -> Result<String> {
    if words.len() != weights.len() {
        let message = format!("there are {} words and {} weights", words.len(), weights.len());
        return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
    }
    let words: Vec<(&str, f64)> =
        words.iter().zip(weights.iter()).filter_map(|(word, weight)| Some((word?, weight?))).collect();
    Ok(neardup_chart::word_cloud(&words))
}
