//! The release build of the extension, and its way into a server's directories.
//!
//! `cargo pgrx package` lays the files out under `target/`, in the tree they will have below `/`; then those that differ
//! are copied. So an unchanged tree costs no build at all, an ordinary user can build, and only the copying needs rights.
//! Only ever the release build is installed.

use crate::command::{cargo, root, run, text};
use crate::error::{Doing, Result};
use crate::postgres::Postgres;
use crate::say;
use crate::setup::for_postgres;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the extension for this Postgres, if anything has changed, and installs it there.
pub fn build_and_install(postgres: &Postgres) -> Result {
    let package = build(postgres)?;
    install(&package)
}

/// Builds the extension for this Postgres, if anything has changed; the directory with its files, as they lie below `/`.
pub fn build(postgres: &Postgres) -> Result<PathBuf> {
    let place = target()?.join("package");
    let package = place.join(format!("pg{}", postgres.major));
    let stamp = place.join(format!("pg{}.stamp", postgres.major));
    let state = format!("{} {:016x}\n", postgres.pg_config.display(), digest_of_sources()?);
    if std::fs::read_to_string(&stamp).is_ok_and(|content| content == state) && package.is_dir() {
        return Ok(package);
    }
    say::step("building the release extension (about 4 minutes the first time on two cores, then less)");
    if package.exists() {
        std::fs::remove_dir_all(&package).doing("remove", &package)?;
    }
    let mut command = cargo();
    command.args(["pgrx", "package", "--pg-config"]).arg(&postgres.pg_config).arg("--out-dir").arg(&package);
    run(for_postgres(&mut command, postgres))?;
    std::fs::write(&stamp, state).doing("write", &stamp)?;
    Ok(package)
}

/// Where cargo puts what it builds.
pub fn target() -> Result<PathBuf> {
    let metadata = text(cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]))?;
    let after = metadata.split_once("\"target_directory\":\"").map(|(_, rest)| rest);
    let path = after.and_then(|rest| rest.split_once('"')).map(|(path, _)| PathBuf::from(path));
    Ok(path.unwrap_or_else(|| root().join("target")))
}

/// A digest of all that goes into the extension: its sources, their dependencies' versions, the compiler.
fn digest_of_sources() -> Result<u64> {
    let mut files = Vec::new();
    for part in ["Cargo.toml", "Cargo.lock", "pg_neardup.control", ".cargo", "src", "sql", "crates/neardup-core"] {
        collect(&root().join(part), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    hasher.write(text(Command::new("rustc").arg("-Vv"))?.as_bytes());
    for file in files {
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write(&std::fs::read(&file).doing("read", &file)?);
    }
    Ok(hasher.finish())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).doing("list", path)? {
            collect(&entry.doing("list", path)?.path(), files)?;
        }
    } else if path.exists() {
        files.push(path.to_owned());
    }
    Ok(())
}

fn install(package: &Path) -> Result {
    let mut files = Vec::new();
    collect(package, &mut files)?;
    let mut changed = Vec::new();
    for file in files {
        let below = file.strip_prefix(package).unwrap_or(&file);
        let to = Path::new("/").join(below);
        if std::fs::read(&to).ok() != Some(std::fs::read(&file).doing("read", &file)?) {
            changed.push((file, to));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    say::step("installing it");
    for (from, to) in &changed {
        if let Err(error) = put(from, to) {
            let copies: Vec<String> = changed
                .iter()
                .map(|(from, to)| format!("    sudo install -D -m {} {} {}", mode(to), from.display(), to.display()))
                .collect();
            return Err(format!(
                "cannot write {}: {error}\ncopy the files, then run the command again:\n\n{}\n",
                to.display(),
                copies.join("\n")
            )
            .into());
        }
        say::note(&to.display().to_string());
    }
    Ok(())
}

fn mode(file: &Path) -> &'static str {
    if file.extension().is_some_and(|extension| extension == "so") { "755" } else { "644" }
}

/// Puts a new file in the place of the old one: a server that has the old library open keeps it unharmed.
fn put(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(directory) = to.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let beside = to.with_extension("new");
    std::fs::copy(from, &beside)?;
    std::fs::rename(&beside, to)
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_replaced_file_leaves_the_open_one_alone() {
        let directory = std::env::temp_dir().join(format!("neardup-put-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("the directory is ours");
        let (from, to) = (directory.join("from"), directory.join("below/to.so"));
        std::fs::write(&from, "new").expect("the directory is ours");
        put(&from, &to).expect("the place is free");
        let open = std::fs::File::open(&to).expect("it was put there");
        std::fs::write(&from, "newer").expect("the directory is ours");
        put(&from, &to).expect("the place can be taken over");
        assert_eq!(std::io::read_to_string(open).expect("it is open"), "new");
        assert_eq!(std::fs::read_to_string(&to).expect("it was put there"), "newer");
        std::fs::remove_dir_all(&directory).expect("the directory is ours");
    }
}
