//! Builds the extension and installs it into a server's directories.
//!
//! The files are laid out under `target/`, in the tree they will have below `/`; then those that differ are copied. So an
//! unchanged tree needs no build, an ordinary user can build, and only the copying needs privileges. The few steps that
//! cargo-pgrx adds to cargo are done here, because installing that program takes longer than everything else.

use crate::command::{cargo, root, run, text};
use crate::postgres::{DEFAULT_MAJOR, Postgres};
use crate::{files, say};
use anyhow::{Context, Error, Result, bail};
use object::{Object, ObjectSection};
use pgrx_sql_entity_graph::section::{decode_entities, is_schema_section_name};
use pgrx_sql_entity_graph::{ControlFile, PgrxSql, SqlGraphEntity};
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;

/// The version of this tree.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The crates of the extension that do not know Postgres.
pub const CRATES: [&str; 5] = ["neardup-text", "neardup-core", "neardup-verdict", "neardup-page", "neardup-chart"];

/// A profile of Cargo.toml.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// Compiles faster; for the demo.
    Demo,
    /// For tests, measurements, installation and packages.
    Release,
}

impl Profile {
    const fn name(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Release => "release",
        }
    }
}

/// Builds the extension for this Postgres if anything has changed, and installs it there.
pub fn build_and_install(postgres: &Postgres, profile: Profile) -> Result<()> {
    install(&build(postgres, profile)?)
}

/// Builds the extension for this Postgres if anything has changed. Returns the directory with its files, laid out as below `/`.
pub fn build(postgres: &Postgres, profile: Profile) -> Result<PathBuf> {
    build_by(postgres, profile, run)
}

/// Does so in a thread, with the messages of the compiler kept for an error: the last minutes of a release build keep one core busy, and checks that need no
/// server the other.
pub fn build_beside(postgres: &Postgres) -> JoinHandle<Result<PathBuf>> {
    let postgres = postgres.clone();
    std::thread::spawn(move || build_by(&postgres, Profile::Release, |command| text(command).map(drop)))
}

fn build_by(
    postgres: &Postgres,
    profile: Profile,
    compile: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<PathBuf> {
    let directory = target()?.join("package");
    let state = format!("{} {:016x}\n", postgres.pg_config.display(), digest_of_sources()?);
    let package = |profile: Profile| match profile {
        Profile::Release => directory.join(format!("pg{}", postgres.major)),
        Profile::Demo => directory.join(format!("pg{}-demo", postgres.major)),
    };
    let is_current = |profile| {
        let stamp = package(profile).with_extension("stamp");
        package(profile).is_dir() && fs_err::read_to_string(stamp).is_ok_and(|content| content == state)
    };
    // If a release build exists, it serves the demo, too.
    if let Some(current) = [Profile::Release, profile].into_iter().find(|profile| is_current(*profile)) {
        return Ok(package(current));
    }
    let package = package(profile);
    let estimate = match profile {
        Profile::Demo => "building the extension for a look (2 to 6 minutes the first time on two cores, then less)",
        Profile::Release => "building the release extension (about 5 minutes the first time on two cores, then less)",
    };
    say::during(estimate, |_| {
        let mut command = cargo();
        command.args(["rustc", "--lib", "--package", "pg_neardup", "--profile", profile.name()]);
        for_postgres(&mut command, postgres);
        if cfg!(target_os = "linux") {
            // Nothing refers to the section that describes the SQL, so the linker would drop it.
            command.args(["--", "-Clink-arg=-Wl,--no-gc-sections"]);
        }
        compile(&mut command)?;
        if package.exists() {
            fs_err::remove_dir_all(&package)?;
        }
        lay_out(&target()?.join(profile.name()), postgres, &package)
    })?;
    let stamp = package.with_extension("stamp");
    fs_err::write(&stamp, state)?;
    Ok(package)
}

/// The major versions besides the default one.
const MAJORS: [u32; 3] = [16, 17, 18];

/// Compiles the extension, without linking, for the other major versions of Postgres. None of them has to be installed: pgrx ships the bindings of each for docs.rs, and the wrapper script `docsrs` makes the compiler use them.
pub fn check_majors() -> Result<()> {
    let place = target()?.join("majors");
    for major in MAJORS {
        let mut check = cargo();
        check.args(["check", "--package", "pg_neardup", "--no-default-features", "--features", &format!("pg{major}")]);
        check
            .env("DOCS_RS", "1")
            .env("RUSTC_WRAPPER", root().join("crates/xtask/docsrs"))
            .env("CARGO_TARGET_DIR", &place);
        let what = format!("checking that it compiles for PostgreSQL {major} (about 2 minutes the first time)");
        say::during(&what, |_| run(&mut check))?;
    }
    Ok(())
}

/// Sets the environment and the feature arguments that make cargo build against this Postgres.
pub fn for_postgres<'a>(command: &'a mut Command, postgres: &Postgres) -> &'a mut Command {
    command.env("PGRX_PG_CONFIG_PATH", &postgres.pg_config);
    if postgres.major != DEFAULT_MAJOR {
        command.args(["--no-default-features", "--features", &format!("pg_neardup/pg{}", postgres.major)]);
    }
    command
}

