//! A directory that contains only the extension's files, in a place of its own: what `extension_control_path` (PostgreSQL 18) makes
//! possible, and what an image for CloudNativePG contains.

use crate::build::{Profile, build};
use crate::check::{Context, Tally, expect, skipped};
use crate::package;
use crate::psql::{Session, query};
use crate::server::Server;
use anyhow::Result;

/// Creates the extension from such a directory, although the server's own directories have it too.
pub fn run(context: &Context) -> Result<Tally> {
    let postgres = &context.postgres;
    if postgres.major < 18 {
        return skipped(&format!("PostgreSQL {} has no extension_control_path", postgres.major));
    }
    let place = context.server()?.directory().join("files");
    package::files(postgres, &build(postgres, Profile::Release)?, &place)?;
    let paths = [
        format!("extension_control_path={}/share", place.display()),
        format!("dynamic_library_path={}/lib:$libdir", place.display()),
    ];
    let server = Server::start_with(postgres, &paths.each_ref().map(String::as_str))?;
    query(&server, "postgres", "CREATE EXTENSION pg_neardup")?;
    let mut session = Session::open(&server, "postgres")?;
    let mut tally = expect(
        "a guard works",
        &session.ask(
            "\\set VERBOSITY sqlstate\nCREATE TABLE t (id int PRIMARY KEY, body text); SELECT neardup.protect('t', 'body');
             INSERT INTO t SELECT n, 'The north lighthouse has a new lamp; the old one stays in the hut below.' FROM generate_series(1, 2) AS n;",
        )?,
        "\nERROR:  23505",
    );
    let backend = session.ask("SELECT pg_backend_pid();")?;
    let mapped = fs_err::read_to_string(format!("/proc/{backend}/maps"))?;
    let libraries = mapped.lines().filter(|line| line.ends_with("pg_neardup.so"));
    let from_place = libraries.map(|line| line.contains("/files/lib/")).collect::<Vec<_>>();
    let is_alone = !from_place.is_empty() && from_place.iter().all(|is_from_place| *is_from_place);
    tally += expect("the library comes from there", &is_alone.to_string(), "true");
    Ok(tally)
}
