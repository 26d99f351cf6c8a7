//! Labelled pairs of texts, as the file has them.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use neardup_verdict::features::Features;
use neardup_verdict::features_of;

/// A labelled pair.
pub struct Pair {
    pub number: usize,
    pub corpus: String,
    pub label: String,
    pub sure: bool,
    /// With the titles, and without: the features, and the most that the rules let it score.
    pub inputs: [(Features, f64); 2],
    pub texts: [String; 4],
}

impl Pair {
    /// Whether one of the two may go; `None` for a rewritten text.
    pub fn keeps_one(&self) -> Option<bool> {
        match self.label.as_str() {
            "D" | "P" => Some(true),
            "T" | "U" => Some(false),
            _ => None,
        }
    }
}

/// Reads a file of pairs, compressed with xz or not.
pub fn read(path: &Path) -> Result<Vec<Pair>, Box<dyn Error>> {
    let text = if path.extension().is_some_and(|extension| extension == "xz") {
        let output = Command::new("xz").arg("-dc").arg(path).output()?;
        String::from_utf8(output.stdout)?
    } else {
        std::fs::read_to_string(path)?
    };
    let mut pairs = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let json: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| json.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let texts = ["title1", "text1", "title2", "text2"].map(field);
        let [a_title, a, b_title, b] = &texts;
        pairs.push(Pair {
            number,
            corpus: field("corpus"),
            label: field("label"),
            sure: json.get("sure").and_then(serde_json::Value::as_bool).unwrap_or(true),
            inputs: [features_of(a_title, a, b_title, b)?, features_of("", a, "", b)?],
            texts,
        });
    }
    Ok(pairs)
}
