//! Simulated answers: what a table's owner gains who answers some questions, on tables that the model has not seen.
//!
//! For each table, questions are drawn as `neardup.questions` draws them, the labels answer them, a correction is learned as by `neardup.learn`,
//! and both models are measured on the pairs that were not asked. Each table is drawn several times.

use std::collections::{BTreeMap, BTreeSet};

use neardup_verdict::context::Inputs;
use neardup_verdict::correction::{AGREEMENT, Correction, Measured, NUMBERS};
use neardup_verdict::model::{LEAST_SCORE, LEAST_SCORE_TO_REMOVE};
use neardup_verdict::teaching::teaching;

use super::cases::Knowing;
use super::measure::Scored;

const DRAWS: u64 = 5;
/// How many of the least certain pairs are looked at for each question, as by `neardup.questions`.
const CHOSEN_FROM: usize = 10;
/// Scores below this are not asked about.
const FAR_BELOW: f64 = 0.05;
/// A table takes part if at least this number of pairs is left to measure on that might have been asked about.
const LEFT: usize = 15;
/// Wilson's interval of 90 in 100.
const Z: f64 = 1.645;

struct Pair {
    measured: Measured,
    score: f64,
    is_copy: bool,
    weight: f64,
}

/// Sums of one model: copies found, pairs wrongly named, copies missed, by weight; pairs removed wrongly, and removed.
#[derive(Clone, Copy, Default)]
struct Sums([f64; 5]);

impl Sums {
    fn add(&mut self, pair: &Pair, score: f64) {
        let Self([right, wrong, missed, wrongly, removed]) = self;
        let is_named = score >= LEAST_SCORE;
        match (is_named, pair.is_copy) {
            (true, true) => *right += pair.weight,
            (true, false) => *wrong += pair.weight,
            (false, true) => *missed += pair.weight,
            (false, false) => {}
        }
        if score >= LEAST_SCORE_TO_REMOVE {
            *removed += 1.0;
            *wrongly += f64::from(u8::from(!pair.is_copy));
        }
    }

    fn f1(&self) -> f64 {
        let Self([right, wrong, missed, ..]) = self;
        2.0 * right / (2.0 * right + wrong + missed).max(1e-9)
    }
}