/// Puts the library, the control file and the scripts into their directories below `package`.
fn lay_out(built: &Path, postgres: &Postgres, package: &Path) -> Result<()> {
    let library = built.join(format!("{}pg_neardup{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX));
    let below = |option: &str, name: &str| -> Result<PathBuf> {
        let directory = postgres.ask(option)?;
        let directory = package.join(directory.trim_start_matches('/')).join(name);
        fs_err::create_dir_all(&directory)?;
        Ok(directory)
    };
    let suffix = if postgres.major < 16 { ".so" } else { std::env::consts::DLL_SUFFIX };
    let (libraries, scripts) = (below("--pkglibdir", "")?, below("--sharedir", "extension")?);
    fs_err::copy(&library, libraries.join(format!("pg_neardup{suffix}")))?;
    let control = root().join("pg_neardup.control");
    let text = fs_err::read_to_string(&control)?.replace("@CARGO_VERSION@", VERSION);
    fs_err::write(scripts.join("pg_neardup.control"), text)?;
    schema(&library, &control, &scripts.join(format!("pg_neardup--{VERSION}.sql")))?;
    for file in files::below(&root().join("sql"))? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("pg_neardup--") && name.matches("--").count() == 2 {
            fs_err::copy(&file, scripts.join(name))?;
        }
    }
    Ok(())
}

/// Writes the installation script, which pgrx describes in a section of the library.
fn schema(library: &Path, control: &Path, to: &Path) -> Result<()> {
    let data = fs_err::read(library)?;
    let object = object::File::parse(&*data)?;
    let section = object.sections().find(|section| section.name().is_ok_and(is_schema_section_name));
    let section = section.with_context(|| format!("{} has no description of its SQL", library.display()))?;
    let control = ControlFile::from_path_with_cargo_version(control, VERSION).map_err(Error::msg)?;
    let entities = decode_entities(section.data()?).map_err(Error::msg)?;
    let entities = std::iter::once(SqlGraphEntity::ExtensionRoot(control)).chain(entities);
    PgrxSql::build(entities, "pg_neardup".into(), false).and_then(|sql| sql.to_file(to)).map_err(Error::msg)
}

/// Returns cargo's output directory.
pub fn target() -> Result<PathBuf> {
    let metadata = text(cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap_or_default();
    Ok(metadata["target_directory"].as_str().map_or_else(|| root().join("target"), PathBuf::from))
}

/// Computes a digest of everything that goes into the extension: its sources, the versions of their dependencies, the compiler.
fn digest_of_sources() -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    hasher.write(text(Command::new("rustc").arg("-Vv"))?.as_bytes());
    let crates = CRATES.map(|name| format!("crates/{name}"));
    let others = ["Cargo.toml", "Cargo.lock", "pg_neardup.control", ".cargo", "src", "sql"].map(str::to_owned);
    for part in others.into_iter().chain(crates) {
        for file in files::below(&root().join(part))? {
            hasher.write(file.as_os_str().as_encoded_bytes());
            hasher.write(&fs_err::read(&file)?);
        }
    }
    Ok(hasher.finish())
}

/// Copies the files of a built extension to where they belong, those that differ.
pub fn install(package: &Path) -> Result<()> {
    let mut changed = Vec::new();
    for file in files::below(package)? {
        let to = Path::new("/").join(file.strip_prefix(package).unwrap_or(&file));
        if fs_err::read(&to).ok() != Some(fs_err::read(&file)?) {
            changed.push((file, to));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    say::step("installing it");
    for (from, to) in &changed {
        if let Err(error) = put(from, to) {
            let mode = |file: &Path| if file.extension().is_some_and(|e| e == "so") { "755" } else { "644" };
            let by_hand = changed
                .iter()
                .map(|(from, to)| format!("    sudo install -D -m {} {} {}\n", mode(to), from.display(), to.display()));
            let by_hand: String = by_hand.collect();
            let to = to.display();
            bail!("cannot write {to}: {error}\ncopy the files, then run the command again:\n\n{by_hand}");
        }
        say::note(&to.display().to_string());
    }
    Ok(())
}

/// Replaces the old file by a new one, so that a server that has the old library open keeps it unchanged.
fn put(from: &Path, to: &Path) -> std::io::Result<()> {
    if let Some(directory) = to.parent() {
        fs_err::create_dir_all(directory)?;
    }
    let beside = to.with_extension("new");
    fs_err::copy(from, &beside)?;
    fs_err::rename(&beside, to)
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_replaced_file_leaves_the_open_one_alone() {
        let directory = std::env::temp_dir().join(format!("neardup-put-{}", std::process::id()));
        fs_err::create_dir_all(&directory).expect("the directory is ours");
        let (from, to) = (directory.join("from"), directory.join("below/to.so"));
        fs_err::write(&from, "new").expect("the directory is ours");
        put(&from, &to).expect("nothing is there");
        let open = fs_err::File::open(&to).expect("it was put there");
        fs_err::write(&from, "newer").expect("the directory is ours");
        put(&from, &to).expect("it can be replaced");
        assert_eq!(std::io::read_to_string(open).expect("it is open"), "new");
        assert_eq!(fs_err::read_to_string(&to).expect("it was put there"), "newer");
        fs_err::remove_dir_all(&directory).expect("the directory is ours");
    }
}
