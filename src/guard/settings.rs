//! What a guard is told: the trigger's argument, as `neardup.protect` writes it, and the roles of its columns.
//!
//! New settings have defaults, so that the argument of an older guard stays valid.

use serde::Deserialize;

/// What to do with a near-duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// An error.
    Reject,
    /// The row is left out.
    Skip,
    /// The row goes in, with a warning.
    Warn,
    /// The row goes in, with the key of its original.
    Mark,
    /// The row goes into a table of its own.
    Divert,
}

impl Action {
    /// The name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Mark => "mark",
            Self::Divert => "divert",
        }
    }
}

/// By what near-duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The Hamming distance of SimHashes.
    #[default]
    SimHash,
    /// The estimated Jaccard similarity of MinHashes that share a band.
    MinHash,
    /// The overlap coefficient of token sets.
    Overlap,
}

impl Method {
    /// The name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SimHash => "simhash",
            Self::MinHash => "minhash",
            Self::Overlap => "overlap",
        }
    }
}

/// How texts whose signatures are near are compared themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// Not at all: the signatures decide.
    #[default]
    None,
    /// By the overlap coefficient of their distinct tokens.
    Overlap,
    /// By the cosine of their counted tokens.
    Cosine,
    /// By their facts: an update is no copy.
    Facts,
}

/// The trigger's one argument.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// By what near-duplicates are found.
    #[serde(default)]
    pub method: Method,
    /// The greatest Hamming distance of a near-duplicate, with method `simhash`.
    #[serde(default)]
    pub distance: u32,
    /// How many bands a MinHash is cut into.
    #[serde(default)]
    pub bands: u32,
    /// How many values such a band has.
    #[serde(default)]
    pub rows: u32,
    /// What to do with one.
    pub on_duplicate: Action,
    /// The analyzer that signs.
    pub analyzer: String,
    /// How texts are compared.
    #[serde(default)]
    pub verify: Verify,
    /// The least similarity for that, or for the other methods.
    #[serde(default)]
    pub similarity: f64,
    /// How many columns beside the first make up the document.
    #[serde(default)]
    columns: usize,
    /// How many columns must be equal.
    #[serde(default)]
    scope: usize,
    /// Whether there is a column of times.
    #[serde(default)]
    age: bool,
    /// Whether there is a column for the original's key.
    #[serde(default)]
    marks: bool,
    /// Whether verdicts are logged.
    #[serde(default)]
    pub log: bool,
    /// How far apart the times may be; the trigger learns it from `neardup_internal.guard_target`, in microseconds.
    #[serde(default, rename = "within")]
    _within: Option<String>,
    /// Where rows are diverted to; likewise.
    #[serde(default, rename = "divert")]
    _divert: Option<String>,
    /// The function that makes the document of a row; likewise.
    #[serde(default)]
    expression: Option<String>,
    /// Since when the guard has stood; for those who ask.
    #[serde(default, rename = "since")]
    _since: Option<String>,
}

/// The columns of the trigger's `UPDATE OF` list by their roles, as places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// All columns that make up the document, the first of which must not be NULL.
    pub documents: Vec<usize>,
    /// The signature.
    pub signature: usize,
    /// The columns that must be equal.
    pub scope: Vec<usize>,
    /// The column of times.
    pub age: Option<usize>,
    /// The column for the original's key.
    pub marks: Option<usize>,
}

impl Settings {
    /// Whether a function makes the document.
    pub fn makes_document(&self) -> bool {
        self.expression.is_some()
    }

    /// Shares out a list of so many columns; `None` if their number does not fit.
    pub fn roles(&self, count: usize) -> Option<Roles> {
        let documents = (0..1).chain(2..2 + self.columns).collect();
        let mut next = 2 + self.columns;
        let mut take = |wanted: usize| {
            next += wanted;
            next - wanted
        };
        let scope = take(self.scope);
        let age = take(self.age.into());
        let marks = take(self.marks.into());
        (next == count).then(|| Roles {
            documents,
            signature: 1,
            scope: (scope..scope + self.scope).collect(),
            age: self.age.then_some(age),
            marks: self.marks.then_some(marks),
        })
    }
}
