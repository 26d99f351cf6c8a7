//! Debian packages: which are missing, and how they come.

use crate::command::{is_root, output, shown, text};
use crate::interrupt::Undo;
use crate::say;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Installs those of `packages` that are missing; without the right to do so, fails with the command that does it.
pub fn install_missing(packages: &[String]) -> Result<()> {
    if !Path::new("/usr/bin/dpkg-query").exists() {
        return Ok(());
    }
    let missing: Vec<&str> = packages.iter().map(String::as_str).filter(|name| !is_installed(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_root() {
        bail!(
            "these Debian packages are missing; install them and run the command again:\n\n    sudo apt-get update && sudo apt-get install --no-install-recommends {list}\n"
        );
    }
    say::during(&format!("installing Debian packages: {list} (about 1 minute, once)"), |_| install(&missing))
}

fn install(missing: &[&str]) -> Result<()> {
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(["-qq", "-o", "Dpkg::Use-Pty=0"]).args(arguments);
        apt
    };
    text(&mut apt(&["update"]))?;
    let fetch = |packages: &[&str]| {
        let mut install = apt(&["install", "-y", "--no-install-recommends"]);
        let result = text(install.args(packages)).map(drop);
        result.with_context(|| format!("cannot install packages; by hand: {}", shown(&install)))
    };
    if missing.iter().any(|name| name.starts_with("postgresql-")) {
        fetch(&["postgresql-common"])?;
        let _undo = no_main_cluster()?;
        return fetch(missing);
    }
    fetch(missing)
}

fn is_installed(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    let status = output(query.args(["-W", "-f", "${db:Status-Status}", package]));
    status.is_ok_and(|output| output.stdout == b"installed")
}

const CLUSTER_SETTINGS: &str = "/etc/postgresql-common/createcluster.conf";

/// Debian's server package makes and starts a cluster "main" when it is first installed, which nobody here asked for.
/// Its own setting against that stands while we install, and then again what stood there before.
fn no_main_cluster() -> Result<Undo> {
    let path = Path::new(CLUSTER_SETTINGS);
    let before = fs_err::read_to_string(path)?;
    fs_err::write(path, format!("{before}\ncreate_main_cluster = false\n"))?;
    Ok(Undo::new(move || {
        if let Err(error) = fs_err::write(CLUSTER_SETTINGS, &before) {
            eprintln!("cannot write {CLUSTER_SETTINGS} back: {error}; please take out its last line");
        }
    }))
}
