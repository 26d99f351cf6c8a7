//! What `bench.result()` of `bench/functions.sql` gives for one table, and its Markdown.

use serde::{Deserialize, Serialize};

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
pub struct Aim {
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

    /// The file with the chart of a comparison.
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
