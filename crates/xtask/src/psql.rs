//! Queries to a throwaway server through psql: single statements, or a session that stays open.
//!
//! It uses psql and no driver, because psql is what readers use, the demo shows its output, and it comes with the server.

use crate::command::{root, run, start, text, within};
use crate::interrupt::{Running, checkpoint};
use crate::server::Server;
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A test that waits longer than this for an answer has hung.
const PATIENCE: Duration = Duration::from_secs(600);

/// Makes a psql command for a database of this server, without the user's settings, in the project's directory.
pub fn psql(server: &Server, database: &str) -> Command {
    let mut psql = server.client("psql", database);
    psql.args(["-X", "-P", "pager=off"]).env("PSQL_HISTORY", "/dev/null").current_dir(root());
    psql
}

/// Runs one or more statements and returns the result: a line per row, `|` between the columns.
pub fn query(server: &Server, database: &str, sql: &str) -> Result<String> {
    let answer = text(psql(server, database).args(["-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql]));
    answer.map_err(|error| match server.broken() {
        broken if broken.is_empty() => error,
        broken => error.context(format!("the server's log has:\n{broken}")),
    })
}

/// Makes an empty database; replaces one of that name.
pub fn empty_database(server: &Server, name: &str) -> Result<()> {
    query(server, "postgres", &format!("DROP DATABASE IF EXISTS {name}"))?;
    query(server, "postgres", &format!("CREATE DATABASE {name}")).map(drop)
}

/// Makes a database with the extension; replaces one of that name.
pub fn fresh_database(server: &Server, name: &str) -> Result<()> {
    empty_database(server, name)?;
    query(server, name, "CREATE EXTENSION pg_neardup").map(drop)
}

/// Loads lines of JSON into a table `line (json)`; `source` is the text after `FROM` in `\copy`.
pub fn load_lines(server: &Server, database: &str, source: &str) -> Result<()> {
    query(server, database, "CREATE TABLE line (json json)")?;
    let copy = format!(r"\copy line FROM {source} (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')");
    query(server, database, &copy).map(drop)
}

/// Repeats a test until it succeeds; an error if that takes longer than a test may.
pub fn wait_until(is_so: impl FnMut() -> Result<bool>) -> Result<()> {
    ensure!(within(PATIENCE, is_so)?, "waited in vain for 10 minutes");
    Ok(())
}

/// Returns the error messages in an answer of [`Session::ask`], one per line.
pub fn errors(answer: &str) -> String {
    answer.lines().filter(|line| line.contains("ERROR: ")).collect::<Vec<_>>().join("\n")
}

/// Returns the SQLSTATE in an answer, if the session's `VERBOSITY` is `sqlstate`.
pub fn state(answer: &str) -> &str {
    answer.lines().find_map(|line| line.strip_prefix("ERROR:")).map_or("00000", str::trim)
}

/// An open session: runs the statements that are sent to it, one after the other, in one connection.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    asked: u32,
    _running: Running,
}

impl Session {
    /// Opens a session for tests: unaligned answers without headings.
    pub fn open(server: &Server, database: &str) -> Result<Self> {
        Self::with(psql(server, database).args(["-A", "-t", "-q"]))
    }

    /// Opens a session with a given psql command.
    pub fn with(psql: &mut Command) -> Result<Self> {
        // One pipe for both, so that errors appear between the results where they occurred.
        let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        let writer_too = writer.try_clone().context("cannot make a pipe")?;
        psql.stdin(std::process::Stdio::piped()).stdout(writer).stderr(writer_too);
        let (mut child, running) = start(psql)?;
        // The command holds the writing ends; the reader sees the end of the output only after they are closed.
        psql.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let input = child.stdin.take();
        Ok(Self { child, input, output: lines_of(reader), asked: 0, _running: running })
    }

    /// Sends SQL without waiting; [`Session::answer`] waits for the answer.
    pub fn send(&mut self, sql: &str) -> Result<()> {
        self.asked += 1;
        let input = self.input.as_mut().context("the session is closed")?;
        let sent = writeln!(input, "{sql}\n\\echo {}", marker(self.asked)).and_then(|()| input.flush());
        sent.context("psql has gone")
    }

    /// Waits for the answer to the last SQL sent: results and messages as psql prints them.
    pub fn answer(&mut self) -> Result<String> {
        let mut lines: Vec<String> = Vec::new();
        let outcome = self.answer_by_line(|line| lines.push(line.to_owned()));
        let answer = lines.join("\n");
        outcome.map_err(|error| anyhow!("{error}: {answer}"))?;
        Ok(answer)
    }

    /// Does the same line by line.
    pub fn answer_by_line(&mut self, mut each: impl FnMut(&str)) -> Result<()> {
        let end = marker(self.asked);
        let deadline = Instant::now() + PATIENCE;
        loop {
            checkpoint();
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(line) if line == end => return Ok(()),
                Ok(line) => each(&line),
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
                Err(RecvTimeoutError::Timeout) => bail!("no answer from the session in 10 minutes"),
                Err(RecvTimeoutError::Disconnected) => bail!("the session has ended"),
            }
        }
    }

    /// Kills psql, whatever it is doing.
    pub fn disconnect(mut self) -> Result<()> {
        self.child.kill().context("cannot end psql")
    }

    /// Sends SQL and waits for the answer, which may be an error message.
    pub fn ask(&mut self, sql: &str) -> Result<String> {
        self.send(sql)?;
        self.answer()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.input = None;
        // With its input closed, psql exits when its statement ends; after a failed test, this does not wait for that.
        let _ = within(Duration::from_millis(500), || Ok(self.child.try_wait()?.is_some()));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn marker(number: u32) -> String {
    format!("--end-of-answer-{number}--")
}

fn lines_of(reader: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n').map_while(|line| line.ok()) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Opens psql on the terminal.
pub fn interactive(server: &Server, database: &str) -> Result<()> {
    let here = std::env::current_dir()?;
    crate::interrupt::leave_ctrl_c_to_psql(|| run(psql(server, database).current_dir(here)))
}
