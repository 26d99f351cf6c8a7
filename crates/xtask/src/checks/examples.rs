//! Runs the SQL in README and docs as it stands, so that a reader who pastes it gets the promised results.
//!
//! The ```` ```sql ```` blocks of a file run in order in one fresh database. Every statement must succeed, unless the next line
//! is a comment `-- ERROR:  message`; then it must fail with a message that begins so. Comments `-- NOTICE:`, `-- WARNING:`,
//! `-- INFO:`, `-- DETAIL:` and `-- HINT:` below a statement are its other messages. A ```` ```text ```` block that follows
//! must equal the output of psql for the block, without command tags; [`super::pasted`] compares them, and `--accept` writes
//! today's output there. A page below `docs/programs/` finds the program's tables in its database ([`programs`]). The script for psql has the line numbers of the document, so its messages refer to those.

use super::pasted::{corrected, diff, is_same, matches};
use super::programs;
use crate::check::{Context, Tally};
use crate::command::{root, run as run_program};
use crate::demo::ERROR_MARK;
use crate::files::of_kind;
use crate::psql::{fresh_database, psql};
use crate::say;
use anyhow::Result;
use std::ops::Range;
use std::path::Path;

const DATABASE: &str = "examples";
/// The pages that use postgres_fdw and pg_trgm.
const NEEDS_CONTRIB: [&str; 2] = ["docs/scale.md", "docs/suggest.md"];
/// Marks the end of a block's output.
const END_MARK: &str = "--end-of-block--";
/// The prefixes of psql's other messages on a statement.
const REMARKS: [&str; 5] = ["NOTICE:", "WARNING:", "INFO:", "DETAIL:", "HINT:"];
/// The message of CREATE EXTENSION IF NOT EXISTS in our database.
const ALREADY_THERE: &str = "NOTICE:  extension \"pg_neardup\" already exists, skipping";

/// A block of SQL in a document. Lines are numbered from 1.
#[derive(Debug, Default, PartialEq)]
struct Block {
    /// The announced messages, each with the line on which its statement ends.
    announced: Vec<(usize, String)>,
    /// The lines of the text block with its output.
    pasted: Option<Range<usize>>,
}

/// A message of psql: the line on which the statement ends, and `ERROR:  message`.
type Message<'a> = (usize, &'a str);

/// Runs the examples of every document.
pub fn run(context: &Context) -> Result<Tally> {
    let mut documents = vec![root().join("README.md"), root().join("README.zh-CN.md")];
    documents.extend(of_kind(&root().join("docs"), "md")?);
    let mut tally = Tally::default();
    for document in documents {
        let name = document.strip_prefix(root()).unwrap_or(&document).display().to_string();
        if !context.wants(&name) {
            continue;
        }
        if NEEDS_CONTRIB.contains(&&*name) && !context.has_contrib()? {
            say::note(&format!("skipped {name}: this Postgres has no contrib modules"));
        } else {
            tally += run_document(context, &document, &name)?;
        }
    }
    Ok(tally)
}

