//! The SQL in README and docs, run as it stands: a reader who pastes it must get what we promise.
//!
//! The ```` ```sql ```` blocks of a file run in their order in one fresh database. Every statement must succeed, unless the
//! next line is a comment `-- ERROR:  message`: then it must fail, with a message that begins so. The script given to psql has
//! the line numbers of the document, so its messages point there.

use super::Tally;
use super::regress::names;
use crate::command::{output, root};
use crate::error::{Doing, Result};
use crate::psql::{fresh_database, psql};
use crate::script::ERROR_MARK;
use crate::test::Context;
use std::path::PathBuf;

const DATABASE: &str = "examples";

/// A block of SQL in a document.
#[derive(Debug, PartialEq)]
struct Block {
    first_line: usize,
    last_line: usize,
    /// Errors announced: the line on which the statement ends, and how its message begins.
    announced: Vec<(usize, String)>,
}

/// Runs the examples of every document.
pub fn run(context: &Context) -> Result<Tally> {
    let mut documents = Vec::new();
    for directory in [root(), root().join("docs")] {
        let of_it = names(&directory, "md")?.into_iter().map(|name| directory.join(name + ".md"));
        documents.extend(of_it.filter(|path| directory != root() || is_readme(path)));
    }
    let mut tally = Tally::default();
    for document in documents {
        let name = document.strip_prefix(root()).unwrap_or(&document).display().to_string();
        if context.wants(&name) {
            tally += run_document(context, &document, &name)?;
        }
    }
    Ok(tally)
}

fn is_readme(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("README"))
}

fn run_document(context: &Context, document: &PathBuf, name: &str) -> Result<Tally> {
    let text = std::fs::read_to_string(document).doing("read", document)?;
    let (script, blocks) = sql_of(&text);
    if blocks.is_empty() {
        return Ok(Tally::default());
    }
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    let file = server.directory().join("examples.sql");
    std::fs::write(&file, script).doing("write", &file)?;
    let outcome = output(psql(server, DATABASE).arg("-f").arg(&file).current_dir(root()))?;
    let said = String::from_utf8_lossy(&outcome.stderr);
    let errors: Vec<(usize, &str)> = said.lines().filter_map(error_in).collect();
    let mut tally = Tally::default();
    for block in blocks {
        let wrong = complaints(&block, &errors);
        wrong.iter().for_each(|complaint| println!("{name}:{complaint}"));
        tally += Tally::one(wrong.is_empty());
    }
    println!("    {name}: {tally}");
    Ok(tally)
}

/// The document with everything blanked that is not SQL, and where the blocks are.
fn sql_of(markdown: &str) -> (String, Vec<Block>) {
    let mut script = String::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    let mut statement_end = 0;
    for (number, line) in (1..).zip(markdown.lines()) {
        let trimmed = line.trim();
        match (inside, blocks.last_mut()) {
            (true, Some(block)) if trimmed == "```" => {
                block.last_line = number;
                inside = false;
            }
            (true, Some(block)) => {
                script.push_str(line);
                if let Some(message) = trimmed.strip_prefix(ERROR_MARK) {
                    block.announced.push((statement_end, message.trim().to_owned()));
                } else if !trimmed.is_empty() && !trimmed.starts_with("--") {
                    statement_end = number;
                }
            }
            _ if trimmed == "```sql" => {
                blocks.push(Block { first_line: number, last_line: usize::MAX, announced: Vec::new() });
                inside = true;
            }
            _ => {}
        }
        script.push('\n');
    }
    (script, blocks)
}

/// Reads `psql:file:12: ERROR:  message`.
fn error_in(line: &str) -> Option<(usize, &str)> {
    let (place, message) = line.split_once(": ERROR:").or_else(|| line.split_once(": error:"))?;
    Some((place.rsplit_once(':')?.1.parse().ok()?, message.trim()))
}

/// What went otherwise than announced.
fn complaints(block: &Block, errors: &[(usize, &str)]) -> Vec<String> {
    let mut open = block.announced.clone();
    let mut complaints = Vec::new();
    for (line, message) in errors.iter().filter(|(line, _)| (block.first_line..=block.last_line).contains(line)) {
        match open.iter().position(|(at, beginning)| at == line && message.starts_with(beginning)) {
            Some(found) => drop(open.remove(found)),
            None => complaints.push(format!("{line}: ERROR:  {message}")),
        }
    }
    complaints.extend(open.iter().map(|(line, message)| format!("{line}: no error, but announced: {message}")));
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
# Title
```sql
SELECT 1;
SELECT
  1 / 0;
-- ERROR:  division
```
text
```
SELECT not_run;
```
```sql
SELECT 2;
```
";

    #[test]
    fn sql_keeps_its_line_numbers() {
        let (script, blocks) = sql_of(DOCUMENT);
        assert_eq!(script.lines().nth(4), Some("  1 / 0;"));
        assert!(!script.contains("not_run"));
        assert_eq!(script.lines().nth(12), Some("SELECT 2;"));
        let first = Block { first_line: 2, last_line: 7, announced: vec![(5, "division".into())] };
        assert_eq!(blocks, [first, Block { first_line: 12, last_line: 14, announced: Vec::new() }]);
    }

    #[test]
    fn only_announced_errors_pass() {
        let (_, blocks) = sql_of(DOCUMENT);
        assert_eq!(error_in("psql:/tmp/x.sql:5: ERROR:  division by zero"), Some((5, "division by zero")));
        assert_eq!(error_in("psql:/tmp/x.sql:5: NOTICE:  hello"), None);
        assert!(complaints(&blocks[0], &[(5, "division by zero")]).is_empty());
        assert_eq!(complaints(&blocks[0], &[]).len(), 1, "it did not come");
        assert_eq!(complaints(&blocks[0], &[(3, "division by zero")]).len(), 2, "it came elsewhere");
        assert_eq!(complaints(&blocks[1], &[(13, "no such column")]).len(), 1);
        assert!(complaints(&blocks[1], &[(5, "division by zero")]).is_empty(), "another block's");
    }
}
