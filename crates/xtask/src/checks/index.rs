//! The access method `neardup` under fire: sessions insert, update, delete, vacuum, search, build and check at the same time, then the
//! server is killed like in a power cut, comes back, and every index must be sound and answer as the table does. A replica replays it all,
//! with each page compared with the primary's; a page that is damaged on disk gives an error, never a crash.
//!
//! `NEARDUP_INDEX_MINUTES=60` makes it a long run; otherwise there are [`ROUNDS`] rounds.

use crate::check::{Context, Tally, expect};
use crate::error::Result;
use crate::interrupt::kill;
use crate::psql::{Session, fresh_database, query};
use crate::server::Server;
use std::time::{Duration, Instant};

const DATABASE: &str = "index";
/// How often the server is killed.
const ROUNDS: u64 = 4;
const WRITERS: usize = 3;

/// A table with both kinds of index, and work for many sessions. Each row has the key of a template, five of its own and four of a few
/// thousand that others have too; its signature is one of a few clusters'.
const SETUP: &str = "
CREATE TABLE doc (id bigint PRIMARY KEY, sketch minhash, signature simhash);
CREATE SEQUENCE doc_id;
CREATE FUNCTION tokens(number bigint) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(t) || 'template'::text FROM (SELECT md5(number::text || i) AS t FROM generate_series(1, 5) i
        UNION ALL SELECT 'common ' || (random() * 5000)::int FROM generate_series(1, 4)) t $$;
CREATE FUNCTION bits() RETURNS simhash LANGUAGE sql AS $$
    SELECT ((hashint8extended((random() * 200)::int, 1)) # (1::bigint << (random() * 62)::int) # (1::bigint << (random() * 62)::int))::simhash $$;
INSERT INTO doc SELECT nextval('doc_id'), CASE WHEN i % 50 > 0 THEN sketch(tokens(i)) END, CASE WHEN i % 40 > 0 THEN bits() END FROM generate_series(1, 20000) i;
CREATE INDEX doc_sketch ON doc USING neardup (sketch);
CREATE INDEX doc_signature ON doc USING neardup (signature);
ALTER TABLE doc SET (autovacuum_enabled = off);
CREATE PROCEDURE write() LANGUAGE plpgsql AS $$
DECLARE n int := 0; low bigint; high bigint;
BEGIN
    LOOP
        n := n + 1;
        INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 1 + (random() * 30)::int) i;
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
        low := (random() * currval('doc_id'))::bigint;
        high := low + (random() * 60)::int;
        IF n % 3 = 0 THEN
            DELETE FROM doc WHERE id BETWEEN low AND high;
        ELSE
            UPDATE doc SET sketch = sketch(tokens(id)), signature = bits() WHERE id IN (SELECT id FROM doc WHERE id BETWEEN low AND high FOR UPDATE SKIP LOCKED);
        END IF;
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE search() LANGUAGE plpgsql AS $$
DECLARE found bigint;
BEGIN
    LOOP
        SELECT count(*) INTO found FROM doc WHERE sketch && sketch(tokens(1));
        SELECT count(*) INTO found FROM doc WHERE signature <@ hamming_ball(bits(), (random() * 12)::int);
        SELECT count(*) INTO found FROM (SELECT FROM doc ORDER BY signature <~> bits() LIMIT 50) d;
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE inspect() LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM neardup.check_index('doc_sketch'), neardup.check_index('doc_signature');
        COMMIT;
        PERFORM count(*) FROM neardup.candidate_pairs('doc_sketch');
        COMMIT;
    END LOOP;
END $$";

/// The work of the sessions beside the writers. A build that is cut off leaves an index that is not valid.
const BESIDE: [&str; 4] = [
    "VACUUM doc;\n",
    "CALL search();\n",
    "CALL inspect();\n",
    "CREATE INDEX CONCURRENTLY doc_more ON doc USING neardup (sketch); DROP INDEX CONCURRENTLY doc_more;\n",
];

/// Both indexes are sound.
const SOUND: &str = "SELECT neardup.check_index('doc_sketch') > 0, neardup.check_index('doc_signature') > 0";

