//! The map of the layers in docs/internals/architecture.md against the `crate::` paths in `src/`: a folder may import what its row names, and
//! a row may name only folders of rows below it. So there is no circle and no arrow upward.

use crate::check::{Context, Tally};
use crate::command::root;
use crate::files::of_kind;
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The page with the map, and the head of its table.
const PAGE: &str = "docs/internals/architecture.md";
const HEAD: &str = "| in `src/` | imports";
/// What every folder may import.
const EVERYWHERE: [&str; 2] = ["argument", "error"];

/// The folders of one row, and what they import.
struct Row {
    folders: Vec<String>,
    imports: Vec<String>,
}

/// Compares the map with the sources.
pub fn run(_: &Context) -> Result<Tally> {
    let rows = rows(&fs_err::read_to_string(root().join(PAGE))?);
    let mut faults = upward(&rows);
    for (folder, imports) in imports_of_sources()? {
        faults.extend(unlisted(&rows, &folder, &imports));
    }
    faults.iter().for_each(|fault| println!("{PAGE}: {fault}"));
    Ok(Tally::one(faults.is_empty()))
}

/// Returns the words in backticks, without the slash at the end of a folder's name.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(|name| name.trim_end_matches('/').to_owned()).collect()
}

fn rows(page: &str) -> Vec<Row> {
    let table = page.lines().skip_while(|line| !line.starts_with(HEAD)).skip(2);
    let lines = table.take_while(|line| line.starts_with('|'));
    lines
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|');
            // What stands in brackets describes the folder.
            let folders = quoted(cells.next()?.split('(').next()?);
            Some(Row { folders, imports: quoted(cells.next()?) })
        })
        .collect()
}

/// Returns a fault for each import of a row that is not of a row below it.
fn upward(rows: &[Row]) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let below: BTreeSet<&String> = rows.iter().skip(at + 1).flat_map(|row| &row.folders).collect();
        let wrong = row.imports.iter().filter(|import| !below.contains(import));
        faults
            .extend(wrong.map(|import| format!("{} imports {import}, which is not below it", row.folders.join(", "))));
    }
    faults
}

/// Returns the parts of `src/` that each part imports: folders, and files beside them.
fn imports_of_sources() -> Result<BTreeMap<String, BTreeSet<String>>> {
    let source = root().join("src");
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in of_kind(&source, "rs")? {
        let inside = file.strip_prefix(&source).unwrap_or(&file);
        let first = inside.components().next().with_context(|| format!("{} has no name", file.display()))?;
        let part = first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned();
        all.entry(part).or_default().extend(imports(&fs_err::read_to_string(&file)?));
    }
    Ok(all)
}

/// Returns what follows `crate::` in the code of a file.
fn imports(text: &str) -> impl Iterator<Item = String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths.map(|path| path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
}

fn unlisted(rows: &[Row], folder: &str, imports: &BTreeSet<String>) -> Vec<String> {
    let Some(row) = rows.iter().find(|row| row.folders.iter().any(|name| name == folder)) else {
        let is_bare = imports.iter().all(|import| EVERYWHERE.contains(&import.as_str()));
        return if is_bare { Vec::new() } else { vec![format!("src/{folder} has no row")] };
    };
    let allowed = |import: &&String| {
        import.as_str() == folder || EVERYWHERE.contains(&import.as_str()) || row.imports.contains(import)
    };
    imports.iter().filter(|import| !allowed(import)).map(|import| format!("src/{folder} imports {import}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{imports, rows, unlisted, upward};

    const MAP: &str = "text\n\n| in `src/` | imports, besides `error` |\n|---|---|\n| `top/` (uses `no/`) | `middle/`, `pg/` |\n| `middle/` | `pg/` |\n| `pg/` | nothing |\n\nmore";

    #[test]
    fn a_map_without_arrows_upward_has_no_fault() {
        assert!(upward(&rows(MAP)).is_empty());
        let turned = MAP.replace("| `middle/` | `pg/` |", "| `middle/` | `top/` |");
        assert_eq!(upward(&rows(&turned)), ["middle imports top, which is not below it"]);
    }

    #[test]
    fn an_import_that_no_row_names_is_a_fault() {
        let found = imports("use crate::pg::call; // crate::no\nlet x = crate::top::y(crate::error::z);").collect();
        assert_eq!(unlisted(&rows(MAP), "middle", &found), ["src/middle imports top"]);
        assert!(unlisted(&rows(MAP), "top", &found).is_empty());
        assert_eq!(unlisted(&rows(MAP), "new", &found), ["src/new has no row"]);
    }
}
