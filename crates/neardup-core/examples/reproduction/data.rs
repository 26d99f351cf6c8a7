//! Reads the data folder.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;
use std::process::Command;

/// How many documents are compared, as in the source.
const DOCUMENTS: usize = 3000;

/// The documents, and the pairs among them that the list of true pairs names.
pub struct Corpus {
    /// Distinct texts.
    pub texts: Vec<String>,
    /// Places in `texts`, the smaller first.
    pub listed: Vec<(usize, usize)>,
}

/// Returns the text of an xz-compressed file.
pub fn unpack(folder: &str, file: &str) -> Result<String, Box<dyn Error>> {
    let path = Path::new(folder).join(file);
    let unpacked = Command::new("xz").arg("-dc").arg(&path).output()?;
    if !unpacked.status.success() {
        return Err(format!("cannot read {}: {}", path.display(), String::from_utf8_lossy(&unpacked.stderr)).into());
    }
    Ok(String::from_utf8(unpacked.stdout)?)
}

/// Picks the documents: all that have a near-duplicate with another URL, then, in the order of the file, documents that have none at
/// all, one for each text.
pub fn read_corpus(folder: &str) -> Result<Corpus, Box<dyn Error>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut paired: HashSet<String> = HashSet::new();
    for line in unpack(folder, "natural_pairs.tsv.xz")?.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if let ["news", a, b, _, _, same_url] = fields[..] {
            paired.extend([a.to_owned(), b.to_owned()]);
            if same_url == "0" {
                pairs.push((a.to_owned(), b.to_owned()));
            }
        }
    }
    let wanted: HashSet<&str> = pairs.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect();
    let (mut chosen, mut others, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for line in unpack(folder, "news.jsonl.xz")?.lines() {
        let document: serde_json::Value = serde_json::from_str(line)?;
        let (Some(id), Some(text)) = (document["id"].as_str(), document["text"].as_str()) else { continue };
        if !seen.insert(text.to_owned()) {
            continue;
        }
        if wanted.contains(id) {
            chosen.push((id.to_owned(), text.to_owned()));
        } else if !paired.contains(id) {
            others.push((id.to_owned(), text.to_owned()));
        }
    }
    others.truncate(DOCUMENTS.saturating_sub(chosen.len()));
    chosen.append(&mut others);
    let place: HashMap<&str, usize> = chosen.iter().enumerate().map(|(place, (id, _))| (id.as_str(), place)).collect();
    let listed = pairs
        .iter()
        .filter_map(|(a, b)| place.get(a.as_str()).zip(place.get(b.as_str())))
        .map(|(&a, &b)| (a.min(b), a.max(b)))
        .collect();
    Ok(Corpus { listed, texts: chosen.into_iter().map(|(_, text)| text).collect() })
}
