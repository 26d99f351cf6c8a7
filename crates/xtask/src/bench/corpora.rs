//! Real texts from outside the repository: they are third parties' and never enter it.
//!
//! The folder is `NEARDUP_DATA`, or `../shared/data` beside the checkout. Without it the measurements that need real texts are left out
//! or take the user's own.

use super::Bench;
use crate::command::root;
use crate::error::Result;
use std::path::PathBuf;

/// The corpora on which guards are measured, and how many rows of each are taken, spread evenly over it.
pub const CORPORA: [(&str, u64); 5] =
    [("news", u64::MAX), ("posts", u64::MAX), ("sports", u64::MAX), ("broadcast", u64::MAX), ("titles", 150_000)];

/// Why a measurement was left out.
pub const ABSENT: &str =
    "Left out: there is no folder of real texts (`NEARDUP_DATA`, or `../shared/data` beside the checkout).";

/// The folder, where it is there.
pub fn folder() -> Option<PathBuf> {
    let beside = || root().join("../shared/data");
    let folder = std::env::var_os("NEARDUP_DATA").map_or_else(beside, PathBuf::from);
    folder.join("natural_gold.jsonl.xz").is_file().then(|| folder.canonicalize().unwrap_or(folder))
}

impl Bench<'_> {
    /// Loads a file of the folder into table `line (number, json)`.
    pub fn lines(&self, name: &str) -> Result {
        let folder = folder().ok_or(ABSENT)?;
        let path = folder.join(format!("{name}.jsonl.xz")).to_string_lossy().replace('\'', r"'\''");
        let program = format!("xz -dc '{path}'").replace('\'', "''");
        self.ask("CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, json text)")?;
        self.ask(&format!(r"\copy line (json) FROM PROGRAM '{program}' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"))
            .map(drop)
    }

    /// Loads the texts of a corpus into table `corpus (id, body)`, at most so many, and gives their number.
    pub fn corpus(&self, name: &str, most: u64) -> Result<f64> {
        self.lines(name)?;
        // The largest bigint, divided by what it is multiplied with.
        let most = most.min(1 << 40);
        self.ask(&format!(
            "CREATE TABLE corpus AS
             SELECT row_number() OVER (ORDER BY number) AS id, json::json ->> 'text' AS body
             FROM (SELECT *, least({most}, count(*) OVER ()) AS wanted, count(*) OVER () AS there FROM line) AS counted
             WHERE number * wanted / there <> (number - 1) * wanted / there;
             DROP TABLE line; ALTER TABLE corpus ADD PRIMARY KEY (id); VACUUM (FREEZE, ANALYZE) corpus"
        ))?;
        self.number("SELECT count(*) FROM corpus")
    }
}
