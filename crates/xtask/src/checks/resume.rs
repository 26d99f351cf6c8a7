//! Each procedure interrupted twenty times at random points: cancelled, killed, or the server gone. Each can be called again, no
//! row is lost that is not in the archive, no group without the row that stays.

use super::{Tally, expect};
use crate::error::Result;
use crate::psql::{Session, fresh_database, query};
use crate::server::Server;
use crate::test::Context;
use std::time::Duration;

const DATABASE: &str = "resume";
const INTERRUPTIONS: u32 = 20;

/// 3,000 articles, each in one to four copies, the last copies referred to by readers; all that a run may touch is kept beside.
const SET_UP: &str = "
CREATE FUNCTION article(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(chr(19968 + abs(hashint8(n * 1000 + i)::bigint % 9000)::int), '' ORDER BY i) FROM generate_series(1, 60) i
$$;
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles SELECT n * 4 + c, article(n) FROM generate_series(1, 3000) n, generate_series(0, n % 4) c;
CREATE TABLE readers (id int PRIMARY KEY, article int REFERENCES articles ON DELETE CASCADE);
INSERT INTO readers SELECT id, id FROM articles WHERE id % 5 = 0;
CREATE TABLE before AS TABLE articles;
SELECT neardup.protect('articles', 'body');
CREATE TABLE target (id int PRIMARY KEY, body text);
INSERT INTO target SELECT id, body FROM articles WHERE id % 12 = 0;
SELECT neardup.protect('target', 'body', on_duplicate => 'divert');
CREATE TABLE staging (id int, body text);";

/// What must be empty at any time: rows that are neither there nor archived, or both; archived ones whose row that stays is gone;
/// readers who are gone, or point nowhere.
const LOST: &str = "
SELECT 'lost', id FROM before b WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = b.id AND a.body = b.body)
    AND NOT EXISTS (SELECT FROM neardup.removed r WHERE r.key = b.id::text)
UNION ALL SELECT 'twice', a.id FROM articles a JOIN neardup.removed r ON r.key = a.id::text
UNION ALL SELECT 'no representative', r.key::int FROM neardup.removed r WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = r.duplicate_of::int)
UNION ALL SELECT 'reader', b.id FROM before b WHERE b.id % 5 = 0 AND NOT EXISTS (SELECT FROM readers r JOIN articles a ON a.id = r.article WHERE r.id = b.id)";

/// What must be empty during loads: rows that are neither to come, nor there, nor diverted, or more than one of these.
const UNLOADED: &str = "
SELECT 'loaded', b.id, count(r.id) FROM before b LEFT JOIN (SELECT id FROM staging UNION ALL SELECT id FROM target
    UNION ALL SELECT (record ->> 'id')::int FROM target_diverted) r USING (id)
WHERE b.id % 12 <> 0 AND EXISTS (SELECT FROM staging UNION ALL SELECT FROM target WHERE id % 12 <> 0) GROUP BY b.id HAVING count(r.id) <> 1";

const PROGRESS: &str = "SELECT count(*) FROM neardup.progress";

/// Runs made up for the purge: old ones and one of today, 5,000 rows each.
/// What must be empty: rows without their run, and rows of today gone.
const ARCHIVE: &str = "
INSERT INTO neardup.runs (target, document, action, keep, verify, started, finished)
SELECT 'before'::regclass, 'body', 'archive', 'oldest', 'facts', t, t
FROM (VALUES (now() - interval '2 days'), (now() - interval '3 days'), (now())) v(t);
INSERT INTO neardup.removed (run_id, batch, key, duplicate_of, measure, value, columns)
SELECT r.run_id, i / 100, -i, 4, 'facts', 1, '{}' FROM neardup.runs r, generate_series(1, 5000) i
WHERE r.target = 'before'::regclass AND NOT EXISTS (SELECT FROM neardup.removed d WHERE d.run_id = r.run_id)";
const FORGOTTEN: &str = "
SELECT 'without a run', count(*) FROM neardup.removed d WHERE NOT EXISTS (SELECT FROM neardup.runs r WHERE r.run_id = d.run_id) HAVING count(*) > 0
UNION ALL SELECT 'of today', count(*) FROM neardup.removed d JOIN neardup.runs r USING (run_id)
WHERE r.target = 'before'::regclass AND r.started > now() - interval '1 day' HAVING count(*) % 5000 > 0";

const CLEANUP: &str =
    "CALL neardup.cleanup('articles', dry_run => false, on_reference => 'repoint', batch => 50, throttle => '1 ms');";

