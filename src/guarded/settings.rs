//! A guard's settings: the trigger's argument, as `neardup.protect` writes it, and the roles of its columns.
//!
//! The argument lives in `pg_trigger` and in dumps. New settings have defaults, so that the argument of an older guard stays valid.

use neardup_core::banding::MAX_DISTANCE;
use neardup_verdict::Verdict;
use neardup_verdict::correction::Correction;
use serde::{Deserialize, Serialize};

use crate::error::{Result as Checked, invalid};
use crate::verdict::verify::Verify;

/// The most keys a sketch of a guard may have: each is a lock of the row that is being written, and the lock table has 64 places for each
/// connection by default (`max_locks_per_transaction`).
pub const MAX_KEYS: u32 = 64;

/// The most columns a table may have.
const MAX_COLUMNS: usize = 1600;

/// What to do with a near-duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Raise an error.
    Reject,
    /// Leave the row out.
    Skip,
    /// Store the row, with a warning.
    Warn,
    /// Store the row, with the key of its original.
    Mark,
    /// Store the row in a table of its own.
    Divert,
    /// Merge the row into its original by a function of the user's.
    Merge,
}

impl Action {
    /// Reads an argument.
    ///
    /// # Errors
    /// For another word.
    pub fn parse(name: &str) -> Checked<Self> {
        Self::ALL
            .into_iter()
            .find(|action| action.name() == name)
            .ok_or_else(|| invalid(format!("on_duplicate must be reject, skip, warn, mark, divert or merge: {name}")))
    }

    /// All of them.
    pub const ALL: [Self; 6] = [Self::Reject, Self::Skip, Self::Warn, Self::Mark, Self::Divert, Self::Merge];

    /// Says whether the row is not stored in the table, without an error.
    pub const fn leaves_out(self) -> bool {
        matches!(self, Self::Skip | Self::Divert | Self::Merge)
    }

    /// Says whether a near-duplicate does not get into the table.
    pub const fn keeps_out(self) -> bool {
        matches!(self, Self::Reject) || self.leaves_out()
    }

    /// Returns the name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reject => "reject",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Mark => "mark",
            Self::Divert => "divert",
            Self::Merge => "merge",
        }
    }
}

/// What is done with a row whose document is an excerpt of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Excerpts {
    /// The same as with a copy.
    #[default]
    Remove,
    /// It counts as a message of its own.
    Keep,
}

impl Excerpts {
    /// Reads an argument.
    ///
    /// # Errors
    /// For another word.
    pub fn parse(name: &str) -> Checked<Self> {
        match name {
            "remove" => Ok(Self::Remove),
            "keep" => Ok(Self::Keep),
            other => Err(invalid(format!("excerpts must be keep or remove: {other}"))),
        }
    }

    /// Says whether a verdict lets a row go.
    pub fn lets_go(self, verdict: Verdict) -> bool {
        self == Self::Remove || verdict != Verdict::Excerpt
    }
}

/// What is done with a row that is related to another one without being a copy of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnRelated {
    /// Store it as any row.
    #[default]
    Store,
    /// Store it with the key of the other row, and what it is to that.
    Mark,
}

impl OnRelated {
    /// Reads an argument.
    ///
    /// # Errors
    /// For another word.
    pub fn parse(name: &str) -> Checked<Self> {
        match name {
            "store" => Ok(Self::Store),
            "mark" => Ok(Self::Mark),
            other => Err(invalid(format!("on_related must be store or mark: {other}"))),
        }
    }
}

/// How candidates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Rows that share a key of their sketches.
    #[default]
    Sketch,
    /// Rows whose SimHashes are within a Hamming distance: all of them.
    SimHash,
}

impl Method {
    /// Reads an argument.
    ///
    /// # Errors
    /// For another word.
    pub fn parse(name: &str) -> Checked<Self> {
        match name {
            "sketch" => Ok(Self::Sketch),
            "simhash" => Ok(Self::SimHash),
            other => Err(invalid(format!("method must be sketch or simhash: {other}"))),
        }
    }

