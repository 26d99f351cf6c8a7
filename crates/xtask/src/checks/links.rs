//! Checks the links between the Markdown files: each leads to an existing file, and its anchor to a heading of that file.

use crate::check::{Context, Tally, expect_none};
use crate::command::root;
use crate::files::of_kind;
use anyhow::Result;
use std::path::Path;

/// The folders and files with Markdown.
const PAGES: [&str; 9] =
    ["README.md", "README.zh-CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench", "docs", "sql", "tests"];

/// Checks every link within the project.
pub fn run(_: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    for pages in PAGES {
        for file in of_kind(&root().join(pages), "md")? {
            let page = fs_err::read_to_string(&file)?;
            let targets = page.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
            let broken = targets.filter(|target| !target.contains(':') && !leads(&file, target));
            tally += expect_none(&format!("broken links in {}", file.display()), broken);
        }
    }
    Ok(tally)
}

/// Says whether the target of a link in this file exists.
fn leads(from: &Path, target: &str) -> bool {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if path.is_empty() { from.to_owned() } else { from.with_file_name(path) };
    let page = if anchor.is_empty() { Ok(String::new()) } else { fs_err::read_to_string(&to) };
    to.exists() && page.is_ok_and(|page| anchor.is_empty() || anchors(&page).any(|other| other == anchor))
}

/// Returns the anchors of a page's headings, as GitHub forms them.
fn anchors(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter_map(|line| line.strip_prefix('#')).map(|heading| {
        let kept = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}
