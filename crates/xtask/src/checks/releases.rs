//! Released scripts stay unchanged, and the number of this version is the same everywhere.

use crate::build::VERSION;
use crate::check::{Context, Tally, expect};
use crate::command::{root, text};
use crate::package::version_in_meta;
use crate::say;
use crate::upgrade::releases;
use anyhow::Result;
use std::process::Command;

/// Compares the frozen scripts with their checksums, and the files that state the version.
pub fn run(_: &Context) -> Result<Tally> {
    let directory = root().join("sql/releases");
    let read = |name: &str| fs_err::read_to_string(root().join(name));
    let digests = read("sql/releases/SHA256SUMS")?;
    let frozen = releases()?;
    let scripts: Vec<String> = frozen.iter().map(|version| format!("pg_neardup--{version}.sql")).collect();
    // Without a file argument, sha256sum would read standard input.
    let now = if scripts.is_empty() {
        say::note("no release yet: nothing to compare");
        String::new()
    } else {
        text(Command::new("sha256sum").args(&scripts).current_dir(&directory))?
    };
    let mut tally = expect("the released scripts, which never change", &now, digests.trim_end());
    tally += expect("META.json", &version_in_meta()?, VERSION);
    let changelog = read("CHANGELOG.md")?;
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let versions: Vec<&str> = headings.filter_map(|heading| heading.split([',', ' ']).next()).collect();
    tally += expect("the newest version in CHANGELOG.md", versions.first().unwrap_or(&"none"), VERSION);
    for version in &frozen {
        let found = versions.iter().find(|other| *other == version).unwrap_or(&"none");
        tally += expect("a released version in CHANGELOG.md", found, version);
    }
    if let Some(newest) = frozen.last().filter(|newest| newest.as_str() != VERSION) {
        let script = format!("sql/pg_neardup--{newest}--{VERSION}.sql");
        tally += expect(&format!("{script} is there"), &root().join(&script).exists().to_string(), "true");
    }
    Ok(tally)
}
