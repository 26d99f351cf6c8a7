//! Unsafe code: only where it belongs, each piece with its argument. Clippy sees what is compiled for one Postgres; this reads all
//! lines, also those for another version, and counts.

use super::Tally;
use crate::command::root;
use crate::error::{Doing, Result};
use crate::test::Context;
use std::path::{Path, PathBuf};

/// What begins the paths of files that may be unsafe: what stands between Postgres and the rest, the CPU's kernels, and the inner
/// loop that undoes pglz.
const PLACES: [&str; 15] = [
    "src/datum/",
    "src/grouping.rs",
    "src/planning.rs",
    "src/guc.rs",
    "src/guard/",
    "crates/neardup-core/src/analysis/chars/neon.rs",
    "crates/neardup-core/src/analysis/chars/x86.rs",
    "crates/neardup-core/src/analysis/normalize/fused/x86.rs",
    "crates/neardup-core/src/grouping/near.rs",
    "crates/neardup-core/src/grouping/sweep.rs",
    "crates/neardup-core/src/pglz.rs",
    "crates/neardup-core/src/sketch/",
    "crates/xtask/src/interrupt.rs",
    "crates/xtask/src/command.rs",
    "crates/xtask/src/checks/unsafety.rs",
];
/// How far above a piece its argument may begin, attributes and the rest of the comment between them.
const REACH: usize = 12;

/// Reads all sources.
pub fn run(_: &Context) -> Result<Tally> {
    let mut files = Vec::new();
    for directory in ["src", "crates/neardup-core/src", "crates/xtask/src"] {
        sources(&root().join(directory), &mut files)?;
    }
    let mut tally = Tally::default();
    let mut total = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).doing("read", file)?;
        let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
        let pieces = pieces(&text);
        total += pieces.len();
        let belongs = pieces.is_empty() || PLACES.iter().any(|place| name.starts_with(place));
        if !belongs {
            println!("{name}: unsafe code does not belong here; src/datum/ gives safe views");
        }
        let bare: Vec<usize> = pieces.iter().filter(|(_, argued)| !argued).map(|(line, _)| *line).collect();
        bare.iter().for_each(|line| println!("{name}:{line}: no SAFETY: above it says why this is sound"));
        tally += Tally::one(belongs && bare.is_empty());
    }
    println!("    {total} unsafe pieces in {} files", files.len());
    tally += Tally::one(total > 0);
    Ok(tally)
}

fn sources(directory: &Path, files: &mut Vec<PathBuf>) -> Result {
    for entry in std::fs::read_dir(directory).doing("list", directory)? {
        let path = entry.doing("list", directory)?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// The lines with an unsafe block, function or implementation, and whether an argument stands above each.
fn pieces(text: &str) -> Vec<(usize, bool)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_piece = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"].iter().any(|piece| code.contains(piece))
            && !code.contains('"')
    };
    let argued = |at: usize| {
        let above = &lines[at.saturating_sub(REACH)..=at];
        above.iter().any(|line| line.contains("SAFETY:") || line.contains("# Safety"))
    };
    (0..lines.len()).filter(|&at| is_piece(lines[at])).map(|at| (at + 1, argued(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn arguments_are_looked_for() {
        let text = "// SAFETY: it is.\nlet a = unsafe { f() };\n// about unsafe {\n".to_owned()
            + &"\n".repeat(20)
            + "unsafe fn g() {}\n";
        assert_eq!(pieces(&text), [(2, true), (24, false)]);
    }
}
