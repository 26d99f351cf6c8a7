//! A machine that has run out of something. No disk: errors of class 53, nothing lost, and everything goes on when there is room again.
//! No memory: the statement or at worst the session ends with 53200, and never the server.

use crate::check::{Context, Tally, expect};
use crate::command::{answers, is_root, text};
use crate::error::Result;
use crate::interrupt::{Disposable, dispose, on_exit};
use crate::psql::{Session, fresh_database, query};
use crate::say;
use crate::server::Server;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Both, each on a server of its own.
pub fn run(context: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    if context.wants("memory") {
        tally += memory(&Server::start(&context.postgres)?)?;
    }
    if context.wants("disk") {
        tally += disk(&Server::start(&context.postgres)?)?;
    }
    Ok(tally)
}

const DATABASE: &str = "faults";

/// Work that needs much memory for itself, beside what its arguments take.
const GREEDY: &[&str] = &[
    "SELECT count(g) FROM (SELECT near_duplicate_of(s, 3) OVER () AS g FROM signatures) w",
    "SELECT count(g) FROM (SELECT near_duplicate_of(s, 3, 'star') OVER () AS g FROM signatures) w",
    "SELECT count(g) FROM (SELECT near_duplicate_of(m, 0.8) OVER () AS g FROM sketches) w",
    "SELECT cardinality(tokens(body, 'jieba')) FROM long",
    "SELECT length(normalize_text(body, '{html,nfkc,simplified,punctuation}')) FROM long",
    "SELECT length(tokenset(body, 'chars:5')::text) FROM long",
    "SELECT count(*) FROM long, keywords(body, 10, 'textrank')",
    "SELECT count(*) FROM sentences((SELECT body FROM long))",
    "SELECT verdict FROM long, same_message(body, reverse(body))",
    "SELECT cardinality(fingerprints(body, 'chars:3', 2)) FROM long",
    "SELECT length(bloom_filter_agg(s::text, 100000000, 0.001)::text) FROM signatures",
    "CALL neardup.train_profile('house', 'SELECT body FROM words')",
    "SELECT length(neardup.report_html('guarded'))",
    "INSERT INTO guarded SELECT nextval('ids'), body || md5(i::text) || md5((-i)::text) || md5((i * 7)::text) FROM short, generate_series(1, 3000) i",
    "SELECT length(histogram_svg(array_agg(i::float8))) FROM generate_series(1, 3000000) i",
];
/// How much more than it has a backend is allowed to take, in megabytes.
const LIMITS: &[u64] = &[1, 8, 32];

const TEXTS: &str = "
CREATE TABLE signatures AS SELECT (i::bigint * 7919)::simhash AS s FROM generate_series(1, 300000) i;
CREATE TABLE sketches AS SELECT minhash(md5(i::text), 'chars:2') AS m FROM generate_series(1, 20000) i;
CREATE TABLE long AS SELECT string_agg(md5(i::text) || '江口镇今日举办第' || i || '届龙舟赛。', '') AS body FROM generate_series(1, 40000) i;
CREATE SEQUENCE ids;
CREATE TABLE short (body text);
INSERT INTO short VALUES ('江口镇今日举办第十届龙舟赛');
CREATE TABLE words AS SELECT string_agg(md5((i * j)::text), ' ') AS body FROM generate_series(1, 200) i, generate_series(1, 300) j GROUP BY i;
CREATE TABLE guarded (id int PRIMARY KEY, body text);
SELECT neardup.protect('guarded', 'body', on_duplicate => 'skip');
SELECT neardup.create_profile('house', 'words');";

/// Runs everything under limits on the backend's address space; the server must not notice.
fn memory(server: &Server) -> Result<Tally> {
    fresh_database(server, DATABASE)?;
    query(server, DATABASE, TEXTS)?;
    let started = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    // Goes down with the server, should that restart its backends.
    let mut canary = Session::open(server, DATABASE)?;
    let mut tally = Tally::default();
    let (mut errors, mut ended, mut done) = (0, 0, 0);
    for work in GREEDY {
        for limit in LIMITS {
            let mut session = Session::open(server, DATABASE)?;
            session.ask("SET jit = off; SET max_parallel_workers_per_gather = 0;")?;
            // What a backend keeps anyway, the dictionaries, is not what is tried here.
            session.ask("SELECT simhash('江口镇', 'jieba'), neardup.evaluate('SELECT ''a'', ''b'', true'), sentences('江口镇。'), same_message('江口镇', '江口镇人');")?;
            session.ask(r"\set VERBOSITY sqlstate")?;
            let process = session.ask("SELECT pg_backend_pid();")?;
            limit_memory(server, process.trim(), *limit)?;
            let answer = session.ask(&format!("{work};")).unwrap_or_else(|error| error.to_string());
            let failure = answer.lines().find(|line| line.contains("ERROR:") || line.contains("FATAL:"));
            let fits = match failure {
                None if answer.contains("the session has ended") => false,
                None => true,
                Some(line) => line.contains("53200") || line.contains("out of memory"),
            };
            match failure {
                None => done += 1,
                Some(line) if line.contains("FATAL:") => ended += 1,
                Some(_) => errors += 1,
            }
            if !fits {
                println!("{work} with {limit} MB: {answer}");
            }
            tally += Tally::one(fits);
        }
    }
    println!("    {done} calls were done, {errors} failed, {ended} ended their session");
    tally += Tally::one(errors > 0 && ended > 0);
    tally += expect("a session beside them", &canary.ask("SELECT 1;")?, "1");
    let still = query(server, DATABASE, "SELECT pg_postmaster_start_time()")?;
    tally += expect("the server has run all the time", &still, &started);
    Ok(tally)
}

