//! The result of one table, as `bench.result()` of `bench/functions.sql` returns it, and its Markdown.

use serde::{Deserialize, Serialize};

/// The result of one table.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Section {
    /// Its key in the report.
    pub key: String,
    /// Its heading.
    pub title: String,
    /// How and when it was measured.
    pub run: String,
    pub parts: Vec<Part>,
    pub aims: Vec<Aim>,
}

/// A comparison, with a baseline; a grid, with a header; or a paragraph, with a method alone.
#[derive(Debug, Deserialize, Serialize)]
pub struct Part {
    pub title: Option<String>,
    method: String,
    pub baseline: Option<String>,
    header: Option<Vec<String>>,
    pub lines: Vec<Line>,
}

/// A line of a comparison, which may lack a cost; or the cells of a grid's row.
#[derive(Debug, Deserialize, Serialize)]
pub struct Line {
    /// The group of the line: `ours`, `peer`, `floor`.
    pub who: Option<String>,
    /// What was measured.
    pub name: Option<String>,
    /// The cost as a multiple of the baseline's.
    pub ratio: Option<f64>,
    /// The same, formatted.
    pub multiple: String,
    cost: Option<f64>,
    shown: String,
    remark: String,
    cells: Option<Vec<String>>,
}

/// A figure with a bound that it should keep.
#[derive(Debug, Deserialize, Serialize)]
pub struct Aim {
    what: String,
    measured: String,
    bound: String,
    kept: bool,
}

impl Section {
    /// Returns the section as Markdown.
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

    /// Returns the name of the chart's file for a comparison.
    pub fn chart_of(&self, title: &str) -> String {
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
    /// Lines of ours are bold.
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
