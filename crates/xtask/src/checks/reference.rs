//! The tables of docs/reference.md: every public object has its row, and every row an object, as the catalog has it: functions with
//! arguments and results, types, casts, operators, operator classes, tables and views with their columns.
//!
//! A row of an object that the first release did not have ends with the version that brought it: `(0.2.0)`. An object that a version
//! changed, a function with another argument say, stands in place of the old one and needs none. Schema neardup_internal is nobody's
//! business; forms for `varchar`, `char` and literals of a document that is text are there without a row; what nobody calls by hand is
//! named in one line below the functions.

use crate::build::VERSION;
use crate::check::{Context, Tally, expect};
use crate::command::root;
use crate::error::{Doing, Result};
use crate::psql::{fresh_database, query};
use crate::server::Server;
use crate::upgrade::{Released, releases};
use std::collections::{BTreeMap, BTreeSet};

const DATABASE: &str = "reference";
/// The page, and the headings before and after its tables of objects.
const FILE: &str = "docs/reference.md";
const FROM: &str = "## Types";
const TO: &str = "## Settings";
/// A line with more names than this is the one of what nobody calls by hand.
const MANY_NAMES: usize = 20;

/// All objects of the extension: what each is, its name on the page, its columns where it has some, its comment. Sequences belong to their
/// tables, operator families to their classes.
const OBJECTS: &str = r"
WITH member AS (
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'pg_neardup' AND d.deptype = 'e'
), object AS (
    SELECT 'function' AS kind,
           CASE p.prokind WHEN 'p' THEN 'CALL ' ELSE '' END || CASE n.nspname WHEN 'neardup' THEN 'neardup.' ELSE '' END || p.proname || '('
           || regexp_replace(regexp_replace(regexp_replace(pg_get_function_arguments(p.oid),
                  '::(character varying|double precision|[a-z_]+)(\[\])?', '', 'g'), '\mIN ', '', 'g'), '(INOUT [^,]*) DEFAULT NULL', '\1', 'g') || ')'
           || CASE WHEN p.prokind = 'p' OR 'o' = ANY (p.proargmodes) THEN ''
                   ELSE ' → ' || regexp_replace(pg_get_function_result(p.oid), '^TABLE', '') END AS name,
           p.pronamespace AS namespace, member.*
    FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE pg_get_function_arguments(p.oid) !~ '^document (character|character varying|unknown)\M'
    UNION ALL
    SELECT 'type', t.typname, t.typnamespace, member.* FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
    WHERE t.typelem = 0 AND t.typrelid = 0
    UNION ALL
    SELECT 'table', 'neardup.' || c.relname, c.relnamespace, member.* FROM member JOIN pg_class c ON classid = 'pg_class'::regclass AND objid = c.oid
    WHERE c.relkind <> 'S'
    UNION ALL
    SELECT 'operator', format('%s %s%s %s', oprleft::regtype, CASE n.nspname WHEN 'neardup' THEN 'neardup.' ELSE '' END, oprname, oprright::regtype),
           oprnamespace, member.*
    FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid JOIN pg_namespace n ON n.oid = oprnamespace
    UNION ALL
    SELECT 'cast', format('%s::%s', castsource::regtype, casttarget::regtype), NULL, member.*
    FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
    UNION ALL
    SELECT 'operator class', format('%s USING %s', opcname, amname), opcnamespace, member.*
    FROM member JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am a ON a.oid = opcmethod
    UNION ALL
    SELECT 'object of another class', pg_describe_object(classid, objid, 0), NULL, member.* FROM member
    WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_class'::regclass, 'pg_operator'::regclass, 'pg_cast'::regclass,
                          'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_namespace'::regclass)
)
SELECT kind, name,
       (SELECT string_agg(format('`%s`', attname), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE kind = 'table' AND attrelid = objid AND attnum > 0 AND NOT attisdropped),
       obj_description(objid, classid::regclass::name)
FROM object WHERE namespace IS DISTINCT FROM to_regnamespace('neardup_internal') ORDER BY name";

/// An object as the catalog has it.
struct Object {
    kind: String,
    columns: String,
    comment: String,
}

/// Objects by their names on the page.
type Objects = BTreeMap<String, Object>;

/// Compares the catalog with the page.
pub fn run(context: &Context) -> Result<Tally> {
    let server = context.server()?;
    fresh_database(server, DATABASE)?;
    let objects = objects(server, DATABASE)?;
    let past = past(context)?;
    let path = root().join(FILE);
    let text = std::fs::read_to_string(&path).doing("read", &path)?;
    let section = text.split_once(FROM).and_then(|(_, rest)| Some(rest.split_once(TO)?.0));
    let section = section.ok_or_else(|| format!("{FILE} has no \"{FROM}\" before \"{TO}\""))?;
    let rows: BTreeMap<&str, &str> = rows(section).collect();
    let behind = behind(section);
    let mut tally = Tally::one(!objects.is_empty());
    let invented = rows.keys().copied().filter(|row| !objects.contains_key(*row));
    tally += expect("rows for what is not there", &lines(invented), "");
    let called: BTreeSet<&str> = objects.keys().map(|name| bare(name)).collect();
    let invented = behind.iter().copied().filter(|name| !called.contains(name));
    tally += expect("names of what nobody calls that are not there", &lines(invented), "");
    let missing = objects.iter().filter(|(name, object)| {
        let known = object.kind == "function" && behind.contains(bare(name));
        !rows.contains_key(name.as_str()) && !known
    });
    let missing: Vec<String> = missing.map(|(name, object)| advice(name, object, &past)).collect();
    tally += expect("objects without a row", &missing.join("\n"), "");
    let misdated = rows.iter().filter_map(|(name, row)| misdated(name, row, &objects, &past));
    tally += expect("rows with another version", &misdated.collect::<Vec<_>>().join("\n"), "");
    let tables = objects.iter().filter(|(_, object)| object.kind == "table");
    let otherwise =
        tables.filter(|(name, object)| !rows.get(name.as_str()).is_none_or(|row| row.contains(&object.columns)));
    let otherwise: Vec<String> = otherwise.map(|(name, object)| format!("`{name}` has {}", object.columns)).collect();
    tally += expect("tables and views with other columns", &otherwise.join("\n"), "");
    Ok(tally)
}

/// Reads what the extension in a database consists of.
fn objects(server: &Server, database: &str) -> Result<Objects> {
    let found = query(server, database, &format!("COPY ({OBJECTS}) TO STDOUT WITH (DELIMITER E'\\x01', NULL '')"))?;
    let object = |line: &str| {
        let mut fields = line.split('\u{1}').map(str::to_owned);
        let (kind, name) = (fields.next()?, fields.next()?);
        Some((name, Object { kind, columns: fields.next()?, comment: fields.next()? }))
    };
    Ok(found.lines().filter_map(object).collect())
}

/// The earlier releases, oldest first, with what they had.
fn past(context: &Context) -> Result<Vec<(String, Objects)>> {
    let server = context.server()?;
    let mut past = Vec::new();
    for release in releases()?.into_iter().filter(|release| release != VERSION) {
        query(server, "postgres", &format!("DROP DATABASE IF EXISTS {DATABASE}_past"))?;
        query(server, "postgres", &format!("CREATE DATABASE {DATABASE}_past"))?;
        let database = format!("{DATABASE}_past");
        let script = Released::install(&context.postgres, &release)?;
        query(server, &database, &format!("CREATE EXTENSION pg_neardup VERSION '{release}'"))?;
        drop(script);
        let then = objects(server, &database)?;
        past.push((release, then));
    }
    Ok(past)
}

/// The version that brought an object.
fn since<'a>(name: &str, past: &'a [(String, Objects)]) -> &'a str {
    past.iter().find(|(_, then)| then.contains_key(name)).map_or(VERSION, |(release, _)| release)
}

