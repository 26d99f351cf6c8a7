//! Runs other programs: a failure shows the command, and an interrupt of ours ends them.

use crate::interrupt::{Running, checkpoint};
use crate::say;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Returns the command as one would type it.
pub fn shown(command: &Command) -> String {
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    shlex::try_join(words.iter().map(|word| &**word)).unwrap_or_else(|_| format!("{command:?}"))
}

/// Starts a program. Keep the guard as long as the program runs.
pub fn start(command: &mut Command) -> Result<(Child, Running)> {
    checkpoint();
    let child = command.spawn().with_context(|| format!("cannot run {}", shown(command)))?;
    let running = Running::new(child.id());
    Ok((child, running))
}

/// The result of a program that has ended.
fn ended<T>(command: &Command, running: Running, outcome: std::io::Result<T>) -> Result<T> {
    drop(running);
    checkpoint();
    outcome.with_context(|| shown(command))
}

/// Runs a program on the terminal; an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let (mut child, running) = start(command)?;
    let status = ended(command, running, say::aside(|| child.wait()))?;
    ensure!(status.success(), "{} failed ({status})", shown(command));
    Ok(())
}

/// Runs a program and passes on each line that it prints. Returns whether it succeeded.
pub fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    let (mut child, running) = start(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).lines().map_while(std::result::Result::ok).for_each(|line| each(&line));
    }
    Ok(ended(command, running, child.wait())?.success())
}

/// Runs a program and returns its output, even if it fails.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, running) = start(command)?;
    ended(command, running, child.wait_with_output())
}

/// Runs a program and returns its standard output without the final newline; an error contains its messages.
pub fn text(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} failed ({}): {}", shown(command), output.status, said.trim_end());
    Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned())
}

/// Says whether the program exists and runs: for `cc --version` and the like.
pub fn answers(command: &mut Command) -> bool {
    output(command).is_ok_and(|output| output.status.success())
}

/// Repeats a test until it succeeds or the time is over. Returns whether it succeeded.
pub fn within(limit: Duration, mut is_so: impl FnMut() -> Result<bool>) -> Result<bool> {
    let deadline = Instant::now() + limit;
    while !is_so()? {
        if Instant::now() > deadline {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(true)
}

/// Returns the command of the cargo that runs us.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Returns the project's directory.
pub fn root() -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Says whether we are root.
#[allow(unsafe_code, reason = "a function of the C library")]
pub fn is_root() -> bool {
    // SAFETY: geteuid has no arguments and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
