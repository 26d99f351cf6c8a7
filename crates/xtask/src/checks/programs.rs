//! The tables of other programs, on which the pages below `docs/programs/` run.
//!
//! Where Debian or crates.io has a program's schema, it is fetched and created as the program itself does it; nothing of it is in this
//! repository. `tests/programs/NAME.sql` adds rows that the page needs, or the few columns of a table that cannot be had.

use crate::command::{answers, root, run, text};
use crate::debian::install_missing;
use crate::psql::{psql, query};
use crate::server::Server;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes the tables of a program in an empty database.
type Make = fn(&Server, &str) -> Result<()>;

/// The programs whose tables are fetched.
const FETCHED: [(&str, Make); 4] =
    [("miniflux", miniflux), ("tiny-tiny-rss", tiny_tiny_rss), ("lemmy", lemmy), ("agent-memory", pgvector)];

/// The crate with Lemmy's migrations. From this one on, they need PostgreSQL 16.
const LEMMY: &str = "lemmy_db_schema@1.0.0-test-fix-publish-3";
const FIRST_FOR_16: &str = "2025-08-01-000016";

/// Makes a program's tables. Returns the reason if they cannot be had here.
pub fn make(server: &Server, database: &str, program: &str) -> Result<Option<String>> {
    if let Some((_, make)) = FETCHED.iter().find(|(name, _)| *name == program)
        && let Err(error) = make(server, database)
    {
        return Ok(Some(format!("the tables of {program} cannot be had: {error:#}")));
    }
    let rows = root().join("tests/programs").join(format!("{program}.sql"));
    if rows.exists() {
        query_file(server, database, &rows)?;
    }
    Ok(None)
}

fn query_file(server: &Server, database: &str, file: &Path) -> Result<()> {
    text(psql(server, database).args(["-q", "-v", "ON_ERROR_STOP=1", "-f"]).arg(file)).map(drop)
}

/// Runs Miniflux's own migrations.
fn miniflux(server: &Server, database: &str) -> Result<()> {
    let package = unpacked(server, "miniflux", "trixie")?;
    let url =
        format!("host={} port=5432 user=postgres dbname={database} sslmode=disable", server.directory().display());
    let mut migrate = Command::new(package.join("usr/bin/miniflux"));
    text(migrate.arg("-migrate").env("DATABASE_URL", url)).map(drop)
}

fn tiny_tiny_rss(server: &Server, database: &str) -> Result<()> {
    let package = unpacked(server, "tt-rss", "bookworm")?;
    query_file(server, database, &package.join("usr/share/tt-rss/schema/ttrss_schema_pgsql.sql"))
}

fn lemmy(server: &Server, database: &str) -> Result<()> {
    // This downloads the crate and unpacks it, without its dependencies.
    text(Command::new("cargo").args(["info", "--quiet", LEMMY]).current_dir(server.directory()))?;
    let sources = crate::chroot::home_of("CARGO_HOME", ".cargo")?.join("registry/src");
    let name = LEMMY.replace('@', "-");
    let mut registries = fs_err::read_dir(&sources)?.filter_map(|registry| Some(registry.ok()?.path().join(&name)));
    let unpacked = registries.find(|path| path.exists());
    let migrations = unpacked.with_context(|| format!("{} has no {name}", sources.display()))?.join("migrations");
    let mut steps: Vec<PathBuf> =
        fs_err::read_dir(&migrations)?.map(|step| Ok(step?.path())).collect::<Result<Vec<_>>>()?;
    steps.retain(|step| step.file_name().is_some_and(|name| name.to_string_lossy().as_ref() < FIRST_FOR_16));
    steps.sort();
    let mut psql = psql(server, database);
    psql.args(["-q", "-v", "ON_ERROR_STOP=1"]);
    for step in steps {
        psql.arg("-f").arg(step.join("up.sql"));
    }
    text(&mut psql).map(drop)
}

fn pgvector(server: &Server, database: &str) -> Result<()> {
    let is_there = || {
        let there = "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'";
        Ok::<_, anyhow::Error>(query(server, database, there)? == "1")
    };
    if !is_there()? {
        let major = query(server, database, "SELECT current_setting('server_version_num')::int / 10000")?;
        install_missing(&[format!("postgresql-{major}-pgvector")])?;
    }
    ensure!(is_there()?, "this Postgres has no extension vector");
    Ok(())
}

/// Fetches a package from a Debian suite and unpacks it into the server's directory, without installing it.
fn unpacked(server: &Server, package: &str, suite: &str) -> Result<PathBuf> {
    let place = server.directory().join(package);
    if place.exists() {
        return Ok(place);
    }
    ensure!(answers(Command::new("apt-get").arg("--version")), "there is no apt-get");
    let apt = server.directory().join(format!("apt-{suite}"));
    for directory in ["lists/partial", "cache/archives/partial"] {
        fs_err::create_dir_all(apt.join(directory))?;
    }
    let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
    fs_err::write(
        apt.join("sources.list"),
        format!("deb [signed-by={keys}] http://deb.debian.org/debian {suite} main\n"),
    )?;
    let in_suite = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.current_dir(&apt).args(["-qq", "-o", "APT::Sandbox::User=root", "-o", "Dir::Etc::SourceParts=-"]);
        for (setting, path) in
            [("Dir::Etc::SourceList", "sources.list"), ("Dir::State::Lists", "lists"), ("Dir::Cache", "cache")]
        {
            command.arg("-o").arg(format!("{setting}={}", apt.join(path).display()));
        }
        command.args(arguments);
        command
    };
    text(&mut in_suite(&["update"]))?;
    text(&mut in_suite(&["download", package]))?;
    let mut files = fs_err::read_dir(&apt)?.filter_map(|file| Some(file.ok()?.path()));
    let is_package = |file: &PathBuf| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("{package}_")))
    };
    let file = files.find(is_package).with_context(|| format!("{suite} has no {package}"))?;
    run(Command::new("dpkg-deb").arg("-x").arg(file).arg(&place))?;
    Ok(place)
}
