//! The licences of the crates that are linked into the library: most ask for their text to go with every copy of the program.

use crate::command::{cargo, text};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// How the names of files with licences begin.
const NAMES: [&str; 6] = ["licen", "copying", "copyright", "notice", "unlicense", "third"];

/// Returns the texts, each below the names of the crates that have it.
pub fn notices() -> Result<String> {
    let compiler = text(Command::new("rustc").arg("-vV"))?;
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc -vV names no host")?;
    let metadata = text(cargo().args(["metadata", "--format-version=1", "--locked", "--filter-platform", host]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut of_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in linked(&metadata) {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {} ({})", field("name"), field("version"), field("license"));
        let mut texts = licences(Path::new(field("manifest_path")))?;
        if texts.is_empty() {
            let authors: Vec<&str> = items(&package["authors"]).iter().filter_map(Value::as_str).collect();
            let authors = if authors.is_empty() { field("repository").to_owned() } else { authors.join(", ") };
            texts.push(format!("By {authors}. The crate has no file with its licence."));
        }
        for text in texts {
            of_text.entry(text).or_default().insert(name.clone());
        }
    }
    let part = |(text, names): (String, BTreeSet<String>)| {
        let names: Vec<String> = names.into_iter().collect();
        format!("{}\n\n{text}\n", names.join("\n"))
    };
    let parts: Vec<String> = of_text.into_iter().map(part).collect();
    Ok(parts.join(&format!("\n{}\n\n", "-".repeat(72))))
}

/// Returns the texts in the files beside a manifest.
fn licences(manifest: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(manifest.parent().unwrap_or(manifest))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            let text = String::from_utf8_lossy(&fs_err::read(&path)?).replace('\r', "");
            found.push(text.trim().to_owned());
        }
    }
    Ok(found)
}

/// Returns the packages of others that the extension is linked with, from `cargo metadata`.
fn linked(metadata: &Value) -> Vec<&Value> {
    let nodes = items(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<&str, &Value> = nodes.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let mut found = BTreeSet::new();
    let mut waiting: Vec<&str> = metadata["resolve"]["root"].as_str().into_iter().collect();
    while let Some(id) = waiting.pop() {
        if !found.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).map_or(&[][..], |node| items(&node["deps"])) {
            // The other kinds only build or test.
            if items(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) {
                waiting.extend(dependency["pkg"].as_str());
            }
        }
    }
    // Our own have no source.
    let is_linked =
        |package: &&Value| package["source"].is_string() && package["id"].as_str().is_some_and(|id| found.contains(id));
    items(&metadata["packages"]).iter().filter(is_linked).collect()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::linked;
    use serde_json::json;

    #[test]
    fn what_only_builds_is_not_linked() {
        let kind = |kind: serde_json::Value| json!([{ "kind": kind }]);
        let metadata = json!({
            "packages": [{ "id": "ours", "source": null }, { "id": "a", "source": "r" }, { "id": "b", "source": "r" }, { "id": "c", "source": "r" }],
            "resolve": { "root": "ours", "nodes": [
                { "id": "ours", "deps": [{ "pkg": "a", "dep_kinds": kind(json!(null)) }, { "pkg": "b", "dep_kinds": kind(json!("build")) }] },
                { "id": "a", "deps": [{ "pkg": "c", "dep_kinds": kind(json!(null)) }] },
            ] },
        });
        let names: Vec<_> =
            linked(&metadata).iter().map(|package| package["id"].as_str().unwrap_or_default()).collect();
        assert_eq!(names, ["a", "c"]);
    }
}
