//! The texts to measure with: the user's, or made-up articles from the sentences of the demo's sample, in any number.
//!
//! Table `article (id, body)` holds all of them, and a file holds them one per line for programs outside the server. Slow
//! programs get the table `excerpt` and its file: evenly spread texts, about twenty megabytes.

use super::articles::{self, Articles};
use crate::demo::{Input, source};
use crate::psql::{load_lines, query};
use crate::server::Server;
use anyhow::Result;
use std::path::PathBuf;

/// The texts that were loaded.
pub struct Texts {
    /// Their description in the report.
    pub origin: String,
    /// The number of texts.
    pub documents: u64,
    /// Bytes of UTF-8 of all texts.
    pub bytes: u64,
    /// Bytes of UTF-8 of the excerpt.
    pub excerpt_bytes: u64,
    /// The file with all texts, one per line.
    pub file: PathBuf,
    /// The file with the excerpt, one per line.
    pub excerpt_file: PathBuf,
    /// The file with the sentences of made-up articles, one per line.
    pub sentences: PathBuf,
}

/// Loads the texts into tables and writes the files into the server's directory.
pub fn load(server: &Server, database: &str, input: &Input, made_up: u64) -> Result<Texts> {
    let file = |name: &str| server.directory().join(name);
    let (all, excerpt, sentences) = (file("article"), file("excerpt"), file("sentences"));
    let run = |sql: &str| query(server, database, sql);
    load_lines(server, database, &source(input)?)?;
    // A text is one line of a file, so characters that COPY would escape are removed. What follows the mark of a repost is a quotation, which
    // verdicts leave out, so no sentence of a made-up article has one.
    run(
        r"CREATE TABLE article AS SELECT row_number() OVER ()::int AS id, translate(json ->> 'text', E'\n\r\t\\', '    ') AS body FROM line;
        DROP TABLE line",
    )?;
    run(&format!(
        r"\copy (SELECT DISTINCT s FROM (SELECT body FROM article LIMIT 2000) t, regexp_split_to_table(body, '(?<=[。！？])') s WHERE length(s) BETWEEN 8 AND 80 AND s !~ '//@' ORDER BY s) TO '{}'",
        sentences.display()
    ))?;
    if input.input.is_none() {
        let made = Articles { sentences: sentences.clone(), seed: 1, rows: made_up, length: 700, copies: None };
        articles::write(&made, fs_err::File::create(&all)?)?;
        run("TRUNCATE article")?;
        run(&format!(r"\copy article FROM '{}'", all.display()))?;
    }
    run("ALTER TABLE article ADD PRIMARY KEY (id)")?;
    let number = |sql: &str| -> Result<u64> { Ok(run(sql)?.parse().unwrap_or(0)) };
    let bytes = number("SELECT sum(octet_length(body)) FROM article")?;
    let stride = bytes.div_ceil(20_000_000).max(1);
    run(&format!("CREATE TABLE excerpt AS SELECT * FROM article WHERE id % {stride} = 0 ORDER BY id"))?;
    run("VACUUM (FREEZE, ANALYZE)")?;
    for (table, file) in [("article", &all), ("excerpt", &excerpt)] {
        run(&format!(r"\copy (SELECT body FROM {table} ORDER BY id) TO '{}'", file.display()))?;
    }
    Ok(Texts {
        origin: match &input.input {
            Some(path) => format!("`{}`", path.file_name().unwrap_or_default().to_string_lossy()),
            None => "made-up articles from the sentences of the demo's sample, with characters replaced".into(),
        },
        documents: number("SELECT count(*) FROM article")?,
        bytes,
        excerpt_bytes: number("SELECT sum(octet_length(body)) FROM excerpt")?,
        file: all,
        excerpt_file: excerpt,
        sentences,
    })
}
