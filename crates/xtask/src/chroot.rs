//! Another Debian for another Postgres: a major version that this Debian lacks is built and tested in a chroot directory with
//! the base system of a Debian that has it.
//!
//! The directory is made once and kept in the user's cache. The checkout, the other files beside it, cargo and the toolchain
//! are mounted into it at their own paths, in a mount namespace of its own, so that no mount outlives the command. Inside, the
//! same command runs again, with that Debian's packages of Postgres.

use crate::command::{answers, is_root, root, run, text};
use crate::debian;
use crate::postgres::Choice;
use crate::say;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Debian suites, each with its major version of Postgres.
const SUITES: &[(u32, &str)] = &[(15, "bookworm"), (17, "trixie"), (18, "sid")];

/// Mounts the kernel's directories, the files for name resolution, cargo, the toolchain, the checkout, git's directory, which a linked
/// worktree has elsewhere, and what `NEARDUP_DATA` and `NEARDUP_CITUS` name, then runs the command inside.
const MOUNTS: &str = r#"set -e
place=$1; shift
for path in /proc /dev /etc/resolv.conf /etc/hosts "$CARGO_HOME" "$RUSTUP_HOME" "$CHECKOUT" "$HISTORY" "$NEARDUP_DATA" "$NEARDUP_CITUS"; do
    [ -e "$path" ] || continue
    if [ -d "$path" ]; then mkdir -p "$place$path"; else mkdir -p "$place${path%/*}"; touch "$place$path"; fi
    mount --rbind "$path" "$place$path"
done
exec chroot "$place" "$@""#;

/// Runs the command in another Debian if this one lacks the requested Postgres, and returns whether it succeeded. `None` if it
/// can run here.
pub fn run_elsewhere(choice: &Choice) -> Result<Option<bool>> {
    let Some(major) = choice.pg else { return Ok(None) };
    let here = Path::new("/usr/lib/postgresql").join(major.to_string()).join("bin/pg_config").exists();
    if here || choice.pg_config.is_some() || !is_root() || has_package(major) {
        return Ok(None);
    }
    let Some((_, suite)) = SUITES.iter().find(|(of_suite, _)| *of_suite == major) else { return Ok(None) };
    let place = base_system(suite)?;
    say::step(&format!("PostgreSQL {major} is not in this Debian: going on in {}", place.display()));
    let cargo_home = home_of("CARGO_HOME", ".cargo")?;
    let rustup_home = home_of("RUSTUP_HOME", ".rustup")?;
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", MOUNTS, "sh"]).arg(&place);
    command.args(["/usr/bin/env", "-C"]).arg(root()).arg("cargo").arg("xtask").args(std::env::args_os().skip(1));
    let path = format!("{}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", cargo_home.display());
    let of_the_user = std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"CARGO_PROFILE_"));
    command.env_clear().envs(of_the_user).env("PATH", path).env("HOME", "/root").env("LC_ALL", "C.UTF-8");
    command.env("CARGO_HOME", &cargo_home).env("RUSTUP_HOME", &rustup_home).env("CHECKOUT", root());
    let mut git = Command::new("git");
    git.arg("-C").arg(root()).args(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
    // An unpacked archive has none.
    command.env("HISTORY", text(&mut git).unwrap_or_default().trim());
    command.env("CARGO_TARGET_DIR", root().join("target").join(suite));
    Ok(Some(run(&mut command).is_ok()))
}

/// Says whether apt has a server of this version.
fn has_package(major: u32) -> bool {
    let package = format!("postgresql-{major}");
    !Path::new("/usr/bin/apt-cache").exists() || answers(Command::new("apt-cache").args(["show", &package]))
}

/// Returns the directory with the base system of a suite; makes it if it does not exist.
fn base_system(suite: &str) -> Result<PathBuf> {
    let cache = home_of("XDG_CACHE_HOME", ".cache")?.join("pg_neardup");
    let place = cache.join(format!("debian-{suite}"));
    if place.join("etc/debian_version").exists() {
        return Ok(place);
    }
    debian::install_missing(&["debootstrap"])?;
    fs_err::create_dir_all(&cache)?;
    let unfinished = cache.join(format!("debian-{suite}.unfinished"));
    if unfinished.exists() {
        fs_err::remove_dir_all(&unfinished)?;
    }
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", "--include=ca-certificates", suite]).arg(&unfinished);
    let what = format!("making a Debian {suite} in {} (about 2 minutes and 500 MB, once)", place.display());
    say::during(&what, |_| text(&mut debootstrap))?;
    // Unstable's package lists expire after a week, and the mirror may be an older snapshot.
    let setting = unfinished.join("etc/apt/apt.conf.d/80mirror");
    fs_err::write(&setting, "Acquire::Check-Valid-Until \"false\";\n")?;
    fs_err::rename(&unfinished, &place)?;
    Ok(place)
}

/// Returns a directory of the user's: from the variable or, without it, of this name in the home directory.
pub fn home_of(variable: &str, name: &str) -> Result<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(name));
    let path = std::env::var_os(variable).map(PathBuf::from).or_else(home);
    path.with_context(|| format!("neither {variable} nor HOME says where {name} is"))
}
