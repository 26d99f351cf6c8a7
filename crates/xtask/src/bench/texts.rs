//! The texts that are measured on: the user's, or the demo's sample enlarged to any number of made-up articles.
//!
//! Table `article (id, body)` has them all, and a file has them one a line for programs outside the server. Slow
//! contestants get table `excerpt` and its file: every so many-th text, some twenty megabytes.

use super::Bench;
use crate::command::{root, text};
use crate::demo::{Input, source};
use crate::error::{Doing, Result};
use crate::psql::psql;
use crate::server::Server;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Bytes of text that a slow contestant gets.
const EXCERPT: f64 = 20e6;
/// Characters of a made-up article.
const LENGTH: u64 = 700;

/// What was loaded.
pub struct Texts {
    /// What the reader is told about them.
    pub origin: String,
    /// How many there are.
    pub documents: f64,
    /// Bytes of UTF-8 of all, and of the excerpt.
    pub bytes: f64,
    /// The same of the excerpt.
    pub excerpt_bytes: f64,
    /// All of them, one a line.
    pub file: PathBuf,
    /// The excerpt, one a line.
    pub excerpt_file: PathBuf,
}

/// Loads them into tables and writes the files into the server's directory.
pub fn load(server: &Server, database: &str, options: &Input, made_up: u64) -> Result<Texts> {
    let mut load = psql(server, database);
    load.args(["-q", "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE line (json text)"]);
    load.args(["-c", &format!(r"\copy line FROM {} (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')", source(options)?)]);
    // A text is one line of a file, without what COPY would escape.
    load.args([
        "-c",
        r"CREATE TABLE article AS SELECT row_number() OVER ()::int AS id, translate(json::json ->> 'text', E'\n\r\t\\', '    ') AS body FROM line",
    ]);
    text(load.args(["-c", "DROP TABLE line"]).current_dir(root()))?;
    let run = |sql: &str| {
        let mut psql = psql(server, database);
        text(psql.args(["-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql]))
    };
    if options.input.is_none() {
        let mut writer = Writer::new(&run(SENTENCES)?, 1);
        let file = server.directory().join("made-up");
        writer.file(&file, 1..=made_up, LENGTH, None)?;
        run("TRUNCATE article")?;
        run(&format!(r"\copy article FROM '{}'", file.display()))?;
    }
    run("ALTER TABLE article ADD PRIMARY KEY (id)")?;
    let number = |sql: &str| -> Result<f64> { Ok(run(sql)?.parse().unwrap_or(0.0)) };
    let bytes = number("SELECT sum(octet_length(body)) FROM article")?;
    let stride = (bytes / EXCERPT).ceil().max(1.0);
    run(&format!("CREATE TABLE excerpt AS SELECT * FROM article WHERE id % {stride} = 0 ORDER BY id"))?;
    run("VACUUM (FREEZE, ANALYZE)")?;
    let (file, excerpt_file) = (server.directory().join("article"), server.directory().join("excerpt"));
    for (table, file) in [("article", &file), ("excerpt", &excerpt_file)] {
        run(&format!(r"\copy (SELECT body FROM {table} ORDER BY id) TO '{}'", file.display()))?;
    }
    let origin = match &options.input {
        Some(path) => format!("`{}`", path.file_name().unwrap_or_default().to_string_lossy()),
        None => "made-up articles from the sentences of the demo's sample, with characters replaced".into(),
    };
    Ok(Texts {
        origin,
        documents: number("SELECT count(*) FROM article")?,
        bytes,
        excerpt_bytes: number("SELECT sum(octet_length(body)) FROM excerpt")?,
        file,
        excerpt_file,
    })
}

/// The sentences that made-up articles consist of.
const SENTENCES: &str =
    "SELECT DISTINCT s FROM (SELECT body FROM article LIMIT 2000) t, regexp_split_to_table(body, '(?<=[。！？])') s
     WHERE length(s) BETWEEN 8 AND 80 ORDER BY s";

impl Bench<'_> {
    /// A writer of articles from the sentences of the texts.
    pub fn writer(&self, seed: u64) -> Result<Writer> {
        Ok(Writer::new(&self.ask(&format!("{SENTENCES};"))?, seed))
    }
}

/// Writes articles that no one has written: sentences at random, one character in thirty replaced. Two of them are no
/// near-duplicates.
pub struct Writer {
    sentences: Vec<Vec<char>>,
    random: Random,
}

impl Writer {
    fn new(sentences: &str, seed: u64) -> Self {
        Self { sentences: sentences.lines().map(|line| line.chars().collect()).collect(), random: Random(seed) }
    }

    /// An article of this many characters.
    pub fn article(&mut self, length: u64) -> String {
        let mut article = String::new();
        let mut left = length as usize;
        while left > 0 {
            let sentence = &self.sentences[self.random.below(self.sentences.len() as u64) as usize];
            for character in sentence.iter().take(left) {
                let replaced = self.random.below(30) == 0;
                // The commonest fifth of the Han characters' block is as good as any.
                let other = char::from_u32(0x4e00 + self.random.below(4000) as u32).filter(|_| replaced);
                article.push(other.unwrap_or(*character));
            }
            left -= sentence.len().min(left);
        }
        article
    }

    /// Writes lines `id TAB article` for COPY; with `copies`, every so many-th is an edited copy of the one before.
    pub fn file(&mut self, path: &Path, ids: impl Iterator<Item = u64>, length: u64, copies: Option<usize>) -> Result {
        let mut file = BufWriter::new(std::fs::File::create(path).doing("create", path)?);
        let mut article = String::new();
        for (place, id) in (1..).zip(ids) {
            if copies.is_some_and(|copies: usize| place % copies == 0) {
                article = format!("（转载）{article}");
            } else {
                article = self.article(length);
            }
            writeln!(file, "{id}\t{article}").doing("write", path)?;
        }
        file.flush().doing("write", path)
    }
}

/// SplitMix64 (Steele 2014): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Writer;

    #[test]
    fn articles_have_their_length_and_differ() {
        let mut writer = Writer::new("江口镇今日举办龙舟赛。\n上游村队夺冠。", 1);
        let (one, other) = (writer.article(100), writer.article(100));
        assert_eq!((one.chars().count(), other.chars().count()), (100, 100));
        assert_ne!(one, other);
        assert_eq!(Writer::new("江口镇今日举办龙舟赛。\n上游村队夺冠。", 1).article(100), one, "the same seed");
    }
}
