//! `cargo xtask package`: a Debian package for one major version of Postgres, a directory with the extension's files alone, and the
//! source archive for PGXN.
//!
//! Cargo.toml defines the version; META.json must state the same one, which is checked here.

use crate::build::{Profile, VERSION, build};
use crate::command::{root, run, text};
use crate::debian;
use crate::notices::notices;
use crate::postgres::{Choice, Postgres};
use crate::say;
use crate::setup;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const MAINTAINER: &str = "the pg_neardup authors <pg_neardup@localhost>";

/// Makes the packages and prints their paths.
pub fn package(choice: &Choice) -> Result<()> {
    let described = version_in_meta()?;
    if described != VERSION {
        bail!("META.json is of version {described}, Cargo.toml of {VERSION}");
    }
    let postgres = setup::ensure(choice)?;
    debian::install_missing(&["binutils", "git"])?;
    let built = build(&postgres, Profile::Release)?;
    let place = built.parent().unwrap_or(&built).to_owned();
    let alone = place.join(format!("files-{}", postgres.major));
    files(&postgres, &built, &alone)?;
    let licences = alone.join("licenses/pg_neardup");
    fs_err::create_dir_all(&licences)?;
    fs_err::write(licences.join("copyright"), copyright()?)?;
    say::note(&alone.display().to_string());
    let debian = debian_package(postgres.major, &alone, &place)?;
    say::note(&debian.display().to_string());
    match source_archive(&place)? {
        Some(source) => say::note(&source.display().to_string()),
        None => say::note("no archive of the sources: this is not a git repository"),
    }
    Ok(())
}

/// Returns the version that META.json states in two fields; both versions if they differ.
pub fn version_in_meta() -> Result<String> {
    let meta = fs_err::read_to_string(root().join("META.json"))?;
    let meta: serde_json::Value = serde_json::from_str(&meta).context("META.json")?;
    let version = |value: &serde_json::Value| value["version"].as_str().unwrap_or("none").to_owned();
    let mut versions = vec![version(&meta), version(&meta["provides"]["pg_neardup"])];
    versions.dedup();
    Ok(versions.join(", "))
}

/// Copies only the extension's files into `place`: `share/extension` and `lib`, for `extension_control_path` and an image that holds
/// nothing else.
pub fn files(postgres: &Postgres, built: &Path, place: &Path) -> Result<()> {
    let below = |option: &str| Ok::<_, anyhow::Error>(built.join(postgres.ask(option)?.trim_start_matches('/')));
    let (from, to) = (below("--sharedir")?.join("extension"), place.join("share/extension"));
    if place.exists() {
        fs_err::remove_dir_all(place)?;
    }
    fs_err::create_dir_all(place.join("lib"))?;
    fs_err::create_dir_all(&to)?;
    for file in crate::files::below(&from)? {
        fs_err::copy(&file, to.join(file.file_name().unwrap_or_default()))?;
    }
    let library = place.join("lib/pg_neardup.so");
    fs_err::copy(below("--pkglibdir")?.join("pg_neardup.so"), &library)?;
    run(Command::new("strip").arg("--strip-unneeded").arg(library))
}

/// Returns our licence and those of what is linked into the library. One file, because the official images of PostgreSQL leave out all other
/// documents of a package.
fn copyright() -> Result<String> {
    let ours = fs_err::read_to_string(root().join("LICENSE"))?;
    let line = "-".repeat(72);
    Ok(format!(
        "{ours}\n{line}\n\nThe library contains code and data under the following licences.\n\n{line}\n\n{}",
        notices()?
    ))
}

