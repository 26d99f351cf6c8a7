//! Precision, recall and F1 on tables that a model has not seen.

use std::collections::BTreeSet;

use neardup_verdict::duplicate::{LEAST_OVERLAP, LEAST_OVERLAP_OF_SHORT_COPIES};
use neardup_verdict::model::{LEAST_SCORE, LEAST_SCORE_IN_TABLE, LEAST_SCORE_TO_REMOVE};

use super::cases::Case;
use super::labelled::pairs::Set;
use super::model::Model;

/// What a score rests on.
const KNOWING: [&str; 4] = ["texts", "list", "guard", "time"];

/// The least score for each.
const LEAST: [f64; 4] = [LEAST_SCORE, LEAST_SCORE_IN_TABLE, LEAST_SCORE_IN_TABLE, LEAST_SCORE];

/// The scores of a pair by a model that has not seen its table: the texts alone; with the table and the time, as a list and as a guard
/// knows them; with the time alone.
struct Scored<'c> {
    case: &'c Case,
    keeps: bool,
    scores: [f64; 4],
}

impl Scored<'_> {
    /// Whether the rule for duplicates calls it one.
    fn is_kept(&self, knowing: usize, least: f64) -> bool {
        let short = self.case.pair.texts.iter().any(|text| text.chars().count() < 64);
        let overlap = if short { LEAST_OVERLAP_OF_SHORT_COPIES } else { LEAST_OVERLAP };
        self.scores[knowing] >= least && self.case.candidate && self.case.overlap >= overlap
    }
}

/// The pairs of all tables, each scored by a model trained without its table.
pub struct Held<'c>(Vec<Scored<'c>>);

impl<'c> Held<'c> {
    pub fn out(cases: &'c [Case]) -> Self {
        let tables: BTreeSet<&str> = cases.iter().map(|case| case.table.as_str()).collect();
        let mut all = Vec::new();
        for table in tables {
            let model = Model::train(cases.iter().filter(|case| case.table != table));
            for case in cases.iter().filter(|case| case.table == table) {
                let Some(keeps) = case.pair.keeps_one() else { continue };
                let alone = model.score(&case.texts[1]);
                let known = |at: usize| case.known.get(at).map_or(alone, |inputs| model.score(inputs));
                all.push(Scored { case, keeps, scores: [alone, known(0), known(1), known(2)] });
            }
        }
        Self(all)
    }

    pub fn print(&self) {
        let tables: BTreeSet<(Set, &str)> =
            self.0.iter().map(|scored| (scored.case.pair.set, scored.case.table.as_str())).collect();
        let sets: BTreeSet<Set> = tables.iter().map(|(set, _)| *set).collect();
        let groups = sets.into_iter().map(|set| (set, "")).chain(tables);
        println!(
            "other tables                 pairs  one may go | P R F1, sure F1, wrong, missed: {KNOWING:?} | wrong of removed"
        );
        for (set, table) in groups {
            let of: Vec<&Scored<'_>> = self
                .0
                .iter()
                .filter(|scored| scored.case.pair.set == set && (table.is_empty() || scored.case.table == table))
                .collect();
            print!(
                "{:<10}{table:<16} {:>5} {:>5}",
                format!("{set:?}"),
                of.len(),
                of.iter().filter(|s| s.keeps).count()
            );
            for (knowing, least) in LEAST.into_iter().enumerate().take(3) {
                let (p, r, f) = measure(of.iter().copied(), knowing, least);
                let (_, _, sure) = measure(of.iter().copied().filter(|s| s.case.pair.sure), knowing, least);
                let wrong = of.iter().filter(|s| !s.keeps && s.is_kept(knowing, least)).count();
                let missed = of.iter().filter(|s| s.keeps && !s.is_kept(knowing, least)).count();
                print!(" | {p:.3} {r:.3} {f:.3} {sure:.3} {wrong:>2} {missed:>2}");
            }
            let removed = || of.iter().filter(|s| s.is_kept(1, LEAST_SCORE_TO_REMOVE));
            println!(" | {} of {}", removed().filter(|s| !s.keeps).count(), removed().count());
        }
        for set in [Set::Natural, Set::Natural2, Set::Tables, Set::Removed, Set::Gone] {
            for least in [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95] {
                print!("{set:?} from {least:.2}");
                for (knowing, name) in KNOWING.into_iter().enumerate().take(3) {
                    let of = || self.0.iter().filter(|scored| scored.case.pair.set == set);
                    let (p, r, f) = measure(of(), knowing, least);
                    let wrong = of().filter(|s| !s.keeps && s.is_kept(knowing, least)).count();
                    let gone = of().filter(|s| s.is_kept(knowing, least)).count();
                    print!(" | {name} P {p:.3} R {r:.3} F1 {f:.3} wrong {wrong} of {gone}");
                }
                println!();
            }
        }
        for knowing in [0, 1] {
            self.print_reliability(knowing);
        }
    }

