//! `cargo xtask bench`: measures the speed of the extension beside other programs that do the same work on the same texts in
//! the same run.
//!
//! Each table of the report is a psql script in `bench/`, listed in [`Options::tables`]; `bench/functions.sql` defines the
//! timer and the tables for the figures. Everything runs on one throwaway server of the release build. The other programs live
//! in its directory and disappear with it. A script returns its figures as one JSON document, from which [`report`] makes
//! tables and charts.

pub mod articles;
mod quick;
mod report;
mod section;
mod texts;

use crate::build::{Profile, build_and_install, target};
use crate::command::{lines, root, text};
use crate::demo::Input;
use crate::postgres::{Choice, DEFAULT_MAJOR, Postgres};
use crate::psql::{fresh_database, psql, query};
use crate::server::{PRELOADING, Server};
use crate::{debian, say, setup};
use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use section::Section;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use texts::Texts;

/// What to measure, and where to write the report.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    input: Input,
    /// Run only the measurements with this in their name, and write no report
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Rows of the large tables
    #[arg(long, value_name = "N")]
    rows: Option<u64>,
    /// How long the concurrent sessions insert
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// The report [default: target/benchmarks.md]; tables that were not measured keep their contents
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Use small sizes, to check that everything runs
    #[arg(long)]
    small: bool,
    /// Only lists, guards, signing and look-ups of five tables (under 3 minutes; three times as long if one is slower), compared with bench/quick.json:
    /// fails if one has become 1.2 times as slow. With other texts if NEARDUP_DATA is set
    #[arg(long)]
    quick: bool,
    /// With --quick: store the figures
    #[arg(long, requires = "quick")]
    accept: bool,
    /// Only this table, among others so named: copies found in real tables (5 minutes, with the folder of real texts)
    #[arg(long)]
    accuracy: bool,
    /// The verdict beside what other projects ship, on the same labelled pairs (5 minutes, with the folder of real texts)
    #[arg(long)]
    yardstick: bool,
    /// Tokenizers and the dictionary (1 minute)
    #[arg(long)]
    text: bool,
    /// Making and comparing signatures (3 minutes)
    #[arg(long)]
    signatures: bool,
    /// Finding and grouping in a million signatures (2 minutes)
    #[arg(long)]
    scale: bool,
    /// The index access method beside GIN and B-trees, a million rows each (6 minutes)
    #[arg(long)]
    index: bool,
    /// Inserts under a guard (3 minutes)
    #[arg(long)]
    guard: bool,
    /// Signing, listing and removing what is there (3 minutes)
    #[arg(long)]
    cleanup: bool,
    /// Verdicts on pairs of texts (a few seconds)
    #[arg(long)]
    facts: bool,
    /// Tables of forms: lists, and inserts under a guard (5 minutes with the folder of real texts)
    #[arg(long)]
    forms: bool,
    /// Beside pgvector, which Debian has with --pg 17 (5 minutes; only where it is asked for)
    #[arg(long)]
    vectors: bool,
}

/// The tables whose scripts state themselves which texts they use.
const OWN_TEXTS: [&str; 4] = ["accuracy", "guard", "yardstick", "forms"];

const DATABASE: &str = "bench";

/// Settings of the server besides those of every throwaway server; the report prints them.
const SETTINGS: &str = "shared_buffers=1GB work_mem=256MB maintenance_work_mem=1GB max_parallel_workers_per_gather=0 \
                        max_parallel_maintenance_workers=0 jit=off autovacuum=off";

/// The sizes of the measurements, by the names that the scripts use; in full and with `--small`.
const SIZES: [(&str, u64, u64); 12] = [
    ("rounds", 5, 1),
    ("seconds", 10, 2),
    ("articles", 20_000, 500),
    ("short_texts", 2_500_000, 20_000),
    ("signatures_wanted", 1_000_000, 20_000),
    ("probes", 1000, 100),
    ("inserts", 3000, 200),
    ("cleaned", 1_000_000, 3000),
    ("vectors", 200_000, 500),
    ("forms", 2000, 100),
    ("corpus_rows", 1 << 40, 2000),
    ("connections", 200, 20),
];
/// The sizes that `--rows` sets.
const ROWS: [&str; 4] = ["signatures_wanted", "cleaned", "vectors", "corpus_rows"];

