//! Edited copies of texts and excerpts from them, looked for by our indexes and by pg_trgm; and two texts compared directly,
//! pg_similarity beside.

use super::super::Bench;
use super::super::chart::Who;
use super::super::clock::literal;
use super::super::peers::last_line;
use super::super::report::{Comparison, Section, Shown, figure, grouped};
use crate::error::{Doing, Result};
use crate::say;

const PROBES: u64 = 100;
const OURS: &str = "near_duplicate(body, text)";
const SIMHASH: &str = "simhash_within, distance 7";

/// Measures both.
pub fn measure(bench: &Bench, section: &mut Section) -> Result {
    say::note("edited copies, by signature and by pg_trgm");
    bench.ask(&format!(
        "CREATE EXTENSION IF NOT EXISTS pg_trgm;
         CREATE TABLE held AS SELECT id, body, simhash(body, 'chars:3') AS signature FROM excerpt WHERE length(body) >= 100;
         CREATE INDEX ON held USING gin (signature) WITH (fastupdate = off);
         CREATE INDEX ON held USING gin (sketch(body)) WITH (fastupdate = off);
         CREATE INDEX ON held USING gin (body gin_trgm_ops);
         ANALYZE held;
         TRUNCATE bench.probe;
         CREATE TABLE bench.edited AS
         SELECT row_number() OVER ()::int AS number, id, '（记者报道）' || left(body, length(body) / 2) || substr(body, length(body) / 2 + 20) AS body
         FROM (SELECT id, body FROM held ORDER BY md5(id::text) LIMIT {PROBES}) AS chosen;
         INSERT INTO bench.probe SELECT number, simhash(body, 'chars:3') FROM bench.edited"
    ))?;
    let rows = bench.number("SELECT count(*) FROM held")?;
    let probes = bench.number("SELECT count(*) FROM bench.edited")?.max(1.0);
    let method = format!(
        "{} texts of 100 characters and more; {probes} of them edited (a byline before, 19 characters in the middle dropped) are \
         looked for. Median of the look-ups, and how many found their original.",
        grouped(rows)
    );
    let mut comparison = Comparison::new("Edited copies", &method, Shown::Time, OURS);
    bench.ask("SET pg_trgm.similarity_threshold = 0.6")?;
    let edited = "(SELECT e.body FROM bench.edited e WHERE e.number = p.number)";
    let original = "(SELECT e.id FROM bench.edited e WHERE e.number = p.number)";
    for (who, name, from, condition, remark) in [
        (
            Who::Ours,
            OURS,
            "held",
            format!("near_duplicate(t.body, {edited})"),
            "reads the candidates' texts; no column",
        ),
        (
            Who::Ours,
            SIMHASH,
            "held",
            "simhash_within(t.signature, p.signature, 7)".to_owned(),
            "the signature is ready",
        ),
        (
            Who::Ours,
            "the same, signing included",
            &format!("(SELECT simhash({edited}, 'chars:3') AS signature OFFSET 0) AS s, held"),
            "simhash_within(t.signature, s.signature, 7)".to_owned(),
            "",
        ),
        (
            Who::Peer,
            "pg_trgm, body % text, threshold 0.6",
            "held",
            format!("t.body % {edited}"),
            "finds also what shares only part, takes misspelt words, and serves LIKE and regular expressions",
        ),
    ] {
        let query = format!("SELECT count(*) FILTER (WHERE t.id = {original}) FROM {from} t WHERE {condition}");
        let measured = bench.lookups(&query, PROBES, PROBES)?;
        let found = figure(100.0 * measured.found / probes);
        comparison.add(who, name, measured.median, format!("finds {found} %; {remark}").trim_end_matches("; "));
    }
    section.comparison(&comparison)?;
    quotes(bench, section, rows)?;
    direct(bench, section)?;
    bench.ask("DROP TABLE held, bench.edited").map(drop)
}

