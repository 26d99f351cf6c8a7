//! `cargo xtask test`: runs every check, prints the result of each, and one summary line at the end.

use crate::build::{Profile, build, build_beside, install};
use crate::check::{Check, Context, Tally, has_skipped};
use crate::checks::ALL;
use crate::interrupt;
use crate::postgres::Choice;
use crate::say;
use crate::server::Server;
use crate::setup;
use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Instant;

/// The checks to run, and what to do with their output.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Only the checks with this in their name; NAME/PART: only this part of them
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// Takes today's output of the regression tests and of the documentation's examples for the expected one
    #[arg(long)]
    accept: bool,
    /// Fails if one of these checks, or a part of it, is skipped
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    must_run: Vec<String>,
    /// Only says which checks there are
    #[arg(long)]
    list: bool,
}

/// Runs the checks; false if any failed.
pub fn test(choice: &Choice, options: &Options) -> Result<bool> {
    let filter = options.filter.as_deref().unwrap_or_default();
    let (filter, part) = filter.split_once('/').unwrap_or((filter, ""));
    let chosen: Vec<&Check> = ALL.iter().filter(|check| check.name.contains(filter)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = ALL.iter().map(|check| check.name).collect();
        bail!("no check is called \"{filter}\"; there are {}", names.join(", "));
    }
    if let Some(unknown) = options.must_run.iter().find(|name| chosen.iter().all(|check| check.name != name.as_str())) {
        bail!("--must-run: no check to run is called \"{unknown}\"");
    }
    if options.list {
        chosen.iter().for_each(|check| println!("{:<12} {}", check.name, check.what));
        return Ok(true);
    }
    let part = Some(part.to_owned()).filter(|part| !part.is_empty());
    let mut context = Context { postgres: setup::ensure(choice)?, part, accept: options.accept, server: None };
    let alone = chosen.iter().take_while(|check| !check.needs_server).count();
    let mut beside = (0 < alone && alone < chosen.len()).then(|| build_beside(&context.postgres));
    // A failed build or start is not tried again.
    let mut is_prepared = false;
    let mut total = Tally::default();
    let mut skipped = Vec::new();
    for (number, check) in (1..).zip(&chosen) {
        say::step(&format!("[{number}/{}] {}: {}", chosen.len(), check.name, check.what));
        let start = Instant::now();
        let prepared = if check.needs_server && !is_prepared {
            is_prepared = true;
            prepare(&mut context, beside.take())
        } else {
            Ok(())
        };
        let tally = prepared.and_then(|()| (check.run)(&context));
        interrupt::checkpoint();
        let tally = tally.unwrap_or_else(|error| {
            println!("{error:#}");
            Tally::one(false)
        });
        say::note(&format!("{tally} [{}]", say::seconds(start.elapsed())));
        if has_skipped() {
            skipped.push(check.name);
        }
        total += tally;
    }
    drop(context);
    let missed: Vec<&str> =
        skipped.iter().copied().filter(|name| options.must_run.iter().any(|must| must == name)).collect();
    if !missed.is_empty() {
        println!("\nskipped, and must run: {}", missed.join(", "));
    }
    println!("\n{}", summary(total, &skipped));
    Ok(total.failed == 0 && missed.is_empty())
}

/// Returns the last line.
fn summary(total: Tally, skipped: &[&str]) -> String {
    match skipped {
        [] => total.to_string(),
        names => format!("{total}; skipped: {}", names.join(", ")),
    }
}

fn prepare(context: &mut Context, beside: Option<JoinHandle<Result<PathBuf>>>) -> Result<()> {
    let package = match beside {
        Some(thread) => thread.join().map_err(|_| anyhow!("the build has panicked"))??,
        None => build(&context.postgres, Profile::Release)?,
    };
    install(&package)?;
    say::note("starting a throwaway server");
    context.server = Some(Server::start(&context.postgres)?);
    Ok(())
}
