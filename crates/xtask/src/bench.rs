//! `cargo xtask bench`: how fast we are, beside other programs that do the same work on the same texts in the same run.
//!
//! Each table is a file in `bench/`, listed in [`ALL`]. Everything happens on one throwaway server of the release build; the
//! peers live in its directory and are gone with it. What is measured goes into a report of ratios: see [`report`].

mod accuracy;
mod chart;
mod cleanup;
mod clock;
mod corpora;
mod facts;
mod guard;
mod peers;
mod report;
mod scale;
mod sessions;
mod signatures;
mod text;
mod texts;
mod vectors;

use crate::build::{Profile, build_and_install};
use crate::command::{root, text};
use crate::error::{Doing, Result};
use crate::demo::Input;
use crate::postgres::{Choice, Postgres};
use crate::psql::{Session, fresh_database, query};
use crate::say;
use crate::server::Server;
use crate::setup;
use peers::Measured;
use report::Section;
use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use texts::Texts;

/// What is measured, and where the report goes.
#[derive(clap::Args, Debug, Default)]
pub struct Options {
    #[command(flatten)]
    input: Input,
    /// Only the measurements with this in their name, and no report
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Rows of the large tables
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// How long many sessions insert
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// The report (target/benchmarks.md if not given); tables that were not measured stay in it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Small, to see that everything runs
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    tables: Tables,
}

/// Only these tables.
#[derive(clap::Args, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
struct Tables {
    /// Copies found in real tables
    #[arg(long)]
    accuracy: bool,
    /// Tokenizers and the dictionary
    #[arg(long)]
    text: bool,
    /// Making and comparing signatures
    #[arg(long)]
    signatures: bool,
    /// Finding and grouping in a million signatures
    #[arg(long)]
    scale: bool,
    /// Inserts under a guard
    #[arg(long)]
    guard: bool,
    /// Signing, listing and removing what is there
    #[arg(long)]
    cleanup: bool,
    /// Verdicts on pairs of texts
    #[arg(long)]
    facts: bool,
    /// Beside pgvector, where Debian has it: with --pg 17
    #[arg(long)]
    vectors: bool,
}

/// One table of the report.
struct Table {
    /// The option that chooses it, without dashes, and what the report knows it by.
    name: &'static str,
    /// What it measures and how long that takes on two quiet cores, for the reader.
    what: &'static str,
    /// Whether it says itself on which texts it measures, which are not those that all share.
    own_texts: bool,
    measure: fn(&Bench) -> Result<Section>,
}

/// The tables in their order.
const ALL: &[Table] = &[
    Table {
        name: "accuracy",
        what: "copies found in real tables (about 5 minutes, with the folder of real texts)",
        own_texts: true,
        measure: accuracy::measure,
    },
    Table {
        name: "text",
        what: "tokenizers and the dictionary (about 1 minute)",
        own_texts: false,
        measure: text::measure,
    },
    Table {
        name: "signatures",
        what: "making and comparing them (about 3 minutes)",
        own_texts: false,
        measure: signatures::measure,
    },
    Table {
        name: "scale",
        what: "finding and grouping in a million signatures (about 2 minutes)",
        own_texts: false,
        measure: scale::measure,
    },
    Table { name: "guard", what: "inserts under a guard (about 3 minutes)", own_texts: true, measure: guard::measure },
    Table {
        name: "cleanup",
        what: "signing, listing and removing what is there (about 3 minutes)",
        own_texts: false,
        measure: cleanup::measure,
    },
    Table {
        name: "facts",
        what: "verdicts on pairs of texts (a few seconds)",
        own_texts: false,
        measure: facts::measure,
    },
];

/// What Debian has a peer for only in later releases; measured where it is asked for.
const ASKED: &[Table] = &[Table {
    name: "vectors",
    what: "beside pgvector, which Debian has with --pg 17 (about 5 minutes)",
    own_texts: false,
    measure: vectors::measure,
}];

const DATABASE: &str = "bench";

/// What the server has beside the usual settings of a throwaway one; the report prints them.
const SETTINGS: [&str; 7] = [
    "shared_buffers=1GB",
    "work_mem=256MB",
    "maintenance_work_mem=1GB",
    "max_parallel_workers_per_gather=0",
    "max_parallel_maintenance_workers=0",
    "jit=off",
    "autovacuum=off",
];

