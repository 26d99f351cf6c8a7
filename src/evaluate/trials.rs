//! Methods on trial: each measure with each analyzer, on the pairs or the documents of a user's query.

use std::time::{Duration, Instant};

use neardup_core::similarity;
use neardup_core::weighting::Weighting;
use neardup_text::{Error, ErrorKind};
use neardup_verdict::evaluate::{Measurable, Measure, Measurer, Method, Point, curve};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::table::scan;

/// What the user's query must return.
const PAIR: &str = "Its columns are a text, another text, and whether they are duplicates.";
/// The most pairs that are evaluated; each takes 4 bytes per method.
const MOST_PAIRS: usize = 10_000_000;
/// A substitute for labels: texts whose character 5-grams have at least this Jaccard similarity count as duplicates.
pub const STAND_IN_JACCARD: f64 = 0.6;
/// The other substitute: texts whose overlap coefficient is at least this count as duplicates, too.
pub const STAND_IN_OVERLAP: f64 = 0.8;
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

/// A method under test: its results so far and the time it took.
pub struct Trial {
    /// The measure and its analyzer.
    pub method: Method,
    measurer: Measurer,
    /// Its value for each pair, and whether the pair is labelled a duplicate.
    pub values: Vec<(f32, bool)>,
    /// The time for preparing and comparing.
    pub time: Duration,
}

impl Trial {
    fn new(measure: Measure, analyzer: &str, weighting: Weighting) -> Result<Self> {
        let method = Method { measure, analyzer: analyzer.to_owned() };
        let measurer = Measurer::new(&method, weighting).map_err(report)?;
        Ok(Self { method, measurer, values: Vec::new(), time: Duration::ZERO })
    }

    fn judge(&mut self, a: &str, b: &str, label: bool) -> neardup_text::Result<()> {
        let start = Instant::now();
        let (a, b) = (self.measurer.prepare(a)?, self.measurer.prepare(b)?);
        self.compare(&a, &b, label, start)
    }

    fn compare(&mut self, a: &Measurable, b: &Measurable, label: bool, start: Instant) -> neardup_text::Result<()> {
        self.values.push((self.measurer.compare(a, b)? as f32, label));
        self.time += start.elapsed();
        Ok(())
    }

    /// Returns the analyzer, if the measure uses tokens.
    pub fn analyzer(&self) -> Option<String> {
        self.method.measure.wants_tokens().then(|| self.method.analyzer.clone())
    }

    /// Returns its name in charts.
    pub fn name(&self) -> String {
        let measure = self.method.measure.name();
        self.analyzer().map_or_else(|| measure.to_owned(), |analyzer| format!("{measure}, {analyzer}"))
    }

    /// Returns precision and recall at each threshold.
    pub fn points(&self) -> Vec<Point> {
        curve(self.method.measure, &self.values)
    }

    /// Returns the time it took.
    pub fn milliseconds(&self) -> f64 {
        self.time.as_secs_f64() * 1e3
    }
}

/// Returns the methods to test: each measure with each analyzer; measures that use no tokens only once.
pub fn trials(measures: &[Option<String>], analyzers: &[Option<String>], weighting: &str) -> Result<Vec<Trial>> {
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

/// Returns the query without a terminating semicolon, so that it can be a subquery.
pub fn inner(query: &str) -> &str {
    query.trim_end().trim_end_matches(';')
}

/// Runs every method on every labelled pair of the query.
pub fn run_on_pairs(query: &str, trials: &mut [Trial]) -> Result<()> {
    let columns = scan::columns(inner(query));
    if columns != 3 {
        let message = format!("the query must return three columns, not {columns}");
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
        return Err(report(
            Error::new(ErrorKind::InvalidParameter, "the query returned no labelled pair").with_hint(PAIR),
        ));
    }
    Ok(())
}

/// Runs every method on every pair of the query's documents, labelled by the substitute.
pub fn run_on_documents(query: &str, sample: usize, trials: &mut [Trial]) -> Result<()> {
    let query = format!(
        "SELECT document::pg_catalog.text FROM ({}\n) AS sample (document) WHERE document IS NOT NULL LIMIT {sample}",
        inner(query)
    );
    let stand_in = Method { measure: Measure::Jaccard, analyzer: STAND_IN_ANALYZER.to_owned() };
    let mut stand_in = Measurer::new(&stand_in, Weighting::None).map_err(report)?;
    let mut sets = Vec::new();
    let mut prepared: Vec<Vec<Measurable>> = trials.iter().map(|_| Vec::new()).collect();
    scan::each_row(&query, |row| {
        let Some(document) = row.get::<&str>(1)? else { return Ok(()) };
        sets.push(stand_in.prepare(document)?);
        for (trial, prepared) in trials.iter_mut().zip(&mut prepared) {
            let start = Instant::now();
            prepared.push(trial.measurer.prepare(document)?);
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
                (Measurable::Set(a), Measurable::Set(b)) => {
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
                trial.values.push((trial.measurer.compare(a, b).map_err(report)? as f32, label));
            }
            trial.time += start.elapsed();
            pgrx::check_for_interrupts!();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::inner;

    #[test]
    fn a_query_loses_its_semicolons_only() {
        assert_eq!(inner("SELECT ';' ;; \n"), "SELECT ';' ");
        assert_eq!(inner("SELECT 1"), "SELECT 1");
    }
}
