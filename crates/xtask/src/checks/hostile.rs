//! Texts that nobody writes in good faith, through the SQL functions: each ends, in memory that is given back, and can be
//! cancelled.
//!
//! A time limit of a minute stands for "for ever": whatever is not linear would need hours for 100 MB. That a function can be
//! cancelled is told by a sequence that the same expression would count up after it.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::psql::{Session, fresh_database, query};

const DATABASE: &str = "hostile";

const TEXTS: &str = "
CREATE TABLE hostile (name text PRIMARY KEY, body text);
INSERT INTO hostile VALUES
    ('100 MB of one Han character', repeat('中', 33333334)),
    ('100 MB of one letter', repeat('a', 100000000)),
    ('10 MB without punctuation', repeat('南京市长江大桥今年通车一百二十万辆次', 185000)),
    ('a million <', repeat('<', 1000000)),
    ('deeply nested tags', repeat('<div><b>', 500000) || '中' || repeat('</b></div>', 500000)),
    ('tags never closed', repeat('<a x=\">', 500000)),
    ('lone surrogates', repeat('&#xD800;&#xDFFF;', 500000)),
    ('all of Unicode', (SELECT string_agg(chr(i), '') FROM generate_series(1, 1114111) i WHERE i NOT BETWEEN 55296 AND 57343)),
    ('nothing', ''),
    ('stop words', repeat('的了和是', 500000))";

/// What is done with each text, and which of the texts it refuses as too long (54000).
const WORK: &[(&str, &[&str])] = &[
    (
        "normalize_text(body, '{html,links,reposts,handles,emoji,control,nfkc,width,casefold,simplified,punctuation,space,nospace}')",
        &[],
    ),
    ("(SELECT count(*) FROM sentences(body))", &[]),
    ("(SELECT count(*) FROM keywords(body, 10, 'none'))", &[]),
    ("(SELECT count(*) FROM keywords(body, 10, 'tfidf'))", &[]),
    ("(SELECT count(*) FROM keywords(body, 10, 'textrank'))", &[]),
    ("p_simhash(body)", &[]),
    (
        "simhash(body, '{\"tokenizer\": \"jieba\", \"normalize\": [\"html\", \"nfkc\"], \"stop_words\": \"chinese\"}')",
        &[],
    ),
    ("p_simhash(body, 'chars:1')", &["100 MB of one Han character", "100 MB of one letter"]),
    ("cardinality(tokens(body, 'chars:1'))", &["100 MB of one Han character", "100 MB of one letter"]),
];

/// Runs everything on everything; then cancels; then looks at memory.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    query(server, DATABASE, TEXTS)?;
    query(server, DATABASE, "CREATE SEQUENCE finished")?;
    let names = query(server, DATABASE, "SELECT name FROM hostile")?;
    let analyzers = query(server, DATABASE, "SELECT name FROM analyzers()")?;
    let signatures: Vec<String> = analyzers.lines().map(|analyzer| format!("simhash(body, '{analyzer}')")).collect();
    let none: &[&str] = &[];
    let signing = signatures.iter().map(|work| (work.as_str(), none));
    let all: Vec<(&str, &[&str])> = WORK.iter().copied().chain(signing).collect();

    let mut session = Session::open(server, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    session.ask("SET max_parallel_workers_per_gather = 0; SET jit = off; SET statement_timeout = '60s';")?;
    let mut tally = Tally::default();
    for name in names.lines() {
        for (work, refused) in &all {
            let sql =
                format!("SELECT coalesce(octet_length(({work})::text), 0) >= 0 FROM hostile WHERE name = '{name}';");
            let expected = if refused.contains(&name) { "ERROR:  54000" } else { "t" };
            tally += expect(&format!("{work} on {name}"), &session.ask(&sql)?, expected);
        }
    }
    println!("    a backend after them has {}", session.ask(MEMORY)?);

    session.ask("SET statement_timeout = '50ms';")?;
    for (work, _) in all.iter().filter(|(_, refused)| refused.is_empty()) {
        let cancel = format!(
            "SELECT CASE WHEN ({work}) IS NULL THEN 0 ELSE nextval('finished') END FROM hostile WHERE name = '100 MB of one Han character';"
        );
        tally += expect(&format!("{work}, cancelled"), &session.ask(&cancel)?, "ERROR:  57014");
        tally += expect(
            &format!("{work}, cancelled in the middle"),
            &session.ask("SELECT NOT is_called FROM finished;")?,
            "t",
        );
    }
    Ok(tally)
}

/// The resident memory of the session's backend.
const MEMORY: &str =
    "SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmRSS:\\s+(\\d+)'))[1]::int / 1024 || ' MB';";