/// Whether an object is as old as the first release, for whose objects nothing is said.
fn is_of_the_first(version: &str, past: &[(String, Objects)]) -> bool {
    past.first().is_none_or(|(first, _)| first == version)
}

/// What to write at the end of an object's row.
fn mark(name: &str, past: &[(String, Objects)]) -> String {
    let version = since(name, past);
    if is_of_the_first(version, past) { String::new() } else { format!(" ({version})") }
}

/// Says what is wrong with the version at the end of a row.
fn misdated(name: &str, row: &str, objects: &Objects, past: &[(String, Objects)]) -> Option<String> {
    let replaces = |then: &Objects| then.keys().any(|old| bare(old) == bare(name) && !objects.contains_key(old));
    let text = row.trim_end_matches(['|', ' ']);
    let said = text.strip_suffix([')', '）']).and_then(|text| Some(text.rsplit_once(['(', '（'])?.1));
    let said = said.filter(|said| said.split('.').count() == 3 && said.split('.').all(|n| n.parse::<u32>().is_ok()));
    let version = since(name, past);
    let expected = Some(version).filter(|version| !is_of_the_first(version, past));
    let changed = past.iter().any(|(_, then)| !then.contains_key(name) && replaces(then));
    if said == expected || said.is_none() && changed || !objects.contains_key(name) {
        return None;
    }
    let end = expected.map_or_else(|| "nothing".to_owned(), |version| format!("\"({version})\""));
    Some(format!("`{name}` is there since {version}: the row ends with {end}"))
}

