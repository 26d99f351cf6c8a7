//! The project's files by extension.

use anyhow::Result;
use std::path::{Path, PathBuf};

/// Returns the files below a directory, sorted; for a file, the file itself.
pub fn below(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs_err::read_dir(path)? {
        found.extend(below(&entry?.path())?);
    }
    found.sort();
    Ok(found)
}

/// Returns those with this extension, such as `rs`.
pub fn of_kind(path: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = below(path)?;
    found.retain(|file| file.extension().is_some_and(|other| other == extension));
    Ok(found)
}

/// Returns the names of such files, without the extension.
pub fn names(directory: &Path, extension: &str) -> Result<Vec<String>> {
    let stem = |file: &PathBuf| Some(file.file_stem()?.to_string_lossy().into_owned());
    Ok(of_kind(directory, extension)?.iter().filter_map(stem).collect())
}
