//! All labelled pairs and the tables that they come from, for the examples that train and measure.

pub mod pairs;
pub mod rows;
pub mod second;
pub mod table;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Returns the folder that `NEARDUP_DATA` names; `None`, and a note, if there is none.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("NEARDUP_DATA").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: NEARDUP_DATA does not name the folder of the labelled texts");
    }
    folder
}

/// Unpacks a file of JSON lines.
pub fn unpacked(folder: &Path, name: &str) -> Result<String> {
    let output = Command::new("xz").arg("-dc").arg(folder.join(format!("{name}.jsonl.xz"))).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
