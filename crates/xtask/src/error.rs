//! The one error of these commands: a text for the person who typed the command.

use std::fmt;
use std::path::Path;

/// What a step of a command gives back.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// What went wrong, in words, with the way out where there is one.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// Says what was being done, and to which file, when an operating system error came.
pub trait Doing<T> {
    /// Adds `verb path:` before the error.
    fn doing(self, verb: &str, path: &Path) -> Result<T>;
}

impl<T> Doing<T> for std::io::Result<T> {
    fn doing(self, verb: &str, path: &Path) -> Result<T> {
        self.map_err(|error| Error(format!("cannot {verb} {}: {error}", path.display())))
    }
}