/// Each search by index, and as the table answers: `f` where they differ.
const ANSWERS: &str = "
CREATE OR REPLACE FUNCTION pg_temp.both(question text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE by_index text; by_scan text;
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE question INTO by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE question INTO by_scan;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    RETURN by_index IS NOT DISTINCT FROM by_scan;
END $$;
SELECT bool_and(pg_temp.both(format(q, d.id))) FROM (SELECT id FROM doc WHERE sketch IS NOT NULL AND signature IS NOT NULL ORDER BY md5(id::text) LIMIT 12) d, (VALUES
    ('SELECT count(*) || md5(string_agg(id::text, '','' ORDER BY id)) FROM doc WHERE sketch && (SELECT sketch FROM doc WHERE id = %s)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 3)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 9)'),
    ('SELECT string_agg(id::text, '','' ORDER BY id) FROM doc WHERE signature <@ hamming_ball((SELECT signature FROM doc WHERE id = %s), 24)'),
    ('SELECT string_agg(d::text, '','') FROM (SELECT signature <~> (SELECT signature FROM doc WHERE id = %1$s) AS d FROM doc ORDER BY 1 LIMIT 500) d')
) v(q)";

/// Lets sessions at it, kills the server, looks; then a replica; then damage.
pub fn run(context: &Context) -> Result<Tally> {
    let settings = ["wal_level=replica", "max_wal_senders=4", "wal_consistency_checking=generic", "autovacuum=off"];
    let server = Server::start_with(&context.postgres, &settings)?;
    fresh_database(&server, DATABASE)?;
    query(&server, DATABASE, SETUP)?;
    let minutes: u64 = std::env::var("NEARDUP_INDEX_MINUTES").ok().and_then(|m| m.parse().ok()).unwrap_or(0);
    let deadline = Instant::now() + Duration::from_secs(minutes * 60);
    let mut tally = Tally::default();
    let mut round = 0;
    while round < ROUNDS || Instant::now() < deadline {
        round += 1;
        let sessions = at_work(&server)?;
        // No round is like another, and any two runs are alike.
        std::thread::sleep(Duration::from_millis(700 + round * 7919 % 2300));
        cut(&server)?;
        for mut session in sessions {
            let said = session.answer().unwrap_or_else(|error| error.to_string());
            let wrong: Vec<&str> = said
                .lines()
                // What every session is told whose server goes down is of shared memory.
                .filter(|line| !line.contains("corrupted shared memory"))
                .filter(|line| {
                    line.contains("corrupt") || line.contains("lacks a key") || line.contains("internal error")
                })
                .collect();
            tally += expect("damage that a session met", &wrong.join("\n"), "");
        }
        server.restart()?;
        query(&server, DATABASE, "DROP INDEX IF EXISTS doc_more")?;
        tally += look(&server, &format!("after crash {round}"))?;
        query(&server, DATABASE, "VACUUM doc")?;
        tally += look(&server, &format!("after crash {round} and a vacuum"))?;
        // The table stays small, so that rounds stay short and pages are freed and reused.
        each(&server, &["DELETE FROM doc WHERE id % 3 > 0", "VACUUM doc"])?;
        tally += look(&server, &format!("after crash {round} and a large delete"))?;
    }
    println!("    {round} crashes");
    tally += replica(&server)?;
    tally += damage(&server)?;
    Ok(tally)
}

/// Kills every process at the same moment, wherever it is: a backend that works does not notice that its postmaster is gone.
fn cut(server: &Server) -> Result {
    let backends = query(server, DATABASE, "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")?;
    backends.lines().filter_map(|pid| pid.parse().ok()).for_each(|pid| kill(pid, libc::SIGKILL));
    server.crash();
    Ok(())
}

fn each(server: &Server, statements: &[&str]) -> Result {
    statements.iter().try_for_each(|statement| query(server, DATABASE, statement).map(drop))
}

fn at_work(server: &Server) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    for work in std::iter::repeat_n("CALL write();\n", WRITERS).chain(BESIDE) {
        let mut session = Session::open(server, DATABASE)?;
        session.send(&work.repeat(200))?;
        sessions.push(session);
    }
    Ok(sessions)
}

fn look(server: &Server, when: &str) -> Result<Tally> {
    let mut tally = expect(&format!("indexes that are sound {when}"), &query(server, DATABASE, SOUND)?, "t|t");
    tally += expect(&format!("searches that the table answers too {when}"), &query(server, DATABASE, ANSWERS)?, "t");
    Ok(tally)
}