/// Makes the package `postgresql-15-neardup`: the extension's files in the directories of Debian's server, whichever Postgres they were
/// built with, without scripts that run at installation.
fn debian_package(major: u32, files: &Path, place: &Path) -> Result<PathBuf> {
    say::step(&format!("making the Debian package for PostgreSQL {major}"));
    let architecture = text(Command::new("dpkg").arg("--print-architecture"))?;
    let name = format!("postgresql-{major}-neardup");
    let tree = place.join(&name);
    if tree.exists() {
        fs_err::remove_dir_all(&tree)?;
    }
    for (from, to) in [
        ("lib", format!("usr/lib/postgresql/{major}/lib")),
        ("share/extension", format!("usr/share/postgresql/{major}/extension")),
    ] {
        let to = tree.join(to);
        fs_err::create_dir_all(&to)?;
        run(Command::new("cp").arg("-rT").arg(files.join(from)).arg(to))?;
    }
    let library = format!("usr/lib/postgresql/{major}/lib/pg_neardup.so");
    let documents = tree.join("usr/share/doc").join(&name);
    fs_err::create_dir_all(&documents)?;
    for name in ["README.md", "README.zh-CN.md"] {
        fs_err::copy(root().join(name), documents.join(name))?;
    }
    fs_err::copy(files.join("licenses/pg_neardup/copyright"), documents.join("copyright"))?;
    let libc = newest_libc(&text(Command::new("objdump").arg("-T").arg(tree.join(&library)))?);
    let size = text(Command::new("du").arg("-sk").arg(&tree))?;
    let kilobytes = size.split_whitespace().next().unwrap_or("0");
    let version = debian_version(VERSION);
    let control = format!(
        "Package: {name}\nVersion: {version}\nSection: database\nPriority: optional\nArchitecture: {architecture}\n\
         Maintainer: {MAINTAINER}\nInstalled-Size: {kilobytes}\n\
         Depends: postgresql-{major}, libc6 (>= {libc}), libgcc-s1\n\
         Homepage: https://github.com/pg-neardup/pg_neardup\n\
         Description: near-duplicate text in PostgreSQL {major} tables\n \
         Finds, refuses and removes near-duplicate text inside a table: signatures,\n \
         an index access method, a guard against copies at insert, clean-up that\n \
         can be undone. Any language in UTF-8.\n"
    );
    let directory = tree.join("DEBIAN");
    fs_err::create_dir_all(&directory)?;
    fs_err::write(directory.join("control"), control)?;
    let package = place.join(format!("{name}_{VERSION}-1_{architecture}.deb"));
    text(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&tree).arg(&package))?;
    fs_err::remove_dir_all(&tree)?;
    Ok(package)
}

/// Returns the version of the package. Debian sorts what follows a tilde before the release, so that 1.0.0-rc.1 is replaced by 1.0.0. The name of
/// the file keeps the hyphen, because GitHub changes tildes in the names of a release's files.
fn debian_version(version: &str) -> String {
    format!("{}-1", version.replacen('-', "~", 1))
}

/// Returns the newest glibc version whose symbols the library needs, from `objdump -T`.
fn newest_libc(symbols: &str) -> String {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..end)?.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()
    });
    let newest = versions.max().unwrap_or_default();
    newest.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// Makes the archive for PGXN: the sources of the last commit. `None` in an unpacked archive, and in an image that is built without the repository.
fn source_archive(place: &Path) -> Result<Option<PathBuf>> {
    say::step("making the source archive");
    // An unpacked archive may lie within another repository.
    let top = Command::new("git").current_dir(root()).args(["rev-parse", "--show-toplevel"]).output()?;
    let top = fs_err::canonicalize(String::from_utf8_lossy(&top.stdout).trim()).ok();
    if top != fs_err::canonicalize(root()).ok() {
        return Ok(None);
    }
    let archive = place.join(format!("pg_neardup-{VERSION}.zip"));
    let mut git = Command::new("git");
    git.current_dir(root()).args(["archive", "--format=zip", &format!("--prefix=pg_neardup-{VERSION}/")]);
    text(git.arg("--output").arg(&archive).arg("HEAD"))?;
    Ok(Some(archive))
}

#[cfg(test)]
mod tests {
    use super::debian_version;

    #[test]
    fn a_candidate_is_older_than_its_release() {
        assert_eq!(debian_version("1.0.0"), "1.0.0-1");
        assert_eq!(debian_version("1.0.0-rc.1"), "1.0.0~rc.1-1");
    }
}
