//! Evaluates measures on the user's own texts: how well each separates duplicates from other pairs, which threshold to use, and
//! charts.

use std::time::{Duration, Instant};

use neardup_core::plot::{self, Series};
use neardup_core::similarity;
use neardup_core::weighting::Weighting;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::evaluate::{Measure, Method, Point, Prepared, Preparer, best, curve};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::argument::within;
use crate::error::{Result, report};
use crate::pg::call::boundary;
use crate::pg::table::scan;

extension_sql_file!(
    "../../sql/evaluate.sql",
    name = "evaluation",
    requires = ["text_analysis", evaluate, suggest, curves_svg, histogram_svg, word_cloud_svg]
);

/// What the user's query must return.
const PAIR: &str = "Its columns are a text, another text, and whether they are duplicates.";
/// The most pairs that are evaluated; each takes 4 bytes per method.
const MOST_PAIRS: usize = 10_000_000;
/// The substitute for labels: texts with this Jaccard similarity of their character 5-grams count as duplicates,
const STAND_IN_JACCARD: f64 = 0.6;
/// and so do texts of which one contains this share of the other.
const STAND_IN_OVERLAP: f64 = 0.8;
const STAND_IN_ANALYZER: &str = "chars:5";

struct Failed(ErrorReport);

impl From<pgrx::spi::Error> for Failed {
    fn from(error: pgrx::spi::Error) -> Self {
        Self(ErrorReport::new(PgSqlErrorCode::ERRCODE_DATATYPE_MISMATCH, error.to_string(), "neardup.evaluate"))
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self(report(error))
    }
}

/// A method under test: how it prepares texts, its values so far, and its time.
struct Trial {
    method: Method,
    preparer: Preparer,
    values: Vec<(f32, bool)>,
    time: Duration,
}

impl Trial {
    fn new(measure: Measure, analyzer: &str, weighting: Weighting) -> Result<Self> {
        let method = Method { measure, analyzer: analyzer.to_owned() };
        let preparer = Preparer::new(&method, weighting).map_err(report)?;
        Ok(Self { method, preparer, values: Vec::new(), time: Duration::ZERO })
    }

    fn judge(&mut self, a: &str, b: &str, label: bool) -> neardup_text::Result<()> {
        let start = Instant::now();
        let (a, b) = (self.preparer.prepare(a)?, self.preparer.prepare(b)?);
        self.compare(&a, &b, label, start)
    }

    fn compare(&mut self, a: &Prepared, b: &Prepared, label: bool, start: Instant) -> neardup_text::Result<()> {
        self.values.push((self.preparer.compare(a, b)? as f32, label));
        self.time += start.elapsed();
        Ok(())
    }

    /// Gives the analyzer, if the measure uses tokens.
    fn analyzer(&self) -> Option<String> {
        self.method.measure.wants_tokens().then(|| self.method.analyzer.clone())
    }

    fn name(&self) -> String {
        let measure = self.method.measure.name();
        self.analyzer().map_or_else(|| measure.to_owned(), |analyzer| format!("{measure}, {analyzer}"))
    }

    fn points(&self) -> Vec<Point> {
        curve(self.method.measure, &self.values)
    }

    fn milliseconds(&self) -> f64 {
        self.time.as_secs_f64() * 1e3
    }
}

/// Gives the methods to test: each measure with each analyzer; measures that use no tokens once.
fn trials(measures: &[Option<String>], analyzers: &[Option<String>], weighting: &str) -> Result<Vec<Trial>> {
    let weighting = Weighting::parse(weighting).map_err(report)?;
    let named = measures.iter().map(|name| Measure::parse(name.as_deref().unwrap_or("NULL")));
    let mut measures = named.collect::<neardup_text::Result<Vec<_>>>().map_err(report)?;
    if measures.is_empty() {
        measures = Measure::ALL.to_vec();
    }
    let mut trials = Vec::new();
    for measure in measures {
        let analyzers: Vec<&str> = if measure.wants_tokens() {
            analyzers.iter().map(|analyzer| analyzer.as_deref().unwrap_or("NULL")).collect()
        } else {
            vec![STAND_IN_ANALYZER]
        };
        for analyzer in analyzers {
            trials.push(Trial::new(measure, analyzer, weighting)?);
        }
    }
    Ok(trials)
}

