//! `tests/pg_regress`: SQL files and their expected output, run by Postgres's own pg_regress.
//!
//! Each file starts in a fresh database with the extension and the objects of `setup.sql`, so no file depends on another.

use crate::check::{Context, Tally};
use crate::command::{output, root};
use crate::files::names;
use crate::psql::{fresh_database, query};
use crate::say::seconds;
use anyhow::Result;
use std::path::Path;
use std::time::Instant;

const DATABASE: &str = "regression";

/// Files that use a collation of ICU, which some builds of Postgres lack.
const NEED_ICU: [&str; 2] = ["guard_conflict", "guard_scope"];

/// Runs every `sql/*.sql`.
pub fn run(context: &Context) -> Result<Tally> {
    run_all(context, &root().join("tests/pg_regress"), "sql", "regress/pg_regress")
}

/// Runs `tests/isolation`: what two sessions see of each other, every `specs/*.spec`, by Postgres's own isolation tester.
pub fn isolation(context: &Context) -> Result<Tally> {
    run_all(context, &root().join("tests/isolation"), "specs", "isolation/pg_isolation_regress")
}

/// Runs the files of `directory/<kind>` with a program of the pg_regress family.
fn run_all(context: &Context, directory: &Path, kind: &str, program: &str) -> Result<Tally> {
    let mut tally = Tally::default();
    for name in names(&directory.join(kind), if kind == "sql" { "sql" } else { "spec" })? {
        if context.wants(&name) {
            if NEED_ICU.contains(&name.as_str()) && !has_icu(context)? {
                println!("    skipped {name}: this Postgres was built without ICU");
                continue;
            }
            let start = Instant::now();
            let passed = run_one(context, directory, &name, program)?;
            println!("    {} {name} [{}]", if passed { "ok    " } else { "FAILED" }, seconds(start.elapsed()));
            tally += Tally::one(passed);
        }
    }
    Ok(tally)
}

fn has_icu(context: &Context) -> Result<bool> {
    let collations = "SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i'";
    Ok(query(context.server()?, "postgres", collations)? == "t")
}

fn run_one(context: &Context, directory: &Path, name: &str, program: &str) -> Result<bool> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    if let Ok(setup) = fs_err::read_to_string(directory.join("setup.sql")) {
        query(server, DATABASE, &setup)?;
    }
    let results = server.directory().join("results-of-regress");
    fs_err::create_dir_all(&results)?;
    let diffs = results.join("regression.diffs");
    let _ = fs_err::remove_file(&diffs);
    let mut command = server.client_at(&context.postgres.test_program(program), DATABASE);
    let argument = |option: &str, path: &Path| format!("--{option}={}", path.display());
    command.arg("--use-existing").arg(format!("--dbname={DATABASE}")).arg("--encoding=UTF8");
    command.arg(argument("inputdir", directory)).arg(argument("outputdir", &results));
    command.arg(argument("bindir", &context.postgres.bin)).arg(argument("host", server.directory()));
    command.args(["--port=5432", "--user=postgres", name]).current_dir(&results);
    let outcome = output(&mut command)?;
    if outcome.status.success() {
        return Ok(true);
    }
    if context.accept {
        let from = results.join("results").join(format!("{name}.out"));
        let expected = directory.join("expected");
        fs_err::create_dir_all(&expected)?;
        let to = expected.join(format!("{name}{}.out", variant(context.postgres.major)));
        fs_err::copy(&from, &to)?;
        println!("    wrote {}", to.display());
        return Ok(true);
    }
    let said = match fs_err::read(&diffs) {
        Ok(diffs) if !diffs.is_empty() => diffs,
        _ => [outcome.stdout, outcome.stderr].concat(),
    };
    println!("{}", String::from_utf8_lossy(&said));
    Ok(false)
}

/// Returns the suffix of the expected output for major versions that print plans differently from 15. pg_regress tries each of
/// these files.
fn variant(major: u32) -> &'static str {
    match major {
        17 => "_1",
        18 => "_2",
        _ => "",
    }
}
