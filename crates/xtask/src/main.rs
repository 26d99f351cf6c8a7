//! The project's commands, `cargo xtask <command>`, which the README tells a newcomer to type.
//!
//! Each does its own set-up first and says what it does. The modules: [`setup`] for what must be installed, [`build`] for the
//! extension, [`server`] for throwaway servers, [`psql`] for queries, [`demo`] and [`test`] for the two main commands,
//! [`check`] and `checks/` for the tests, [`bench`] for the measurements.

mod bench;
mod build;
mod check;
mod checks;
mod chroot;
mod command;
mod debian;
mod demo;
mod files;
mod interrupt;
mod notices;
mod package;
mod postgres;
mod psql;
mod random;
mod say;
mod server;
mod setup;
mod test;
mod upgrade;

use anyhow::Result;
use build::Profile;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Each command installs what is missing first, and says so
#[derive(Parser)]
#[command(bin_name = "cargo xtask", max_term_width = 120)]
struct CommandLine {
    #[command(subcommand)]
    command: Task,
    #[command(flatten)]
    postgres: postgres::Choice,
}

#[derive(Subcommand)]
enum Task {
    /// Shows the extension at work on a throwaway server
    Demo(demo::Input),
    /// Runs every test: formatting, lints, unit tests, and the extension in a throwaway server
    Test(test::Options),
    /// Measures speed beside other programs on a throwaway server (about 10 minutes) and writes a report with charts
    Bench(bench::Options),
    #[command(hide = true)]
    Articles(bench::articles::Articles),
    /// Opens psql on a throwaway server that has the extension and the demo's sample
    Run,
    /// Builds the release, without installing it
    Build,
    /// Builds the release and installs it into a server
    Install,
    /// Makes a Debian package and the source archive for PGXN, below target/
    Package,
    /// Compares a database upgraded from the last release with a fresh one and writes what the upgrade script lacks, as SQL
    UpgradeDraft {
        /// From this release
        #[arg(long, value_name = "VERSION")]
        from: Option<String>,
    },
    /// Compiles it for the other major versions of Postgres, without a server of theirs
    CheckMajors,
    /// Only installs what is missing
    Setup,
}

fn main() -> ExitCode {
    let outcome = run(&CommandLine::parse());
    interrupt::checkpoint();
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command; false if tests failed.
fn run(CommandLine { command, postgres }: &CommandLine) -> Result<bool> {
    interrupt::watch()?;
    if matches!(command, Task::Test(_) | Task::Bench(_) | Task::Package)
        && let Some(succeeded) = chroot::run_elsewhere(postgres)?
    {
        return Ok(succeeded);
    }
    match command {
        Task::Test(options) => return test::test(postgres, options),
        Task::Demo(input) => demo::demo(postgres, input),
        Task::Bench(options) => bench::bench(postgres, options),
        Task::Articles(articles) => bench::articles::write(articles, std::io::stdout().lock()),
        Task::Run => demo::open(postgres),
        Task::Build => build::build(&setup::ensure(postgres)?, Profile::Release).map(drop),
        Task::Install => build::build_and_install(&setup::ensure(postgres)?, Profile::Release),
        Task::Package => package::package(postgres),
        Task::UpgradeDraft { from } => upgrade::draft(postgres, from.as_deref()),
        Task::CheckMajors => build::check_majors(),
        Task::Setup => setup::ensure(postgres).map(drop),
    }?;
    Ok(true)
}
