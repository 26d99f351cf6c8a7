//! `cargo xtask bench --quick`: a few ratios of times, compared with those of the last commit that accepted them.
//!
//! Ratios of two times of one run differ little between machines, so a figure that is [`SLOWER`] times the stored one is a regression, and the
//! command fails. `--accept` stores what was measured.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::command::root;
use crate::say;

/// The figures in the repository: on which texts, what, and its ratio.
const STORED: &str = "bench/quick.json";

/// A figure that is this many times the stored one is a regression.
const SLOWER: f64 = 1.2;

type Figures = BTreeMap<String, f64>;

/// Compares what was measured on some texts with what is stored, or stores it.
///
/// # Errors
/// If a figure is [`SLOWER`] times the stored one.
pub fn compare(texts: &str, measured: &str, accept: bool) -> Result<()> {
    let measured: Figures = serde_json::from_str(measured).context("bench/quick.sql measured nothing")?;
    let file = root().join(STORED);
    let mut stored: BTreeMap<String, Figures> = serde_json::from_str(&fs_err::read_to_string(&file)?)?;
    if accept {
        let rounded = measured.into_iter().map(|(name, ratio)| (name, (ratio * 100.0).round() / 100.0)).collect();
        stored.insert(texts.to_owned(), rounded);
        fs_err::write(&file, serde_json::to_string_pretty(&stored)? + "\n")?;
        say::step(&format!("the figures are in {STORED}"));
        return Ok(());
    }
    let before = stored.get(texts).cloned().unwrap_or_default();
    let lines = lines(&before, &measured);
    lines.iter().for_each(|(line, _)| say::line(line));
    let slower = lines.iter().filter(|(_, is_slower)| *is_slower).count();
    ensure!(
        slower == 0,
        "{slower} of {} figures are {SLOWER} times those in {STORED} or more; --accept stores the new ones",
        lines.len()
    );
    Ok(())
}

/// Returns a line for each figure, and whether it is a regression.
fn lines(before: &Figures, measured: &Figures) -> Vec<(String, bool)> {
    let line = |(name, ratio): (&String, &f64)| match before.get(name) {
        Some(stored) => {
            let is_slower = *ratio >= SLOWER * stored;
            let mark = if is_slower { "  SLOWER" } else { "" };
            (format!("{name:<50} {ratio:>8.2}  stored {stored:>8.2}{mark}"), is_slower)
        }
        None => (format!("{name:<50} {ratio:>8.2}  not stored"), false),
    };
    measured.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_grew_by_a_fifth_is_a_regression() {
        let before = Figures::from([("a".to_owned(), 10.0), ("b".to_owned(), 10.0)]);
        let now = Figures::from([("a".to_owned(), 11.9), ("b".to_owned(), 12.0), ("new".to_owned(), 99.0)]);
        let slower: Vec<bool> = lines(&before, &now).into_iter().map(|(_, is_slower)| is_slower).collect();
        assert_eq!(slower, [false, true, false]);
    }
}
