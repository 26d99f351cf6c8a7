//! Made-up articles: random sentences with one character in thirty replaced. No two are near-duplicates, except the requested
//! copies.

use crate::random::Random;
use anyhow::{Context, Result, bail};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

/// Prints lines `id TAB article` for COPY, the same on every machine.
#[derive(clap::Args, Debug)]
pub struct Articles {
    /// The file of sentences, one per line
    pub sentences: PathBuf,
    /// The seed of the random choice
    pub seed: u64,
    /// The number of articles
    pub rows: u64,
    /// Characters per article
    pub length: usize,
    /// Every how-many-th article is an edited copy of the one before
    pub copies: Option<u64>,
}

/// Writes the articles.
pub fn write(options: &Articles, to: impl std::io::Write) -> Result<()> {
    let sentences = fs_err::read_to_string(&options.sentences)?;
    let sentences: Vec<Vec<char>> = sentences.lines().map(|line| line.chars().collect()).collect();
    if sentences.is_empty() {
        bail!("{} has no sentences", options.sentences.display());
    }
    let mut random = Random(options.seed);
    let mut out = BufWriter::new(to);
    let mut article = String::new();
    for row in 1..=options.rows {
        if options.copies.is_some_and(|copies| row % copies == 0) {
            article = format!("（转载）{article}");
        } else {
            article.clear();
            let mut left = options.length;
            while left > 0 {
                let sentence = &sentences[random.below(sentences.len())];
                for character in sentence.iter().take(left) {
                    let replaced = random.below(30) == 0;
                    // Any Han characters would do; these are the first 4,000 of their block.
                    let other = char::from_u32(0x4e00 + random.below(4000) as u32).filter(|_| replaced);
                    article.push(other.unwrap_or(*character));
                }
                left -= sentence.len().min(left);
            }
        }
        writeln!(out, "{row}\t{article}").context("cannot write articles")?;
    }
    out.flush().context("cannot write articles")
}
