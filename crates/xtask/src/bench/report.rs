//! What the tables say and how it is written: Markdown, with a chart beside each comparison.
//!
//! A comparison shows costs as multiples of one line's cost, since that is what carries over to another machine; the figure
//! of this machine stands beside it. A section of the file is replaced when its table is measured again, the others stay.

use super::chart::{self, Bar, Who};
use crate::error::{Doing, Result};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// One thing that was measured.
pub struct Line {
    who: Who,
    name: String,
    /// Seconds per unit of work, or why there are none.
    cost: std::result::Result<f64, String>,
    remark: String,
}

/// How a cost is shown.
#[derive(Clone, Copy)]
pub enum Shown {
    /// As a rate a second: the name of the unit, and how much work one unit is.
    Rate(&'static str, f64),
    /// As a time: milliseconds, seconds.
    Time,
}

impl Shown {
    fn of(self, cost: f64) -> String {
        match self {
            Self::Rate(unit, size) => format!("{} {unit}", figure(1.0 / (cost * size))),
            Self::Time if cost < 1e-3 => format!("{} µs", figure(cost * 1e6)),
            Self::Time if cost < 1.0 => format!("{} ms", figure(cost * 1e3)),
            Self::Time => format!("{} s", figure(cost)),
        }
    }
}

/// Things measured on the same work in the same run.
pub struct Comparison {
    title: String,
    /// What was done and how it was timed, in a sentence or two.
    method: String,
    shown: Shown,
    lines: Vec<Line>,
    baseline: String,
}

impl Comparison {
    /// Begins a comparison whose costs are shown as multiples of the line `baseline`.
    pub fn new(title: &str, method: &str, shown: Shown, baseline: &str) -> Self {
        Self { title: title.into(), method: method.into(), shown, lines: Vec::new(), baseline: baseline.into() }
    }

    /// Adds a figure: seconds per unit of work.
    pub fn add(&mut self, who: Who, name: &str, cost: f64, remark: &str) {
        self.lines.push(Line { who, name: name.into(), cost: Ok(cost), remark: remark.into() });
    }

    /// Adds somebody who could not be measured, and why.
    pub fn missing(&mut self, name: &str, why: &str) {
        self.lines.push(Line { who: Who::Peer, name: name.into(), cost: Err(why.into()), remark: String::new() });
    }

    /// The cost of a line, if it was measured.
    pub fn cost(&self, name: &str) -> Option<f64> {
        self.lines.iter().find(|line| line.name == name)?.cost.as_ref().ok().copied()
    }

    /// How many times the cost of `other` the cost of `name` is.
    pub fn ratio(&self, name: &str, other: &str) -> Option<f64> {
        Some(self.cost(name)? / self.cost(other)?)
    }

    fn markdown(&self) -> String {
        let heading = if matches!(self.shown, Shown::Time) { "time" } else { "speed" };
        let mut grid = Grid::new(&["", heading, &format!("cost, {} = 1", self.baseline), ""]);
        for line in &self.lines {
            let name = if line.who == Who::Ours { format!("**{}**", line.name) } else { line.name.clone() };
            match &line.cost {
                Ok(cost) => {
                    let multiple = self.cost(&self.baseline).map_or("–".into(), |base| figure(cost / base));
                    grid.row(&[&name, &self.shown.of(*cost), &multiple, &line.remark]);
                }
                Err(why) => grid.row(&[&name, "–", "–", why]),
            }
        }
        grid.markdown()
    }

    fn chart(&self) -> Result<String> {
        let base = self.cost(&self.baseline).unwrap_or(1.0);
        let bars: Vec<Bar> = self
            .lines
            .iter()
            .filter_map(|line| {
                let value = line.cost.as_ref().ok()? / base;
                Some(Bar { who: line.who, label: line.name.clone(), value, shown: figure(value) })
            })
            .collect();
        chart::svg(&format!("{}: cost, {} = 1", self.title, self.baseline), &bars)
    }
}

/// A table of words and figures.
pub struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Begins a table with these headings.
    pub fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|h| (*h).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[impl AsRef<str>]) {
        self.rows.push(cells.iter().map(|cell| cell.as_ref().to_owned()).collect());
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule: Vec<String> = self.header.iter().map(|_| "---".to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{}{rows}", line(&self.header), line(&rule))
    }
}

/// A bound that a figure is to keep.
#[derive(Clone, Copy)]
pub enum Bound {
    /// It must not be above.
    AtMost(f64),
    /// It must not be below.
    AtLeast(f64),
}

/// What one table has to say.
pub struct Section {
    /// What the file knows it by.
    key: String,
    title: String,
    body: String,
    goals: Grid,
    charts: Vec<(String, String)>,
}

