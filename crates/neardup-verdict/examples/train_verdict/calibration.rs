//! What the log odds of the model mean in a table: fitted to the pairs of tables that it has not seen, as J. Platt does (*Probabilistic outputs
//! for support vector machines*, 1999), but below a knot only. Above it, scores promise what is read.

use std::collections::BTreeMap;

use neardup_verdict::model::{KNOT, probability};

use super::cases::Knowing;
use super::measure::Scored;
use super::model::counts;

/// Prints the factor below the knot for which the labels are likeliest. Each table counts with the square root of what its pairs count.
pub fn print(scored: &[Scored<'_>]) {
    let mut tables: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    let fresh = |of: &&Scored<'_>| of.case.candidate && of.case.set.is_of_many_kinds();
    for of in scored.iter().filter(fresh) {
        let Some(log_odds) = of.log_odds(Knowing::List) else { continue };
        let pair = [counts(of.case), log_odds - KNOT, f64::from(u8::from(of.keeps))];
        tables.entry(&of.case.table).or_default().push(pair);
    }
    let mut factor = 1.0;
    for _ in 0..20 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for pairs in tables.values() {
            let all: f64 = pairs.iter().map(|[weight, ..]| weight).sum();
            for [weight, below, truth] in pairs.iter().filter(|[_, below, _]| *below < 0.0) {
                let p = probability(KNOT + factor * below);
                slope += weight / all.sqrt() * (truth - p) * below;
                curvature += weight / all.sqrt() * p * (1.0 - p) * below * below;
            }
        }
        factor += slope / curvature;
    }
    println!("in a table: log odds below {KNOT} count {factor:.3} times as far from it");
}
