//! Upgrades from one release to the next: what the catalog of an upgraded database lacks beside a fresh one, and the statements
//! that bring it.
//!
//! `sql/releases/` keeps the installation script of each release as it was published; they are never installed for users, only for
//! the length of a check. [`compare`] makes a database at a release, runs the upgrade script that is there, and compares: the check
//! `upgrade` wants no difference, [`draft`] writes the differences down as SQL. The extension's schema has a name of its own
//! meanwhile, so that a draft says `@extschema@` wherever a script has to, and a script that says `public` is found out.

use crate::build::{Profile, VERSION, build_and_install, target};
use crate::command::{root, text};
use crate::error::{Doing, Result};
use crate::interrupt::{Disposable, dispose, on_exit};
use crate::postgres::{Choice, Postgres};
use crate::psql::{psql, query};
use crate::say;
use crate::server::Server;
use crate::setup;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

const SNAPSHOT: &str = include_str!("upgrade/snapshot.sql");
/// Stands for `@extschema@`.
const SCHEMA: &str = "at_extschema";
const NULL: &str = "\u{1}";

/// The released versions, oldest first.
pub fn releases() -> Result<Vec<String>> {
    let directory = root().join("sql/releases");
    let mut versions = Vec::new();
    for entry in std::fs::read_dir(&directory).doing("list", &directory)? {
        let name = entry.doing("list", &directory)?.file_name().to_string_lossy().into_owned();
        let version = name.strip_prefix("pg_neardup--").and_then(|rest| rest.strip_suffix(".sql"));
        versions.extend(version.map(str::to_owned));
    }
    versions.sort_by_key(|version| version.split('.').map(|n| n.parse::<u32>().ok()).collect::<Vec<_>>());
    Ok(versions)
}

/// A release's installation script in the server's directory, as long as the value lives.
pub struct Released(Arc<dyn Disposable>);

struct Script(PathBuf);

impl Released {
    /// Puts it there.
    pub fn install(postgres: &Postgres, version: &str) -> Result<Self> {
        let name = format!("pg_neardup--{version}.sql");
        let from = root().join("sql/releases").join(&name);
        let directory = PathBuf::from(postgres.ask("--sharedir")?);
        let to = directory.join("extension").join(&name);
        std::fs::copy(&from, &to).doing("write", &to)?;
        let script: Arc<dyn Disposable> = Arc::new(Script(to));
        on_exit(script.clone());
        Ok(Self(script))
    }
}

impl Drop for Released {
    fn drop(&mut self) {
        dispose(&self.0);
    }
}

impl Disposable for Script {
    fn dispose(&self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            eprintln!("cannot remove {}: {error}", self.0.display());
        }
    }
}

/// One fact about an object of the extension: see `snapshot.sql`.
#[derive(Clone, Debug, PartialEq)]
struct Fact {
    position: u64,
    value: Option<String>,
    part: bool,
    addition: Option<String>,
    change: Option<String>,
    removal: Option<String>,
}

/// All facts, by object and aspect.
type Snapshot = BTreeMap<(String, String), Fact>;

/// What an upgraded database is beside a fresh one.
pub struct Comparison {
    upgraded: Snapshot,
    fresh: Snapshot,
}

/// Makes a database at `release`, upgrades it as far as a script can be found, and one at this version; compares.
pub fn compare(server: &Server, postgres: &Postgres, release: &str) -> Result<Comparison> {
    let script = Released::install(postgres, release)?;
    let make = |database: &str, then: &str| {
        query(server, "postgres", &format!("DROP DATABASE IF EXISTS {database}"))?;
        query(server, "postgres", &format!("CREATE DATABASE {database}"))?;
        query(server, database, &format!("CREATE SCHEMA {SCHEMA}; CREATE EXTENSION pg_neardup SCHEMA {SCHEMA} {then}"))
    };
    make("upgrade_from", &format!("VERSION '{release}'"))?;
    make("upgrade_fresh", "")?;
    if has_path(server, release)? {
        query(server, "upgrade_from", "ALTER EXTENSION pg_neardup UPDATE")?;
    }
    drop(script);
    Ok(Comparison { upgraded: snapshot(server, "upgrade_from")?, fresh: snapshot(server, "upgrade_fresh")? })
}

/// Whether there are upgrade scripts from a release to this version.
pub fn has_path(server: &Server, release: &str) -> Result<bool> {
    let path = format!(
        "SELECT path IS NOT NULL FROM pg_extension_update_paths('pg_neardup') WHERE (source, target) = ('{release}', '{VERSION}')"
    );
    Ok(release == VERSION || query(server, "postgres", &path)? == "t")
}