/// Interrupts each procedure twenty times, then lets it come to its end.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start(&context.postgres)?;
    fresh_database(&server, DATABASE)?;
    query(&server, DATABASE, SET_UP)?;
    let mut tally = Tally::default();
    // A linear congruential generator: the same points in each run, as far as the machine allows.
    let mut random: u64 = 20260301;
    let procedures: [fn(&Server) -> Result<String>; 4] = [cleanup, restore, purge, load];
    for procedure in procedures {
        for round in 0..INTERRUPTIONS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let call = procedure(&server)?;
            interrupt(&server, &call, round, Duration::from_millis(20 + (random >> 33) % 200))?;
            tally += expect(
                &format!("what is lost after interruption {round} of {call}"),
                &query(&server, DATABASE, LOST)?,
                "",
            );
            tally += expect("what a load has lost or doubled", &query(&server, DATABASE, UNLOADED)?, "");
            tally += expect("procedures at work after it", &query(&server, DATABASE, PROGRESS)?, "0");
            tally += expect("what is forgotten too early", &query(&server, DATABASE, FORGOTTEN)?, "");
        }
    }
    query(&server, DATABASE, LOAD)?;
    let stored = "SELECT count(*) FROM target";
    tally += expect("rows that were loaded or there", &query(&server, DATABASE, stored)?, "3000");
    query(&server, DATABASE, "CALL neardup.purge('1 day')")?;
    let old = "SELECT count(*) FROM neardup.runs WHERE finished < now() - interval '1 day'";
    tally += expect("old runs at the end", &query(&server, DATABASE, old)?, "0");
    query(&server, DATABASE, CLEANUP)?;
    tally += expect("what is lost at the end", &query(&server, DATABASE, LOST)?, "");
    tally += expect("rows that stay", &query(&server, DATABASE, "SELECT count(*) FROM articles")?, "3000");
    restore_all(&server)?;
    let different = "SELECT count(*) FROM (SELECT id, body FROM articles EXCEPT TABLE before) a, (TABLE before EXCEPT SELECT id, body FROM articles) b";
    tally += expect("rows that are not as before when all is restored", &query(&server, DATABASE, different)?, "0");
    let readers = "SELECT count(*) FROM readers WHERE id <> article";
    tally += expect("readers who do not point back", &query(&server, DATABASE, readers)?, "0");
    Ok(tally)
}

fn cleanup(server: &Server) -> Result<String> {
    if query(server, DATABASE, "SELECT count(*) FROM neardup.duplicates('articles')")? == "0" {
        restore_all(server)?;
    }
    Ok(CLEANUP.to_owned())
}

fn restore(server: &Server) -> Result<String> {
    const LAST: &str = "SELECT max(run_id) FROM neardup.removed";
    let mut run = query(server, DATABASE, LAST)?;
    if run.is_empty() {
        query(server, DATABASE, CLEANUP)?;
        run = query(server, DATABASE, LAST)?;
    }
    Ok(format!("CALL neardup.restore({run});"))
}

fn restore_all(server: &Server) -> Result {
    let runs = "SELECT run_id FROM neardup.runs WHERE target = 'articles'::regclass ORDER BY run_id DESC";
    for run in query(server, DATABASE, runs)?.lines() {
        query(server, DATABASE, &format!("CALL neardup.restore({run})"))?;
    }
    Ok(())
}

fn purge(server: &Server) -> Result<String> {
    if query(server, DATABASE, "SELECT count(*) FROM neardup.runs WHERE finished < now() - interval '1 day'")? == "0" {
        query(server, DATABASE, ARCHIVE)?;
    }
    Ok("CALL neardup.purge('1 day', batch => 200);".to_owned())
}

const LOAD: &str = "CALL neardup.load('target', 'staging', batch => 50, throttle => '1 ms');";

fn load(server: &Server) -> Result<String> {
    if query(server, DATABASE, "SELECT count(*) FROM staging")? == "0" {
        let again = "DELETE FROM target WHERE id % 12 <> 0; TRUNCATE target_diverted; INSERT INTO staging SELECT * FROM before WHERE id % 12 <> 0";
        query(server, DATABASE, &format!("BEGIN; {again}; COMMIT"))?;
    }
    Ok(LOAD.to_owned())
}

/// Starts a procedure in a session of its own and ends it after a while: by turns cancelled, its session killed, the server killed.
fn interrupt(server: &Server, procedure: &str, round: u32, after: Duration) -> Result {
    let mut session = Session::open(server, DATABASE)?;
    let process = session.ask("SELECT pg_backend_pid();")?;
    session.send(procedure)?;
    std::thread::sleep(after);
    match round % 3 {
        0 => query(server, DATABASE, &format!("SELECT pg_cancel_backend({process})"))
            .and_then(|_| session.answer())
            .map(drop),
        1 => query(server, DATABASE, &format!("SELECT pg_terminate_backend({process}, 5000)")).map(drop),
        _ => {
            server.crash();
            drop(session);
            server.restart()
        }
    }
}
