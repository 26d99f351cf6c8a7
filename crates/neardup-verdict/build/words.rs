//! Makes tables of the words of languages in `data/`. Each file says in its first lines what its columns are; an editor of one needs to know
//! no Rust.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use super::Result;

/// A line of a file of words: its columns.
type Row = Vec<String>;

/// Reads the lines of a file that are no comments.
fn rows(name: &str) -> Result<Vec<Row>> {
    let path = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("data").join(format!("{name}.tsv"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows: Vec<Row> = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    match rows.iter().find(|row| row.len() != rows[0].len()) {
        Some(row) => Err(format!("{name}.tsv: a line with another number of columns: {row:?}").into()),
        None => Ok(rows),
    }
}

/// Returns the words of a column in which commas separate them.
fn listed(words: &str) -> impl Iterator<Item = &str> {
    words.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// Returns the words of all lines of a kind, in which spaces separate them.
fn of_kind(rows: &[Row], kind: &str) -> Vec<String> {
    let lines = rows.iter().filter(|row| row[1] == kind);
    lines.flat_map(|row| row[2].split(' ').map(|word| word.replace('_', " ").replace("\\n", "\n"))).collect()
}

/// Writes all tables.
pub(super) fn write(out: &Path) -> Result<()> {
    println!("cargo::rerun-if-changed=data");
    fs::write(out.join("vocabulary.rs"), vocabulary()?)?;
    fs::write(out.join("measures.rs"), measures()?)?;
    fs::write(out.join("number_words.rs"), numbers()?)?;
    fs::write(out.join("status.rs"), status()?)?;
    fs::write(out.join("synonyms.rs"), synonyms()?)?;
    for (file, lists, sets) in [
        (
            "credits",
            &["credit", "note", "dateline", "closing", "line", "reporter", "field", "feed", "denial"][..],
            &["publisher"][..],
        ),
        ("names", &["no_person", "country", "media"], &["family", "place", "function"]),
        ("characters", &[], &["series", "article", "measure", "filler"]),
    ] {
        fs::write(out.join(format!("{file}_lists.rs")), lists_of(file, lists, sets)?)?;
    }
    Ok(())
}

/// Words with a meaning in dates and numbers, and words that name nothing.
fn vocabulary() -> Result<String> {
    let mut table = String::from("static WORDS_OF_DATA: &[(&str, Meaning)] = &[\n");
    for row in rows("scales")? {
        let power: i8 = row[1].parse()?;
        for word in listed(&row[2]) {
            writeln!(table, "({word:?}, Meaning::Scale({power})),")?;
        }
    }
    for row in rows("percent")? {
        for word in listed(&row[1]) {
            writeln!(table, "({word:?}, Meaning::Percent),")?;
        }
    }
    for row in rows("dates")? {
        let meaning = match row[1].as_str() {
            "link" => "Link",
            "month" => "MonthFollows",
            "year" => "YearFollows",
            "morning" => "Half(0)",
            "afternoon" => "Half(12)",
            "range" => "Range",
            other => return Err(format!("dates.tsv: {other}").into()),
        };
        for word in listed(&row[2]) {
            writeln!(table, "({word:?}, Meaning::{meaning}),")?;
        }
    }
    for row in rows("ordinals")? {
        let place: u8 = row[1].parse()?;
        for word in listed(&row[2]) {
            writeln!(table, "({word:?}, Meaning::Ordinal({place})),")?;
        }
    }
    for row in rows("series")? {
        for word in listed(&row[1]) {
            writeln!(table, "({word:?}, Meaning::Series),")?;
        }
    }
    table.push_str("];\n");
    let mut common: BTreeMap<String, u32> = BTreeMap::new();
    for row in rows("common")? {
        for word in row[1].split(' ') {
            *common.entry(word.to_owned()).or_default() |= language(&row[0])?;
        }
    }
    writeln!(table, "static COMMON: &[(&str, u32)] = &{:?};", common.into_iter().collect::<Vec<_>>())?;
    Ok(table)
}

/// Returns the bit of a language of `common.tsv`, by which a text tells which it is in; all bits for another one.
fn language(name: &str) -> Result<u32> {
    let rows = rows("common")?;
    Ok(rows.iter().position(|row| row[0] == name).map_or(u32::MAX, |place| 1 << place))
}

/// Units and currencies, each with a number of its own.
fn measures() -> Result<String> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = |name: &str| {
        let next = numbers.len() + 1;
        *numbers.entry(name.to_owned()).or_insert(next)
    };
    let mut table = String::from("static MEASURES: &[(&str, Measure)] = &[\n");
    for row in rows("units")? {
        let (id, power): (usize, i8) = (number(&row[1]), row[2].parse()?);
        for word in listed(&row[3]) {
            writeln!(table, "({word:?}, Measure {{ id: {id}, power: {power}, is_currency: false }}),")?;
        }
    }
    for row in rows("currencies")? {
        let id = number(&row[1]);
        for word in listed(&row[2]) {
            writeln!(table, "({word:?}, Measure {{ id: {id}, power: 0, is_currency: true }}),")?;
        }
    }
    Ok(table + "];\n")
}

/// Words that count, in small letters.
fn numbers() -> Result<String> {
    let mut table = String::from("static NUMBERS: &[(&str, u32)] = &[\n");
    for row in rows("numbers")? {
        let number: u32 = row[1].parse()?;
        for word in listed(&row[2]) {
            writeln!(table, "({word:?}, {number}),")?;
        }
    }
    Ok(table + "];\n")
}

/// Status words, sorted: each with the line and the group of its first occurrence among opposites, if it has one, and whether it turns a
/// statement by itself.
fn status() -> Result<String> {
    /// The type `Known` of `src/facts/status.rs`.
    type Known = (Option<(usize, usize)>, bool, u32);
    let rows = rows("status")?;
    let mut words: BTreeMap<&str, Known> = BTreeMap::new();
    for (line, row) in rows.iter().filter(|row| row[1] == "opposite").enumerate() {
        for (group, of_group) in row[2].split('/').enumerate() {
            for word in of_group.split_whitespace() {
                let known = words.entry(word).or_default();
                known.0.get_or_insert((line, group));
                known.2 |= language(&row[0])?;
            }
        }
    }
    for row in rows.iter().filter(|row| row[1] == "turning") {
        for word in row[2].split(' ') {
            let known = words.entry(word).or_default();
            known.1 = true;
            known.2 |= language(&row[0])?;
        }
    }
    Ok(format!("static STATUS: &[(&str, Known)] = &{:?};\n", words.into_iter().collect::<Vec<_>>()))
}

/// Words that mean the same, sorted, with the number of their line.
fn synonyms() -> Result<String> {
    let rows = rows("synonyms")?;
    let words: BTreeMap<&str, usize> =
        rows.iter().enumerate().flat_map(|(line, row)| listed(&row[1]).map(move |word| (word, line))).collect();
    Ok(format!("static SYNONYMS: &[(&str, usize)] = &{:?};\n", words.into_iter().collect::<Vec<_>>()))
}

/// The words of kinds as arrays, and the characters of others as strings.
fn lists_of(file: &str, lists: &[&str], sets: &[&str]) -> Result<String> {
    let rows = rows(file)?;
    let mut out = String::new();
    for kind in lists {
        let words = of_kind(&rows, kind);
        writeln!(out, "pub(crate) const {}: [&str; {}] = {words:?};", kind.to_uppercase(), words.len())?;
    }
    for kind in sets {
        let characters = of_kind(&rows, kind).concat();
        writeln!(out, "pub(crate) const {}: &str = {characters:?};", kind.to_uppercase())?;
    }
    Ok(out)
}
