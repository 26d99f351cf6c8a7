//! A table in memory: its rows, their sketches, and the rows of each key.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use neardup_core::document::minhash;
use neardup_core::signature::minhash::{MinHashRef, MinHasher, Parameters};
use neardup_text::hash::mix;
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::{BACKGROUND, Rows, SAMPLE};
use serde_json::Value;

use super::{Result, unpacked};

/// Returns the tables below a folder, by their files without endings, in the order of their names.
pub fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (below, prefix) in [(folder.to_owned(), ""), (folder.join("tables"), "tables/")] {
        for entry in std::fs::read_dir(below)? {
            let name = entry?.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(".jsonl.xz"));
            found.extend(
                name.filter(|name| !name.contains("gold") && *name != "web_pairs")
                    .map(|name| format!("{prefix}{name}")),
            );
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A key that more rows have is no candidate's.
pub const HOT: usize = 300;

pub struct Row {
    pub text: String,
    pub title: String,
    /// In days, if the row has a date.
    pub day: Option<i64>,
    pub keys: Vec<u64>,
}

pub struct Table {
    pub name: String,
    pub rows: Vec<Row>,
    pub by_id: HashMap<String, u32>,
    pub by_text: HashMap<String, u32>,
    pub by_key: HashMap<u64, Vec<u32>>,
}

impl Table {
    /// Reads a table and computes its sketches: `shingles:5`, ten keys and that of the opening.
    pub fn read(folder: &Path, file: &str) -> Result<Self> {
        let analyzer: Analyzer = "shingles:5".parse()?;
        let (mut scratch, mut hasher) = (Scratch::default(), MinHasher::new(Parameters::sketch(10, 0)?, 0));
        let name = file.rsplit('/').next().unwrap_or(file).to_owned();
        let mut table =
            Self { name, rows: Vec::new(), by_id: HashMap::new(), by_text: HashMap::new(), by_key: HashMap::new() };
        for line in unpacked(folder, file)?.lines() {
            let json: Value = serde_json::from_str(line)?;
            let field = |name: &str| json.get(name).and_then(Value::as_str);
            let text = field("text").unwrap_or_default().to_owned();
            let keys: Vec<u64> = match minhash(&text, &analyzer, &mut scratch, &mut hasher)? {
                Some(sketch) => MinHashRef::parse(sketch.as_bytes())?.keys().collect(),
                None => Vec::new(),
            };
            let row = table.rows.len() as u32;
            for &key in &keys {
                table.by_key.entry(key).or_default().push(row);
            }
            table.by_id.entry(field("id").unwrap_or_default().to_owned()).or_insert(row);
            table.by_text.entry(text.clone()).or_insert(row);
            let title = field("title").unwrap_or_default().to_owned();
            table.rows.push(Row { text, title, day: field("date").and_then(day), keys });
        }
        Ok(table)
    }

    /// Finds a row by its id, or else by its text.
    pub fn find(&self, id: &str, text: &str) -> Option<u32> {
        self.by_id.get(id).or_else(|| self.by_text.get(text)).copied()
    }

    /// Returns how far apart two rows are.
    pub fn apart(&self, a: u32, b: u32) -> Option<Duration> {
        let (a, b) = (self.rows[a as usize].day?, self.rows[b as usize].day?);
        Some(Duration::from_secs(a.abs_diff(b) * 86_400))
    }
}

/// The rows before one, as a guard sees them; or all.
pub struct Before<'t> {
    pub table: &'t Table,
    pub end: u32,
}

impl Rows for Before<'_> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        let rows = self.table.by_key.get(&key).map_or(&[][..], Vec::as_slice);
        let seen = rows.partition_point(|&row| row < self.end).min(HOT);
        let mut found: Vec<u64> = rows[..seen].iter().map(|&row| row.into()).collect();
        found.sort_unstable_by_key(|row| mix(*row, 0));
        found.truncate(SAMPLE);
        found.sort_unstable();
        Ok(found)
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        Ok(rows.iter().map(|&row| (row, self.table.rows[row as usize].text.clone())).collect())
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        let seen = self.table.rows.len().min(self.end as usize);
        let wanted = seen.min(BACKGROUND);
        Ok((0..wanted).map(|at| self.table.rows[at * seen / wanted].text.clone()).collect())
    }
}

/// Returns the number of a day, from the year, month and day that a date begins with, with or without signs between them.
fn day(date: &str) -> Option<i64> {
    let mut parts = date.split(|c: char| !c.is_ascii_digit());
    let first = parts.next()?;
    let (year, month, day) = if first.len() >= 8 {
        (
            first.get(..4)?.parse::<i64>().ok()?,
            first.get(4..6)?.parse::<i64>().ok()?,
            first.get(6..8)?.parse::<i64>().ok()?,
        )
    } else {
        (first.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)
    };
    // Counted from March, so that a leap day ends its year.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}