/// What to write for an object that has no row.
fn advice(name: &str, object: &Object, past: &[(String, Objects)]) -> String {
    let mark = mark(name, past);
    let columns = if object.columns.is_empty() { String::new() } else { format!(": {}", object.columns) };
    let behind = match object.kind.as_str() {
        "function" => format!("\n    or, if nobody calls it by hand: `{}` in the line of such names", bare(name)),
        _ => String::new(),
    };
    format!("write a row for this {}:\n| `{name}` | {}{columns}{mark} |{behind}", object.kind, object.comment)
}

/// A function's name without arguments.
fn bare(name: &str) -> &str {
    name.strip_prefix("CALL ").unwrap_or(name).split('(').next().unwrap_or(name)
}

fn lines<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join("\n")
}

/// What the rows of the tables are for, each with its row: the code spans of the first column.
fn rows(section: &str) -> impl Iterator<Item = (&str, &str)> {
    section.lines().filter(|line| line.starts_with("| `")).flat_map(|line| {
        let cell = line.split(" | ").next().unwrap_or(line);
        cell.split('`').skip(1).step_by(2).map(move |span| (span, line))
    })
}

/// The names of what nobody calls by hand.
fn behind(section: &str) -> BTreeSet<&str> {
    let names = |line| str::split(line, '`').skip(1).step_by(2);
    let of_many = section.lines().filter(|line| !line.starts_with('|') && names(line).count() > MANY_NAMES);
    of_many.flat_map(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_give_what_they_are_for() {
        let table = "| `f(a text) → simhash` | the `g(x)` of it |\n| `CALL neardup.p(t regclass, INOUT n bigint)` | x |\n| `a <~> b`, `c <~> d` | y |\ntext `h` |\n";
        let found: Vec<&str> = rows(table).map(|(name, _)| name).collect();
        assert_eq!(found, ["f(a text) → simhash", "CALL neardup.p(t regclass, INOUT n bigint)", "a <~> b", "c <~> d"]);
        assert_eq!(found.iter().map(|name| bare(name)).next_back(), Some("c <~> d"));
        assert_eq!(bare(found[1]), "neardup.p");
    }

    #[test]
    fn what_is_younger_than_the_first_release_says_so() {
        let object = || Object { kind: "function".into(), columns: String::new(), comment: "does it".into() };
        let of = |names: &[&str]| -> Objects { names.iter().map(|name| ((*name).to_owned(), object())).collect() };
        let past = [("0.1.0".to_owned(), of(&["old()", "changed(a)"]))];
        let now = of(&["old()", "changed(a, b)", "new()"]);
        let new = format!("| `new()` | x ({VERSION}) |");
        for row in ["| `old()` | x |", "| `changed(a, b)` | x |", "| `changed(a, b)` | x (f)(1) |", new.as_str()] {
            let name = row.split('`').nth(1).unwrap_or_default();
            assert_eq!(misdated(name, row, &now, &past), None, "{row}");
        }
        let old = format!("| `old()` | x ({VERSION}) |");
        for row in [old.as_str(), "| `new()` | x |", "| `new()` | x（0.1.0）|", "| `new()` | (9.9.9) |"] {
            let name = row.split('`').nth(1).unwrap_or_default();
            assert!(misdated(name, row, &now, &past).is_some(), "{row}");
        }
        assert!(advice("new()", &object(), &past).contains(&format!("does it ({VERSION}) |")));
    }

    #[test]
    fn the_line_of_many_names_is_found() {
        let line =
            format!("Behind: {}\n`x` alone\n", (0..30).map(|i| format!("`f{i}`")).collect::<Vec<_>>().join(", "));
        assert!(behind(&line).contains("f29") && !behind(&line).contains("x"));
    }
}
