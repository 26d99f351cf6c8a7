//! All labelled pairs and the tables that they come from, for the examples that train and measure.

pub mod pairs;
pub mod rows;
pub mod table;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Gives the folder of the data: `NEARDUP_DATA`, or `shared/data` beside the checkout. `None`, and a note, if it is absent.
pub fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("NEARDUP_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no labelled texts in {}", folder.display());
    None
}

/// Unpacks a file of JSON lines.
pub fn unpacked(folder: &Path, name: &str) -> Result<String> {
    let output = Command::new("xz").arg("-dc").arg(folder.join(format!("{name}.jsonl.xz"))).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
