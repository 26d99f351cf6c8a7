//! The overview of a table's copies as one HTML page: numbers, bars, and sample groups side by side with their differences.
//!
//! SQL collects the data (`report.sql`); this file renders it. The page is self-contained: it has no script and no
//! other file, and everything that comes from the table is escaped.

use std::fmt::Write;

use html_escape::encode_safe;
use neardup_chart::{Bar, Scale};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde::Deserialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::error::Result;

/// The most characters of a text that are shown and compared.
const MOST_CHARACTERS: usize = 2000;

/// What the page shows, as report.sql passes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    title: String,
    numbers: Vec<(String, String)>,
    largest: Vec<(String, f64)>,
    verdicts: Vec<(String, f64)>,
    samples: Vec<Sample>,
    questions: Vec<Question>,
}

/// A pair that an editor is asked about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    key: String,
    other: String,
    text: String,
    other_text: String,
    /// The statements for "a copy" and "not a copy".
    answers: [String; 2],
}

/// A copy and the row that stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    stays: String,
    copy: String,
    said: String,
    stays_text: Option<String>,
    copy_text: Option<String>,
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}\
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse}td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}\
.pair{table-layout:fixed;width:100%;margin-bottom:1.5em}.pair td{border-top:1px solid #ccc;width:50%;white-space:pre-wrap;overflow-wrap:anywhere}\
del{background:#fdd;text-decoration:none}ins{background:#dfd;text-decoration:none}svg{display:block}";

/// Renders the page from the JSON that `neardup.report_html` collects.
#[pg_extern(sql = false)]
pub fn neardup_render_report(report: &str) -> Result<String> {
    let report: Report = serde_json::from_str(report).map_err(|error| {
        let code = PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE;
        ErrorReport::new(code, "invalid form of report", "neardup_internal.render_report")
            .set_detail(format!("{error}."))
    })?;
    Ok(page(&report))
}

fn page(report: &Report) -> String {
    let title = encode_safe(&report.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<table>\n"
    );
    for (name, value) in &report.numbers {
        let _ = writeln!(page, "<tr><th>{}</th><td>{}</td></tr>", encode_safe(name), encode_safe(value));
    }
    page.push_str("</table>\n");
    for (heading, values) in
        [("Largest groups, by the row that stays", &report.largest), ("Copies by verdict", &report.verdicts)]
    {
        if !values.is_empty() {
            let _ = writeln!(page, "<h2>{heading}</h2>\n{}", bars(values));
        }
    }
    if !report.samples.is_empty() {
        page.push_str("<h2>Samples: the row that stays, and a copy</h2>\n");
    }
    for sample in &report.samples {
        let (left, right) = differences(
            sample.stays_text.as_deref().unwrap_or_default(),
            sample.copy_text.as_deref().unwrap_or_default(),
        );
        let _ = writeln!(
            page,
            "<table class=\"pair\">\n<tr><th>{} stays</th><th>{}, {}</th></tr>\n<tr><td>{left}</td><td>{right}</td></tr>\n</table>",
            encode_safe(&sample.stays),
            encode_safe(&sample.copy),
            encode_safe(&sample.said)
        );
    }
    if !report.questions.is_empty() {
        page.push_str("<h2>Questions: are the two copies?</h2>\n");
    }
    for question in &report.questions {
        let (left, right) = differences(&question.text, &question.other_text);
        let [copy, other] = question.answers.each_ref().map(encode_safe);
        let _ = writeln!(
            page,
            "<table class=\"pair\">\n<tr><th>{}</th><th>{}</th></tr>\n<tr><td>{left}</td><td>{right}</td></tr>\n\
             <tr><td>a copy: <code>{copy}</code></td><td>not a copy: <code>{other}</code></td></tr>\n</table>",
            encode_safe(&question.key),
            encode_safe(&question.other)
        );
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// Draws a bar for each name, which is cut to the room that there is.
fn bars(values: &[(String, f64)]) -> String {
    let bar = |(name, value): &(String, f64)| Bar {
        name: name.chars().take(32).collect(),
        value: *value,
        label: value.to_string(),
        colour: 0,
    };
    neardup_chart::bars("", &values.iter().map(bar).collect::<Vec<_>>(), Scale::Linear)
}

/// Returns both texts as HTML, with marks on what only one of them has.
fn differences(left: &str, right: &str) -> (String, String) {
    let shown = |text: &str| -> Vec<char> { text.chars().take(MOST_CHARACTERS).collect() };
    let (a, b) = (shown(left), shown(right));
    let (mut left_html, mut right_html) = (String::new(), String::new());
    for operation in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let (old, new) = (&a[operation.old_range()], &b[operation.new_range()]);
        if matches!(operation, DiffOp::Equal { .. }) {
            add(&mut left_html, old, None);
            add(&mut right_html, new, None);
        } else {
            add(&mut left_html, old, Some("del"));
            add(&mut right_html, new, Some("ins"));
        }
    }
    for (html, text, shown) in [(&mut left_html, left, a.len()), (&mut right_html, right, b.len())] {
        let more = text.chars().count() - shown;
        if more > 0 {
            let _ = write!(html, " <em>… {more} characters more</em>");
        }
    }
    (left_html, right_html)
}

fn add(html: &mut String, characters: &[char], mark: Option<&str>) {
    if characters.is_empty() {
        return;
    }
    let text: String = characters.iter().collect();
    let text = encode_safe(&text);
    let _ = match mark {
        Some(mark) => write!(html, "<{mark}>{text}</{mark}>"),
        None => write!(html, "{text}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_marked_on_both_sides() {
        let (left, right) = differences("ten boats & a <b>", "two boats & a <b>!");
        assert_eq!(left, "t<del>en</del> boats &amp; a &lt;b&gt;");
        assert_eq!(right, "t<ins>wo</ins> boats &amp; a &lt;b&gt;<ins>!</ins>");
    }

    #[test]
    fn the_rest_of_a_long_text_is_counted() {
        let (left, right) = differences(&"x".repeat(MOST_CHARACTERS + 7), "x");
        assert!(left.ends_with("<em>… 7 characters more</em>") && !right.contains("<em>"));
    }

    #[test]
    fn everything_from_the_table_is_escaped() {
        let evil = "<script>alert('1')</script>".to_owned();
        let sample = Sample {
            stays: evil.clone(),
            copy: evil.clone(),
            said: evil.clone(),
            stays_text: Some(evil.clone()),
            copy_text: None,
        };
        let report = Report {
            title: evil.clone(),
            numbers: vec![(evil.clone(), evil.clone())],
            largest: vec![(evil.clone(), 3.0)],
            verdicts: Vec::new(),
            samples: vec![sample],
            questions: vec![Question {
                key: evil.clone(),
                other: evil.clone(),
                text: evil.clone(),
                other_text: evil.clone(),
                answers: [evil.clone(), evil],
            }],
        };
        let page = page(&report);
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;script&gt;") && !page.contains("<script"));
        assert_eq!(page.matches("<svg").count(), 1, "no bars of an empty list");
    }
}