fn snapshot(server: &Server, database: &str) -> Result<Snapshot> {
    let mut psql = psql(server, database);
    psql.args(["-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-F", "\u{1f}", "-R", "\u{1e}", "-P"]);
    psql.arg(format!("null={NULL}")).args(["-c", "SET search_path = pg_catalog", "-c", SNAPSHOT]);
    let rows = text(&mut psql)?;
    let mut snapshot = Snapshot::new();
    for row in rows.split('\u{1e}') {
        let mut fields = row.split('\u{1f}').map(|field| Some(field.to_owned()).filter(|field| field != NULL));
        let mut next = || fields.next().flatten();
        let (position, object, aspect) = (next(), next().unwrap_or_default(), next().unwrap_or_default());
        let position = position.and_then(|p| p.trim().parse().ok()).ok_or_else(|| format!("cannot read {row}"))?;
        let value = next();
        let part = next().as_deref() == Some("t");
        let fact = Fact { position, value, part, addition: next(), change: next(), removal: next() };
        snapshot.insert((object, aspect), fact);
    }
    Ok(snapshot)
}

impl Comparison {
    /// A line or more for each difference.
    pub fn differences(&self) -> Vec<String> {
        let keys: BTreeSet<_> = self.upgraded.keys().chain(self.fresh.keys()).collect();
        let shown = |fact: Option<&Fact>| match fact {
            Some(fact) => fact.value.clone().unwrap_or_else(|| "NULL".into()),
            None => "(is not there)".into(),
        };
        let different = keys.into_iter().filter_map(|key| {
            let (upgraded, fresh) = (self.upgraded.get(key), self.fresh.get(key));
            if upgraded.map(|fact| &fact.value) == fresh.map(|fact| &fact.value) {
                return None;
            }
            let (object, aspect) = key;
            Some(format!("{object}, {aspect}\n  upgraded: {}\n  fresh:    {}", shown(upgraded), shown(fresh)))
        });
        different.collect()
    }

    /// The statements that make the upgraded database like the fresh one, in an order that can be executed, each after what it may
    /// refer to; and how many of them want a hand.
    pub fn statements(&self) -> (Vec<String>, usize) {
        let objects = |of: &Snapshot| of.keys().map(|(object, _)| object.clone()).collect::<BTreeSet<_>>();
        let (before, now) = (objects(&self.upgraded), objects(&self.fresh));
        let place_of = |object: &str| {
            let facts = self.fresh.iter().filter(|((of, _), _)| of == object);
            facts.map(|(_, fact)| fact.position).max().unwrap_or(u64::MAX)
        };
        let mut steps: Vec<((u64, u8, u64), String)> = Vec::new();
        for ((object, aspect), fact) in &self.fresh {
            let rank = match aspect.as_str() {
                " shell" => 0,
                "definition" => 2,
                _ if fact.part => 1,
                _ => 3,
            };
            let statement = match self.upgraded.get(&(object.clone(), aspect.clone())) {
                Some(old) if old.value == fact.value => continue,
                // A part of what is new as a whole.
                None if fact.part && !before.contains(object) => continue,
                None => fact.addition.clone().ok_or(None),
                Some(old) => fact.change.clone().ok_or(old.value.clone()),
            };
            let statement = statement.unwrap_or_else(|old| {
                let commented =
                    |value: &Option<String>| value.as_deref().unwrap_or("nothing").replace('\n', "\n--         ");
                format!(
                    "-- BY HAND: {object}, {aspect}\n--   was:  {}\n--   is:   {}",
                    commented(&old),
                    commented(&fact.value)
                )
            });
            steps.push(((fact.position, rank, fact.position), statement));
        }
        for ((object, aspect), fact) in &self.upgraded {
            if self.fresh.contains_key(&(object.clone(), aspect.clone())) || (!now.contains(object) && fact.part) {
                continue;
            }
            let statement =
                fact.removal.clone().unwrap_or_else(|| format!("-- BY HAND: {object}, {aspect}, is no more"));
            // What is gone as a whole goes last, the youngest first, and its comment and privileges with it.
            if now.contains(object) {
                steps.push(((place_of(object), if fact.part { 1 } else { 3 }, fact.position), statement));
            } else if aspect == "definition" {
                let statement = format!("{statement} -- by hand: is it to go, and what of those who use it?");
                steps.push(((u64::MAX, 0, u64::MAX - fact.position), statement));
            }
        }
        steps.sort();
        let mut seen = BTreeSet::new();
        let statements = steps.into_iter().map(|(_, statement)| in_a_script(&statement));
        let statements: Vec<String> = statements.filter(|s| !s.is_empty() && seen.insert(s.clone())).collect();
        let by_hand = statements.iter().filter(|s| s.contains("-- by hand") || s.contains("-- BY HAND")).count();
        (statements, by_hand)
    }
}