    /// Checks that candidates are compared by their texts, if sharing a key does not make them duplicates.
    ///
    /// # Errors
    /// For verify none with method `sketch`.
    pub fn check_verify(self, verify: &Verify) -> Checked<()> {
        match (self, verify) {
            (Self::Sketch, Verify::None) => Err(invalid("verify none requires method simhash").set_detail(
                "Rows that share a key of their sketches are only candidates; most of them are not copies.",
            )),
            _ => Ok(()),
        }
    }

    /// Returns the name in SQL.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sketch => "sketch",
            Self::SimHash => "simhash",
        }
    }
}

/// The trigger's one argument.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How candidates are found.
    #[serde(default)]
    pub method: Method,
    /// The analyzer of the signatures.
    pub analyzer: String,
    /// The number of keys in a sketch, with method `sketch`.
    #[serde(default)]
    pub keys: u32,
    /// The greatest Hamming distance of a near-duplicate, with method `simhash`.
    #[serde(default)]
    pub distance: u32,
    /// What to do with a near-duplicate.
    pub on_duplicate: Action,
    /// How texts are compared.
    #[serde(default)]
    pub verify: Verify,
    /// The least score, overlap or cosine of a near-duplicate.
    #[serde(default)]
    pub threshold: Option<f64>,
    /// The number of the document's columns besides the first.
    #[serde(default)]
    columns: usize,
    /// The function that forms the document of a row: schema and name.
    #[serde(default)]
    pub expression: Option<(String, String)>,
    /// The number of columns that must be equal.
    #[serde(default)]
    scope: usize,
    /// Whether there is a time column.
    #[serde(default)]
    time: bool,
    /// Whether there is a title column.
    #[serde(default)]
    title: bool,
    /// The number of columns that must not differ.
    #[serde(default)]
    differ: usize,
    /// The number of columns in which copies agree.
    #[serde(default)]
    agree: usize,
    /// What is done with excerpts.
    #[serde(default)]
    pub excerpts: Excerpts,
    /// The greatest difference of times, in microseconds.
    #[serde(default)]
    pub window: Option<i64>,
    /// Whether there is a column for the original's key.
    #[serde(default)]
    marks: bool,
    /// What is done with a row that is related to another one.
    #[serde(default)]
    pub on_related: OnRelated,
    /// Whether there are columns for that row's key and for what the row is to it.
    #[serde(default)]
    relates: bool,
    /// The table that rows are diverted to: schema and name.
    #[serde(default)]
    pub divert: Option<(String, String)>,
    /// The sequence that counts near-duplicates: schema and name.
    #[serde(default)]
    pub counter: Option<(String, String)>,
    /// Whether verdicts are logged.
    #[serde(default)]
    pub log: bool,
    /// What the owner's answers have taught the verdict.
    #[serde(skip)]
    pub correction: Option<Correction>,
    /// The parts of the correction.
    #[serde(default, rename = "correction")]
    parts: Option<Vec<Vec<f64>>>,
    /// When the guard was created, in seconds since 1970; only for information.
    #[serde(default)]
    since: Option<f64>,
    /// Since when answers are about rows with the title and the columns that are compared now, in seconds since 1970; only SQL reads it.
    #[serde(default)]
    answers_since: Option<f64>,
}

/// The roles of the columns in the trigger's `UPDATE OF` list, as positions in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The columns that make up the document, the first of which must not be NULL.
    pub documents: Vec<usize>,
    /// The columns that must be equal.
    pub scope: Vec<usize>,
    /// The time column.
    pub time: Option<usize>,
    /// The title column.
    pub title: Option<usize>,
    /// The columns that must not differ.
    pub differ: Vec<usize>,
    /// The columns in which copies agree.
    pub agree: Vec<usize>,
    /// The column for the original's key.
    pub marks: Option<usize>,
    /// The columns for the key of a related row, and for what the row is to it.
    pub related: Option<[usize; 2]>,
}

impl Roles {
    /// Returns the columns whose values are compared: those that must not differ, and those in which copies agree.
    pub fn compared(&self) -> impl Iterator<Item = &usize> {
        self.differ.iter().chain(&self.agree)
    }
}

