//! Stress test of the access method `neardup`. Sessions insert, update, delete, vacuum, search, build and check at the same
//! time, then the server is killed as in a power cut. After recovery, every index must be sound and give the same answers as
//! the table. A replica replays everything; its files must equal the primary's, byte for byte. A page that is damaged on disk
//! raises an error and never crashes the server. Checks of an index give no false alarm while rows' addresses are reused.
//!
//! All this is done twice, with data checksums: on a server whose every WAL record also has the pages it changes, with which a
//! replay compares its own result, and on one that writes the log as servers in use do.
//!
//! `NEARDUP_INDEX_MINUTES=60` makes it run for an hour; the default is [`ROUNDS`] rounds on each server.

use super::script::{lines, part};
use crate::check::{Context, Tally, expect, expect_none};
use crate::command::text;
use crate::psql::{Session, errors, fresh_database, query, wait_until};
use crate::server::Server;
use anyhow::{Context as _, Result};
use std::time::{Duration, Instant};

const DATABASE: &str = "index";
/// The statements of the sessions, and the queries.
const FILE: &str = "index.sql";
/// How often each server is killed.
const ROUNDS: u64 = 2;
const WRITERS: usize = 3;
/// The settings of the servers. No checkpoint may fall into a round of the first one, so `max_wal_size` stays at the test server's 4 GB:
/// without full-page writes, a replay that starts after an index was filled and before it was dropped finds empty pages, and Postgres
/// itself fails to compare these (`checkXLogConsistency`), whatever the access method.
const SERVERS: [&[&str]; 2] = [
    &["wal_level=replica", "max_wal_senders=4", "autovacuum=off", "wal_keep_size=1GB", "wal_consistency_checking=all"],
    &["wal_level=replica", "max_wal_senders=4", "autovacuum=off", "wal_keep_size=1GB", "full_page_writes=on"],
];
/// How long the sessions work beside a replica. Both servers keep the log, which has a page for each change: some gigabytes in a few seconds.
const BESIDE_REPLICA: Duration = Duration::from_millis(1500);

