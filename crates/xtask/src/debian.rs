//! Debian packages: finds those that are missing and installs them.

use crate::command::{is_root, output, shown, text};
use crate::interrupt::Undo;
use crate::say;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Installs those of `packages` that are missing. Without the privilege to do so, it fails and names the command.
pub fn install_missing(packages: &[impl AsRef<str>]) -> Result<()> {
    if !Path::new("/usr/bin/dpkg-query").exists() {
        return Ok(());
    }
    let missing: Vec<&str> = packages.iter().map(AsRef::as_ref).filter(|name| !is_installed(name)).collect();
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
        result.with_context(|| {
            format!(
                "cannot install packages (those of other major versions come from apt.postgresql.org); by hand: {}",
                shown(&install)
            )
        })
    };
    if missing.iter().any(|name| name.starts_with("postgresql-")) {
        fetch(&["postgresql-common"])?;
        // At its first installation, the package creates and starts a cluster "main", which is not wanted here.
        let settings = Path::new("/etc/postgresql-common/createcluster.conf");
        let _undo = Undo::change(settings, |before| format!("{before}\ncreate_main_cluster = false\n"))?;
        return fetch(missing);
    }
    fetch(missing)
}

fn is_installed(package: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    let status = output(query.args(["-W", "-f", "${db:Status-Status}", package]));
    status.is_ok_and(|output| output.stdout == b"installed")
}
