//! A protected table through pg_dump and back: same rows, same guard, and it guards.

use super::sample;
use crate::check::{Context, Tally, expect};
use crate::command::text;
use crate::error::Result;
use crate::psql::{Session, query};
use crate::server::Server;

const FROM: &str = "dump_from";
const TO: &str = "dump_to";

/// What a restored table must have as the original had it.
const STATE: &[(&str, &str)] = &[
    ("the rows", r#"SELECT string_agg(a::text, E'\n' ORDER BY id) FROM "the press"."Articles" a"#),
    (
        "the indexes",
        r#"SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = '"the press"."Articles"'::regclass"#,
    ),
    ("the settings", "SELECT string_agg((to_jsonb(p) - 'target')::text, E'\\n') FROM neardup.protected p"),
    (
        "the triggers",
        r#"SELECT string_agg(pg_get_triggerdef(oid), E'\n' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = '"the press"."Articles"'::regclass"#,
    ),
    (
        "the profiles",
        "SELECT string_agg(v::text, E'\\n' ORDER BY version) FROM (SELECT name, version, role, words, documents, made, md5(statistics) FROM neardup.profile_versions) v",
    ),
    (
        "signatures with a profile",
        r#"SELECT string_agg(neardup.p_simhash("Body", 'house')::text, ' ' ORDER BY id) FROM "the press"."Articles""#,
    ),
];

/// A copy of the article with the longest text, and news of its own.
const COPY: &str = r#"INSERT INTO "the press"."Articles" (id, "Body") SELECT 'copy', '快讯：' || "Body" FROM "the press"."Articles" ORDER BY length("Body") DESC LIMIT 1;"#;
const NEWS: &str = r#"INSERT INTO "the press"."Articles" (id, "Body") VALUES ('news', '海边的灯塔昨夜熄了又亮，守塔的老人说，是换灯泡。');"#;

/// Dumps, restores, compares, tries; in pg_dump's plain and custom format.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    sample::load(server, FROM)?;
    query(
        server,
        FROM,
        r#"CREATE SCHEMA "the press";
           CREATE TABLE "the press"."Articles" (id text PRIMARY KEY, "Body" text);
           SELECT neardup.protect('"the press"."Articles"', 'Body', on_duplicate => 'mark');
           SELECT neardup.protect('"the press"."Articles"', 'Body', log => true);
           INSERT INTO "the press"."Articles" SELECT id, body FROM sample ORDER BY length(body) DESC LIMIT 20;
           SELECT neardup.create_profile('house', words => '{江口龙舟赛}');
           CALL neardup.train_profile('house', 'SELECT body FROM sample')"#,
    )?;
    let mut tally = Tally::default();
    for format in ["plain", "custom"] {
        restore(server, format)?;
        for (what, sql) in STATE {
            let (before, after) = (query(server, FROM, sql)?, query(server, TO, sql)?);
            tally += expect(&format!("{what} after a {format} dump"), &after, &before);
        }
        let mut session = Session::open(server, TO)?;
        session.ask(r"\set VERBOSITY sqlstate")?;
        tally += expect(&format!("a copy after a {format} dump"), &session.ask(COPY)?, "ERROR:  23505");
        tally += expect(&format!("news after a {format} dump"), &session.ask(NEWS)?, "");
        let newer = "SELECT neardup.create_profile('house') > (SELECT max(version) FROM neardup.profile_versions)";
        tally += expect(&format!("a new version after a {format} dump"), &query(server, TO, newer)?, "t");
    }
    Ok(tally)
}

fn restore(server: &Server, format: &str) -> Result {
    query(server, "postgres", &format!("DROP DATABASE IF EXISTS {TO}"))?;
    query(server, "postgres", &format!("CREATE DATABASE {TO}"))?;
    let file = server.directory().join("dump");
    text(server.client("pg_dump", FROM).args(["-F", format, "-f"]).arg(&file))?;
    let mut restore = if format == "plain" {
        let mut psql = server.client("psql", TO);
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f"]);
        psql
    } else {
        let mut pg_restore = server.client("pg_restore", TO);
        pg_restore.args(["--exit-on-error", "-d", TO]);
        pg_restore
    };
    text(restore.arg(&file)).map(drop)
}