/// Texts that hold the text that is looked for.
fn quotes(bench: &Bench, section: &mut Section, rows: f64) -> Result {
    const OURS: &str = "fingerprints, GIN";
    say::note("texts that hold an excerpt");
    bench.ask(
        "ALTER TABLE held ADD COLUMN prints int[], ADD COLUMN keys int[];
         UPDATE held SET prints = fingerprints(body), keys = token_keys(body, 'chars:5');
         CREATE INDEX ON held USING gin (prints) WITH (fastupdate = off);
         CREATE INDEX ON held USING gin (overlap_keys(keys, 0.8)) WITH (fastupdate = off);
         VACUUM (ANALYZE) held;
         ALTER TABLE bench.edited ADD COLUMN quote text;
         UPDATE bench.edited e SET quote = substr(h.body, 20, length(h.body) / 3) FROM held h WHERE h.id = e.id AND length(h.body) >= 300",
    )?;
    let quotes = bench.number("SELECT count(quote) FROM bench.edited")?;
    if quotes == 0.0 {
        return Ok(());
    }
    let method = format!(
        "The same {} texts; a third of {quotes} of them, cut out of the middle, is looked for. Median of the look-ups, the keys of the \
         excerpt being made in it, and how many found the text they are from.",
        grouped(rows)
    );
    let mut comparison = Comparison::new("Texts that hold an excerpt", &method, Shown::Time, OURS);
    for (who, name, made, condition, remark) in [
        (
            Who::Ours,
            OURS,
            "fingerprints(e.quote)",
            "t.prints && q.made AND overlap_similarity(t.prints, q.made) >= 0.5",
            "any shared passage of 50 characters",
        ),
        (
            Who::Ours,
            "overlap_within(keys, 0.8), 5-grams",
            "token_keys(e.quote, 'chars:5')",
            "overlap_within(t.keys, q.made, 0.8)",
            "exact for the overlap coefficient; meant for short texts",
        ),
        (
            Who::Peer,
            "pg_trgm, body %> text",
            "e.quote",
            "t.body %> q.made",
            "word similarity 0.6; order of words counts",
        ),
    ] {
        let query = format!(
            "SELECT count(*) FILTER (WHERE t.id = q.id) FROM (SELECT e.id, {made} AS made FROM bench.edited e WHERE e.number = p.number OFFSET 0) AS q, \
             held t WHERE {condition}"
        );
        let measured = bench.lookups(&query, PROBES, PROBES)?;
        let found = figure(100.0 * measured.found / quotes);
        comparison.add(who, name, measured.median, &format!("finds {found} %; {remark}"));
    }
    section.comparison(&comparison)
}

/// Two texts, nothing signed before.
fn direct(bench: &Bench, section: &mut Section) -> Result {
    const BASE: &str = "hamming_distance of two simhash calls";
    let pairs =
        "(SELECT left(a.body, 300) AS a, left(b.body, 300) AS b FROM bench.edited a JOIN held b USING (id)) AS pair";
    let method = "The first 300 characters of original and edited copy from the table above (pg_similarity takes 1,024 bytes), nothing signed before; time for one pair.";
    let mut comparison = Comparison::new("Two texts compared directly", method, Shown::Time, BASE);
    let mut lines = vec![
        (Who::Ours, BASE, "hamming_distance(simhash(a, 'chars:3'), simhash(b, 'chars:3'))"),
        (Who::Ours, "jaccard_similarity(a, b, 'chars:5')", "jaccard_similarity(a, b, 'chars:5')"),
        (Who::Ours, "overlap_similarity(a, b, 'chars:5')", "overlap_similarity(a, b, 'chars:5')"),
        (Who::Peer, "pg_trgm similarity", "similarity(a, b)"),
    ];
    match pg_similarity(bench) {
        Ok(()) => lines.push((Who::Peer, "pg_similarity jaccard, grams", "bench.jaccard(a, b)")),
        Err(error) => comparison.missing("pg_similarity", &last_line(&error.to_string())),
    }
    let count = bench.number(&format!("SELECT count(*) FROM {pairs}"))?.max(1.0);
    let statements: Vec<String> = lines.iter().map(|(.., call)| format!("SELECT sum({call}) FROM {pairs}")).collect();
    let seconds = bench.best(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    for ((who, name, _), seconds) in lines.iter().zip(seconds) {
        let remark =
            if name.starts_with("pg_similarity") { "has sixteen measures, edit distances among them" } else { "" };
        comparison.add(*who, name, seconds / count, remark);
    }
    section.comparison(&comparison)
}

/// Loads pg_similarity's library from its unpacked package.
fn pg_similarity(bench: &Bench) -> Result {
    let major = bench.postgres.major;
    let package = bench.debian_package(&format!("postgresql-{major}-similarity"))?;
    let library = package.join(format!("usr/lib/postgresql/{major}/lib/pg_similarity.so"));
    std::fs::metadata(&library).doing("find", &library)?;
    bench
        .ask(&format!(
            "LOAD {file}; SET pg_similarity.jaccard_tokenizer = 'gram';
         CREATE FUNCTION bench.jaccard(text, text) RETURNS float8 LANGUAGE c IMMUTABLE STRICT AS {file}, 'jaccard'",
            file = literal(&library.display().to_string())
        ))
        .map(drop)
}
