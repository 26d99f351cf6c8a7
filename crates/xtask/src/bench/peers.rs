//! Programs of other people, to be measured in the same run: from PyPI and Debian, kept in the throwaway server's
//! directory and gone with it. Nothing is installed; one that cannot be had is missing from the tables, with the reason.

use super::Bench;
use crate::command::text;
use crate::debian;
use crate::error::{Doing, Result};
use crate::say;
use std::path::PathBuf;
use std::process::Command;

/// The program that times the Python peers.
const SCRIPT: &str = include_str!("peers.py");

/// A line that a measuring program printed.
pub struct Measured {
    /// What was measured.
    pub name: String,
    /// The amount of work: bytes, pairs.
    pub amount: f64,
    /// The time it took.
    pub seconds: f64,
}

impl Measured {
    /// Reads lines of name, amount and seconds with tabs between.
    pub fn read(lines: &str) -> Vec<Self> {
        let read = |line: &str| {
            let mut fields = line.split('\t');
            let (name, amount, seconds) = (fields.next()?, fields.next()?, fields.next()?);
            Some(Self { name: name.into(), amount: amount.parse().ok()?, seconds: seconds.parse().ok()? })
        };
        lines.lines().filter_map(read).collect()
    }

    /// Seconds a unit of work.
    pub fn cost(&self) -> f64 {
        self.seconds / self.amount
    }
}

impl Bench<'_> {
    /// Runs a peer from PyPI on a file of texts: what it measured, its version among it; or why it cannot be had.
    pub fn peer(&self, peer: &str, file: &std::path::Path) -> std::result::Result<Vec<Measured>, String> {
        let run = || {
            say::note(&format!("{peer} from PyPI, into a temporary environment"));
            let python = self.python()?;
            text(Command::new(&python).args(["-m", "pip", "install", "-q", "--disable-pip-version-check", peer]))?;
            let mut measure = Command::new(&python);
            measure.args(["-c", SCRIPT, peer]).arg(file).arg(self.size.rounds.to_string());
            // One thread, as a backend is one.
            measure.env("RAYON_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
            text(measure.current_dir(self.server.directory()))
        };
        let lines = run().map_err(|error| last_line(&error.to_string()))?;
        Ok(Measured::read(&lines))
    }

    /// The Python of the temporary environment, which is made at the first call.
    pub fn python(&self) -> Result<PathBuf> {
        let place = self.server.directory().join("peers");
        let python = place.join("bin/python");
        if !python.exists() {
            let make = |python: &str| text(Command::new(python).args(["-m", "venv"]).arg(&place));
            if make("python3").is_err() {
                debian::install_missing(&["python3-venv".to_owned()])?;
                make("/usr/bin/python3")?;
            }
        }
        Ok(python)
    }

    /// Unpacks a Debian package without installing it, and gives the directory.
    pub fn debian_package(&self, package: &str) -> Result<PathBuf> {
        say::note(&format!("{package} from Debian, unpacked and not installed"));
        let place = self.server.directory().join(package);
        std::fs::create_dir(&place).doing("create", &place)?;
        text(Command::new("apt-get").args(["-qq", "download", package]).current_dir(&place))?;
        text(Command::new("sh").args(["-c", "dpkg-deb -x *.deb . && chmod -R a+rX ."]).current_dir(&place))?;
        Ok(place)
    }
}

/// The last line of a message: what went wrong, after what was run.
pub fn last_line(message: &str) -> String {
    let line = message.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().replace('|', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_figures_are_read() {
        let read = Measured::read("version 1.0\t1\t0\nnoise\nwork\t100\t0.5\n");
        assert_eq!(read.len(), 2);
        assert_eq!((read[1].name.as_str(), read[1].cost()), ("work", 0.005));
    }

    #[test]
    fn the_last_line_says_what_went_wrong() {
        assert_eq!(last_line("pip failed: a\nERROR: no | wheel\n\n"), "ERROR: no / wheel");
    }
}
