//! `cargo xtask demo` and `cargo xtask run`: the extension on a throwaway server, with the sample that comes with the project
//! or with the user's articles.

use crate::build::{Profile, build_and_install};
use crate::command::root;
use crate::postgres::Choice;
use crate::psql::{Session, empty_database, interactive, psql};
use crate::say;
use crate::server::Server;
use crate::setup;
use anyhow::{Context as _, Result, bail, ensure};
use std::path::PathBuf;

const DATABASE: &str = "demo";
/// The file that the scripts read, which `--input` replaces.
pub const SAMPLE: &str = "'demo/sample.jsonl'";

/// The user's own articles.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Input {
    /// Your own articles: JSON lines with id and text, and title, date and url if you have them; .xz is read as it is
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Only the first N of them
    #[arg(long, value_name = "N", requires = "input")]
    pub limit: Option<u64>,
}

/// Shows what the extension does: the script, each statement with its result and its time.
pub fn demo(choice: &Choice, input: &Input) -> Result<()> {
    let script = script(input)?;
    let server = ready_server(choice)?;
    play(&server, DATABASE, &script, |line| println!("{line}"))?;
    println!("\nThe server and all its files are gone again. To try things yourself: cargo xtask run");
    Ok(())
}

/// Opens psql on a throwaway server that has the extension and the sample.
pub fn open(choice: &Choice) -> Result<()> {
    let server = ready_server(choice)?;
    let script = script(&Input::default())?;
    play(&server, DATABASE, first_part(&script), |_| ())?;
    say::step("psql on a throwaway server, with the extension and the sample in table articles; \\q ends both");
    interactive(&server, DATABASE)
}

/// Runs the whole demo in a new database without output. Returns the number of statements.
pub fn rehearse(server: &Server, database: &str, input: &Input) -> Result<usize> {
    let mut statements = 0;
    play(server, database, &script(input)?, |line| statements += usize::from(line.starts_with("Time: ")))?;
    Ok(statements)
}

/// Runs a script in a psql that echoes each line before its result, and passes the lines on as they come. Fails if the errors
/// are not those announced: `-- ERROR:  message` below a statement must occur, `-- ERROR?  message` may.
fn play(server: &Server, database: &str, script: &str, mut each: impl FnMut(&str)) -> Result<()> {
    const END: &str = r"\set ECHO none";
    let mut session = Session::with(&mut psql(server, database))?;
    session.send(&format!("\\timing on\n\\set ECHO all\n{script}\n{END}"))?;
    let mut errors = Errors::default();
    let mut outcome = Ok(());
    session.answer_by_line(|line| {
        // What follows an error that nobody expects would only hide it.
        if outcome.is_ok() {
            if line != END {
                each(line);
            }
            outcome = errors.read(line);
        }
    })?;
    outcome.and(errors.none_left())
}

/// Compares errors with those announced.
#[derive(Default)]
struct Errors {
    /// The last error, until it is announced.
    last: Option<String>,
}

impl Errors {
    /// Reads the next line of psql's output.
    fn read(&mut self, line: &str) -> Result<()> {
        if let Some(error) = line.strip_prefix("ERROR:") {
            self.none_left()?;
            self.last = Some(error.trim().to_owned());
        } else if let Some(message) = line.strip_prefix(ERROR_MARK).or(line.strip_prefix("-- ERROR?")) {
            match self.last.take() {
                Some(error) if error.starts_with(message.trim()) => {}
                None if !line.starts_with(ERROR_MARK) => {}
                other => bail!("the demo expected the error \"{}\" and met {other:?}", message.trim()),
            }
        }
        Ok(())
    }

    fn none_left(&self) -> Result<()> {
        match &self.last {
            Some(error) => bail!("the demo met an error that it does not expect: {error}"),
            None => Ok(()),
        }
    }
}

/// Begins the comment that is a heading of the demo's script.
const HEADING: &str = "-- ## ";

/// Begins the comment that announces the error of the statement above, here and in the documentation's examples.
pub const ERROR_MARK: &str = "-- ERROR:";

fn ready_server(choice: &Choice) -> Result<Server> {
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Demo)?;
    let what = format!("starting a throwaway server, Postgres {} (a few seconds)", postgres.major);
    let server = say::during(&what, |_| Server::start(&postgres))?;
    empty_database(&server, DATABASE)?;
    Ok(server)
}

/// Returns the script up to its second heading: the table with the sample.
fn first_part(script: &str) -> &str {
    let second = script.match_indices(HEADING).nth(1).map_or(script.len(), |(at, _)| at);
    &script[..second]
}

fn script(input: &Input) -> Result<String> {
    let name = if input.input.is_some() { "demo/input.sql" } else { "demo/demo.sql" };
    Ok(fs_err::read_to_string(root().join(name))?.replace(SAMPLE, &source(input)?))
}

/// Returns the text after `FROM` in the script's `\copy`.
pub fn source(input: &Input) -> Result<String> {
    let Some(file) = &input.input else { return Ok(SAMPLE.to_owned()) };
    let path = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
    ensure!(path.metadata().is_ok_and(|of| of.is_file() && of.len() > 0), "{} has no lines", file.display());
    let reader = if path.extension().is_some_and(|extension| extension == "xz") { "xz -dc" } else { "cat" };
    let limit = input.limit.map(|lines| format!(" | head -n {lines}")).unwrap_or_default();
    let path = path.to_string_lossy().replace('\'', r"'\''");
    let program = format!("{reader} '{path}'{limit}");
    Ok(format!("PROGRAM '{}'", program.replace('\'', "''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_part_ends_before_the_second_heading() {
        let script = "\\echo\n-- ## A table\nSELECT 1;\n-- ## A guard\nSELECT 2;\n";
        assert_eq!(first_part(script), "\\echo\n-- ## A table\nSELECT 1;\n");
        assert_eq!(first_part("SELECT 1;"), "SELECT 1;");
    }

    #[test]
    fn errors_must_be_the_announced_ones() {
        let passes = |lines: &[&str]| {
            let mut errors = Errors::default();
            lines.iter().try_for_each(|line| errors.read(line)).and(errors.none_left()).is_ok()
        };
        let refused = "ERROR:  near-duplicate of row 7";
        assert!(passes(&[refused, "DETAIL:  ...", "-- ERROR:  near-duplicate"]));
        assert!(!passes(&[refused, "-- ERROR?  syntax error"]));
        assert!(!passes(&[refused]));
        assert!(!passes(&[refused, refused, "-- ERROR:  near-duplicate"]));
        assert!(!passes(&["INSERT 0 1", "-- ERROR:  near-duplicate"]));
        assert!(passes(&["INSERT 0 1", "-- ERROR?  near-duplicate"]));
    }
}