impl Settings {
    /// Reads a trigger's argument; `Err` says what is wrong with it.
    pub fn parse(argument: &str) -> Result<Self, String> {
        /// The year 5138, which a timestamp can hold.
        const LAST: f64 = 1e11;
        let mut settings: Self = serde_json::from_str(argument).map_err(|error| format!("{error}."))?;
        let within = |name: &str, found: bool| if found { Ok(()) } else { Err(format!("{name} is out of range.")) };
        within("distance", settings.distance <= MAX_DISTANCE)?;
        within("keys", settings.keys <= MAX_KEYS && (settings.keys > 0 || settings.method == Method::SimHash))?;
        within("threshold", settings.threshold.is_none_or(|threshold| (0.0..=1.0).contains(&threshold)))?;
        let columns = [settings.columns, settings.scope, settings.differ, settings.agree];
        within("columns", columns.iter().all(|columns| *columns <= MAX_COLUMNS))?;
        within("window", settings.window.is_none_or(|window| window >= 0))?;
        for (name, time) in [("since", settings.since), ("answers_since", settings.answers_since)] {
            within(name, time.is_none_or(|time| (0.0..LAST).contains(&time)))?;
        }
        if let Some(parts) = settings.parts.take() {
            settings.correction = Correction::new(&parts);
            within("correction", settings.correction.is_some())?;
        }
        if settings.texts().any(|text| text.contains('\0')) {
            return Err("a text has a NUL character.".to_owned());
        }
        // SQL would quote an empty name, and Postgres refuses that.
        if settings.names().any(str::is_empty) {
            return Err("a name is empty.".to_owned());
        }
        Ok(settings)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let verify = if let Verify::Profile(name) = &self.verify { Some(name.as_str()) } else { None };
        self.names().chain([self.analyzer.as_str()]).chain(verify)
    }

    /// The schemas and names of functions and relations.
    fn names(&self) -> impl Iterator<Item = &str> {
        let pairs = [&self.expression, &self.divert, &self.counter].into_iter().flatten();
        pairs.flat_map(|(schema, name)| [schema.as_str(), name.as_str()])
    }

    /// Returns a trigger's argument as JSON that type `jsonb` accepts, whose numbers have other limits; `None` if it is not a
    /// guard's.
    pub fn canonical(argument: &str, columns: usize) -> Option<String> {
        Self::parse(argument).ok()?.roles(columns)?;
        let mut written: serde_json::Map<String, serde_json::Value> = serde_json::from_str(argument).ok()?;
        written.retain(|_, value| !value.is_null());
        serde_json::to_string(&written).ok()
    }

    pub const fn document_columns(&self) -> usize {
        1 + self.columns
    }