/// Removes the end of a statement from the query, so that it can be nested in another.
fn inner(query: &str) -> &str {
    query.trim_end().trim_end_matches(';')
}

/// Applies every method to every labelled pair of the query.
fn run_on_pairs(query: &str, trials: &mut [Trial]) -> Result<()> {
    let columns = scan::columns(inner(query));
    if columns != 3 {
        let message = format!("the query must give three columns, not {columns}");
        return Err(report(Error::new(ErrorKind::InvalidParameter, message).with_hint(PAIR)));
    }
    let query = format!(
        "SELECT a::pg_catalog.text, b::pg_catalog.text, label::pg_catalog.bool FROM ({}\n) AS pair (a, b, label)",
        inner(query)
    );
    let mut pairs = 0;
    scan::each_row(&query, |row| {
        let (Some(a), Some(b), Some(label)) = (row.get::<&str>(1)?, row.get::<&str>(2)?, row.get::<bool>(3)?) else {
            return Ok(());
        };
        pairs += 1;
        if pairs > MOST_PAIRS {
            let message = format!("more than {MOST_PAIRS} pairs are too many to evaluate");
            return Err(Failed::from(
                Error::new(ErrorKind::LimitExceeded, message).with_hint("Add LIMIT to the query."),
            ));
        }
        for trial in &mut *trials {
            trial.judge(a, b, label)?;
        }
        pgrx::check_for_interrupts!();
        Ok::<(), Failed>(())
    })
    .map_err(|failed| failed.0)?;
    if pairs == 0 {
        return Err(report(Error::new(ErrorKind::InvalidParameter, "the query gave no labelled pair").with_hint(PAIR)));
    }
    Ok(())
}

/// Applies every method to every pair of the query's documents, labelled by the substitute.
fn run_on_documents(query: &str, sample: usize, trials: &mut [Trial]) -> Result<()> {
    let query = format!(
        "SELECT document::pg_catalog.text FROM ({}\n) AS sample (document) WHERE document IS NOT NULL LIMIT {sample}",
        inner(query)
    );
    let stand_in = Method { measure: Measure::Jaccard, analyzer: STAND_IN_ANALYZER.to_owned() };
    let mut stand_in = Preparer::new(&stand_in, Weighting::None).map_err(report)?;
    let mut sets = Vec::new();
    let mut prepared: Vec<Vec<Prepared>> = trials.iter().map(|_| Vec::new()).collect();
    scan::each_row(&query, |row| {
        let Some(document) = row.get::<&str>(1)? else { return Ok(()) };
        sets.push(stand_in.prepare(document)?);
        for (trial, prepared) in trials.iter_mut().zip(&mut prepared) {
            let start = Instant::now();
            prepared.push(trial.preparer.prepare(document)?);
            trial.time += start.elapsed();
        }
        pgrx::check_for_interrupts!();
        Ok::<(), Failed>(())
    })
    .map_err(|failed| failed.0)?;
    let mut labels = Vec::new();
    for (i, a) in sets.iter().enumerate() {
        for b in sets.iter().take(i) {
            labels.push(match (a, b) {
                (Prepared::Set(a), Prepared::Set(b)) => {
                    similarity::jaccard_within(a, b, STAND_IN_JACCARD)
                        || similarity::overlap_within(a, b, STAND_IN_OVERLAP)
                }
                _ => false,
            });
        }
        pgrx::check_for_interrupts!();
    }
    if !labels.contains(&true) {
        let message = format!("no two of the {} documents are near-duplicates by the stand-in", sets.len());
        return Err(report(
            Error::new(ErrorKind::InvalidParameter, message)
                .with_hint("Take a larger sample, or one where copies are likely: articles of the same days."),
        ));
    }
    for (trial, prepared) in trials.iter_mut().zip(&prepared) {
        let mut labels = labels.iter();
        for (i, a) in prepared.iter().enumerate() {
            let start = Instant::now();
            for (b, &label) in prepared.iter().take(i).zip(labels.by_ref()) {
                trial.values.push((trial.preparer.compare(a, b).map_err(report)? as f32, label));
            }
            trial.time += start.elapsed();
            pgrx::check_for_interrupts!();
        }
    }
    Ok(())
}

