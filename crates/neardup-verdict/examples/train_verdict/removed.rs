//! What a clean-up still removes of the pairs that an earlier version removed, by the shipped rule, for clean-ups that ask for a higher
//! score or compare only rows of near times.

use std::path::Path;

use neardup_verdict::Prepared;
use serde_json::Value;

use super::Result;
use super::pairs::{REMOVED, with_texts};

/// The least scores.
const THRESHOLDS: [f64; 2] = [0.75, 0.95];

/// The most days between the two texts.
const WINDOWS: [i64; 3] = [i64::MAX, 30, 7];

/// Prints, for each corpus, window and threshold, how many of the pairs that are still called copies should both stay, and of how many.
pub fn print(folder: &Path) -> Result<()> {
    let mut found: Vec<(String, bool, i64, f64)> = Vec::new();
    for pair in with_texts(folder, REMOVED)? {
        let field = |name: &str| pair.get(name).and_then(Value::as_str).unwrap_or_default();
        if let Some((_, score)) = Prepared::new(field("text1"))?.duplicate(field("text2"))? {
            let stay = !matches!(field("label"), "D" | "P");
            let days = day(field("date1")).abs_diff(day(field("date2"))).cast_signed();
            found.push((field("corpus").to_owned(), stay, days, score));
        }
    }
    println!("once removed and still called copies: days apart, least score, should stay, of");
    for corpus in ["sports", "broadcast"] {
        for most in WINDOWS {
            for least in THRESHOLDS {
                let of = || found.iter().filter(|(c, _, days, score)| c == corpus && *days <= most && *score >= least);
                let window = if most == i64::MAX { "any".to_owned() } else { most.to_string() };
                println!(
                    "  {corpus:<10} {window:>4} {least:.2} {:>4} {:>4}",
                    of().filter(|pair| pair.1).count(),
                    of().count()
                );
            }
        }
    }
    Ok(())
}

/// Gives the number of a day, from the year, month and day that a date begins with, with or without hyphens.
fn day(date: &str) -> i64 {
    let digits: String = date.chars().filter(char::is_ascii_digit).take(8).collect();
    let number: i64 = digits.parse().unwrap_or_default();
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    // Counted from March, so that a leap day ends its year.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}
