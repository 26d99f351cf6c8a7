//! What a column adds in which copies agree, such as an employer or an author: no labelled table has one, so titles stand for it, most of which
//! are authors, senders, products or subjects. Fitted to the scores that tables have which the model has not seen, which do not know the titles.

use std::collections::BTreeMap;

use neardup_verdict::model::{in_table, probability};

use super::cases::Knowing;
use super::measure::Scored;

/// A table counts with the square root of its pairs, times this: as in training, where it has some hundred pairs.
const WEIGHT: f64 = 10.0;

/// Prints what is added to the log odds of pairs with the same title and of pairs with different ones, and the least and the greatest of it if a
/// table is left out.
pub fn print(scored: &[Scored<'_>]) {
    let mut tables: BTreeMap<&str, Vec<(bool, f64, bool)>> = BTreeMap::new();
    for of in scored.iter().filter(|of| of.case.set.is_of_many_kinds()) {
        let (Some(one_title), Some(log_odds)) = (of.case.one_title, of.log_odds(Knowing::List)) else { continue };
        tables.entry(&of.case.table).or_default().push((one_title, in_table(log_odds), of.keeps));
    }
    for one_title in [true, false] {
        let fitted = |without: Option<&str>| {
            let kept = tables.iter().filter(|(table, _)| Some(**table) != without);
            let pairs = kept.flat_map(|(_, pairs)| {
                let weight = WEIGHT / (pairs.len() as f64).sqrt();
                pairs.iter().filter(|(of, ..)| *of == one_title).map(move |(_, odds, keeps)| (weight, *odds, *keeps))
            });
            shift(&pairs.collect::<Vec<_>>())
        };
        let without: Vec<f64> = tables.keys().map(|table| fitted(Some(table))).collect();
        let (least, most) = without.iter().fold((f64::MAX, f64::MIN), |(a, b), of| (a.min(*of), b.max(*of)));
        let titles = if one_title { "one title" } else { "other titles" };
        println!("{titles}: {:+.2}, {least:+.2} to {most:+.2} without a table", fitted(None));
    }
}

/// Returns what is added to log odds so that labels are likeliest, by Newton's method, with a variance of 1 around zero.
fn shift(pairs: &[(f64, f64, bool)]) -> f64 {
    let mut shift = 0.0;
    for _ in 0..20 {
        let (mut slope, mut curvature) = (-shift, 1.0);
        for (weight, log_odds, keeps) in pairs {
            let p = probability(log_odds + shift);
            slope += weight * (f64::from(u8::from(*keeps)) - p);
            curvature += weight * p * (1.0 - p);
        }
        shift += slope / curvature;
    }
    shift
}
