//! The report: each section as Markdown, with a chart for each comparison, and as JSON.
//!
//! When a table is measured again, its section is replaced; the others stay.

use super::section::{Line, Section};
use anyhow::Result;
use neardup_chart::{Bar, Scale, bars};
use std::path::Path;

/// Replaces the sections of the same keys in the file; writes their charts and the JSON of each next to it.
pub fn write(file: &Path, head: &str, sections: &[Section]) -> Result<()> {
    let beside = file.with_file_name("benchmarks");
    fs_err::create_dir_all(&beside)?;
    let put = |name: String, content: &str| fs_err::write(beside.join(&name), content);
    let before = fs_err::read_to_string(file).unwrap_or_default();
    let mut kept = sections_of(&before);
    for section in sections {
        let text = section.markdown();
        match kept.iter_mut().find(|(key, _)| *key == section.key) {
            Some((_, old)) => *old = text,
            None => kept.push((section.key.clone(), text)),
        }
        let json = serde_json::to_string_pretty(section)?;
        put(format!("{}.json", section.key), &json)?;
        for part in &section.parts {
            if let (Some(title), Some(baseline)) = (&part.title, &part.baseline) {
                put(section.chart_of(title), &chart(&format!("{title}: cost, {baseline} = 1"), &part.lines))?;
            }
        }
    }
    let kept = kept.iter().map(|(key, section)| format!("{BEGIN}{key} -->\n{section}{END}\n\n"));
    Ok(fs_err::write(file, head.to_owned() + &kept.collect::<String>())?)
}

/// If the greatest value is more than this many times the least, the scale is logarithmic.
const WIDE: f64 = 25.0;

/// Draws a bar for each line that has a cost.
fn chart(title: &str, lines: &[Line]) -> String {
    let bar = |line: &Line| {
        let colour = match line.who.as_deref() {
            Some("ours") => 0,
            Some("peer") => 4,
            _ => 6,
        };
        Some(Bar {
            name: line.name.clone().unwrap_or_default(),
            value: line.ratio?,
            label: line.multiple.clone(),
            colour,
        })
    };
    let drawn: Vec<Bar> = lines.iter().filter_map(bar).collect();
    let least = drawn.iter().map(|bar| bar.value).fold(f64::MAX, f64::min);
    if drawn.iter().any(|bar| bar.value > least * WIDE) {
        bars(&format!("{title} (logarithmic)"), &drawn, Scale::Logarithmic)
    } else {
        bars(title, &drawn, Scale::Linear)
    }
}

const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// Splits a report into its sections, by their keys.
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
        fs_err::create_dir_all(&directory).expect("the directory is ours");
        let file = directory.join("report.md");
        let section = |key: &str, run: &str| Section { key: key.into(), run: run.into(), ..Section::default() };
        write(&file, "head\n", &[section("a", "old"), section("b", "stays")]).expect("it can be written");
        write(&file, "head\n", &[section("a", "new")]).expect("it can be written");
        let text = fs_err::read_to_string(&file).expect("it was written");
        assert!(text.contains("new") && text.contains("stays") && !text.contains("old"), "{text}");
        fs_err::remove_dir_all(&directory).expect("the directory is ours");
    }
}