impl Options {
    /// Returns the sizes, by the names of [`SIZES`].
    fn sizes(&self) -> BTreeMap<&'static str, u64> {
        let size = |(name, full, small)| {
            let said = if name == "seconds" { self.seconds } else { self.rows.filter(|_| ROWS.contains(&name)) };
            (name, said.unwrap_or(if self.small || self.quick { small } else { full }))
        };
        let mut sizes = BTreeMap::from(SIZES.map(size));
        if self.quick {
            sizes.insert("rounds", 5);
        }
        sizes
    }

    /// Returns the requested tables of the report, each with its script and heading; if none is requested, all that need no other
    /// Debian.
    fn tables(&self) -> Vec<(&'static str, &'static str)> {
        let mut all = vec![
            (self.accuracy, "accuracy", "What a guard finds"),
            (self.yardstick, "yardstick", "The verdict beside what others ship"),
            (self.text, "text", "Text analysis"),
            (self.signatures, "signatures", "Signatures"),
            (self.scale, "scale", "Finding and grouping"),
            (self.index, "index", "The index access method"),
            (self.guard, "guard", "The guard"),
            (self.cleanup, "cleanup", "Cleaning up"),
            (self.facts, "facts", "Verdicts"),
            (self.forms, "forms", "Forms"),
            (self.vectors, "vectors", "Beside pgvector"),
        ];
        let is_any_asked = all.iter().any(|(is_asked, ..)| *is_asked);
        all.retain(|(is_asked, name, _)| if is_any_asked { *is_asked } else { *name != "vectors" });
        all.into_iter().map(|(_, name, title)| (name, title)).collect()
    }
}

/// Measures the requested tables and writes the report.
pub fn bench(choice: &Choice, options: &Options) -> Result<()> {
    let out = match &options.out {
        Some(path) => std::env::current_dir()?.join(path),
        None => target()?.join("benchmarks.md"),
    };
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Release)?;
    let what = format!("starting a throwaway server, Postgres {}, and loading the texts", postgres.major);
    let bench = say::during(&what, |_| Bench::start(postgres, options))?;
    if options.quick {
        let texts = if folder().is_some() { "shared" } else { "made up" };
        return quick::compare(texts, options.accept, || {
            say::during("bench/quick.sql", |clock| bench.run("quick", Path::new(""), clock))?;
            query(&bench.server, DATABASE, "SELECT json_object_agg(name, ratio) FROM bench.quick")
        });
    }
    let Texts { documents, bytes, origin, .. } = &bench.texts;
    say::note(&format!("{documents} texts, {:.1} MB: {origin}", *bytes as f64 / 1e6));
    let mut sections = Vec::new();
    for (name, title) in options.tables() {
        let start = Instant::now();
        let mut section = say::during(&format!("bench/{name}.sql"), |clock| bench.measure(name, clock))?;
        section.key = options.rows.map_or(name.to_owned(), |rows| format!("{name}-{rows}"));
        section.title = title.to_owned();
        section.run = bench.run_line(name, start)?;
        say::line(&format!("\n{}", section.markdown()));
        sections.push(section);
    }
    if options.only.is_none() {
        report::write(&out, &bench.head()?, &sections)?;
        say::step(&format!("the report is in {}", out.display()));
    }
    Ok(())
}

/// The server and texts that the scripts use.
struct Bench<'o> {
    options: &'o Options,
    postgres: Postgres,
    server: Server,
    texts: Texts,
}

impl<'o> Bench<'o> {
    fn start(postgres: Postgres, options: &'o Options) -> Result<Self> {
        let server = start_server(&postgres, &[])?;
        let texts = texts::load(&server, DATABASE, &options.input, options.sizes()["articles"])?;
        let bench = Self { options, postgres, server, texts };
        bench.script("functions", Path::new(""), |_| ())?;
        Ok(bench)
    }

    /// Runs a script and returns its figures.
    fn measure(&self, name: &str, clock: &ProgressBar) -> Result<Section> {
        // Only this table compares with a second server, which preloads the dictionary.
        let preloading = match name {
            "text" => Some(start_server(&self.postgres, &PRELOADING)?),
            _ => None,
        };
        if name == "vectors" {
            debian::install_missing(&[format!("postgresql-{}-pgvector", self.postgres.major)])?;
        }
        query(&self.server, DATABASE, "SELECT bench.begin()")?;
        let preloaded = preloading.as_ref().unwrap_or(&self.server).directory();
        self.run(name, preloaded, clock)?;
        let result = query(&self.server, DATABASE, "SELECT bench.result()")?;
        serde_json::from_str(&result).with_context(|| result.clone())
    }

    /// Runs a script, and shows what it says.
    fn run(&self, name: &str, preloaded: &Path, clock: &ProgressBar) -> Result<()> {
        self.script(name, preloaded, |line| {
            clock.set_message(line.trim().to_owned());
            say::line(line);
        })
    }