/// Lets a backend take so many megabytes of address space beside what it has.
fn limit_memory(server: &Server, process: &str, megabytes: u64) -> Result {
    let path = PathBuf::from(format!("/proc/{process}/status"));
    let status = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap_or_default();
    let kilobytes: u64 = line.split_whitespace().next().and_then(|n| n.parse().ok()).ok_or("no VmSize")?;
    let limit = (kilobytes + megabytes * 1024) * 1024;
    text(server.owned(Path::new("prlimit")).args(["--pid", process, &format!("--as={limit}")])).map(drop)
}

/// A small file system below the server's directory, gone with the value.
struct Small(Arc<dyn Disposable>);

struct Mount(PathBuf);

impl Disposable for Mount {
    fn dispose(&self) {
        if let Err(error) = text(Command::new("umount").arg("--lazy").arg(&self.0)) {
            eprintln!("{error}");
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        dispose(&self.0);
    }
}

impl Small {
    /// Makes one that belongs to whom the directory above it belongs to. `None`: that is not allowed here.
    fn mount(place: &Path) -> Option<Self> {
        std::fs::create_dir_all(place).ok()?;
        let above = place.parent()?.metadata().ok()?;
        let options = format!("size=80m,mode=700,uid={},gid={}", above.uid(), above.gid());
        if !answers(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(place)) {
            return None;
        }
        let mount: Arc<dyn Disposable> = Arc::new(Mount(place.to_owned()));
        on_exit(mount.clone());
        Some(Self(mount))
    }
}

/// 2,000 articles in one or two copies each; all that must not get lost is kept beside.
const ARTICLES: &str = "
CREATE FUNCTION article(n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(chr(19968 + abs(hashint8(n * 1000 + i)::bigint % 9000)::int), '' ORDER BY i) FROM generate_series(1, 60) i
$$;
CREATE TABLE articles (id int PRIMARY KEY, body text);
INSERT INTO articles SELECT n * 2 + c, article(n) FROM generate_series(1, 2000) n, generate_series(0, n % 2) c;
CREATE TABLE wide AS SELECT i, (i * 7919)::bigint::simhash AS s FROM generate_series(1, 200000) i;
SELECT neardup.protect('articles', 'body');
CREATE TABLE empty (id int PRIMARY KEY, body text);
SELECT neardup.protect('empty', 'body');";

/// Rows that are neither in the table nor kept, or both.
const LOST: &str = "
SELECT count(*) FROM generate_series(1, 2000) n, generate_series(0, n % 2) c
WHERE (SELECT count(*) FROM articles a WHERE a.id = n * 2 + c AND a.body = article(n)) + (SELECT count(*) FROM neardup.removed r WHERE r.key = (n * 2 + c)::text) <> 1";

/// What is tried without room and again with it, and the answer it has then.
const WORK: &[(&str, &str, &str)] = &[
    ("signing a table", "CREATE TABLE signed AS SELECT id, body, simhash(body) AS s FROM articles;", ""),
    ("an index", "CREATE INDEX ON wide USING gin (simhash_bands(s));", ""),
    (
        "sorting for groups",
        "SELECT count(g) > 0 FROM (SELECT near_duplicate_of(s, 3) OVER (ORDER BY md5(i::text)) AS g FROM wide) w;",
        "t",
    ),
    ("a load through a guard", "INSERT INTO empty SELECT n, article(n) FROM generate_series(1, 2000) n;", ""),
    ("an index for the guard", "CREATE INDEX ON articles USING gin (sketch(body));", ""),
    ("a clean-up", "CALL neardup.cleanup('articles', dry_run => false);", "1000"),
];

fn disk(server: &Server) -> Result<Tally> {
    let place = server.directory().join("small");
    let Some(small) = is_root().then(|| Small::mount(&place)).flatten() else {
        say::note("disk: skipped, no file system can be mounted here");
        return Ok(Tally::default());
    };
    query(server, "postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", place.display()))?;
    query(server, "postgres", &format!("CREATE DATABASE {DATABASE} TABLESPACE small"))?;
    query(server, DATABASE, &format!("CREATE EXTENSION pg_neardup; SET work_mem = '1MB'; {ARTICLES}"))?;
    let mut session = Session::open(server, DATABASE)?;
    session.ask(r"\set VERBOSITY sqlstate")?;
    session.ask("SET client_min_messages = error; SET work_mem = '1MB'; SET max_parallel_workers_per_gather = 0;")?;
    query(server, DATABASE, "CHECKPOINT")?;
    let filler = place.join("filler");
    let mut tally = Tally::default();
    for (what, sql, _) in WORK {
        fill(&filler);
        tally += expect(&format!("{what} without room"), &session.ask(sql)?, "ERROR:  53100");
        std::fs::remove_file(&filler).map_err(|error| format!("cannot remove {}: {error}", filler.display()))?;
        tally += expect(&format!("lost by {what}"), &query(server, DATABASE, LOST)?, "0");
    }
    for (what, sql, answer) in WORK {
        let found = session.ask(sql)?;
        tally += expect(&format!("{what} with room"), found.split('|').next_back().unwrap_or_default(), answer);
    }
    tally += expect("lost at the end", &query(server, DATABASE, LOST)?, "0");
    let copy = "INSERT INTO articles SELECT 0, body || '完' FROM articles LIMIT 1;";
    tally += expect("a copy at the end", &session.ask(copy)?, "ERROR:  23505");
    drop(session);
    server.stop();
    drop(small);
    Ok(tally)
}

/// Writes until no room is left.
fn fill(file: &Path) {
    use std::io::Write;
    let Ok(mut file) = std::fs::File::create(file) else { return };
    for size in [1 << 20, 4096] {
        let block = vec![0_u8; size];
        while file.write_all(&block).is_ok() {}
    }
}
