//! The report: what `bench.result()` of `bench/functions.sql` gives, as Markdown with a chart beside each comparison, and as it came.
//!
//! A section of the file is replaced when its table is measured again, the others stay.

use super::chart;
use crate::error::{Doing, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What one table has to say.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Section {
    /// What the file knows it by.
    pub key: String,
    /// Its heading.
    pub title: String,
    /// How and when it was measured.
    pub run: String,
    parts: Vec<Part>,
    aims: Vec<Aim>,
}

/// A comparison, with a baseline; a grid, with a header; or a paragraph, with a method alone.
#[derive(Debug, Deserialize, Serialize)]
struct Part {
    title: Option<String>,
    method: String,
    baseline: Option<String>,
    header: Option<Vec<String>>,
    lines: Vec<Line>,
}

/// A line of a comparison, without a cost where there is none; or the cells of a grid's row.
#[derive(Debug, Deserialize, Serialize)]
pub struct Line {
    /// Whose figure it is: `ours`, `peer`, `floor`.
    pub who: Option<String>,
    /// What was measured.
    pub name: Option<String>,
    /// The cost as a multiple of the baseline's.
    pub ratio: Option<f64>,
    /// The same for people.
    pub multiple: String,
    cost: Option<f64>,
    shown: String,
    remark: String,
    cells: Option<Vec<String>>,
}

/// A figure that is to keep a bound.
#[derive(Debug, Deserialize, Serialize)]
struct Aim {
    what: String,
    measured: String,
    bound: String,
    kept: bool,
}

impl Section {
    /// The section for people.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.run);
        for part in &self.parts {
            text += &part.title.as_ref().map(|title| format!("### {title}\n\n")).unwrap_or_default();
            text += &format!("{}\n\n", part.method);
            if let Some(table) = part.table() {
                text += &format!("{table}\n");
            }
            if let (Some(title), Some(_)) = (&part.title, &part.baseline) {
                text += &format!("![{title}](benchmarks/{})\n\n", self.chart_of(title));
            }
        }
        if !self.aims.is_empty() {
            let kept = |kept| if kept { "yes" } else { "**no**" };
            let rows = self.aims.iter().map(|aim| vec![&aim.what[..], &aim.measured, &aim.bound, kept(aim.kept)]);
            text += &format!("### Aims\n\n{}\n", table(&["aim", "measured", "bound", "kept"], rows));
        }
        text
    }

    fn chart_of(&self, title: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        format!("{}-{}.svg", self.key, title.chars().map(plain).collect::<String>()).replace("--", "-")
    }
}

impl Part {
    fn table(&self) -> Option<String> {
        if let Some(header) = &self.header {
            let rows = self.lines.iter().map(|line| line.cells.iter().flatten().map(String::as_str).collect());
            return Some(table(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows));
        }
        let heading = if self.lines.iter().any(|line| line.shown.ends_with("/s")) { "speed" } else { "time" };
        let cost = format!("cost, {} = 1", self.baseline.as_ref()?);
        let names: Vec<String> = self.lines.iter().map(Line::label).collect();
        let rows =
            names.iter().zip(&self.lines).map(|(name, line)| vec![name, &line.shown[..], &line.multiple, &line.remark]);
        Some(table(&["", heading, &cost, ""], rows))
    }
}

impl Line {
    /// Ours are bold.
    fn label(&self) -> String {
        let name = self.name.clone().unwrap_or_default();
        if self.who.as_deref() == Some("ours") { format!("**{name}**") } else { name }
    }
}

fn table<'a>(header: &[&'a str], rows: impl Iterator<Item = Vec<&'a str>>) -> String {
    let line = |cells: &[&str]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<&str> = header.iter().map(|_| "---").collect();
    let rows: String = rows.map(|row| line(&row)).collect();
    format!("{}{}{rows}", line(header), line(&rule))
}

/// Puts sections into the file, in the place of those of the same key; beside it their charts, and each as JSON.
pub fn write(file: &Path, head: &str, sections: &[Section]) -> Result {
    let beside = file.with_file_name("benchmarks");
    std::fs::create_dir_all(&beside).doing("create", &beside)?;
    let put =
        |name: String, content: &str| std::fs::write(beside.join(&name), content).doing("write", &beside.join(name));
    let before = std::fs::read_to_string(file).unwrap_or_default();
    let mut kept = sections_of(&before);
    for section in sections {
        let text = section.markdown();
        match kept.iter_mut().find(|(key, _)| *key == section.key) {
            Some((_, old)) => *old = text,
            None => kept.push((section.key.clone(), text)),
        }
        let json = serde_json::to_string_pretty(section).map_err(|error| error.to_string())?;
        put(format!("{}.json", section.key), &json)?;
        for part in &section.parts {
            if let (Some(title), Some(baseline)) = (&part.title, &part.baseline) {
                put(section.chart_of(title), &chart::svg(&format!("{title}: cost, {baseline} = 1"), &part.lines)?)?;
            }
        }
    }
    let kept = kept.iter().map(|(key, section)| format!("{BEGIN}{key} -->\n{section}{END}\n\n"));
    std::fs::write(file, head.to_owned() + &kept.collect::<String>()).doing("write", file)
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// The sections of a report, by their keys.
fn sections_of(report: &str) -> Vec<(String, String)> {
    let read = |section: &str| {
        let (key, rest) = section.split_once(" -->\n")?;
        Some((key.to_owned(), rest.split_once(END)?.0.to_owned()))
    };
    report.split(BEGIN).skip(1).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_takes_the_place_of_the_old_one() {
        let directory = std::env::temp_dir().join(format!("neardup-report-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("the directory is ours");
        let file = directory.join("report.md");
        let section = |key: &str, run: &str| Section { key: key.into(), run: run.into(), ..Section::default() };
        write(&file, "head\n", &[section("a", "old"), section("b", "stays")]).expect("it can be written");
        write(&file, "head\n", &[section("a", "new")]).expect("it can be written");
        let text = std::fs::read_to_string(&file).expect("it was written");
        assert!(text.contains("new") && text.contains("stays") && !text.contains("old"), "{text}");
        std::fs::remove_dir_all(&directory).expect("the directory is ours");
    }
}
