//! `cargo xtask test`: every check in turn, what each found, and one line that says it all at the end.

use crate::build::build_and_install;
use crate::checks::{self, Check, Tally};
use crate::error::Result;
use crate::interrupt;
use crate::options::Options;
use crate::postgres::Postgres;
use crate::say;
use crate::server::Server;
use crate::setup;
use std::time::Instant;

/// What the checks work with.
pub struct Context {
    /// The Postgres under test.
    pub postgres: Postgres,
    /// The part of a check to run, if not all: a file's name or a piece of it.
    pub part: Option<String>,
    /// Whether today's output becomes the expected one.
    pub accept: bool,
    server: Option<Server>,
    /// Whether building or starting it has failed, which need not be tried for each check.
    no_server: bool,
}

impl Context {
    /// The throwaway server all checks share; those that restart it or want other settings start their own.
    pub fn server(&self) -> Result<&Server> {
        self.server.as_ref().ok_or_else(|| "this check was not given a server".into())
    }

    /// Whether a part of this name is to be run.
    pub fn wants(&self, name: &str) -> bool {
        self.part.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }
}

/// Runs the checks; false if any failed.
pub fn test(options: &Options) -> Result<bool> {
    let (filter, part) = match options.filter.as_deref().map(|filter| filter.split_once('/').unwrap_or((filter, ""))) {
        Some((filter, part)) => (filter.to_owned(), Some(part.to_owned()).filter(|part| !part.is_empty())),
        None => (String::new(), None),
    };
    let chosen: Vec<&Check> = checks::ALL.iter().filter(|check| check.name.contains(&filter)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = checks::ALL.iter().map(|check| check.name).collect();
        return Err(format!("no check is called \"{filter}\"; there are {}", names.join(", ")).into());
    }
    let postgres = setup::ensure(options)?;
    let mut context = Context { postgres, part, accept: options.accept, server: None, no_server: false };
    let mut total = Tally::default();
    for check in chosen {
        say::step(&format!("{}: {}", check.name, check.what));
        let start = Instant::now();
        let tally = prepare(&mut context, check).and_then(|()| (check.run)(&context));
        interrupt::checkpoint();
        let tally = tally.unwrap_or_else(|error| {
            println!("{error}");
            Tally::failure()
        });
        say::note(&format!("{tally} [{}]", say::seconds(start.elapsed())));
        total += tally;
    }
    drop(context);
    println!("\n{total}");
    Ok(total.failed == 0)
}

fn prepare(context: &mut Context, check: &Check) -> Result {
    if !check.needs_server || context.server.is_some() {
        return Ok(());
    }
    if std::mem::replace(&mut context.no_server, true) {
        return Err("not run: there is no server to run it on, see above".into());
    }
    build_and_install(&context.postgres)?;
    say::note("starting a throwaway server");
    context.server = Some(Server::start(&context.postgres)?);
    context.no_server = false;
    Ok(())
}