#[expect(clippy::type_complexity, reason = "pgrx reads the columns from the signature")]
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.evaluate(query text, measures text[] DEFAULT '{}', analyzers text[] DEFAULT '{chars:3,jieba}', weighting text DEFAULT 'count')
    RETURNS TABLE (measure text, analyzer text, threshold double precision, called bigint, correct bigint, \"precision\" double precision,
        recall double precision, f1 double precision, milliseconds double precision)
    VOLATILE STRICT ROWS 300 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn evaluate(
    query: &str,
    measures: Vec<Option<String>>,
    analyzers: Vec<Option<String>>,
    weighting: &str,
) -> Result<
    TableIterator<
        'static,
        (
            name!(measure, String),
            name!(analyzer, Option<String>),
            name!(threshold, f64),
            name!(called, i64),
            name!(correct, i64),
            name!(precision, f64),
            name!(recall, f64),
            name!(f1, f64),
            name!(milliseconds, f64),
        ),
    >,
> {
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
#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.suggest(query text, \"precision\" double precision DEFAULT 0.97, sample integer DEFAULT 1000,
        measures text[] DEFAULT '{}', analyzers text[] DEFAULT '{chars:3,chars:5,jieba}', weighting text DEFAULT 'count')
    RETURNS TABLE (measure text, analyzer text, threshold double precision, \"precision\" double precision,
        recall double precision, f1 double precision, milliseconds double precision, basis text)
    VOLATILE STRICT ROWS 20 LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
fn suggest(
    query: &str,
    precision: f64,
    sample: i32,
    measures: Vec<Option<String>>,
    analyzers: Vec<Option<String>>,
    weighting: &str,
) -> Result<
    TableIterator<
        'static,
        (
            name!(measure, String),
            name!(analyzer, Option<String>),
            name!(threshold, Option<f64>),
            name!(precision, Option<f64>),
            name!(recall, Option<f64>),
            name!(f1, Option<f64>),
            name!(milliseconds, f64),
            name!(basis, String),
        ),
    >,
> {
    // SAFETY: what pgrx has wrapped; the arguments go with the closure.
    unsafe {
        boundary::entry(move || {
            if !(0.0..=1.0).contains(&precision) {
                let message = format!("precision must be between 0 and 1: {precision}");
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

#[pg_extern(
    volatile,
    strict,
    requires = ["bootstrap"],
    sql = "CREATE FUNCTION neardup.curves_svg(query text, measures text[] DEFAULT '{jaccard,overlap,cosine,minhash,same_message}',
        analyzers text[] DEFAULT '{chars:3}', weighting text DEFAULT 'count') RETURNS text
    VOLATILE STRICT LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';"
)]
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
                    Error::new(ErrorKind::InvalidParameter, "a distance and a similarity do not fit one axis")
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
            plot::precision_and_recall(&series, distances != 0).map_err(report)
        })
    }
}

#[pg_extern(immutable, strict, parallel_safe, cost = 10000)]
fn histogram_svg(values: Array<f64>, title: default!(&str, "''"), bins: default!(i32, 20)) -> Result<String> {
    let values: Vec<f64> = values.iter().flatten().collect();
    plot::histogram(title, &values, within("bins", bins, 1..=200)? as usize).map_err(report)
}

#[pg_extern(immutable, strict, parallel_safe, cost = 10000)]
fn word_cloud_svg(words: Array<&str>, weights: Array<f64>) -> Result<String> {
    if words.len() != weights.len() {
        let message = format!("there are {} words and {} weights", words.len(), weights.len());
        return Err(report(Error::new(ErrorKind::InvalidParameter, message)));
    }
    let words: Vec<(&str, f64)> =
        words.iter().zip(weights.iter()).filter_map(|(word, weight)| Some((word?, weight?))).collect();
    plot::word_cloud(&words).map_err(report)
}
