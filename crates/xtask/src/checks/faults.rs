//! Disk and memory run out. Disk: statements fail with errors of class 53, nothing is lost, and work continues when there is
//! space again. Memory: the statement or, at worst, the session ends with 53200; the server keeps running.

use super::script::{fresh, load, part, run_steps, steps};
use crate::check::{Context, Tally, expect, skipped};
use crate::command::{answers, is_root, text};
use crate::interrupt::Undo;
use crate::psql::{Session, query};
use crate::server::Server;
use anyhow::{Context as _, Result, ensure};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs both parts, each on a server of its own.
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
const FILE: &str = "faults.sql";
/// The extra memory that a backend is allowed to take, in megabytes.
const LIMITS: &[u64] = &[1, 8, 32];

/// Runs all calls under limits on the backend's address space; the server must not be affected.
fn memory(server: &Server) -> Result<Tally> {
    fresh(server, DATABASE, &part(FILE, "memory")?)?;
    let greedy = part(FILE, "greedy")?;
    // This session breaks if the server restarts its backends.
    let mut canary = Session::open(server, DATABASE)?;
    let mut tally = Tally::default();
    let (mut errors, mut ended, mut done) = (0, 0, 0);
    for (_, work) in steps(&greedy).filter(|(_, work)| !work.is_empty()) {
        for limit in LIMITS {
            let mut session = Session::open(server, DATABASE)?;
            session.ask("SET jit = off; SET max_parallel_workers_per_gather = 0;")?;
            // The dictionaries are loaded first, because they are not what this tests.
            session.ask("SELECT simhash('江口镇', 'jieba'), neardup.evaluate('SELECT ''a'', ''b'', true'), sentences('江口镇。'), same_message('江口镇', '江口镇人');")?;
            session.ask(r"\set VERBOSITY sqlstate")?;
            let process = session.ask("SELECT pg_backend_pid();")?;
            limit_memory(server, process.trim(), *limit)?;
            let answer = session.ask(work).unwrap_or_else(|error| error.to_string());
            let failure = answer.lines().find(|line| line.contains("ERROR:") || line.contains("FATAL:"));
            let (count, fits) = match failure {
                None => (&mut done, !answer.contains("the session has ended")),
                Some(line) => {
                    let count = if line.contains("FATAL:") { &mut ended } else { &mut errors };
                    (count, line.contains("53200") || line.contains("out of memory"))
                }
            };
            *count += 1;
            if !fits {
                println!("{work} with {limit} MB: {answer}");
            }
            tally += Tally::one(fits);
        }
    }
    println!("    {done} calls were done, {errors} failed, {ended} ended their session");
    tally += Tally::one(errors > 0 && ended > 0);
    tally += expect("a session beside them", &canary.ask("SELECT 1;")?, "1");
    Ok(tally)
}

/// Limits a backend's address space to `megabytes` more than it has.
fn limit_memory(server: &Server, process: &str, megabytes: u64) -> Result<()> {
    let path = PathBuf::from(format!("/proc/{process}/status"));
    let status = fs_err::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap_or_default();
    let kilobytes: u64 = line.split_whitespace().next().and_then(|n| n.parse().ok()).context("no VmSize")?;
    let limit = (kilobytes + megabytes * 1024) * 1024;
    text(server.owned(Path::new("prlimit")).args(["--pid", process, &format!("--as={limit}")])).map(drop)
}

/// Mounts a small file system with the owner of its parent directory; unmounts it when the value is dropped. `None` if mounting
/// is not allowed here.
fn mount(place: &Path) -> Option<Undo> {
    fs_err::create_dir_all(place).ok()?;
    let above = place.parent()?.metadata().ok()?;
    let options = format!("size=80m,mode=700,uid={},gid={}", above.uid(), above.gid());
    if !answers(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(place)) {
        return None;
    }
    let mounted = place.to_owned();
    Some(Undo::new(move || {
        // Calls umount directly: once the command has been interrupted, our own functions wait for the clean-up.
        let unmounted = Command::new("umount").arg("--lazy").arg(&mounted).status();
        ensure!(unmounted.is_ok_and(|status| status.success()), "cannot unmount {}", mounted.display());
        Ok(())
    }))
}

fn disk(server: &Server) -> Result<Tally> {
    let place = server.directory().join("small");
    let Some(small) = is_root().then(|| mount(&place)).flatten() else {
        return skipped("disk: no file system can be mounted here");
    };
    query(server, "postgres", &format!("CREATE TABLESPACE small LOCATION '{}'", place.display()))?;
    query(server, "postgres", &format!("CREATE DATABASE {DATABASE} TABLESPACE small"))?;
    query(server, DATABASE, "CREATE EXTENSION pg_neardup; ALTER DATABASE faults SET work_mem = '1MB'")?;
    load(server, DATABASE, &part(FILE, "disk")?)?;
    let mut session = Session::open(server, DATABASE)?;
    session
        .ask("\\set VERBOSITY sqlstate\nSET client_min_messages = error; SET max_parallel_workers_per_gather = 0;")?;
    query(server, DATABASE, "CHECKPOINT")?;
    let filler = place.join("filler");
    let lost = || query(server, DATABASE, "TABLE lost");
    let work = part(FILE, "work")?;
    let mut tally = Tally::default();
    for (what, sql) in steps(&work).filter(|(_, sql)| !sql.is_empty()) {
        fill(&filler);
        tally += expect(&format!("{what} without room"), &session.ask(sql)?, "ERROR:  53100");
        fs_err::remove_file(&filler)?;
        tally += expect(&format!("lost by {what}"), &lost()?, "0");
    }
    tally += run_steps("with room", &work, DATABASE, &[("server", server)])?;
    tally += expect("lost at the end", &lost()?, "0");
    let copy = "INSERT INTO articles SELECT 0, body || '完' FROM articles LIMIT 1;";
    tally += expect("a copy at the end", &session.ask(copy)?, "ERROR:  23505");
    drop(session);
    server.stop();
    drop(small);
    Ok(tally)
}

/// Writes until the disk is full.
fn fill(file: &Path) {
    use std::io::Write;
    let Ok(mut file) = fs_err::File::create(file) else { return };
    for size in [1 << 20, 4096] {
        let block = vec![0_u8; size];
        while file.write_all(&block).is_ok() {}
    }
}