fn run_document(context: &Context, document: &Path, name: &str) -> Result<Tally> {
    let text = fs_err::read_to_string(document)?;
    let (script, blocks) = sql_of(&text);
    if blocks.is_empty() {
        return Ok(Tally::default());
    }
    fresh_database(context.server()?, DATABASE)?;
    if let Some(program) = name.strip_prefix("docs/programs/").and_then(|file| file.strip_suffix(".md"))
        && let Some(why) = programs::make(context.server()?, DATABASE, program)?
    {
        say::note(&format!("skipped {name}: {why}"));
        return Ok(Tally::default());
    }
    let (said, prefix) = psql_says(context, &script)?;
    let mut outputs = said.split_inclusive('\n').collect::<Vec<_>>().into_iter();
    let mut tally = Tally::default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut changes = Vec::new();
    for block in &blocks {
        let output: String = outputs.by_ref().take_while(|line| line.trim_end() != END_MARK).collect();
        let wrong = complaints(block, &messages(&output, &prefix));
        wrong.iter().for_each(|complaint| println!("{name}:{complaint}"));
        tally += Tally::one(wrong.is_empty());
        let Some(place) = &block.pasted else { continue };
        let lines_of_it = place.start - 1..place.end - 1;
        let (pasted, printed) = (lines[lines_of_it.clone()].join("\n"), without_places(&output, &prefix));
        let same = is_same(&pasted, &printed);
        if !same && context.accept {
            changes.push((lines_of_it, corrected(&pasted, &printed)));
        } else if !same {
            println!("{name}:{}: psql prints otherwise\n{}", place.start, diff(&pasted, &printed));
        }
        tally += Tally::one(same || context.accept);
    }
    if !changes.is_empty() {
        println!("    wrote {} blocks into {name}", changes.len());
        for (place, new) in changes.into_iter().rev() {
            lines.splice(place, new);
        }
        fs_err::write(document, lines.join("\n") + "\n")?;
    }
    println!("    {name}: {tally}");
    Ok(tally)
}

/// Runs the script. Returns psql's output, with messages between the results as they came, and the prefix of each message.
fn psql_says(context: &Context, script: &str) -> Result<(String, String)> {
    let server = context.server()?;
    let file = server.directory().join("examples.sql");
    fs_err::write(&file, script)?;
    let printed = server.directory().join("examples.out");
    let output = fs_err::File::create(&printed)?.into_file();
    let output_too = output.try_clone()?;
    let mut psql = psql(server, DATABASE);
    psql.args(["-q", "-v", "SHOW_CONTEXT=never", "-f"]).arg(&file);
    run_program(psql.stdout(output).stderr(output_too))?;
    let said = fs_err::read(&printed)?;
    Ok((String::from_utf8_lossy(&said).into_owned(), format!("psql:{}:", file.display())))
}

/// Returns the document with everything but SQL blanked, and its blocks.
fn sql_of(markdown: &str) -> (String, Vec<Block>) {
    let mut script = String::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut before = "";
    // Prose and blocks alternate; a block begins with its kind.
    for (turn, piece) in markdown.split("```").enumerate() {
        let (first, lines) = (script.matches('\n').count() + 1, piece.matches('\n').count());
        let is_block = turn % 2 == 1;
        let (kind, code) = piece.split_once('\n').filter(|_| is_block).unwrap_or_default();
        match (kind, blocks.last_mut()) {
            ("sql", _) => {
                blocks.push(Block { announced: announced(code, first + 1), pasted: None });
                script += &format!("\n{code}\\echo {END_MARK}");
            }
            ("text", Some(block)) if before == "sql" => {
                block.pasted = Some(first + 1..first + lines);
                script += &"\n".repeat(lines);
            }
            _ => script += &"\n".repeat(lines),
        }
        before = if is_block { kind } else { before };
    }
    (script, blocks)
}

/// Returns the messages that a block's comments announce; `first` is the number of its first line.
fn announced(code: &str, first: usize) -> Vec<(usize, String)> {
    let mut announced = Vec::new();
    let mut statement_end = 0;
    for (number, line) in (first..).zip(code.lines().map(str::trim)) {
        let is_message =
            |text: &&str| line.starts_with(ERROR_MARK) || REMARKS.iter().any(|remark| text.starts_with(remark));
        if let Some(message) = line.strip_prefix("-- ").filter(is_message) {
            announced.push((statement_end, message.to_owned()));
        } else if !line.is_empty() && !line.starts_with("--") {
            statement_end = number;
        }
    }
    announced
}

/// Parses a line of psql's output that begins a message: `psql:file:12: ERROR:  message`.
fn message<'a>(line: &'a str, prefix: &str) -> Option<Message<'a>> {
    let (number, text) = line.strip_prefix(prefix)?.split_once(": ")?;
    Some((number.parse().ok()?, text))
}

