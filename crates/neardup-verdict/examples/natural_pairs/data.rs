//! Texts of several corpora, and the complete list of pairs among them that share most of their text.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use super::Result;

/// The corpora of the list.
const CORPORA: [&str; 4] = ["news", "broadcast", "sports", "posts"];

/// A text that is not the same as one before it.
pub struct Text {
    pub corpus: &'static str,
    pub text: String,
}

/// A pair of texts, by their places.
pub struct Pair {
    pub a: usize,
    pub b: usize,
    /// Of the sets of character 5-grams.
    pub jaccard: f64,
    /// One article scraped twice.
    pub same_url: bool,
}

/// All of them.
pub struct Corpora {
    pub texts: Vec<Text>,
    pub pairs: Vec<Pair>,
}

impl Corpora {
    /// Reads `news.jsonl.xz` and its like, with `id` and `text`, and `natural_pairs.tsv.xz`, with a heading.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut places = HashMap::new();
        let mut texts = Vec::new();
        for corpus in CORPORA {
            let mut seen = HashSet::new();
            for line in unpacked(&folder.join(format!("{corpus}.jsonl.xz")))?.lines() {
                let json: serde_json::Value = serde_json::from_str(line)?;
                let field =
                    |name: &str| json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
                if seen.insert(field("text")) {
                    places.insert(field("id"), texts.len());
                    texts.push(Text { corpus, text: field("text") });
                }
            }
        }
        let table = unpacked(&folder.join("natural_pairs.tsv.xz"))?;
        let mut lines = table.lines();
        let heading: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
        let column = |name: &str| heading.iter().position(|&known| known == name).ok_or("the pairs lack a column");
        let (a, b) = (column("id1")?, column("id2")?);
        let (jaccard, same_url) = (column("jaccard_char5")?, column("same_url")?);
        let pair = |line: &str| {
            let fields: Vec<&str> = line.split('\t').collect();
            let place = |column: usize| places.get(*fields.get(column)?).copied();
            let jaccard = fields.get(jaccard)?.parse().ok()?;
            Some(Pair { a: place(a)?, b: place(b)?, jaccard, same_url: fields.get(same_url) == Some(&"1") })
        };
        let pairs = lines.filter_map(pair).collect();
        Ok(Self { texts, pairs })
    }
}

fn unpacked(path: &Path) -> Result<String> {
    let output = Command::new("xz").arg("-dc").arg(path).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