/// Tests each server; on the last one also damaged pages.
pub fn run(context: &Context) -> Result<Tally> {
    let minutes: u64 = std::env::var("NEARDUP_INDEX_MINUTES").ok().and_then(|m| m.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for (number, settings) in (1..).zip(SERVERS) {
        println!("    with {}", settings.join(" "));
        let server = Server::start_with(&context.postgres, settings)?;
        enable_checksums(context, &server)?;
        fresh_database(&server, DATABASE)?;
        query(&server, DATABASE, &part(FILE, "setup")?)?;
        tally += crashes(&server, Duration::from_secs(minutes * 60 / SERVERS.len() as u64))?;
        tally += replica(&server)?;
        if number == SERVERS.len() {
            tally += reused(&server)?;
            tally += cut_split(&server)?;
            tally += damage(&server)?;
        }
    }
    Ok(tally)
}

/// Makes the server verify every page that it reads, which is the default from Postgres 18 on.
fn enable_checksums(context: &Context, server: &Server) -> Result<()> {
    if query(server, "postgres", "SHOW data_checksums")? == "off" {
        server.stop();
        let mut enable = server.owned(&context.postgres.program("pg_checksums"));
        text(enable.args(["--enable", "--no-sync", "-D"]).arg(server.directory().join("data")))?;
        server.restart()?;
    }
    Ok(())
}

/// Starts sessions, kills the server and checks the indexes, in rounds.
fn crashes(server: &Server, time: Duration) -> Result<Tally> {
    let deadline = Instant::now() + time;
    let mut tally = Tally::default();
    let mut round = 0;
    while round < ROUNDS || Instant::now() < deadline {
        round += 1;
        let sessions = at_work(server)?;
        // Rounds differ from each other, but each run has the same ones.
        std::thread::sleep(Duration::from_millis(400 + round * 7919 % 1300));
        server.crash();
        for mut session in sessions {
            let said = session.answer().unwrap_or_else(|error| error.to_string());
            // After a crash, Postgres tells every session that shared memory may be corrupted.
            let said = said.replace("corrupted shared memory", "");
            let is_damage = |line: &&str| {
                ["corrupt", "Of the page", "lacks a key", "internal error"].iter().any(|w| line.contains(w))
            };
            tally += expect_none("damage that a session met", said.lines().filter(is_damage));
        }
        server.restart()?;
        query(server, DATABASE, "DROP INDEX IF EXISTS doc_more")?;
        tally += look(server, &format!("after crash {round}"))?;
        query(server, DATABASE, "VACUUM doc")?;
        tally += look(server, &format!("after crash {round} and a vacuum"))?;
        // Keeps the table small, so that rounds stay short and pages are freed and reused.
        each(server, &["DELETE FROM doc WHERE id % 3 > 0", "VACUUM doc"])?;
        tally += look(server, &format!("after crash {round} and a large delete"))?;
    }
    println!("    {round} crashes");
    Ok(tally)
}

/// Checks an index while rows of one key come and go: between a check's look at an entry and at the table, another row of the same key
/// has come to the same address.
fn reused(server: &Server) -> Result<Tally> {
    each(server, &[&part(FILE, "reused")?, "VACUUM again"])?;
    let check = "SELECT neardup.check_index('again_sketch') > 0;\n".repeat(50);
    let mut sessions = Vec::new();
    for work in [&check, &check, &part(FILE, "reusing")?.repeat(1000)] {
        let mut session = Session::open(server, DATABASE)?;
        session.send(work)?;
        sessions.push(session);
    }
    let mut tally = Tally::default();
    for mut session in sessions {
        let said = session.answer()?;
        tally += expect_none("errors beside rows that come and go", said.lines().filter(|line| *line != "t"));
    }
    query(server, DATABASE, "DROP TABLE again")?;
    Ok(tally)
}

fn each(server: &Server, statements: &[&str]) -> Result<()> {
    statements.iter().try_for_each(|statement| query(server, DATABASE, statement).map(drop))
}

fn at_work(server: &Server) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    let beside = part(FILE, "beside")?;
    for work in std::iter::repeat_n("CALL write();", WRITERS).chain(lines(&beside)) {
        let mut session = Session::open(server, DATABASE)?;
        session.send(&format!("{work}\n").repeat(200))?;
        sessions.push(session);
    }
    Ok(sessions)
}

fn look(server: &Server, when: &str) -> Result<Tally> {
    let ask = |what| query(server, DATABASE, &part(FILE, what)?);
    let mut tally = expect(&format!("indexes that are sound {when}"), &ask("sound")?, "t|t");
    tally += expect(&format!("searches that the table answers too {when}"), &ask("answers")?, "t");
    Ok(tally)
}