/// How much is measured.
struct Size {
    /// Turns of which the best counts.
    rounds: u32,
    /// Made-up articles, where the user gives no texts.
    articles: u64,
    /// Short texts of the exact stage.
    short_texts: u64,
    /// Signatures in the large table.
    signatures: u64,
    /// Look-ups of which the median counts.
    probes: u64,
    /// Single-row inserts into a guarded table.
    inserts: u64,
    /// How long many sessions insert.
    seconds: u64,
    /// Rows of the table that is cleaned up.
    cleaned: u64,
    /// Rows of the table that pgvector indexes.
    vectors: u64,
    /// Rows of a corpus that are taken at most.
    corpus: u64,
}

impl Size {
    const FULL: Self = Self {
        rounds: 5,
        articles: 20_000,
        short_texts: 2_500_000,
        signatures: 1_000_000,
        probes: 1000,
        inserts: 3000,
        seconds: 10,
        cleaned: 1_000_000,
        vectors: 200_000,
        corpus: u64::MAX,
    };
    const QUICK: Self = Self {
        rounds: 1,
        articles: 500,
        short_texts: 20_000,
        signatures: 20_000,
        probes: 100,
        inserts: 200,
        seconds: 2,
        cleaned: 3000,
        vectors: 500,
        corpus: 2000,
    };
}

/// What a table measures with.
struct Bench<'o> {
    options: &'o Options,
    postgres: Postgres,
    server: Server,
    session: RefCell<Session>,
    /// What the core's measuring program said, once it has been asked.
    core: OnceCell<Vec<Measured>>,
    texts: Texts,
    size: Size,
}

/// Measures the chosen tables and writes the report.
pub fn bench(choice: &Choice, options: &Options) -> Result {
    let chosen: Vec<&Table> = chosen(options).collect();
    let size = if options.quick { Size::QUICK } else { Size::FULL };
    let out = match &options.out {
        Some(path) => std::env::current_dir().doing("find", path)?.join(path),
        None => crate::build::target()?.join("benchmarks.md"),
    };
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Release)?;
    say::step(&format!("starting a throwaway server, Postgres {}, and loading the texts", postgres.major));
    let server = Server::start_with(&postgres, &SETTINGS)?;
    fresh_database(&server, DATABASE)?;
    query(&server, DATABASE, clock::FUNCTIONS)?;
    let texts = texts::load(&server, DATABASE, &options.input, size.articles)?;
    say::note(&format!("{} texts, {:.1} MB: {}", texts.documents, texts.bytes / 1e6, texts.origin));
    let session = RefCell::new(Session::open(&server, DATABASE)?);
    let bench = Bench { options, postgres, server, session, core: OnceCell::new(), texts, size };
    bench.ask("SET client_min_messages = error")?;

    let mut sections = Vec::new();
    for table in chosen {
        say::step(&format!("{}: {}", table.name, table.what));
        let start = Instant::now();
        let section = (table.measure)(&bench)?;
        let run = bench.run_line(table, start)?;
        println!("\n{}\n", section.markdown(&run));
        sections.push((section, run));
    }
    if options.only.is_none() {
        report::write(&out, &bench.head()?, &sections)?;
        say::step(&format!("the report is in {}", out.display()));
    }
    Ok(())
}

/// Those that are asked for; where none is, all that need no other Debian.
fn chosen(options: &Options) -> impl Iterator<Item = &'static Table> {
    let t = &options.tables;
    let flags = [
        (t.accuracy, "accuracy"), (t.text, "text"), (t.signatures, "signatures"), (t.scale, "scale"),
        (t.guard, "guard"), (t.cleanup, "cleanup"), (t.facts, "facts"), (t.vectors, "vectors"),
    ];
    let asked: Vec<&str> = flags.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, name)| name).collect();
    let others = if asked.is_empty() { &[] } else { ASKED };
    ALL.iter().chain(others).filter(move |table| asked.is_empty() || asked.contains(&table.name))
}

