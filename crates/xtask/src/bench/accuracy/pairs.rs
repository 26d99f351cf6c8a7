//! Pairs that were read one by one, `natural_gold`: each goes through a guard, or is put to another method.
//!
//! A pair is two rows of one scope, the longer text first, so a guard compares them with each other and nothing else. The labels D and P
//! are copies, R, T and U are none, and a pair counts with its weight: the rows of its corpus that it stands for. `second` labels do not
//! count; pairs without doubt are reported apart. `docs/candidates.md` scores the same pairs in the core, without a server.

use super::super::Bench;
use super::super::report::{Bound, Grid, Section, figure};
use crate::error::Result;
use crate::say;

/// How a method decides on the pair `longer`, `shorter` of table `gold`.
enum Decision {
    /// A guard with these settings marks the second row.
    Guard(&'static str),
    /// A condition holds.
    Condition(&'static str),
    /// The Jaccard similarity is at least the threshold that gives the best F1 on these very pairs.
    BestJaccard,
}

struct Method {
    name: &'static str,
    /// The condition that makes a candidate; where there is none, each pair is compared.
    candidate: Option<&'static str>,
    decision: Decision,
}

const SKETCHES: &str = "sketch(longer) && sketch(shorter)";
const WITHIN_3: &str = "simhash_within(simhash(longer, 'chars:3'), simhash(shorter, 'chars:3'), 3)";
const WITHIN_7: &str = "simhash_within(simhash(longer, 'chars:3'), simhash(shorter, 'chars:3'), 7)";
const BANDS: &str =
    "minhash_bands(minhash(longer, 'chars:5'), 16, 8) && minhash_bands(minhash(shorter, 'chars:5'), 16, 8)";
const BANDS_AND_VERDICT: &str =
    "minhash_bands(minhash(longer, 'chars:5'), 16, 8) && minhash_bands(minhash(shorter, 'chars:5'), 16, 8)
     AND neardup_internal.says_the_same(longer, shorter)";

const METHODS: [Method; 8] = [
    Method { name: "guard, method sketch", candidate: Some(SKETCHES), decision: Decision::Guard("method => 'sketch'") },
    Method {
        name: "guard, method simhash, distance 7",
        candidate: Some(WITHIN_7),
        decision: Decision::Guard("method => 'simhash', distance => 7"),
    },
    Method {
        name: "guard, method simhash, distance 3",
        candidate: Some(WITHIN_3),
        decision: Decision::Guard("method => 'simhash', distance => 3"),
    },
    Method {
        name: "SimHash alone, distance 7",
        candidate: Some(WITHIN_7),
        decision: Decision::Guard("method => 'simhash', distance => 7, verify => 'none'"),
    },
    Method {
        name: "SimHash alone, distance 3",
        candidate: Some(WITHIN_3),
        decision: Decision::Guard("method => 'simhash', distance => 3, verify => 'none'"),
    },
    Method {
        name: "MinHash bands, same verdict",
        candidate: Some(BANDS),
        decision: Decision::Condition(BANDS_AND_VERDICT),
    },
    Method { name: "MinHash bands alone", candidate: Some(BANDS), decision: Decision::Condition(BANDS) },
    Method { name: "Jaccard of character 5-grams", candidate: None, decision: Decision::BestJaccard },
];

/// Weights of the pairs by what was said of them.
#[derive(Clone, Copy, Debug)]
struct Score {
    pairs: f64,
    /// Copies that are candidates.
    candidates: f64,
    right: f64,
    wrong: f64,
    missed: f64,
}

impl Score {
    fn precision(self) -> f64 {
        self.right / (self.right + self.wrong)
    }

    fn recall(self) -> f64 {
        self.right / (self.right + self.missed)
    }

    fn f1(self) -> f64 {
        2.0 * self.right / (2.0 * self.right + self.wrong + self.missed)
    }

    fn candidate_recall(self) -> f64 {
        self.candidates / (self.right + self.missed)
    }

    fn cells(self) -> [String; 3] {
        [self.precision(), self.recall(), self.f1()].map(share)
    }
}

/// A share with three decimals; a dash where nothing was there to share.
fn share(value: f64) -> String {
    if value.is_nan() { "–".to_owned() } else { format!("{value:.3}") }
}

/// Measures all methods, and the guard by corpus.
pub fn measure(bench: &Bench, section: &mut Section) -> Result {
    say::note("pairs that were read one by one");
    bench.lines("natural_gold")?;
    bench.ask(
        "CREATE TABLE gold AS
         SELECT number AS pair, corpus, weight, sure, label IN ('D', 'P') AS is_copy,
                CASE WHEN first THEN text1 ELSE text2 END AS longer, CASE WHEN first THEN text2 ELSE text1 END AS shorter
         FROM line, json_to_record(json::json) AS j (corpus text, weight float8, sure boolean, label text, text1 text, text2 text),
              LATERAL (SELECT length(text1) >= length(text2) AS first) AS lengths;
         ALTER TABLE gold ADD PRIMARY KEY (pair); ANALYZE gold; DROP TABLE line;
         CREATE TABLE judged (method int, pair bigint, is_candidate boolean, is_called boolean)",
    )?;
    let mut jaccard = f64::NAN;
    for (number, method) in METHODS.iter().enumerate() {
        let (tables, called) = match method.decision {
            Decision::Guard(settings) => {
                guard(bench, settings)?;
                (
                    "gold JOIN (SELECT pair, bool_or(duplicate_of IS NOT NULL) AS marked FROM two GROUP BY pair) AS guarded USING (pair)",
                    "marked",
                )
            }
            Decision::Condition(condition) => ("gold", condition),
            Decision::BestJaccard => {
                jaccard = best_jaccard(bench)?;
                ("gold JOIN similar_pair USING (pair)", "jaccard >= (SELECT threshold FROM best)")
            }
        };
        let candidate = method.candidate.unwrap_or("true");
        bench.ask(&format!(
            "INSERT INTO judged SELECT {number}, pair, coalesce({candidate}, false), coalesce({called}, false) FROM {tables};
             DROP TABLE IF EXISTS two"
        ))?;
    }

    let mut grid = Grid::new(&["", "candidates", "precision", "recall", "F1", "sure: precision", "recall", "F1"]);
    for (number, method) in METHODS.iter().enumerate() {
        let (all, sure) = (score(bench, number, None, false)?, score(bench, number, None, true)?);
        let candidates = method.candidate.map_or("each pair".to_owned(), |_| share(all.candidate_recall()));
        let name = match method.decision {
            Decision::BestJaccard => format!("{}, at least {}", method.name, figure(jaccard)),
            _ => method.name.to_owned(),
        };
        grid.row(&[&[name, candidates][..], &all.cells(), &sure.cells()].concat());
    }
    let (all, sure) = (score(bench, 0, None, false)?, score(bench, 0, None, true)?);
    let method = format!(
        "`natural_gold`: {} pairs of real rows, read one by one and weighted by the rows they stand for, {} of them without doubt (*sure*). Identical \
         texts are left out. A guard marks the second row of a pair, the shorter text. *Candidates*: the share of the copies that the method compares. \
         The same verdict decides over all candidates but where a line says *alone*; MinHash is 128 values of `chars:5` in 16 bands of 8. Jaccard \
         similarity is exact, at the threshold that serves these very pairs best.",
        all.pairs, sure.pairs
    );
    section.grid("Pairs", &method, &grid);

    let mut grid =
        Grid::new(&["", "pairs", "candidates", "precision", "recall", "F1", "sure: precision", "recall", "F1"]);
    for corpus in bench.ask("SELECT corpus FROM gold GROUP BY 1 ORDER BY 1")?.lines() {
        let (all, sure) = (score(bench, 0, Some(corpus), false)?, score(bench, 0, Some(corpus), true)?);
        let first = [corpus.to_owned(), all.pairs.to_string(), share(all.candidate_recall())];
        grid.row(&[&first[..], &all.cells(), &sure.cells()].concat());
    }
    section.grid("Pairs by corpus", "The guard with method `sketch`.", &grid);
    section.aim("candidates, share of the copies", Some(all.candidate_recall()), Bound::AtLeast(0.98));
    section.aim("guard, precision", Some(all.precision()), Bound::AtLeast(0.96));
    section.aim("guard, F1", Some(all.f1()), Bound::AtLeast(0.92));
    bench.ask("DROP TABLE gold, judged, similar_pair, best").map(drop)
}

/// Puts all pairs through a guard, into table `two`.
fn guard(bench: &Bench, settings: &str) -> Result {
    bench
        .ask(&format!(
            "CREATE TABLE two (id bigint PRIMARY KEY, pair bigint, body text);
             SELECT neardup.protect('two', 'body', {settings}, on_duplicate => 'mark', scope => '{{pair}}');
             INSERT INTO two (id, pair, body)
             SELECT 2 * pair + place, pair, body FROM gold, LATERAL (VALUES (0, longer), (1, shorter)) AS texts (place, body) ORDER BY 1"
        ))
        .map(drop)
}

/// Makes tables `similar_pair` and `best`, and gives the threshold.
fn best_jaccard(bench: &Bench) -> Result<f64> {
    bench.ask(
        "CREATE TABLE similar_pair AS SELECT pair, jaccard_similarity(longer, shorter, 'chars:5') AS jaccard FROM gold;
         CREATE TABLE best AS
         SELECT jaccard AS threshold
         FROM (SELECT jaccard, sum(weight * is_copy::int) OVER w AS found, sum(weight) OVER w AS called
               FROM gold JOIN similar_pair USING (pair) WINDOW w AS (ORDER BY jaccard DESC)) AS thresholds,
              (SELECT sum(weight) FILTER (WHERE is_copy) AS copies FROM gold) AS total
         ORDER BY found / (called + copies) DESC LIMIT 1",
    )?;
    bench.number("SELECT threshold FROM best")
}

fn score(bench: &Bench, method: usize, corpus: Option<&str>, is_sure: bool) -> Result<Score> {
    let corpus = corpus.map(|corpus| format!(" AND corpus = '{corpus}'")).unwrap_or_default();
    let sure = if is_sure { " AND sure" } else { "" };
    let weights: Vec<String> =
        ["is_copy AND is_candidate", "is_copy AND is_called", "NOT is_copy AND is_called", "is_copy AND NOT is_called"]
            .map(|kind| format!("coalesce(sum(weight) FILTER (WHERE {kind}), 0)"))
            .into();
    let answer = bench.ask(&format!(
        "SELECT count(*), {} FROM judged JOIN gold USING (pair) WHERE method = {method}{corpus}{sure}",
        weights.join(", ")
    ))?;
    let numbers: Vec<f64> = answer.split('|').filter_map(|number| number.trim().parse().ok()).collect();
    let &[pairs, candidates, right, wrong, missed] = numbers.as_slice() else {
        return Err(format!("no figures: {answer}").into());
    };
    Ok(Score { pairs, candidates, right, wrong, missed })
}
