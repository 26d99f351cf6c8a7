//! Lists whole tables in memory, by the lists' rule for candidates, and asks which labelled pairs fell together:
//! `cargo run --release -p neardup-verdict --example table_pairs -- [TABLE] [--alone] [--removed N]`.
//!
//! The labelled texts and the tables are in the folder that `NEARDUP_DATA` names. A list goes through the
//! rows in order; a row joins the first row that stays and that it duplicates. `--alone` judges by the texts alone. `--removed N`
//! prints N rows that go and are not identical to the row that stays, spread evenly, to be read; `--show ID1 ID2` explains one pair.

#[path = "../labelled/mod.rs"]
#[allow(dead_code, reason = "titles are for training")]
mod labelled;
mod list;

use std::time::Instant;

use labelled::pairs::{self, Pair, Set};
use labelled::rows;
use labelled::table::{Table, files};
use labelled::{Result, folder};
use list::List;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.iter().position(|argument| argument == name).map(|at| &arguments[at + 1..]);
    let alone = arguments.iter().any(|argument| argument == "--alone");
    let only = arguments.first().filter(|first| !first.starts_with("--")).map_or("", String::as_str);
    let shown: usize = after("--removed").and_then(|rest| rest.first()).map_or(Ok(0), |number| number.parse())?;
    let Some(folder) = folder() else { return Ok(()) };
    let all = pairs::files(&folder)?;
    for file in files(&folder)?.into_iter().filter(|file| file.contains(only)) {
        let table = Table::read(&folder, &file)?;
        if let Some([a, b, ..]) = after("--show") {
            list::show(&table, a, b)?;
            continue;
        }
        let start = Instant::now();
        let list = List::of(&table, alone)?;
        let (rows, seconds) = (table.rows.len(), start.elapsed().as_secs_f64());
        println!(
            "{}: {rows} rows, {:.3} ms a row, {} identical and {} other rows go; {} verdicts, {} asked the table",
            table.name,
            seconds * 1e3 / rows as f64,
            list.identical,
            list.gone.len(),
            list.verdicts,
            list.asked,
        );
        let own = rows::labelled(&table);
        for set in [
            Set::Natural,
            Set::Natural2,
            Set::Hard,
            Set::Tables,
            Set::Read,
            Set::Removed,
            Set::Gone,
            Set::Fresh,
            Set::Fifth,
            Set::Sixth,
            Set::Seventh,
        ] {
            let of = all.iter().chain(&own).filter(|pair| pair.set == set);
            let found: Vec<(&Pair, bool)> =
                of.filter_map(|pair| Some((pair, list.are_together(rows::of_pair(&table, pair)?)))).collect();
            if !found.is_empty() {
                print(set, &found);
            }
        }
        list.print_gone(&table, shown);
    }
    Ok(())
}

/// Prints precision, recall and F1 of pairs that fell together or not, by the rows that they stand for.
fn print(set: Set, found: &[(&Pair, bool)]) {
    for sure in [false, true] {
        let of = || found.iter().filter(|(pair, _)| !sure || pair.sure);
        let sum = |keeps: bool, together: bool| -> f64 {
            of().filter(|(pair, is)| pair.keeps_one() == Some(keeps) && *is == together)
                .map(|(pair, _)| pair.weight)
                .sum()
        };
        let (right, wrong, missed) = (sum(true, true), sum(false, true), sum(true, false));
        let count = |keeps: bool, together: bool| {
            of().filter(|(pair, is)| pair.keeps_one() == Some(keeps) && *is == together).count()
        };
        println!(
            "  {:<9} {:<5} {:>4} pairs  P {:.3} R {:.3} F1 {:.3}  wrong {} of {}, missed {} of {}",
            format!("{set:?}"),
            if sure { "sure" } else { "all" },
            of().filter(|(pair, _)| pair.keeps_one().is_some()).count(),
            right / (right + wrong),
            right / (right + missed),
            2.0 * right / (2.0 * right + wrong + missed),
            count(false, true),
            count(false, true) + count(true, true),
            count(true, false),
            count(true, false) + count(true, true),
        );
    }
}
