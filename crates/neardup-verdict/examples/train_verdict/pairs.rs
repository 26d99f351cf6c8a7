//! Labelled pairs of texts, as the files have them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::process::Command;

use neardup_core::document::minhash;
use neardup_core::sketch::minhash::{MinHash, MinHasher, Parameters, shares_key};
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::features::Features;
use neardup_verdict::{Pair as Texts, Prepared};
use serde_json::{Value, json};

/// Which file a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// `natural_gold`: pairs as tables have them, each with the number of rows it stands for.
    Natural,
    /// `pairs_gold`: hard on purpose, even over the levels of similarity.
    Hard,
    /// `web_pairs`: English web pages, labelled by others.
    Web,
    /// `read.tsv`: candidates that the model was unsure of, read one by one, measured and not trained on.
    Read,
    /// `removed.tsv`: rows that an earlier version would have removed, read one by one, measured and not trained on.
    Removed,
}

/// What is trained on.
#[allow(dead_code, reason = "the test of the weights reads no more")]
pub const TRAINED: [(&str, Set); 2] = [("natural_gold", Set::Natural), ("pairs_gold", Set::Hard)];

/// What is measured on.
pub const ALL: [(&str, Set); 5] = [
    ("natural_gold", Set::Natural),
    ("pairs_gold", Set::Hard),
    ("web_pairs", Set::Web),
    ("read", Set::Read),
    ("removed", Set::Removed),
];

/// Labels of pairs by the ids of their texts: corpus, ids, label, whether the reader was sure. The texts are in the folder.
const READ: &str = include_str!("../labelled/read.tsv");
pub const REMOVED: &str = include_str!("../labelled/removed.tsv");

/// A labelled pair.
pub struct Pair {
    pub set: Set,
    /// Its place in the file.
    pub number: usize,
    pub corpus: String,
    pub label: String,
    pub sure: bool,
    /// How many rows of its corpus it stands for; 1 outside [`Set::Natural`].
    pub weight: f64,
    /// With the titles, and without: the features, and the most that the rules let it score.
    pub inputs: [(Features, f64); 2],
    /// Whether the sketches of the two texts share a key.
    pub candidate: bool,
    pub texts: [String; 4],
}

impl Pair {
    /// Whether one of the two may go; `None` for a rewritten text among the hard pairs, about which editors differ.
    pub fn keeps_one(&self) -> Option<bool> {
        match (self.label.as_str(), self.set) {
            ("D" | "P" | "1" | "2" | "3", _) => Some(true),
            ("R", Set::Hard) => None,
            _ => Some(false),
        }
    }
}

/// Reads some of the files of a folder.
pub fn read(folder: &Path, sets: &[(&str, Set)]) -> Result<Vec<Pair>, Box<dyn Error>> {
    let analyzer: Analyzer = "shingles:5".parse()?;
    let (mut scratch, mut hasher) = (Scratch::default(), MinHasher::new(Parameters::sketch(10, 0)?, 0));
    let mut sketch = |text: &str| minhash(text, &analyzer, &mut scratch, &mut hasher);
    let mut pairs = Vec::new();
    for &(name, set) in sets {
        let lines = match set {
            Set::Read => with_texts(folder, READ)?,
            Set::Removed => with_texts(folder, REMOVED)?,
            _ => unpacked(&folder.join(format!("{name}.jsonl.xz")))?
                .lines()
                .map(serde_json::from_str)
                .collect::<Result<_, _>>()?,
        };
        for (number, json) in lines.into_iter().enumerate() {
            let field = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let texts = ["title1", "text1", "title2", "text2"].map(field);
            let [a_title, a, b_title, b] = &texts;
            let prepared = [Prepared::new(a)?, Prepared::new(b)?];
            let inputs = |a_title, b_title| Texts::new(&prepared[0], &prepared[1]).titled(a_title, b_title).features();
            let candidate = match (sketch(a)?, sketch(b)?) {
                (Some(a), Some(b)) => shares_key(MinHash::as_bytes(&a), MinHash::as_bytes(&b))?,
                _ => false,
            };
            pairs.push(Pair {
                set,
                number,
                corpus: field("corpus"),
                label: json.get("label").map(|label| label.to_string().replace('"', "")).unwrap_or_default(),
                sure: json.get("sure").and_then(Value::as_bool).unwrap_or(true),
                weight: json.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
                inputs: [inputs(a_title, b_title)?, inputs("", "")?],
                candidate,
                texts,
            });
        }
    }
    Ok(pairs)
}

fn unpacked(path: &Path) -> Result<String, Box<dyn Error>> {
    let output = Command::new("xz").arg("-dc").arg(path).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Looks up the texts of labels, and their dates.
pub fn with_texts(folder: &Path, labels: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let labels: Vec<Vec<&str>> = labels.lines().map(|line| line.split('\t').collect()).collect();
    let mut texts: HashMap<&str, Value> = HashMap::new();
    for corpus in labels.iter().filter_map(|label| label.first().copied()).collect::<BTreeSet<_>>() {
        let ids: HashSet<&str> = labels
            .iter()
            .filter(|label| label.first() == Some(&corpus))
            .flat_map(|label| label.iter().copied().skip(1).take(2))
            .collect();
        for line in unpacked(&folder.join(format!("{corpus}.jsonl.xz")))?.lines() {
            let line: Value = serde_json::from_str(line)?;
            let id = line.get("id").and_then(Value::as_str).and_then(|id| ids.get(id).copied());
            if let Some(id) = id {
                texts.insert(id, line);
            }
        }
    }
    let pair = |label: &Vec<&str>| {
        let [corpus, id1, id2, label, sure] = label.as_slice() else { return Err("a label has five columns".into()) };
        let field = |id: &str, name: &str| texts.get(id).and_then(|text| text.get(name)).cloned().ok_or("no such text");
        let (text1, text2) = (field(id1, "text")?, field(id2, "text")?);
        let date = |id: &str| field(id, "date").unwrap_or_default();
        let (date1, date2, sure) = (date(id1), date(id2), *sure == "sure");
        Ok(
            json!({"corpus": corpus, "label": label, "sure": sure, "text1": text1, "text2": text2, "date1": date1, "date2": date2}),
        )
    };
    labels.iter().map(pair).collect()
}
