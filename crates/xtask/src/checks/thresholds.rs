//! The thresholds of the verdict against every place that states one of them: the comments of functions, the pages, the README. The
//! model has the figures (`score/model.rs`); `--accept` writes them into the places.

use crate::check::{Context, Tally};
use crate::command::root;
use anyhow::{Context as _, Result};

const MODEL: &str = "crates/neardup-verdict/src/score/model.rs";
/// From this score on a guard refuses and a list names.
const NAMED: &str = "LEAST_SCORE";
/// The least that an owner can ask for.
const LOWEST: &str = "LOWEST_SCORE";
/// From this score on a clean-up removes.
const REMOVED: &str = "LEAST_SCORE_TO_REMOVE";

/// The places: a file, what stands before the figure wherever it is stated, which figure it is.
const PLACES: &[(&str, &str, &str)] = &[
    ("src/cleanup/run.sql", "default: a score of ", REMOVED),
    ("src/cleanup/run.sql", "the least score (verify facts or a profile, ", LOWEST),
    ("src/cleanup/report.sql", "the least score (verify facts or a profile, ", LOWEST),
    ("src/list/list.sql", "the least score (verify facts or a profile, ", LOWEST),
    ("src/guard/protect.sql", "the least score of a copy by facts or a profile, ", LOWEST),
    ("src/cleanup/run.sql", "SELECT coalesce(pg_catalog.max(p.threshold), ", NAMED),
    ("src/answers/estimate.sql", "coalesce((guarded).threshold, ", NAMED),
    ("src/answers/questions.sql", "coalesce((guarded).threshold, ", NAMED),
    ("src/verdict/verdict.sql", "a copy or excerpt has at least ", NAMED),
    ("docs/reference.md", "a copy or excerpt has at least ", NAMED),
    ("docs/reference.md", "default: a score of ", REMOVED),
    ("docs/reference.md", "the least score (verify facts or a profile, ", LOWEST),
    ("docs/reference.md", "the least score of a copy by facts or a profile, ", LOWEST),
    ("CHANGELOG.md", "from a score of ", NAMED),
    ("CHANGELOG.md", "a clean-up removes from ", REMOVED),
    ("docs/cleanup.md", "[score](accuracy.md#what-a-score-means) is at least ", REMOVED),
    ("docs/cleanup.md", "`neardup.duplicates` lists from ", NAMED),
    ("docs/cleanup.md", "36 of 977 read pairs from ", REMOVED),
    ("docs/guard.md", "of a copy or an excerpt, from ", LOWEST),
    ("docs/guard.md", "from 0.05 to 1, ", NAMED),
    ("docs/guard.md", "it removes from a score of ", REMOVED),
    ("docs/accuracy.md", "A clean-up removes what scores ", REMOVED),
    ("docs/accuracy.md", "the overlap is high enough and the score is ", NAMED),
    ("docs/accuracy.md", "*removed* counts pairs that score ", REMOVED),
    ("docs/recipes.md", "A clean-up removes from a [score](accuracy.md#what-a-score-means) of ", REMOVED),
    ("docs/verdicts.md", "`copy` and `excerpt` have a score of ", NAMED),
];

/// Compares them.
pub fn run(context: &Context) -> Result<Tally> {
    let model = fs_err::read_to_string(root().join(MODEL))?;
    let mut tally = Tally::default();
    for (file, before, name) in PLACES {
        let wanted = constant(&model, name)?;
        let path = root().join(file);
        let text = fs_err::read_to_string(&path)?;
        let right = with_figure(&text, before, wanted);
        let holds = text.contains(before) && (right == text || context.accept);
        if !holds {
            println!("{file}: after \"{before}\" does not stand {wanted}, which is {name} in {MODEL}");
        } else if right != text {
            fs_err::write(&path, right)?;
        }
        tally += Tally::one(holds);
    }
    Ok(tally)
}

/// Returns the figure of a constant, as the source writes it.
fn constant<'m>(model: &'m str, name: &str) -> Result<&'m str> {
    let figure = model.split_once(&format!("pub const {name}: f64 = ")).and_then(|(_, rest)| rest.split_once(';'));
    figure.map(|(figure, _)| figure).with_context(|| format!("{MODEL} has no constant {name}"))
}

/// Puts this figure wherever one follows `before`.
fn with_figure(text: &str, before: &str, figure: &str) -> String {
    let mut parts = text.split(before);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let digits = part.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(part.len());
        let (stated, rest) = part.split_at(digits);
        let end = if stated.ends_with('.') { "." } else { "" };
        text + before + figure + end + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_replaced_and_nothing_else() {
        let text = "from 0.5 on; from 0.75, and at 0.9.";
        assert_eq!(with_figure(text, "from ", "0.6"), "from 0.6 on; from 0.6, and at 0.9.");
        assert_eq!(with_figure(text, "at ", "0.6"), "from 0.5 on; from 0.75, and at 0.6.");
        assert_eq!(constant("pub const A: f64 = 0.5;\n", "A").ok(), Some("0.5"));
    }
}
