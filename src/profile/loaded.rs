//! Profiles by name, loaded once in each backend.
//!
//! A version never changes and its number is never reused, so a loaded version stays valid for ever. Every statement looks up again
//! which version a name means, and whether the user may use it.

use std::cell::RefCell;
use std::rc::Rc;

use neardup_core::profile::{Profile, Statistics};
use neardup_text::{Analyzer, Scratch};
use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{Result, report};
use crate::pg::table::read::{KeptQuery, Parameter, QueryKey};
use crate::text::analyzer::{self, PROFILE_PREFIX};

/// How much memory the profiles of a backend may take, of which the one in use may take more: a few of usual size.
const KEPT_BYTES: usize = 128 << 20;
/// What a profile takes besides its statistics: a model of jieba with house words.
const MODEL_BYTES: usize = 31 << 20;

/// How many of them are kept.
const MAX_RESOLVED: usize = 16;

thread_local! {
    /// By version, most recently used last.
    static LOADED: RefCell<Vec<(i32, Rc<Profile>)>> = const { RefCell::new(Vec::new()) };
    /// What names stood for, by query; a query uses one or two.
    static RESOLVED: RefCell<Vec<(QueryKey, String, i32)>> = const { RefCell::new(Vec::new()) };
    static READERS: RefCell<Option<Rc<Readers>>> = const { RefCell::new(None) };
}

struct Readers {
    version: KeptQuery,
    content: KeptQuery,
}

fn readers() -> Rc<Readers> {
    if let Some(readers) = READERS.with_borrow(Clone::clone) {
        return readers;
    }
    let readers = Rc::new(Readers {
        version: KeptQuery::prepare(
            "SELECT v.version FROM neardup.profile_versions v WHERE v.name OPERATOR(pg_catalog.=) $1 \
             AND ($2 IS NULL OR v.version OPERATOR(pg_catalog.=) $2) ORDER BY v.version DESC LIMIT 1",
            &[pg_sys::TEXTOID, pg_sys::INT4OID],
        ),
        content: KeptQuery::prepare(
            "SELECT v.analyzer, pg_catalog.array_to_string(v.words, E'\\n'), v.statistics \
             FROM neardup.profile_versions v WHERE v.version OPERATOR(pg_catalog.=) $1",
            &[pg_sys::INT4OID],
        ),
    });
    READERS.replace(Some(Rc::clone(&readers)));
    readers
}

/// Splits `name@version`; without a version the newest is meant.
fn split(reference: &str) -> (&str, Option<i32>) {
    reference
        .rsplit_once('@')
        .and_then(|(name, version)| Some((name, Some(version.parse().ok()?))))
        .unwrap_or((reference, None))
}

/// The version that a name, perhaps with `@version`, stands for.
fn resolve(reference: &str, role: Option<pg_sys::Oid>) -> Result<i32> {
    let now = QueryKey::now(role);
    let known = RESOLVED.with_borrow(|resolved| {
        let mut at_present = resolved.iter().filter(|(key, _, _)| *key == now);
        at_present.find(|(_, name, _)| name == reference).map(|&(_, _, version)| version)
    });
    if let Some(version) = known {
        return Ok(version);
    }
    let (name, version) = split(reference);
    let values = [Parameter::Text(name), Parameter::Integer(version)];
    let found = readers().version.first_row(role, &values, |row| row.get::<i32>(1)).flatten();
    let Some(found) = found else {
        let missing = match version {
            Some(version) => format!("profile \"{name}\" has no version {version}"),
            None => format!("profile \"{name}\" does not exist"),
        };
        return Err(ErrorReport::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, missing, "profile")
            .set_hint("See SELECT * FROM neardup.profiles, which lists those that your roles own."));
    };
    RESOLVED.with_borrow_mut(|resolved| {
        if resolved.len() == MAX_RESOLVED {
            resolved.clear();
        }
        resolved.push((now, reference.to_owned(), found));
    });
    Ok(found)
}

fn load(version: i32, role: Option<pg_sys::Oid>) -> Result<Rc<Profile>> {
    let known = LOADED.with_borrow_mut(|loaded| {
        let at = loaded.iter().rposition(|(known, _)| *known == version)?;
        let used = loaded.remove(at);
        let profile = Rc::clone(&used.1);
        loaded.push(used);
        Some(profile)
    });
    if let Some(profile) = known {
        return Ok(profile);
    }
    let profile = readers().content.first_row(role, &[Parameter::Integer(Some(version))], |row| {
        let analyzer: String = row.get(1).unwrap_or_default();
        let words: String = row.get(2).unwrap_or_default();
        row.with_bytes(3, |statistics| Profile::new(&analyzer, words.lines(), statistics))
    });
    let gone = || {
        let message = format!("version {version} of a profile has been dropped");
        ErrorReport::new(PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT, message, "profile")
    };
    let profile = Rc::new(profile.ok_or_else(gone)?.map_err(report)?);
    LOADED.with_borrow_mut(|loaded| {
        loaded.push((version, Rc::clone(&profile)));
        let size = |loaded: &[(i32, Rc<Profile>)]| loaded.iter().map(|(_, profile)| size_of(profile)).sum::<usize>();
        while loaded.len() > 1 && size(loaded) > KEPT_BYTES {
            loaded.remove(0);
        }
    });
    Ok(profile)
}

fn size_of(profile: &Profile) -> usize {
    MODEL_BYTES + profile.statistics().map_or(0, Statistics::size)
}

/// Runs `work` with a profile, given as `name` or `name@version`, with or without `profile:` before it.
///
/// It is read with the rights of `role`, or of the current user.
pub fn with<T>(
    reference: &str,
    role: Option<pg_sys::Oid>,
    work: impl FnOnce(&Profile, &mut Scratch) -> T,
) -> Result<T> {
    let reference = reference.strip_prefix(PROFILE_PREFIX).unwrap_or(reference);
    let profile = load(resolve(reference, role)?, role)?;
    Ok(analyzer::with_scratch(|scratch| work(&profile, scratch)))
}

/// Runs `work` with the analyzer that `text` stands for, which may be a profile: `profile:name` or `profile:name@version`.
///
/// Only for callers that are not IMMUTABLE. A profile is read with the rights of `role`, or of the current user.
pub fn with_analyzer<T>(
    text: &str,
    role: Option<pg_sys::Oid>,
    work: impl FnOnce(&Analyzer, &mut Scratch) -> T,
) -> Result<T> {
    if text.trim_start().starts_with(PROFILE_PREFIX) {
        return with(text.trim(), role, |profile, scratch| work(profile.analyzer(), scratch));
    }
    analyzer::with(text, work)
}

/// Returns the text of an analyzer with the version that a profile in it stands for now.
pub fn pinned(text: &str) -> Result<String> {
    let Some(reference) = text.trim().strip_prefix(PROFILE_PREFIX) else { return Ok(text.to_owned()) };
    let version = resolve(reference, None)?;
    Ok(format!("{PROFILE_PREFIX}{}@{version}", split(reference).0))
}
