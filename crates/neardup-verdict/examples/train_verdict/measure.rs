//! How often a model errs on tables that it has not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use neardup_verdict::model::{LEAST_SCORE, LEAST_SCORE_TO_REMOVE, in_table, probability};

use super::cases::{Case, Knowing};
use super::labelled::pairs::Set;
use super::model::Model;

/// The number of parts in which tables are left out of training.
const FOLDS: usize = 10;

pub struct Scored<'c> {
    pub case: &'c Case,
    pub keeps: bool,
    /// By what is known.
    log_odds: Vec<(Knowing, f64)>,
}

impl Scored<'_> {
    /// Returns the log odds of the model by what is known.
    pub fn log_odds(&self, knowing: Knowing) -> Option<f64> {
        self.log_odds.iter().find(|(of, _)| *of == knowing).map(|(_, log_odds)| *log_odds)
    }

    /// Returns the score by what is known.
    pub fn score(&self, knowing: Knowing) -> Option<f64> {
        if let Some((_, score)) = self.case.certain.iter().find(|(of, _)| *of == knowing) {
            return Some(*score);
        }
        let log_odds = self.log_odds(knowing)?;
        Some(probability(if knowing == Knowing::Texts { log_odds } else { in_table(log_odds) }))
    }

    /// Returns the score of a list, which knows the titles if both rows have one and it is told to read them.
    fn score_in_list(&self, knowing: Knowing) -> Option<f64> {
        self.score(knowing).or_else(|| if knowing == Knowing::Titled { self.score(Knowing::List) } else { None })
    }

    fn is_from(&self, knowing: Knowing, least: f64) -> bool {
        self.case.candidate && self.score_in_list(knowing).is_some_and(|score| score >= least)
    }
}

/// All pairs, each scored by a model that was trained without it.
pub struct Held<'c>(pub Vec<Scored<'c>>);

impl<'c> Held<'c> {
    /// Leaves tables out of training, in [`FOLDS`] parts, and trains on at most `most_tables` of the others.
    pub fn out(cases: &'c [Case], most_tables: usize) -> Self {
        let tables: BTreeSet<&str> = cases.iter().map(|case| case.table.as_str()).collect();
        let folds: BTreeMap<&str, usize> = tables.iter().enumerate().map(|(at, table)| (*table, at % FOLDS)).collect();
        // Other ones for each part, in an order that says nothing of them.
        let order = |fold: usize, table: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one((fold, table));
        let chosen: Vec<BTreeSet<&str>> = (0..FOLDS)
            .map(|fold| {
                let mut rest: Vec<&str> = tables.iter().copied().filter(|table| folds[table] != fold).collect();
                rest.sort_by_key(|table| order(fold, table));
                rest.into_iter().take(most_tables).collect()
            })
            .collect();
        let fold_of = cases.iter().map(|case| folds[case.table.as_str()]).collect::<Vec<_>>();
        Self::by(cases, &fold_of, |fold, case| chosen[fold].contains(case.table.as_str()))
    }

    /// Leaves pairs out of training, but not their tables. Pairs that share a row, or are linked by pairs that do, stay together.
    pub fn pairs_out(cases: &'c [Case]) -> Self {
        let rows: Vec<[(&str, &str); 2]> =
            cases.iter().map(|case| [0, 1].map(|at: usize| (case.table.as_str(), case.ids[at].as_str()))).collect();
        let mut groups: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut members: Vec<Vec<(&str, &str)>> = Vec::new();
        for pair in &rows {
            for row in pair {
                groups.entry(*row).or_insert_with(|| {
                    members.push(vec![*row]);
                    members.len() - 1
                });
            }
            let [to, from] = pair.map(|row| groups[&row]);
            if to != from {
                let moved = std::mem::take(&mut members[from]);
                moved.iter().for_each(|row| {
                    groups.insert(*row, to);
                });
                members[to].extend(moved);
            }
        }
        Self::by(cases, &rows.iter().map(|pair| groups[&pair[0]] % FOLDS).collect::<Vec<_>>(), |_, _| true)
    }