/// A statement as an extension's script has it.
fn in_a_script(statement: &str) -> String {
    statement.replace("AS 'pg_neardup', ", "AS 'MODULE_PATHNAME', ").replace(SCHEMA, "@extschema@")
}

/// `cargo xtask upgrade-draft`: writes what the upgrade script from a release still lacks to a file below `target/`.
pub fn draft(choice: &Choice, from: Option<&str>) -> Result {
    let released = releases()?;
    let release = match from {
        Some(version) if released.iter().any(|release| release == version) => version,
        Some(version) => return Err(format!("{version} is not among the releases: {}", released.join(", ")).into()),
        None => released.last().map(String::as_str).ok_or("there is no release in sql/releases")?,
    };
    let postgres = setup::ensure(choice)?;
    build_and_install(&postgres, Profile::Release)?;
    let server = Server::start(&postgres)?;
    let script = format!("sql/pg_neardup--{release}--{VERSION}.sql");
    say::step(&format!("comparing {release}, upgraded by {script} as it is, with a fresh {VERSION}"));
    if !has_path(&server, release)? {
        say::note("there is no such script yet");
    }
    let comparison = compare(&server, &postgres, release)?;
    let (statements, by_hand) = comparison.statements();
    if statements.is_empty() {
        say::note("nothing is lacking");
        return Ok(());
    }
    let file = target()?.join("upgrade-draft.sql");
    std::fs::write(&file, format!("{}\n", statements.join("\n\n"))).doing("write", &file)?;
    say::note(&format!("{} statements in {}, {by_hand} of them want a hand", statements.len(), file.display()));
    say::note(&format!("read them, append them to {script}, and run this again until nothing is lacking"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(position: u64, value: &str, part: bool) -> Fact {
        let statement = |what: &str| Some(format!("{what} {value};"));
        Fact {
            position,
            value: Some(value.into()),
            part,
            addition: statement("add"),
            change: statement("change to"),
            removal: statement("remove"),
        }
    }

    fn snapshot(facts: &[(&str, &str, Fact)]) -> Snapshot {
        facts.iter().map(|(object, aspect, fact)| ((object.to_string(), aspect.to_string()), fact.clone())).collect()
    }

    #[test]
    fn statements_come_in_the_order_of_creation_and_parts_only_where_the_whole_was() {
        let upgraded = snapshot(&[
            ("table t", "definition", fact(1, "t", false)),
            ("function old", "definition", fact(2, "old", false)),
            ("function f", "definition", fact(3, "f of yesterday", false)),
        ]);
        let fresh = snapshot(&[
            ("table t", "definition", fact(1, "t", false)),
            ("table t", "column 2", fact(1, "column of t", true)),
            ("table a", "definition", fact(9, "a", false)),
            ("table a", "column 1", fact(9, "column of a", true)),
            ("table a", "comment", fact(9, "words on a", false)),
            ("function f", "definition", fact(5, "f of at_extschema", false)),
        ]);
        let comparison = Comparison { upgraded, fresh };
        let (statements, by_hand) = comparison.statements();
        let expected = [
            "add column of t;",
            "change to f of @extschema@;",
            "add a;",
            "add words on a;",
            "remove old; -- by hand: is it to go, and what of those who use it?",
        ];
        assert_eq!(statements, expected);
        assert_eq!(by_hand, 1);
        assert_eq!(comparison.differences().len(), 6);
    }

    #[test]
    fn what_no_statement_can_do_is_left_to_a_hand() {
        let hard = Fact { change: None, ..fact(1, "new", false) };
        let comparison = Comparison {
            upgraded: snapshot(&[("type t", "definition", fact(1, "old", false))]),
            fresh: snapshot(&[("type t", "definition", hard)]),
        };
        let (statements, by_hand) = comparison.statements();
        assert_eq!((statements.len(), by_hand), (1, 1));
        assert!(statements[0].starts_with("-- BY HAND: type t, definition"), "{statements:?}");
    }
}
