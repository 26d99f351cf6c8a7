//! Running other programs: what is run is shown when it fails, and ends when the command is interrupted.

use crate::interrupt::{Running, checkpoint};
use crate::say;
use anyhow::{Context, Result, anyhow};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    shlex::try_join(words.iter().map(|word| &**word)).unwrap_or_else(|_| format!("{command:?}"))
}

/// Starts a program. The guard beside it is to be kept as long as the program runs.
pub fn start(command: &mut Command) -> Result<(Child, Running)> {
    checkpoint();
    let child = command.spawn().with_context(|| format!("cannot run {}", shown(command)))?;
    let running = Running::new(child.id());
    Ok((child, running))
}

/// Runs a program with the terminal as its own; an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let (mut child, running) = start(command)?;
    let status = say::aside(|| child.wait());
    drop(running);
    checkpoint();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(anyhow!("{} failed ({status})", shown(command))),
        Err(error) => Err(error).context(shown(command)),
    }
}

/// Runs a program and hands over each line that it prints; whether it succeeded.
pub fn lines(command: &mut Command, mut each: impl FnMut(&str)) -> Result<bool> {
    let (mut child, running) = start(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    if let Some(output) = child.stdout.take() {
        BufReader::new(output).lines().map_while(std::result::Result::ok).for_each(|line| each(&line));
    }
    let status = child.wait();
    drop(running);
    checkpoint();
    status.map(|status| status.success()).with_context(|| shown(command))
}

/// Runs a program and takes its output, whether it fails or not.
pub fn output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (child, running) = start(command)?;
    let output = child.wait_with_output();
    drop(running);
    checkpoint();
    output.with_context(|| shown(command))
}

/// Runs a program and takes what it prints, without the newline at the end; what it said is in the error if it fails.
pub fn text(command: &mut Command) -> Result<String> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(anyhow!("{} failed ({}): {}", shown(command), output.status, said.trim_end()))
}

/// Whether the program is there and answers: for `cc --version` and the like.
pub fn answers(command: &mut Command) -> bool {
    output(command).is_ok_and(|output| output.status.success())
}

/// Cargo, the one that runs us.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The project's directory.
pub fn root() -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Whether we are root.
pub fn is_root() -> bool {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}
