//! The project's commands, `cargo xtask <command>`: what the README tells a newcomer to type.
//!
//! Each does its own set-up first and says what it does. A module is one idea: [`setup`] what must be there, [`build`]
//! the release build, [`server`] throwaway servers, [`psql`] talking to them, [`demo`] and [`test`] the two commands that
//! matter, `checks/` what is tested against a server, [`bench`] the measurements.

mod bench;
mod build;
mod checks;
mod chroot;
mod command;
mod debian;
mod demo;
mod error;
mod interrupt;
mod majors;
mod options;
mod package;
mod postgres;
mod psql;
mod say;
mod script;
mod server;
mod setup;
mod test;
mod upgrade;

use error::Result;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>     installs what is missing first, and says so

  demo      shows the extension at work on a throwaway server
              --input FILE   on your own articles: JSON lines with id and text, and title, date and url if you have them;
                             .xz is read as it is
              --limit N      only the first N of them
  test      runs every test: formatting, lints, unit tests, and the extension in a throwaway server
              --filter NAME  only the checks with this in their name; NAME/PART: only this part of them
              --accept       takes today's output of the regression tests and of the documentation's examples for the expected one
  bench     measures speed beside other programs on a throwaway server (about 10 minutes) and writes a report with charts
              --accuracy --text --signatures --scale --guard --cleanup --facts   only these tables
              --vectors      beside pgvector, where Debian has it: with --pg 17
              --only NAME    only the measurements with this in their name, and no report
              --input FILE   on your own texts, as for demo; --limit N as well
              --rows N       rows of the large tables;  --seconds N: how long many sessions insert
              --out FILE     the report (target/benchmarks.md if not given); tables that were not measured stay in it
              --quick        small, to see that everything runs
  run       opens psql on a throwaway server that has the extension and the demo's sample
  install   builds the release and installs it into a server
  package   makes a Debian package and the source archive for PGXN, below target/
  upgrade-draft  compares a database upgraded from the last release with a fresh one and writes down, as SQL, what the
                 upgrade script lacks
              --from VERSION  from this release
  check-majors  compiles it for the major versions of Postgres that no test runs on
  setup     only installs what is missing
  help      prints this

  --pg N             every command: the Debian packages of this major version (15 if not given); test, bench and
                     package go on in another Debian where this one lacks it
  --pg-config PATH   every command: the Postgres that this pg_config belongs to";

const BENCH_OPTIONS: [&str; 6] = ["--input", "--limit", "--only", "--out", "--rows", "--seconds"];

fn main() -> ExitCode {
    let outcome = dispatch();
    interrupt::checkpoint();
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the command line says; false if tests failed.
fn dispatch() -> Result<bool> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_else(|| "help".into());
    let mut options =
        |own: &[&str]| options::parse(&command, &[own, &["--pg", "--pg-config"]].concat(), &mut arguments);
    interrupt::watch()?;
    match command.as_str() {
        "demo" => demo::demo(&options(&["--input", "--limit"])?)?,
        "test" => {
            let options = options(&["--filter", "--accept"])?;
            return chroot::run_elsewhere(&options)?.map_or_else(|| test::test(&options), Ok);
        }
        "bench" => {
            let options = options(&[&BENCH_OPTIONS[..], &options::BENCH_FLAGS].concat())?;
            return chroot::run_elsewhere(&options)?.map_or_else(|| bench::bench(&options).map(|()| true), Ok);
        }
        "run" => demo::open(&options(&[])?)?,
        "package" => {
            let options = options(&[])?;
            return chroot::run_elsewhere(&options)?.map_or_else(|| package::package(&options).map(|()| true), Ok);
        }
        "install" => build::build_and_install(&setup::ensure(&options(&[])?)?)?,
        "check-majors" => {
            options(&[])?;
            majors::check()?;
        }
        "upgrade-draft" => upgrade::draft(&options(&["--from"])?)?,
        "setup" => drop(setup::ensure(&options(&[])?)?),
        "help" | "--help" | "-h" => println!("{HELP}"),
        other => return Err(format!("there is no command \"{other}\"\n\n{HELP}").into()),
    }
    Ok(true)
}
