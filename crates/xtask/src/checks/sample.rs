//! The demo's sample in a table, for checks that want real sentences.

use crate::command::{root, text};
use crate::psql::{fresh_database, psql};
use crate::server::Server;
use anyhow::Result;

/// Makes a fresh database with the extension and a table `sample (id text, body text)` of the sample's originals: no copies, no
/// updates.
pub fn load(server: &Server, database: &str) -> Result<()> {
    fresh_database(server, database)?;
    let mut load = psql(server, database);
    load.args(["-q", "-v", "ON_ERROR_STOP=1", "-c", "CREATE TABLE line (json text)"]);
    load.args(["-c", r"\copy line FROM 'demo/sample.jsonl' (FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02')"]);
    load.args(["-c", "CREATE TABLE sample AS SELECT json::json ->> 'id' AS id, json::json ->> 'text' AS body FROM line WHERE json::json ->> 'note' IS NULL"]);
    text(load.args(["-c", "DROP TABLE line"]).current_dir(root())).map(drop)
}