    fn by(cases: &'c [Case], folds: &[usize], trains: impl Fn(usize, &Case) -> bool + Sync) -> Self {
        let trains = &trains;
        let score = |fold: usize| {
            let of = |is_in: bool| {
                cases.iter().zip(folds).filter(move |(_, of)| (**of == fold) == is_in).map(|(case, _)| case)
            };
            let model = Model::train(of(false).filter(|case| trains(fold, case)));
            of(true)
                .filter_map(|case| {
                    let keeps = case.keeps_one()?;
                    let log_odds =
                        case.numbers.iter().map(|(knowing, numbers)| (*knowing, model.log_odds(numbers))).collect();
                    Some(Scored { case, keeps, log_odds })
                })
                .collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        for two in (0..FOLDS).collect::<Vec<_>>().chunks(2) {
            std::thread::scope(|scope| {
                let running: Vec<_> = two.iter().map(|&fold| scope.spawn(move || score(fold))).collect();
                all.extend(running.into_iter().filter_map(|of| of.join().ok()).flatten());
            });
        }
        Self(all)
    }

    pub fn print(&self) {
        let tables: BTreeSet<&str> = self.0.iter().map(|scored| scored.case.table.as_str()).collect();
        println!(
            "tables held out | pairs, one may go | named: P R F1, sure F1 | removed: wrong of all, promised | with titles: P R F1, sure F1 | wrong of removed"
        );
        let mut measured: Vec<Vec<&Scored<'_>>> = Vec::new();
        let fresh = |scored: &&Scored<'_>| scored.case.set.is_of_many_kinds();
        for table in tables {
            let of: Vec<&Scored<'_>> =
                self.0.iter().filter(fresh).filter(|scored| scored.case.table == table).collect();
            if of.len() < 20 {
                continue;
            }
            let figures = figures(&of, Knowing::List, LEAST_SCORE);
            print!("{table:<16} {:>4} {:>4}", of.len(), of.iter().filter(|scored| scored.keeps).count());
            print!(" | {:.2} {:.2} {:.2} {:.2}", figures[0], figures[1], figures[2], figures[3]);
            print!(" | {}", removed(&of, Knowing::List, LEAST_SCORE_TO_REMOVE));
            if of.iter().any(|scored| scored.score(Knowing::Titled).is_some()) {
                let figures = self::figures(&of, Knowing::Titled, LEAST_SCORE);
                print!(" | {:.2} {:.2} {:.2} {:.2}", figures[0], figures[1], figures[2], figures[3]);
                println!(" | {}", removed(&of, Knowing::Titled, LEAST_SCORE_TO_REMOVE));
            } else {
                println!(" | – | –");
            }
            if of.iter().filter(|scored| scored.keeps).count() >= 5 {
                measured.push(of);
            }
        }
        println!("means of {} tables with five copies and more", measured.len());
        for least in [0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9] {
            let [p, r, f, sure] = mean(measured.iter().map(|of| figures(of, Knowing::List, least)));
            println!("from {least:.2}: P {p:.3} R {r:.3} F1 {f:.3}, sure {sure:.3}");
        }
        let has_titles = |of: &&Vec<&Scored<'_>>| of.iter().any(|scored| scored.score(Knowing::Titled).is_some());
        let tables: [(&str, Vec<_>); 2] =
            [("with titles", measured.iter().filter(has_titles).collect()), ("in all", measured.iter().collect())];
        for (which, of) in &tables {
            for (what, knowing) in [("titles not read", Knowing::List), ("titles read", Knowing::Titled)] {
                let [p, r, f, sure] = mean(of.iter().map(|of| figures(of, knowing, LEAST_SCORE)));
                println!("{} tables {which}, {what}: P {p:.3} R {r:.3} F1 {f:.3}, sure {sure:.3}", of.len());
            }
        }
        let [f, sure] = mean(measured.iter().map(|of| best_figures(of)));
        println!("from what is best for each table: F1 {f:.3}, sure {sure:.3}");
        for (kind, tables) in [("news", NEWS), ("posts", POSTS)] {
            let of: Vec<_> = measured.iter().filter(|of| tables.contains(&of[0].case.table.as_str())).collect();
            println!("{kind}, {} tables", of.len());
            for least in [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] {
                let [p, r, f, sure] = mean(of.iter().map(|of| figures(of, Knowing::List, least)));
                println!("from {least:.2}: P {p:.3} R {r:.3} F1 {f:.3}, sure {sure:.3}");
            }
        }
        let all: Vec<&Scored<'_>> = self.0.iter().filter(fresh).collect();
        for from in [0.3, 0.35, 0.4, 0.45, 0.5, 0.55] {
            let to = from + 0.05;
            let within: Vec<_> =
                all.iter().filter(|of| of.is_from(Knowing::List, from) && !of.is_from(Knowing::List, to)).collect();
            let copies = within.iter().filter(|of| of.keeps).count();
            println!("from {from:.2} to {to:.2}: {copies} of {} are copies", within.len());
        }
        for least in [0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.96, 0.97, 0.98] {
            let names: Vec<&Scored<'_>> =
                all.iter().copied().filter(|scored| !scored.case.table.contains("debpkg")).collect();
            println!(
                "from {least:.2}: wrong of all, promised {}; without catalogues {}; titles read {}",
                removed(&all, Knowing::List, least),
                removed(&names, Knowing::List, least),
                removed(&all, Knowing::Titled, least)
            );
        }
        self.print_sets();
    }

    pub fn print_sets(&self) {
        for set in [Set::Natural, Set::Natural2, Set::Hard, Set::Tables, Set::Read, Set::Removed, Set::Gone] {
            let of: Vec<&Scored<'_>> = self.0.iter().filter(|scored| scored.case.set == set).collect();
            for knowing in [Knowing::Texts, Knowing::List, Knowing::Guard] {
                let known: Vec<&Scored<'_>> =
                    of.iter().copied().filter(|scored| scored.score(knowing).is_some()).collect();
                let [p, r, f, sure] = figures(&known, knowing, LEAST_SCORE);
                print!(
                    "{set:?} {knowing:?} {}: P {p:.3} R {r:.3} F1 {f:.3} sure {sure:.3}; removed {}  ",
                    known.len(),
                    removed(&known, knowing, LEAST_SCORE_TO_REMOVE)
                );
            }
            println!();
        }
    }

    pub fn print_errors(&self) {
        for scored in &self.0 {
            let (Some(score), case) = (scored.score(Knowing::List), scored.case) else { continue };
            if scored.keeps != scored.is_from(Knowing::List, LEAST_SCORE) {
                let [a, b] = &case.ids;
                println!(
                    "{:?} {} {} sure {} rows {:.0} candidate {} score {score:.2} {a} {b}",
                    case.set, case.table, case.label, case.sure, case.weight, case.candidate
                );
            }
        }
    }
}

/// The tables of news, press releases and bulletins.
const NEWS: &[&str] = &[
    "ar_saudinews",
    "broadcast",
    "de_polizei",
    "en_auspress",
    "en_dataplural",
    "en_senatepress",
    "fa_instanews",
    "hi_covidnews",
    "id_berita",
    "mul_africanews",
    "nankai",
    "pt_fakebr",
    "reuters",
    "ro_portals",
    "ro_press",
    "ru_telegram",
    "sports",
    "vi_baomoi",
    "vi_edunews",
];

/// The tables of posts, reposts and messages.
const POSTS: &[&str] = &[
    "en_senatetweets",
    "en_sms",
    "ja_koume",
    "mul_spamsms",
    "mul_tweets",
    "nl_partytweets",
    "posts",
    "pt_whatsapp",
    "zh_reposts",
    "zh_sms",
];

/// Precision, recall and F1 by the rows that pairs stand for, and F1 where the reader was sure.
fn figures(of: &[&Scored<'_>], knowing: Knowing, least: f64) -> [f64; 4] {
    let by = |of: &[&Scored<'_>]| {
        let sum = |keeps: bool, named: bool| -> f64 {
            let wanted = of.iter().filter(|scored| scored.keeps == keeps && scored.is_from(knowing, least) == named);
            wanted.map(|scored| scored.case.weight).sum()
        };
        let (right, wrong, missed) = (sum(true, true), sum(false, true), sum(true, false));
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        [share(right, right + wrong), share(right, right + missed), share(2.0 * right, 2.0 * right + wrong + missed)]
    };
    let [p, r, f] = by(of);
    let sure: Vec<&Scored<'_>> = of.iter().copied().filter(|scored| scored.case.sure).collect();
    [p, r, f, by(&sure)[2]]
}

fn mean<const N: usize>(of: impl Iterator<Item = [f64; N]>) -> [f64; N] {
    let (mut sums, mut count) = ([0.0; N], 0.0);
    for figures in of {
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        count += 1.0;
    }
    sums.map(|sum| sum / count)
}

/// F1, and F1 where the reader was sure, each at the threshold that is best for these pairs: what their order is worth, if somebody knew the threshold.
fn best_figures(of: &[&Scored<'_>]) -> [f64; 2] {
    let most =
        |at: usize| (1..50).map(|step| figures(of, Knowing::List, f64::from(step) / 50.0)[at]).fold(0.0, f64::max);
    [most(2), most(3)]
}

/// How many pairs from a score on are wrong, of how many, and how many wrong ones the scores promise.
fn removed(of: &[&Scored<'_>], knowing: Knowing, least: f64) -> String {
    let removed: Vec<&&Scored<'_>> = of.iter().filter(|scored| scored.is_from(knowing, least)).collect();
    let promised: f64 =
        removed.iter().filter_map(|scored| scored.score_in_list(knowing)).map(|score| 1.0 - score).sum();
    format!("{:>3} of {:>3}, {promised:.1}", removed.iter().filter(|scored| !scored.keeps).count(), removed.len())
}