    /// Prints for ranges of scores how often one of the two texts could go: a calibrated score says so itself.
    fn print_reliability(&self, knowing: usize) {
        println!(
            "{} scores of candidates (natural, tables): pairs, mean score, share, share by rows",
            KNOWING[knowing]
        );
        for range in [0.0, 0.1, 0.3, 0.5, 0.75, 0.85, 0.95, 1.01].windows(2) {
            let wanted = |scored: &&Scored<'_>| {
                let natural = matches!(scored.case.pair.set, Set::Natural | Set::Natural2 | Set::Tables);
                natural && scored.case.candidate && (range[0]..range[1]).contains(&scored.scores[knowing])
            };
            let of: Vec<&Scored<'_>> = self.0.iter().filter(wanted).collect();
            let sum = |value: &dyn Fn(&Scored<'_>) -> f64| of.iter().map(|scored| value(scored)).sum::<f64>();
            let (count, rows) = (of.len() as f64, sum(&|scored| scored.case.pair.weight));
            let keeps = |scored: &Scored<'_>| f64::from(u8::from(scored.keeps));
            println!(
                "  {:>4.2} to {:>4.2} {:>5} {:>7.2} {:>7.2} {:>7.2}",
                range[0],
                range[1].min(1.0),
                of.len(),
                sum(&|scored| scored.scores[knowing]) / count,
                sum(&keeps) / count,
                sum(&|scored| keeps(scored) * scored.case.pair.weight) / rows,
            );
        }
    }

    pub fn print_errors(&self) {
        for scored in &self.0 {
            if scored.keeps != scored.is_kept(1, LEAST_SCORE_IN_TABLE) {
                let pair = &scored.case.pair;
                let doubt = if pair.sure { "" } else { "?" };
                let [texts, list, guard, _] = scored.scores;
                println!(
                    "{:?} {} {}{doubt} rows {:.0} overlap {:.2} candidate {} texts {texts:.2} list {list:.2} guard {guard:.2} {:?}",
                    pair.set,
                    scored.case.table,
                    pair.label,
                    pair.weight,
                    scored.case.overlap,
                    scored.case.candidate,
                    pair.ids
                );
            }
        }
    }
}

/// Precision, recall and F1, by the rows that pairs stand for.
fn measure<'s, 'c: 's>(of: impl Iterator<Item = &'s Scored<'c>>, knowing: usize, least: f64) -> (f64, f64, f64) {
    let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
    for scored in of {
        match (scored.keeps, scored.is_kept(knowing, least)) {
            (true, true) => right += scored.case.pair.weight,
            (false, true) => wrong += scored.case.pair.weight,
            (true, false) => missed += scored.case.pair.weight,
            _ => {}
        }
    }
    (right / (right + wrong), right / (right + missed), 2.0 * right / (2.0 * right + wrong + missed))
}
