//! Table `text`: tokenizers and normalisation beside jieba-rs alone, in the core without a server; what the dictionary costs a
//! backend.

use super::chart::Who;
use super::peers::Measured;
use super::report::{Bound, Comparison, Grid, Section, Shown, figure};
use super::{Bench, DATABASE, SETTINGS};
use crate::command::{cargo, text};
use crate::error::Result;
use crate::psql::{Session, fresh_database};
use crate::say;
use crate::server::Server;

/// What the tokenizers are measured against.
pub const CUT: &str = "jieba-rs cut";

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("text"), "Text analysis");
    if bench.wants("tokenizers") {
        tokenizers(bench, &mut section)?;
    }
    if bench.wants("dictionary") {
        dictionary(bench, &mut section)?;
    }
    Ok(section)
}

impl Bench<'_> {
    /// What the core's measuring program says of the excerpt.
    pub fn core(&self) -> Result<&[Measured]> {
        if let Some(measured) = self.core.get() {
            return Ok(measured);
        }
        say::note("building and running the core's measuring program (about 2 minutes the first time)");
        let mut program = cargo();
        program.args(["run", "--quiet", "--release", "-p", "neardup-core", "--example", "throughput", "--"]);
        let lines = text(program.arg(&self.texts.excerpt_file).arg(self.size.rounds.to_string()))?;
        Ok(self.core.get_or_init(|| Measured::read(&lines)))
    }
}

fn tokenizers(bench: &Bench, section: &mut Section) -> Result {
    let method = "Normalising and cutting, words handed to a counter, one core, in the core without a server \
                  (`crates/neardup-core/examples/throughput.rs`). `jieba-rs cut` is the crate alone with its HMM, without \
                  normalising and without dropping punctuation.";
    let mut comparison = Comparison::new("Tokenizers", method, Shown::Rate("MB/s", 1e6), CUT);
    for measured in bench.core()? {
        let (who, remark) = match measured.name.as_str() {
            name if ["load", "compare", "sign"].iter().any(|other| name.starts_with(other)) => continue,
            CUT => (Who::Peer, ""),
            "std::str::from_utf8" => (Who::Floor, "reads each byte once"),
            _ => (Who::Ours, ""),
        };
        comparison.add(who, &measured.name, measured.cost(), remark);
    }
    section.comparison(&comparison)?;
    section.words(
        "jieba-rs is the better choice where Rust code wants tokens and nothing else: it has no second pass for \
         normalisation, and hands out offsets and tags.",
    );
    section.aim("`jieba`, time of `cut` alone", comparison.ratio("jieba", CUT), Bound::AtMost(1.15));
    section.aim("`chars:5`, MB/s", comparison.cost("chars:5").map(|cost| 1e-6 / cost), Bound::AtLeast(300.0));
    Ok(())
}

/// The first call and the memory of a backend, without and with preloading.
fn dictionary(bench: &Bench, section: &mut Section) -> Result {
    let mut grid = Grid::new(&["", "loaded by the backend", "preloaded"]);
    let usual = backend(bench, &bench.server)?;
    let settings = [&SETTINGS[..], &["shared_preload_libraries=pg_neardup", "pg_neardup.preload=on"]].concat();
    let preloading = Server::start_with(&bench.postgres, &settings)?;
    fresh_database(&preloading, DATABASE)?;
    let preloaded = backend(bench, &preloading)?;
    for (name, usual, preloaded) in [
        ("first call with jieba, ms", usual.first * 1e3, preloaded.first * 1e3),
        ("second call, ms", usual.second * 1e3, preloaded.second * 1e3),
        ("private memory before, MB", usual.before, preloaded.before),
        ("private memory after the first call, MB", usual.after, preloaded.after),
        ("private memory after 20,000 documents more, MB", usual.later, preloaded.later),
        ("connecting, ms", usual.connecting * 1e3, preloaded.connecting * 1e3),
    ] {
        grid.row(&[name, &figure(usual), &figure(preloaded)]);
    }
    let method = "Of one backend: `simhash('...', 'jieba')` by the server's clock, memory as `Private_Dirty` and \
                  `Private_Clean` in `/proc/self/smaps_rollup`; connecting is pgbench's average over 200 connections. \
                  Preloading is `shared_preload_libraries = 'pg_neardup'` with `pg_neardup.preload = on`. Analyzers without \
                  jieba never load it.";
    section.grid("The dictionary", method, &grid);
    Ok(())
}

struct Backend {
    first: f64,
    second: f64,
    before: f64,
    after: f64,
    later: f64,
    connecting: f64,
}

fn backend(bench: &Bench, server: &Server) -> Result<Backend> {
    const CALL: &str = "DO $$ BEGIN PERFORM simhash('江口镇今日举办第十届龙舟赛', 'jieba'); END $$";
    let mut session = Session::open(server, DATABASE)?;
    let mut number = |sql: &str| -> Result<f64> {
        let answer = session.ask(&format!("{sql};"))?;
        answer.lines().last().and_then(|line| line.trim().parse().ok()).ok_or_else(|| answer.into())
    };
    let seconds = |call: &str| {
        format!(
            "CREATE OR REPLACE FUNCTION pg_temp.seconds() RETURNS float8 LANGUAGE plpgsql AS $f$
             DECLARE started timestamptz := clock_timestamp();
             BEGIN EXECUTE $c${call}$c$; RETURN extract(epoch FROM clock_timestamp() - started); END $f$;
             SELECT pg_temp.seconds()"
        )
    };
    const MEMORY: &str = "SELECT sum(m[1]::int) / 1024.0 FROM regexp_matches(pg_read_file('/proc/self/smaps_rollup'), 'Private_\\w+:\\s+(\\d+)', 'g') m";
    // The library itself and the functions around are not the dictionary's cost.
    number(&seconds("SELECT simhash('江口镇', 'chars:2')"))?;
    let before = number(MEMORY)?;
    let first = number(&seconds(CALL))?;
    let after = number(MEMORY)?;
    let second = number(&seconds(CALL))?;
    number(&seconds(
        "SELECT count(simhash('江口镇今日举办第十届龙舟赛' || i, 'jieba')) FROM generate_series(1, 20000) i",
    ))?;
    let later = number(MEMORY)?;
    Ok(Backend { first, second, before, after, later, connecting: connecting(bench, server)? })
}

/// What pgbench says of the time it takes to connect, in seconds.
fn connecting(bench: &Bench, server: &Server) -> Result<f64> {
    let script = server.directory().join("one.sql");
    std::fs::write(&script, "SELECT 1;\n").map_err(|error| error.to_string())?;
    let connections = if bench.size.rounds > 1 { "200" } else { "20" };
    let mut pgbench = server.client("pgbench", DATABASE);
    let said = text(pgbench.args(["-n", "-C", "-t", connections, "-f"]).arg(&script))?;
    let line = said.lines().find_map(|line| line.strip_prefix("average connection time = "));
    let milliseconds: Option<f64> = line.and_then(|line| line.split(' ').next()?.parse().ok());
    milliseconds
        .map(|ms| ms / 1e3)
        .ok_or_else(|| format!("pgbench did not say how long connecting took: {said}").into())
}