/// A replica gets what sessions write; generic WAL is compared page by page as it is replayed, and a difference stops it.
fn replica(primary: &Server) -> Result<Tally> {
    let replica = Server::replica_of(primary)?;
    let sessions = at_work(primary)?;
    std::thread::sleep(Duration::from_secs(3));
    drop(sessions);
    query(
        primary,
        DATABASE,
        "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )?;
    each(primary, &["DROP INDEX IF EXISTS doc_more", "VACUUM doc"])?;
    let position = query(primary, DATABASE, "SELECT pg_current_wal_lsn()")?;
    // Each time in a snapshot of its own, which does not hold up the replay.
    let caught_up = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
    let deadline = Instant::now() + Duration::from_secs(60);
    while query(&replica, DATABASE, &caught_up)? == "f" && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut tally = expect("the replica has caught up", &query(&replica, DATABASE, &caught_up)?, "t");
    tally += expect("indexes that are sound on the replica", &query(&replica, DATABASE, SOUND)?, "t|t");
    let found =
        "SET enable_seqscan = off; SELECT count(*) FROM doc a JOIN doc b ON a.sketch && b.sketch WHERE a.id % 50 = 0";
    let (here, there) = (query(primary, DATABASE, found)?, query(&replica, DATABASE, found)?);
    tally += expect("pairs found on the replica", &there, &here);
    cut(primary)?;
    query(&replica, DATABASE, "SELECT pg_promote()")?;
    query(
        &replica,
        DATABASE,
        "INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 5000) i",
    )?;
    tally += look(&replica, "after the promotion")?;
    primary.restart()?;
    Ok(tally)
}

/// Overwrites bytes of each page of both indexes, one page at a time, and asks all questions: answers or errors, and the server stays up.
fn damage(server: &Server) -> Result<Tally> {
    each(server, &["DELETE FROM doc WHERE id % 5 > 0", "VACUUM doc", "REINDEX TABLE doc", "CHECKPOINT"])?;
    let mut tally = Tally::default();
    let mut errors = 0;
    for index in ["doc_sketch", "doc_signature"] {
        let file = query(server, DATABASE, &format!("SELECT pg_relation_filepath('{index}')"))?;
        let path = server.directory().join("data").join(file);
        server.stop();
        let sound = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let pages = sound.len() / PAGE;
        for (number, at) in DAMAGED.iter().enumerate() {
            for page in [0, 1, 2, pages / 2, pages - 1] {
                let mut bytes = sound.clone();
                let place = page * PAGE + at;
                let random = (number as u8).wrapping_mul(83).wrapping_add(page as u8) | 1;
                bytes[place..(place + 6).min(page * PAGE + PAGE)].iter_mut().for_each(|byte| *byte ^= random);
                write(&path, &bytes)?;
                server.restart()?;
                let mut session = Session::open(server, DATABASE)?;
                session
                    .ask("\\set VERBOSITY sqlstate\nSET enable_seqscan = off; SET statement_timeout = '60s'; BEGIN;")?;
                let mut said = String::new();
                for question in QUESTIONS {
                    said += &session.ask(&format!("SAVEPOINT s; {question}; ROLLBACK TO s;"))?;
                    said.push('\n');
                }
                let other: Vec<&str> = said
                    .lines()
                    .filter(|line| line.contains("ERROR") && !FITTING.iter().any(|code| line.ends_with(code)))
                    .collect();
                errors += said.lines().filter(|line| line.ends_with("XX002")).count();
                tally += expect(
                    &format!("errors of another kind, byte {at} of page {page} of {index}"),
                    &other.join("\n"),
                    "",
                );
                drop(session);
                server.stop();
            }
        }
        write(&path, &sound)?;
        server.restart()?;
    }
    println!("    {errors} questions to damaged indexes were answered by an error");
    tally += expect("damage that was seen", &(errors > 0).to_string(), "true");
    tally += look(server, "after the damage was undone")?;
    Ok(tally)
}

fn write(path: &std::path::Path, bytes: &[u8]) -> Result {
    std::fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

const PAGE: usize = 8192;
/// Places in a page: Postgres's header, entries, and what stands at the end.
const DAMAGED: [usize; 8] = [12, 24, 36, 4000, 8144, 8160, 8176, 8184];
/// A damaged index, and what Postgres itself says of a page whose header is damaged.
const FITTING: [&str; 2] = ["XX002", "XX001"];
const QUESTIONS: [&str; 7] = [
    "SELECT count(*) FROM doc a JOIN doc b ON a.sketch && b.sketch WHERE a.id % 20 = 0",
    "SELECT count(*) FROM doc WHERE signature <@ hamming_ball(bits(), 9)",
    "SELECT count(*) FROM (SELECT FROM doc ORDER BY signature <~> bits()) d",
    "SELECT count(*) FROM neardup.candidate_pairs('doc_sketch')",
    "SELECT neardup.check_index('doc_sketch')",
    "SELECT neardup.check_index('doc_signature')",
    "INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 300) i",
];