impl Bench<'_> {
    /// What the report knows a table by: with other rows it is another one.
    fn key(&self, table: &str) -> String {
        self.options.rows.map_or(table.to_owned(), |rows| format!("{table}-{rows}"))
    }

    /// Whether a measurement of this name is to be made.
    fn wants(&self, name: &str) -> bool {
        self.options.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// Runs statements in the session all tables share; an error of theirs is one of ours.
    fn ask(&self, sql: &str) -> Result<String> {
        let answer = self.session.borrow_mut().ask(&format!("{sql};"))?;
        match answer.lines().find(|line| line.starts_with("ERROR:")) {
            Some(_) => Err(format!("{answer}\nin\n{sql}").into()),
            None => Ok(answer),
        }
    }

    /// Runs a query that gives one number.
    fn number(&self, sql: &str) -> Result<f64> {
        let answer = self.ask(sql)?;
        answer.trim().parse().map_err(|_| format!("no number: {answer}\nfrom\n{sql}").into())
    }

    /// How a table was measured: command, day, duration.
    fn run_line(&self, table: &Table, start: Instant) -> Result<String> {
        let mut command = format!("cargo xtask bench --{}", table.name);
        let pg = Some(u64::from(self.postgres.major)).filter(|major| *major != 15);
        for (option, value) in [("--pg", pg), ("--rows", self.options.rows), ("--seconds", self.options.seconds)] {
            command += &value.map(|value| format!(" {option} {value}")).unwrap_or_default();
        }
        if self.options.quick {
            command += " --quick";
        }
        let day = text(Command::new("date").arg("+%F"))?;
        let Texts { origin, documents, bytes, .. } = &self.texts;
        let texts = match table.own_texts {
            true => String::new(),
            false => {
                format!(" on {} texts ({} MB), {origin}", report::grouped(*documents), report::figure(bytes / 1e6))
            }
        };
        let took = say::seconds(start.elapsed());
        let server = query(&self.server, DATABASE, "SELECT split_part(current_setting('server_version'), ' ', 1)")?;
        let commit = text(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()));
        let commit = commit.map(|commit| format!(", commit {commit}")).unwrap_or_default();
        let built = overrides(std::env::vars());
        Ok(format!("`{command}`{texts}; Postgres {server}{commit}{built}; {day}, took {took}."))
    }

    /// The beginning of the report: what it is, the machine, versions, settings.
    fn head(&self) -> Result<String> {
        let line = |program: &str, arguments: &[&str]| {
            text(Command::new(program).args(arguments)).ok().and_then(|said| Some(said.lines().next()?.to_owned()))
        };
        let find = |file: &str, key: &str| {
            let content = std::fs::read_to_string(file).ok()?;
            let line = content.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once([':', '='])?.1.trim().trim_matches('"').to_owned())
        };
        let unknown = || "unknown".to_owned();
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        Ok(format!(
            include_str!("bench/head.md"),
            processor = find("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores = cores,
            memory = find("/proc/meminfo", "MemTotal").unwrap_or_else(unknown),
            kernel = line("uname", &["-r"]).unwrap_or_else(unknown),
            extension =
                query(&self.server, DATABASE, "SELECT extversion FROM pg_extension WHERE extname = 'pg_neardup'")?,
            rust = line("rustc", &["--version"]).unwrap_or_else(unknown),
            settings = SETTINGS.join(", "),
        ))
    }
}

/// What the environment says of the release build that differs from `Cargo.toml`: such figures are a little worse.
fn overrides(environment: impl Iterator<Item = (String, String)>) -> String {
    const PREFIX: &str = "CARGO_PROFILE_RELEASE_";
    let mut settings: Vec<String> = environment
        .filter_map(|(name, value)| Some(format!("{}={value}", name.strip_prefix(PREFIX)?.to_lowercase())))
        .collect();
    settings.sort_unstable();
    if settings.is_empty() { String::new() } else { format!(", built with {}", settings.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_builds_are_named() {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let said = overrides([variable("CARGO_PROFILE_RELEASE_LTO", "off"), variable("PATH", "/bin")].into_iter());
        assert_eq!(said, ", built with lto=off");
        assert_eq!(overrides(std::iter::empty()), "");
    }
}