/// Replicates the sessions' writes to a replica. Where the records have pages to compare with, its replay stops at a difference.
fn replica(primary: &Server) -> Result<Tally> {
    let replica = Server::replica_of(primary)?;
    let (ask, ask_replica) = (|sql: &str| query(primary, DATABASE, sql), |sql: &str| query(&replica, DATABASE, sql));
    let sessions = at_work(primary)?;
    std::thread::sleep(BESIDE_REPLICA);
    drop(sessions);
    ask(
        "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )?;
    each(primary, &["DROP INDEX IF EXISTS doc_more", "VACUUM doc"])?;
    // Each query has its own snapshot, so that none delays the replay. A checkpoint comes only then, because it removes logs.
    let catch_up = || {
        let position = ask("SELECT pg_current_wal_lsn()")?;
        let caught_up = format!("SELECT pg_last_wal_replay_lsn() >= '{position}'");
        wait_until(|| Ok(ask_replica(&caught_up)? == "t")).context("the replica does not catch up")
    };
    catch_up()?;
    ask("CHECKPOINT")?;
    catch_up()?;
    ask_replica("CHECKPOINT")?;
    let mut tally = same_files(primary, &replica)?;
    tally += expect("indexes that are sound on the replica", &ask_replica(&part(FILE, "sound")?)?, "t|t");
    let found =
        "SET enable_seqscan = off; SELECT count(*) FROM doc a JOIN doc b ON a.sketch && b.sketch WHERE a.id % 50 = 0";
    tally += expect("pairs found on the replica", &ask_replica(found)?, &ask(found)?);
    primary.crash();
    ask_replica("SELECT pg_promote()")?;
    ask_replica("INSERT INTO doc SELECT nextval('doc_id'), sketch(tokens(i)), bits() FROM generate_series(1, 5000) i")?;
    tally += look(&replica, "after the promotion")?;
    primary.restart()?;
    Ok(tally)
}

/// Compares the files of the indexes after a checkpoint of both servers: contents, LSNs and checksums of all pages are the same. A
/// page that was added to the file and never used may be missing on the replica.
fn same_files(primary: &Server, replica: &Server) -> Result<Tally> {
    let mut tally = Tally::default();
    for index in ["doc_sketch", "doc_signature", "report_sketch_idx"] {
        let file = query(primary, DATABASE, &format!("SELECT pg_relation_filepath('{index}')"))?;
        let read = |server: &Server| fs_err::read(server.directory().join("data").join(&file));
        let (ours, theirs) = (read(primary)?, read(replica)?);
        let differ = (0..ours.len().max(theirs.len()) / PAGE).filter(|number| {
            let page = |bytes: &[u8]| bytes.chunks(PAGE).nth(*number).map_or(vec![0; PAGE], <[u8]>::to_vec);
            page(&ours) != page(&theirs)
        });
        let differ: Vec<String> = differ.map(|number| format!("block {number}")).collect();
        tally +=
            expect_none(&format!("pages of {index} that differ on the replica"), differ.iter().map(String::as_str));
    }
    Ok(tally)
}

/// Takes a downlink off a root, as if a crash had cut off a split, and inserts rows: the index is sound all the time, and an insert
/// writes the downlink again.
fn cut_split(server: &Server) -> Result<Tally> {
    // The checksum of the changed page is wrong until it is written again.
    let quiet = format!("ALTER DATABASE {DATABASE} SET ignore_checksum_failure = on");
    let more =
        |rows: u32| format!("INSERT INTO cut SELECT sketch(tokens(nextval('doc_id'))) FROM generate_series(1, {rows})");
    each(
        server,
        &["CREATE TABLE cut (sketch minhash)", &more(5000), "CREATE INDEX cut_sketch ON cut USING neardup (sketch)"],
    )?;
    each(server, &[&quiet, "ALTER DATABASE index SET client_min_messages = error"])?;
    let file = query(server, DATABASE, "SELECT pg_relation_filepath('cut_sketch')")?;
    let path = server.directory().join("data").join(file);
    server.stop();
    let mut bytes = fs_err::read(&path)?;
    let links = downlinks(&bytes);
    let child = links.get(links.len() / 2).copied().context("the root has no downlinks")?;
    let (from, end) = (PAGE + 24 + links.len() / 2 * DOWNLINK, PAGE + 24 + links.len() * DOWNLINK);
    bytes.copy_within(from + DOWNLINK..end, from);
    bytes[end - DOWNLINK..end].fill(0);
    for at in [PAGE + 12, PAGE + 8182] {
        let less = if at == PAGE + 12 { DOWNLINK } else { 1 };
        let value = u16::from_ne_bytes([bytes[at], bytes[at + 1]]) - less as u16;
        bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
    }
    fs_err::write(&path, bytes)?;
    server.restart()?;
    let sound = || query(server, DATABASE, "SELECT neardup.check_index('cut_sketch') > 0");
    let mut tally = expect("an index that is sound without a downlink", &sound()?, "t");
    each(server, &[&more(1000), "CHECKPOINT"])?;
    let is_linked = downlinks(&fs_err::read(&path)?).contains(&child);
    tally += expect("a downlink that an insert wrote", &is_linked.to_string(), "true");
    tally += expect("an index that is sound with it", &sound()?, "t");
    each(server, &["DROP TABLE cut", &format!("ALTER DATABASE {DATABASE} RESET ALL")])?;
    Ok(tally)
}

/// Returns the blocks that the downlinks of the first tree's root lead to.
fn downlinks(bytes: &[u8]) -> Vec<u32> {
    let root = bytes.get(PAGE..2 * PAGE).unwrap_or_default();
    let lower = usize::from(u16::from_ne_bytes([root[12], root[13]]));
    let links = root[24..lower].chunks_exact(DOWNLINK);
    links.map(|link| u32::from_ne_bytes([link[14], link[15], link[16], link[17]])).collect()
}

/// Overwrites bytes of each page of both indexes, one page at a time, and runs all queries: each gives a result or an error,
/// and the server stays up.
fn damage(server: &Server) -> Result<Tally> {
    // Reduces the table to a fixed size, because the queries join it with itself.
    let few = "DELETE FROM doc WHERE id NOT IN (SELECT id FROM doc ORDER BY id DESC LIMIT 4000)";
    each(server, &[few, "VACUUM doc", "REINDEX TABLE doc", "CHECKPOINT"])?;
    let mut tally = Tally::default();
    let mut seen = 0;
    let questions = part(FILE, "questions")?;
    for index in ["doc_sketch", "doc_signature"] {
        let file = query(server, DATABASE, &format!("SELECT pg_relation_filepath('{index}')"))?;
        let path = server.directory().join("data").join(file);
        server.stop();
        let sound = fs_err::read(&path)?;
        let pages = sound.len() / PAGE;
        for (number, at) in DAMAGED.iter().enumerate() {
            for page in [0, 1, 2, pages / 2, pages - 1] {
                let mut bytes = sound.clone();
                let from = page * PAGE + at;
                let random = (number as u8).wrapping_mul(83).wrapping_add(page as u8) | 1;
                bytes[from..(from + 6).min(page * PAGE + PAGE)].iter_mut().for_each(|byte| *byte ^= random);
                fs_err::write(&path, bytes)?;
                server.restart()?;
                let mut session = Session::open(server, DATABASE)?;
                // From Postgres 18 on, checksums are the default; they would detect the damage before our checks do.
                session.ask("\\set VERBOSITY sqlstate\nSET ignore_checksum_failure = on;")?;
                session.ask("SET enable_seqscan = off; SET statement_timeout = '60s'; BEGIN;")?;
                let mut said = String::new();
                for question in lines(&questions) {
                    said += &session.ask(&format!("SAVEPOINT s; {question} ROLLBACK TO s;"))?;
                    said.push('\n');
                }
                seen += said.lines().filter(|line| line.ends_with("XX002")).count();
                let (errors, at) = (errors(&said), format!("byte {at} of page {page} of {index}"));
                let other = errors.lines().filter(|line| !FITTING.iter().any(|code| line.ends_with(code)));
                tally += expect_none(&format!("errors of another kind, {at}"), other);
                drop(session);
                server.stop();
            }
        }
        fs_err::write(&path, sound)?;
        server.restart()?;
    }
    println!("    {seen} questions to damaged indexes were answered by an error");
    tally += expect("damage that was seen", &(seen > 0).to_string(), "true");
    tally += look(server, "after the damage was undone")?;
    Ok(tally)
}

const PAGE: usize = 8192;
/// Bytes of a downlink, the block in the last four.
const DOWNLINK: usize = 18;
/// Offsets in a page: Postgres's header, entries, and the data at the end.
const DAMAGED: [usize; 8] = [12, 24, 36, 4000, 8144, 8160, 8176, 8184];
/// The SQLSTATE for a damaged index, and Postgres's own message for a page with a damaged header.
const FITTING: [&str; 2] = ["XX002", "XX001"];