/// Prints what answers change.
pub fn print(scored: &[Scored<'_>]) {
    let tables = tables(scored);
    for asked in [20, 60] {
        let (mut f1, mut removed, mut count, mut changed) = ([0.0; 2], [[0.0; 2]; 2], 0.0, 0);
        let is_near = |pair: &&Pair| pair.score >= FAR_BELOW;
        for pairs in tables.values().filter(|pairs| pairs.iter().filter(is_near).count() >= asked + LEFT) {
            let mut of_table = [0.0; 2];
            for draw in 0..DRAWS {
                let questions = questions(pairs, asked, draw);
                let answers: Vec<(Measured, bool)> =
                    questions.iter().map(|&at| (pairs[at].measured, pairs[at].is_copy)).collect();
                let learned = Correction::learn(&answers).filter(|learned| !learned.is_worse());
                changed += usize::from(learned.is_some());
                let correction = learned.map(|learned| learned.correction);
                let correction = correction.as_ref();
                let mut sums = [Sums::default(); 2];
                for (_, pair) in pairs.iter().enumerate().filter(|(at, _)| !questions.contains(at)) {
                    sums[0].add(pair, pair.score);
                    sums[1].add(pair, correction.map_or(pair.score, |_| pair.measured.score(correction)));
                }
                for at in 0..2 {
                    of_table[at] += sums[at].f1() / DRAWS as f64;
                    removed[at][0] += sums[at].0[3];
                    removed[at][1] += sums[at].0[4];
                }
            }
            f1.iter_mut().zip(of_table).for_each(|(sum, of)| *sum += of);
            count += 1.0;
        }
        println!(
            "{asked} answers on each of {count} tables, {DRAWS} draws, {changed} corrections: F1 of the other pairs {:.3} before, {:.3} after; removed {:.0} wrong of {:.0} before, {:.0} of {:.0} after",
            f1[0] / count,
            f1[1] / count,
            removed[0][0],
            removed[0][1],
            removed[1][0],
            removed[1][1]
        );
    }
    for (what, least) in [("removed", LEAST_SCORE_TO_REMOVE), ("named", LEAST_SCORE)] {
        let (covered, drawn) = coverage(&tables, least);
        println!(
            "the interval of what is wrong of {what} has the true share in {covered} of {drawn} draws of 10 to 30 answers"
        );
    }
}

fn tables(scored: &[Scored<'_>]) -> BTreeMap<String, Vec<Pair>> {
    // No table has a column in which copies agree.
    let places = NUMBERS.map(|name| Inputs::names().position(|of| of == name));
    let mut tables: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for of in scored.iter().filter(|of| of.case.candidate && of.case.set.is_of_many_kinds()) {
        let numbers = of.case.numbers.iter().find(|(knowing, _)| *knowing == Knowing::List);
        let (Some(score), Some((_, numbers))) = (of.score(Knowing::List), numbers) else { continue };
        // A pair that is certain counts as one of the surest.
        let surest = score.clamp(0.002, 0.998);
        let values: Vec<f64> = [libm::log(surest / (1.0 - surest))]
            .into_iter()
            .chain(places.map(|place| place.map_or(AGREEMENT, |place| numbers[place])))
            .collect();
        let Some(measured) = Measured::read(&values) else { continue };
        let pair = Pair { measured, score, is_copy: of.keeps, weight: of.case.weight };
        tables.entry(of.case.table.clone()).or_default().push(pair);
    }
    tables.retain(|_, pairs| pairs.len() >= 20 && pairs.iter().filter(|pair| pair.is_copy).count() >= 5);
    tables
}

/// A number for a place in a draw, by which places are put in an order.
fn lot(draw: u64, at: usize) -> u64 {
    let mut number = (draw << 32 | at as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// Draws questions: half at random from what would be removed, is named or is just below, half those that teach most.
fn questions(pairs: &[Pair], count: usize, draw: u64) -> BTreeSet<usize> {
    let within = |from: f64, to: f64| {
        let mut places: Vec<usize> = (0..pairs.len()).filter(|&at| (from..to).contains(&pairs[at].score)).collect();
        places.sort_by_key(|&at| lot(draw, at));
        places
    };
    let strata = [
        (within(LEAST_SCORE_TO_REMOVE, f64::INFINITY), 15),
        (within(LEAST_SCORE, LEAST_SCORE_TO_REMOVE), 20),
        (within(FAR_BELOW, LEAST_SCORE), 15),
    ];
    let mut drawn: BTreeSet<usize> =
        strata.iter().flat_map(|(places, share)| places.iter().take((count * share).div_ceil(100)).copied()).collect();
    let mut rest: Vec<usize> = within(FAR_BELOW, f64::INFINITY).into_iter().filter(|at| !drawn.contains(at)).collect();
    rest.sort_by(|&a, &b| (pairs[a].score - 0.5).abs().total_cmp(&(pairs[b].score - 0.5).abs()));
    rest.truncate(count * CHOSEN_FROM);
    let from: Vec<(Measured, f64)> = rest.iter().map(|&at| (pairs[at].measured, pairs[at].weight)).collect();
    let known: Vec<Measured> = drawn.iter().map(|&at| pairs[at].measured).collect();
    let chosen = teaching(&from, &known, count - drawn.len());
    drawn.extend(chosen.into_iter().map(|at| rest[at]));
    drawn
}

/// Counts the draws whose interval has the true share, and all.
fn coverage(tables: &BTreeMap<String, Vec<Pair>>, least: f64) -> (usize, usize) {
    let (mut covered, mut drawn) = (0, 0);
    for pairs in tables.values() {
        let all: Vec<bool> = pairs.iter().filter(|pair| pair.score >= least).map(|pair| !pair.is_copy).collect();
        for count in [10, 20, 30].into_iter().filter(|count| all.len() >= 2 * count) {
            let share = all.iter().filter(|is_wrong| **is_wrong).count() as f64 / all.len() as f64;
            for draw in 0..100 {
                let mut places: Vec<usize> = (0..all.len()).collect();
                places.sort_by_key(|&at| lot(draw, at));
                let found = places.iter().take(count).filter(|&&at| all[at]).count() as f64 / count as f64;
                let n = count as f64;
                let middle = (found + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
                let half = Z * (found * (1.0 - found) / n + Z * Z / (4.0 * n * n)).sqrt() / (1.0 + Z * Z / n);
                covered += usize::from((middle - half - 1e-9..=middle + half + 1e-9).contains(&share));
                drawn += 1;
            }
        }
    }
    (covered, drawn)
}