    /// Distributes a list of `count` columns over the roles; `None` if their number does not fit.
    pub fn roles(&self, count: usize) -> Option<Roles> {
        let mut next = 0;
        let mut take = |wanted: usize| {
            next += wanted;
            next - wanted..next
        };
        let documents = take(self.document_columns()).collect();
        let scope = take(self.scope).collect();
        let time = take(self.time.into()).next();
        let title = take(self.title.into()).next();
        let differ = take(self.differ).collect();
        let agree = take(self.agree).collect();
        let marks = take(self.marks.into()).next();
        let related = self.relates.then(|| take(2)).map(|columns| [columns.start, columns.start + 1]);
        (next == count).then_some(Roles { documents, scope, time, title, differ, agree, marks, related })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    /// Adds settings to the least that an argument has.
    fn with(more: &str) -> Result<Settings, String> {
        Settings::parse(&format!(r#"{{"analyzer":"shingles:5","keys":10,"on_duplicate":"skip"{more}}}"#))
    }

    #[test]
    fn what_is_missing_has_a_default() {
        let settings = with("").unwrap();
        assert_eq!((settings.method, settings.on_duplicate), (Method::Sketch, Action::Skip));
        assert_eq!((settings.excerpts, settings.document_columns(), settings.window), (Excerpts::Remove, 1, None));
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (more, expected) in [
            (r#","distance":65"#, "distance is out of range."),
            (r#","threshold":1.5"#, "threshold is out of range."),
            (r#","columns":1601"#, "columns is out of range."),
            (r#","window":-1"#, "window is out of range."),
            (r#","since":1e12"#, "since is out of range."),
            (r#","answers_since":-1"#, "answers_since is out of range."),
            (r#","correction":[[10]]"#, "correction is out of range."),
            (r#","divert":["public","a\u0000b"]"#, "a text has a NUL character."),
            (r#","expression":["public",""]"#, "a name is empty."),
            (r#","counter":["","a"]"#, "a name is empty."),
        ] {
            assert_eq!(with(more).err().as_deref(), Some(expected), "{more}");
        }
        let keys = |keys| Settings::parse(&format!(r#"{{"analyzer":"chars:3","keys":{keys},"on_duplicate":"skip"}}"#));
        assert!(keys(MAX_KEYS).is_ok() && keys(MAX_KEYS + 1).is_err() && keys(0).is_err());
        assert!(with(r#","unknown":1"#).is_err());
    }

    #[test]
    fn every_column_of_the_list_has_one_role() {
        let all = r#","columns":1,"scope":2,"time":true,"title":true,"differ":1,"agree":2,"marks":true,"relates":true"#;
        let settings = with(all).unwrap();
        let roles = settings.roles(12).unwrap();
        assert_eq!((roles.documents, roles.scope, roles.differ), (vec![0, 1], vec![2, 3], vec![6]));
        assert_eq!((roles.agree, roles.time, roles.title, roles.marks), (vec![7, 8], Some(4), Some(5), Some(9)));
        assert_eq!(roles.related, Some([10, 11]));
        assert!(settings.roles(11).is_none() && settings.roles(13).is_none());
    }

    /// Returns a vector of docs/internals/formats.md, which a second implementation computes, too.
    fn golden(name: &str) -> &'static str {
        let page = include_str!("../../docs/internals/formats.md");
        page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = ")).unwrap()
    }

    #[test]
    fn a_stored_argument_is_read() {
        let places = |settings: &Settings, count| {
            let roles = settings.roles(count).unwrap();
            let all = [
                ("document", roles.documents),
                ("scope", roles.scope),
                ("time", roles.time.into_iter().collect()),
                ("title", roles.title.into_iter().collect()),
                ("differ", roles.differ),
                ("agree", roles.agree),
                ("mark", roles.marks.into_iter().collect()),
                ("related", roles.related.into_iter().flatten().collect()),
            ];
            let shown =
                |(name, at): (&str, Vec<usize>)| at.iter().fold(name.to_owned(), |all, at| format!("{all} {at}"));
            all.into_iter().filter(|(_, at)| !at.is_empty()).map(shown).collect::<Vec<_>>().join(", ")
        };
        let settings = Settings::parse(golden("argument of a guard with everything")).unwrap();
        assert_eq!(places(&settings, 10), golden("its columns"));
        assert_eq!((settings.analyzer.as_str(), settings.keys, settings.threshold), ("shingles:5", 10, Some(0.5)));
        assert_eq!((settings.on_duplicate, settings.on_related), (Action::Mark, OnRelated::Mark));
        assert_eq!((settings.excerpts, settings.window, settings.log), (Excerpts::Keep, Some(172_800_000_000), true));
        let pair = |schema: &str, name: &str| Some((schema.to_owned(), name.to_owned()));
        assert_eq!((settings.divert, settings.counter), (pair("public", "copies"), pair("public", "count")));
        assert_eq!(settings.expression, pair("public", "whole"));

        let least = Settings::parse(golden("argument of a guard with nothing more")).unwrap();
        assert_eq!(places(&least, 1), golden("its one column"));
        assert_eq!((least.on_duplicate, least.on_related), (Action::Reject, OnRelated::default()));

        let agreeing = Settings::parse(golden("argument of a guard with columns in which copies agree")).unwrap();
        assert_eq!(places(&agreeing, 6), golden("all of its columns"));
    }

    #[test]
    fn names_are_read_back() {
        for action in Action::ALL {
            let Ok(read) = Action::parse(action.name()) else { panic!("{}", action.name()) };
            assert_eq!(read, action);
        }
    }
}
