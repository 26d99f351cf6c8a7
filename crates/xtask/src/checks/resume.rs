//! Clean-ups and backfills interrupted at random points: cancelled, killed, or the server gone. Each can be called again, no row is
//! lost that is not in the archive, no group without the row that stays.

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
SELECT neardup.protect('articles', 'body');";

/// What must be empty at any time: rows that are neither there nor archived, or both; archived ones whose row that stays is gone;
/// readers who are gone, or point nowhere.
const LOST: &str = "
SELECT 'lost', id FROM before b WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = b.id AND a.body = b.body)
    AND NOT EXISTS (SELECT FROM neardup.removed r WHERE r.key = b.id::text)
UNION ALL SELECT 'twice', a.id FROM articles a JOIN neardup.removed r ON r.key = a.id::text
UNION ALL SELECT 'no representative', r.key::int FROM neardup.removed r WHERE NOT EXISTS (SELECT FROM articles a WHERE a.id = r.duplicate_of::int)
UNION ALL SELECT 'reader', b.id FROM before b WHERE b.id % 5 = 0 AND NOT EXISTS (SELECT FROM readers r JOIN articles a ON a.id = r.article WHERE r.id = b.id)";

const PROGRESS: &str = "SELECT count(*) FROM neardup.progress";

/// Interrupts twenty times, then lets each procedure come to its end.
pub fn run(context: &Context) -> Result<Tally> {
    let server = Server::start(&context.postgres)?;
    fresh_database(&server, DATABASE)?;
    query(&server, DATABASE, SET_UP)?;
    let mut tally = Tally::default();
    // A linear congruential generator: the same points in each run, as far as the machine allows.
    let mut random: u64 = 20260301;
    for round in 0..INTERRUPTIONS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let procedure = match round % 5 {
            0 | 1 => "CALL neardup.backfill('articles', batch => 100, throttle => '1 ms');".to_owned(),
            2 | 3 => "CALL neardup.cleanup('articles', dry_run => false, on_reference => 'repoint', batch => 50, throttle => '1 ms');".to_owned(),
            _ => match query(&server, DATABASE, "SELECT max(run_id) FROM neardup.runs")?.as_str() {
                "" => continue,
                run => format!("CALL neardup.restore({run});"),
            },
        };
        interrupt(&server, &procedure, round, Duration::from_millis(30 + (random >> 33) % 250))?;
        tally += expect(&format!("what is lost after interruption {round}"), &query(&server, DATABASE, LOST)?, "");
        tally += expect("procedures at work after it", &query(&server, DATABASE, PROGRESS)?, "0");
    }
    query(&server, DATABASE, "CALL neardup.backfill('articles')")?;
    let unsigned = "SELECT count(*) FROM articles WHERE body_simhash IS NULL";
    tally += expect("unsigned rows at the end", &query(&server, DATABASE, unsigned)?, "0");
    query(&server, DATABASE, "CALL neardup.cleanup('articles', dry_run => false, on_reference => 'repoint')")?;
    tally += expect("what is lost at the end", &query(&server, DATABASE, LOST)?, "");
    tally += expect("rows that stay", &query(&server, DATABASE, "SELECT count(*) FROM articles")?, "3000");
    let runs = query(&server, DATABASE, "SELECT run_id FROM neardup.runs ORDER BY run_id DESC")?;
    for run in runs.lines() {
        query(&server, DATABASE, &format!("CALL neardup.restore({run})"))?;
    }
    let different = "SELECT count(*) FROM (SELECT id, body FROM articles EXCEPT TABLE before) a, (TABLE before EXCEPT SELECT id, body FROM articles) b";
    tally += expect("rows that are not as before when all is restored", &query(&server, DATABASE, different)?, "0");
    let readers = "SELECT count(*) FROM readers WHERE id <> article";
    tally += expect("readers who do not point back", &query(&server, DATABASE, readers)?, "0");
    Ok(tally)
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