    /// Runs a script in psql. It gets the sizes as variables, and as environment variables what the other programs need.
    fn script(&self, name: &str, preloaded: &Path, each: impl FnMut(&str)) -> Result<()> {
        let mut psql = psql(&self.server, DATABASE);
        psql.args(["-A", "-t", "-q"]);
        let mut set = |name: &str, value: &dyn std::fmt::Display| {
            psql.args(["-v", &format!("{name}={value}")]);
        };
        set("ON_ERROR_STOP", &1);
        let sizes = self.options.sizes();
        sizes.iter().for_each(|(name, size)| set(name, size));
        let data = folder();
        let own_input = self.options.input.input.is_some();
        set("own_input", &own_input);
        set("own", &(own_input || data.is_none()));
        set("has_folder", &data.is_some());
        set("documents", &self.texts.documents);
        set("bytes", &self.texts.bytes);
        set("excerpt_bytes", &self.texts.excerpt_bytes);
        set("origin", &self.texts.origin);
        let peers = self.server.directory().join("peers");
        let major = self.postgres.major;
        let library = format!("postgresql-{major}-similarity/usr/lib/postgresql/{major}/lib/pg_similarity.so");
        set("similarity", &peers.join(library).display());
        let rounds = sizes["rounds"];
        let only = self.options.only.as_deref().unwrap_or_default();
        psql.env("PGOPTIONS", format!("-c client_min_messages=error -c bench.rounds={rounds} -c bench.only={only}"));
        psql.env("DATA", data.unwrap_or_default()).env("PEERS", peers).env("PRELOADED", preloaded);
        psql.env("ARTICLES", &self.texts.file).env("EXCERPT", &self.texts.excerpt_file);
        psql.env("SENTENCES", &self.texts.sentences).env("ROUNDS", rounds.to_string()).env("MAJOR", major.to_string());
        psql.env("CONNECTIONS", sizes["connections"].to_string()).env("PGBIN", &self.postgres.bin);
        psql.env("XTASK", std::env::current_exe()?);
        psql.args(["-c", r"\o /dev/null", "-f", &format!("bench/{name}.sql")]);
        ensure!(lines(&mut psql, each)?, "bench/{name}.sql failed");
        Ok(())
    }

    /// Says how a table was measured: command, date, duration.
    fn run_line(&self, name: &str, start: Instant) -> Result<String> {
        let mut command = format!("cargo xtask bench --{name}");
        let pg = Some(self.postgres.major).filter(|major| *major != DEFAULT_MAJOR).map(u64::from);
        for (option, value) in [("--pg", pg), ("--rows", self.options.rows), ("--seconds", self.options.seconds)] {
            command += &value.map(|value| format!(" {option} {value}")).unwrap_or_default();
        }
        if self.options.small {
            command += " --small";
        }
        let day = text(Command::new("date").arg("+%F"))?;
        let Texts { origin, documents, bytes, .. } = &self.texts;
        let texts = match OWN_TEXTS.contains(&name) {
            true => String::new(),
            false => format!(" on {documents} texts ({:.1} MB), {origin}", *bytes as f64 / 1e6),
        };
        let took = say::seconds(start.elapsed());
        let server = query(&self.server, DATABASE, "SELECT split_part(current_setting('server_version'), ' ', 1)")?;
        let commit = text(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root()));
        let commit = commit.map(|commit| format!(", commit {commit}")).unwrap_or_default();
        let built = overrides();
        Ok(format!("`{command}`{texts}; Postgres {server}{commit}{built}; {day}, took {took}."))
    }

    /// Returns the head of the report: its purpose, the machine, versions, settings.
    fn head(&self) -> Result<String> {
        let head = fs_err::read_to_string(root().join("bench/head.md"))?;
        let line = |file: &str, key: &str| {
            let content = fs_err::read_to_string(file).unwrap_or_default();
            let line =
                content.lines().find_map(|line| Some(line.strip_prefix(key)?.split_once(':')?.1.trim().to_owned()));
            line.unwrap_or_else(|| "unknown".to_owned())
        };
        let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        let extension = "SELECT extversion FROM pg_extension WHERE extname = 'pg_neardup'";
        Ok(head
            .replace("{processor}", &line("/proc/cpuinfo", "model name"))
            .replace("{cores}", &cores.to_string())
            .replace("{memory}", &line("/proc/meminfo", "MemTotal"))
            .replace("{kernel}", &text(Command::new("uname").arg("-r"))?)
            .replace("{extension}", &query(&self.server, DATABASE, extension)?)
            .replace("{rust}", &text(Command::new("rustc").arg("--version"))?)
            .replace("{settings}", &SETTINGS.replace(' ', ", ")))
    }
}

/// Makes a server with a database that has the extension.
fn start_server(postgres: &Postgres, settings: &[&str]) -> Result<Server> {
    let server = Server::start_with(postgres, &[&SETTINGS.split(' ').collect::<Vec<_>>(), settings].concat())?;
    fresh_database(&server, DATABASE)?;
    Ok(server)
}

/// Finds real texts, which are not in the repository: in the folder that `NEARDUP_DATA` names.
fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("NEARDUP_DATA")?);
    folder.join("natural_gold.jsonl.xz").is_file().then(|| folder.canonicalize().unwrap_or(folder))
}

/// Lists environment variables that make the release build differ from `Cargo.toml`; such figures are a little worse.
fn overrides() -> String {
    let settings = std::env::vars().filter_map(|(name, value)| {
        Some(format!("{}={value}", name.strip_prefix("CARGO_PROFILE_RELEASE_")?.to_lowercase()))
    });
    let mut settings: Vec<String> = settings.collect();
    settings.sort_unstable();
    if settings.is_empty() { String::new() } else { format!(", built with {}", settings.join(" ")) }
}
