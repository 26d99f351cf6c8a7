//! Labelled pairs of texts, as the files have them.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use neardup_core::analysis::{Analyzer, Scratch};
use neardup_core::document::minhash;
use neardup_core::sketch::minhash::{MinHash, MinHasher, Parameters, shares_key};
use neardup_core::verdict::features::Features;
use neardup_core::verdict::features_of;

/// Which file a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// `natural_gold`: pairs as tables have them, each with the number of rows it stands for.
    Natural,
    /// `pairs_gold`: hard on purpose, even over the levels of similarity.
    Hard,
    /// `web_pairs`: English web pages, labelled by others.
    Web,
}

/// The files, and what is read from them.
pub const SETS: [(&str, Set); 3] = [("natural_gold", Set::Natural), ("pairs_gold", Set::Hard), ("web_pairs", Set::Web)];

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

/// Reads the files of a folder.
pub fn read(folder: &Path) -> Result<Vec<Pair>, Box<dyn Error>> {
    let analyzer: Analyzer = "shingles:5".parse()?;
    let (mut scratch, mut hasher) = (Scratch::default(), MinHasher::new(Parameters::sketch(10, 0)?, 0));
    let mut sketch = |text: &str| minhash(text, &analyzer, &mut scratch, &mut hasher);
    let mut pairs = Vec::new();
    for (name, set) in SETS {
        for (number, line) in unpacked(&folder.join(format!("{name}.jsonl.xz")))?.lines().enumerate() {
            let json: serde_json::Value = serde_json::from_str(line)?;
            let field = |name: &str| json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            let texts = ["title1", "text1", "title2", "text2"].map(field);
            let [a_title, a, b_title, b] = &texts;
            let candidate = match (sketch(a)?, sketch(b)?) {
                (Some(a), Some(b)) => shares_key(MinHash::as_bytes(&a), MinHash::as_bytes(&b))?,
                _ => false,
            };
            pairs.push(Pair {
                set,
                number,
                corpus: field("corpus"),
                label: json.get("label").map(|label| label.to_string().replace('"', "")).unwrap_or_default(),
                sure: json.get("sure").and_then(serde_json::Value::as_bool).unwrap_or(true),
                weight: json.get("weight").and_then(serde_json::Value::as_f64).unwrap_or(1.0),
                inputs: [features_of(a_title, a, b_title, b)?, features_of("", a, "", b)?],
                candidate,
                texts,
            });
        }
    }
    Ok(pairs)
}

fn unpacked(path: &Path) -> Result<String, Box<dyn Error>> {
    let output = Command::new("xz").arg("-dc").arg(path).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
