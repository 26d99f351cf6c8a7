//! The error type of this crate: what was wrong, which rule it broke, and how to correct it.

use std::fmt;

/// Carries a result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Says which rule was broken; the SQL layer maps it to an SQLSTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Text that is not a value of its type (22P02).
    InvalidText,
    /// Bytes that are not a value of their type (22P03).
    InvalidBinary,
    /// An argument outside its range (22023).
    InvalidParameter,
    /// Two values that cannot be compared with each other (22023).
    Mismatch,
    /// More than a stated limit (54000).
    LimitExceeded,
}

/// An error in Postgres's own voice: message lower case without full stop, detail and hint whole sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The broken rule.
    pub kind: ErrorKind,
    /// What was wrong, with the value quoted.
    pub message: String,
    /// More about the value.
    pub detail: Option<String>,
    /// The way out.
    pub hint: Option<String>,
}

impl Error {
    /// Makes an error without detail or hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), detail: None, hint: None }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