impl Section {
    /// Begins a section.
    pub fn new(key: String, title: &str) -> Self {
        let goals = Grid::new(&["aim", "measured", "bound", "kept"]);
        Self { key, title: title.into(), body: String::new(), goals, charts: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn words(&mut self, words: &str) {
        let _ = write!(self.body, "{words}\n\n");
    }

    /// Adds a comparison with its chart.
    pub fn comparison(&mut self, comparison: &Comparison) -> Result {
        let title = &comparison.title;
        let plain: String =
            title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
        let file = format!("{}-{plain}.svg", self.key).replace("--", "-");
        let (method, table) = (&comparison.method, comparison.markdown());
        let _ = write!(self.body, "### {title}\n\n{method}\n\n{table}\n![{title}](benchmarks/{file})\n\n");
        self.charts.push((file, comparison.chart()?));
        Ok(())
    }

    /// Adds a table under a heading.
    pub fn grid(&mut self, title: &str, method: &str, grid: &Grid) {
        let _ = write!(self.body, "### {title}\n\n{method}\n\n{}\n", grid.markdown());
    }

    /// Adds a figure that has an aim; one that could not be measured says nothing.
    pub fn aim(&mut self, what: &str, measured: Option<f64>, bound: Bound) {
        let Some(measured) = measured else { return };
        let (kept, bound) = match bound {
            Bound::AtMost(most) => (measured <= most, format!("at most {}", figure(most))),
            Bound::AtLeast(least) => (measured >= least, format!("at least {}", figure(least))),
        };
        self.goals.row(&[what, &figure(measured), &bound, if kept { "yes" } else { "**no**" }]);
    }

    /// The section as Markdown. `run` says how and when it was measured.
    pub fn markdown(&self, run: &str) -> String {
        let goals = match self.goals.rows.is_empty() {
            true => String::new(),
            false => format!("### Aims\n\n{}\n", self.goals.markdown()),
        };
        format!("## {}\n\n{run}\n\n{}{goals}", self.title, self.body)
    }
}

/// Three figures of a number: `0.123`, `1.23`, `123`, `12,300`.
pub fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (2.0 - value.abs().max(1e-9).log10().floor()).max(0.0) as usize;
    if value.abs() < 1000.0 {
        return format!("{value:.digits$}");
    }
    let unit = 10_f64.powf(value.abs().log10().floor() - 2.0);
    grouped((value / unit).round() * unit)
}

/// A whole number with a comma at each thousand.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Puts sections into the file, in the place of those of the same key, and their charts beside it.
pub fn write(file: &Path, head: &str, sections: &[(Section, String)]) -> Result {
    let charts = charts_directory(file);
    std::fs::create_dir_all(&charts).doing("create", &charts)?;
    let before = std::fs::read_to_string(file).unwrap_or_default();
    let mut kept = sections_of(&before);
    for (section, run) in sections {
        let text = section.markdown(run);
        match kept.iter_mut().find(|(key, _)| *key == section.key) {
            Some((_, old)) => *old = text,
            None => kept.push((section.key.clone(), text)),
        }
        for (name, drawing) in &section.charts {
            let path = charts.join(name);
            std::fs::write(&path, drawing).doing("write", &path)?;
        }
    }
    let mut text = head.to_owned();
    for (key, section) in kept {
        let _ = write!(text, "{BEGIN}{key} -->\n{section}{END}\n\n");
    }
    std::fs::write(file, text).doing("write", file)
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// `docs/benchmarks.md` has its charts in `docs/benchmarks/`.
fn charts_directory(file: &Path) -> PathBuf {
    file.with_file_name("benchmarks")
}

/// The sections of a report, by their keys.
fn sections_of(report: &str) -> Vec<(String, String)> {
    let sections = report.split(BEGIN).skip(1);
    let read = |section: &str| {
        let (key, rest) = section.split_once(" -->\n")?;
        Some((key.to_owned(), rest.split_once(END)?.0.to_owned()))
    };
    sections.filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        for (value, shown) in [
            (0.0, "0"),
            (0.01234, "0.0123"),
            (1.0, "1.00"),
            (9.999, "10.00"),
            (123.4, "123"),
            (12_345.0, "12,300"),
            (1e6, "1,000,000"),
        ] {
            assert_eq!(figure(value), shown);
        }
    }

    #[test]
    fn costs_are_multiples_of_the_baseline() {
        let mut comparison = Comparison::new("T", "", Shown::Rate("MB/s", 1e6), "floor");
        comparison.add(Who::Floor, "floor", 1e-8, "");
        comparison.add(Who::Ours, "ours", 2e-8, "");
        comparison.missing("other", "not installed");
        let text = comparison.markdown();
        assert!(text.contains("| **ours** | 50.0 MB/s | 2.00 |"), "{text}");
        assert!(text.contains("| other | – | – | not installed |"), "{text}");
        assert_eq!(comparison.ratio("ours", "floor"), Some(2.0));
        assert_eq!(comparison.ratio("other", "floor"), None);
    }

    #[test]
    fn a_section_takes_the_place_of_the_old_one() {
        let directory = std::env::temp_dir().join(format!("neardup-report-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("the directory is ours");
        let file = directory.join("report.md");
        let section = |key: &str, words: &str| {
            let mut section = Section::new(key.into(), key);
            section.words(words);
            (section, "run".to_owned())
        };
        write(&file, "head\n", &[section("a", "old"), section("b", "stays")]).expect("it can be written");
        write(&file, "head\n", &[section("a", "new")]).expect("it can be written");
        let text = std::fs::read_to_string(&file).expect("it was written");
        assert!(text.contains("new") && text.contains("stays") && !text.contains("old"), "{text}");
        std::fs::remove_dir_all(&directory).expect("the directory is ours");
    }
}
