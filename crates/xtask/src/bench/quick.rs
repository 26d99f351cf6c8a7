//! `cargo xtask bench --quick`: a few ratios of times, compared with those of the last commit that accepted them.
//!
//! Ratios of two times of one run differ little between machines, so a figure that is [`SLOWER`] times the stored one is a regression, and the
//! command fails. On a machine that others use, too, a figure may be a third more in one run than in the next: what is slower is measured again, and
//! the least of up to [`RUNS`] runs counts. `--accept` stores the least of as many.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::command::root;
use crate::say;

/// The figures in the repository: on which texts, what, and its ratio.
const STORED: &str = "bench/quick.json";

/// A figure that is this many times the stored one is a regression.
const SLOWER: f64 = 1.2;

/// The most runs.
const RUNS: usize = 3;

type Figures = BTreeMap<String, f64>;

/// Compares what is measured on some texts with what is stored, or stores it.
///
/// # Errors
/// If a figure is [`SLOWER`] times the stored one, or a stored one was not measured; those of measuring.
pub fn compare(texts: &str, accept: bool, mut measure: impl FnMut() -> Result<String>) -> Result<()> {
    let file = root().join(STORED);
    let mut stored: BTreeMap<String, Figures> = serde_json::from_str(&fs_err::read_to_string(&file)?)?;
    let before = stored.get(texts).cloned().unwrap_or_default();
    ensure!(accept || !before.is_empty(), "{STORED} has no figures of the {texts} texts; --accept stores them");
    let mut measured = Figures::new();
    for _ in 0..RUNS {
        keep_least(&mut measured, serde_json::from_str(&measure()?).context("bench/quick.sql measured nothing")?);
        if !accept && slower(&before, &measured) == 0 {
            break;
        }
    }
    if accept {
        let rounded = measured.into_iter().map(|(name, ratio)| (name, (ratio * 100.0).round() / 100.0)).collect();
        stored.insert(texts.to_owned(), rounded);
        fs_err::write(&file, serde_json::to_string_pretty(&stored)? + "\n")?;
        say::step(&format!("the figures are in {STORED}"));
        return Ok(());
    }
    let slower = slower(&before, &measured);
    lines(&before, &measured).iter().for_each(|(line, _)| say::line(line));
    for (other, figures) in stored.iter().filter(|(other, _)| *other != texts) {
        say::line(&format!("not compared: {} figures of the {other} texts", figures.len()));
    }
    let missing = missing(&before, &measured);
    ensure!(missing.is_empty(), "not measured, but in {STORED}: {}; --accept stores the new ones", missing.join(", "));
    ensure!(
        slower == 0,
        "{slower} of {} figures are {SLOWER} times those in {STORED} or more; --accept stores the new ones",
        measured.len()
    );
    Ok(())
}

/// Keeps of each figure the least.
fn keep_least(all: &mut Figures, more: Figures) {
    for (name, ratio) in more {
        let least = all.entry(name).or_insert(ratio);
        *least = least.min(ratio);
    }
}

/// Returns the names of stored figures that were not measured.
fn missing<'a>(before: &'a Figures, measured: &Figures) -> Vec<&'a str> {
    before.keys().filter(|name| !measured.contains_key(*name)).map(String::as_str).collect()
}

/// Counts the regressions.
fn slower(before: &Figures, measured: &Figures) -> usize {
    lines(before, measured).iter().filter(|(_, is_slower)| *is_slower).count()
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

    #[test]
    fn a_stored_figure_must_be_measured() {
        let before = Figures::from([("a".to_owned(), 10.0), ("gone".to_owned(), 10.0)]);
        let now = Figures::from([("a".to_owned(), 10.0), ("new".to_owned(), 10.0)]);
        assert_eq!(missing(&before, &now), ["gone"]);
    }

    #[test]
    fn a_figure_that_was_once_no_more_is_none() {
        let before = Figures::from([("a".to_owned(), 10.0)]);
        let mut now = Figures::from([("a".to_owned(), 13.0)]);
        assert_eq!(super::slower(&before, &now), 1);
        keep_least(&mut now, Figures::from([("a".to_owned(), 11.0)]));
        assert_eq!(super::slower(&before, &now), 0);
    }
}