/// Returns the messages in psql's output, each with the lines below that add to it.
fn messages<'a>(output: &'a str, prefix: &str) -> Vec<Message<'a>> {
    let mut messages: Vec<Message> = Vec::new();
    for line in output.lines() {
        if let Some(message) = message(line, prefix) {
            messages.push(message);
        } else if REMARKS.iter().any(|remark| line.starts_with(remark)) {
            messages.extend(messages.last().map(|(number, _)| (*number, line)).into_iter().collect::<Vec<_>>());
        }
    }
    messages
}

/// Returns the output as a reader sees it, who has not installed the extension yet: without file and line before each message.
fn without_places(output: &str, prefix: &str) -> String {
    let lines = output.lines().filter(|line| !line.ends_with(ALREADY_THERE));
    lines.map(|line| message(line, prefix).map_or(line, |(_, text)| text)).collect::<Vec<_>>().join("\n")
}

/// Lists differences between the messages and those announced.
fn complaints(block: &Block, messages: &[Message]) -> Vec<String> {
    let mut open = block.announced.clone();
    let mut complaints = Vec::new();
    for (line, message) in messages {
        let is_error = message.starts_with("ERROR:") || message.starts_with("error:");
        let announced = |(at, text): &(usize, String)| {
            at == line && (matches(text, message) || is_error && message.starts_with(text.trim_end_matches('…')))
        };
        match open.iter().position(announced) {
            Some(found) => drop(open.remove(found)),
            None if is_error => complaints.push(format!("{line}: {message}")),
            None => {}
        }
    }
    complaints.extend(open.iter().map(|(line, message)| {
        let said: Vec<&str> = messages.iter().filter(|(at, _)| at == line).map(|(_, message)| *message).collect();
        let said = if said.is_empty() { "nothing".to_owned() } else { format!("\n    {}", said.join("\n    ")) };
        format!("{line}: announced: {message}\n  but it says {said}")
    }));
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# Title\n```sql\nSELECT 1;\nSELECT\n  1 / 0;\n-- ERROR:  division\n-- HINT:  Do … divide.\n```\ntext\n```\n\
        SELECT not_run;\n```\n```sql\nSELECT 2;\n```\nso:\n```text\n 2\n```\n```text\nSELECT not_output;\n```\n";

    #[test]
    fn sql_keeps_its_line_numbers() {
        let (script, blocks) = sql_of(DOCUMENT);
        assert_eq!((script.lines().nth(4), script.lines().nth(13)), (Some("  1 / 0;"), Some("SELECT 2;")));
        assert!(!script.contains("not_"));
        assert_eq!(script.matches(END_MARK).count(), 2);
        let announced = vec![(5, "ERROR:  division".into()), (5, "HINT:  Do … divide.".into())];
        let first = Block { announced, pasted: None };
        assert_eq!(blocks, [first, Block { announced: Vec::new(), pasted: Some(18..19) }]);
    }

    #[test]
    fn only_announced_errors_pass() {
        let output = "psql:/tmp/x.sql:5: ERROR:  division by zero\nHINT:  Do not divide.\n a\npsql:/tmp/x.sql:7: NOTICE:  c: d\n";
        let found = messages(output, "psql:/tmp/x.sql:");
        assert_eq!(found[2], (7, "NOTICE:  c: d"));
        let (_, blocks) = sql_of(DOCUMENT);
        assert!(complaints(&blocks[0], &found).is_empty());
        assert_eq!(complaints(&blocks[0], &[]).len(), 2, "it did not come");
        assert_eq!(complaints(&blocks[0], &[found[0], (5, "HINT:  Multiply.")]).len(), 1, "it says otherwise");
        assert_eq!(complaints(&blocks[0], &[(3, found[0].1), found[1]]).len(), 2, "it came elsewhere");
        assert_eq!(complaints(&blocks[1], &[(14, "ERROR:  no such column")]).len(), 1);
        assert!(complaints(&blocks[1], &[(14, "NOTICE:  well")]).is_empty());
    }
}
