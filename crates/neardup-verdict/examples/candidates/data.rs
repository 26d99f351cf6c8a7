//! The texts of a corpus, and pairs that were read one by one.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Result;

/// The corpora, and how many texts of each are read.
pub const CORPORA: [(&str, usize); 6] = [
    ("news", usize::MAX),
    ("posts", usize::MAX),
    ("sports", usize::MAX),
    ("broadcast", usize::MAX),
    ("titles", 150_000),
    ("reuters", usize::MAX),
];

/// A pair with its label.
pub struct Pair {
    pub corpus: String,
    pub texts: [String; 2],
    /// Whether one of the two can go.
    pub keeps_one: bool,
    /// Whether the reader was certain.
    pub sure: bool,
    /// How many rows of its corpus it stands for.
    pub weight: f64,
}

/// Reads the distinct texts of a corpus, spread evenly over it where not all are wanted.
pub fn texts(folder: &Path, corpus: &str, most: usize) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut texts = Vec::new();
    for line in unpacked(&folder.join(format!("{corpus}.jsonl.xz")))?.lines() {
        let text = field(&serde_json::from_str(line)?, "text");
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    let all = texts.len();
    if most >= all {
        return Ok(texts);
    }
    Ok(texts
        .into_iter()
        .enumerate()
        .filter(|(at, _)| at * most / all != (at + 1) * most / all)
        .map(|(_, text)| text)
        .collect())
}

/// Reads labelled pairs: `natural_gold` or `pairs_gold`. A weight that is not given is 1.
pub fn pairs(folder: &Path, name: &str) -> Result<Vec<Pair>> {
    let lines = unpacked(&folder.join(format!("{name}.jsonl.xz")))?;
    let pair = |line: &str| -> Result<Pair> {
        let json: Value = serde_json::from_str(line)?;
        Ok(Pair {
            corpus: field(&json, "corpus"),
            texts: ["text1", "text2"].map(|name| field(&json, name)),
            keeps_one: matches!(field(&json, "label").as_str(), "D" | "P"),
            sure: json.get("sure").and_then(Value::as_bool).unwrap_or_default(),
            weight: json.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        })
    };
    lines.lines().map(pair).collect()
}

fn field(json: &Value, name: &str) -> String {
    json.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn unpacked(path: &Path) -> Result<String> {
    let output = Command::new("xz").arg("-dc").arg(path).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
