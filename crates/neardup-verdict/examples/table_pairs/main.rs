//! Verdicts on labelled pairs with what their tables know.
#[path = "../labelled/mod.rs"]
mod labelled;

use labelled::pairs::{self, Pair};
use labelled::table::{Before, TABLES, Table};
use labelled::{Result, folder};
use neardup_verdict::{Forms, Known, Prepared};

fn main() -> Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    let only = std::env::args().nth(1).unwrap_or_default();
    let all = pairs::files(&folder)?;
    for file in TABLES {
        if !file.contains(&only) {
            continue;
        }
        let table = Table::read(&folder, file)?;
        let own = pairs::of_table(&table);
        for pair in all.iter().chain(&own) {
            let Some(rows) = find(&table, pair) else { continue };
            for guard in [false, true] {
                let end = if guard { rows[0].max(rows[1]) } else { u32::MAX };
                let mut before = Before { table: &table, end };
                let mut forms = Forms::default();
                let keys = rows.map(|row| &table.rows[row as usize].keys[..]);
                let (a, b) = (Prepared::new(&pair.texts[0])?, Prepared::new(&pair.texts[1])?);
                let overlap = a.overlap(&b);
                let known = Known { forms: &mut forms, rows: &mut before, keys };
                let found = neardup_verdict::Pair::new(&a, &b).known(known).surroundings()?;
                let days = table.apart(rows[0], rows[1]).map_or(-1, |apart| (apart.as_secs() / 86_400).cast_signed());
                print!(
                    "{{\"set\":\"{:?}\",\"table\":\"{}\",\"label\":\"{}\",\"sure\":{},\"weight\":{},\"guard\":{guard},\"ids\":{:?},\"days\":{days},\"overlap\":{overlap},\"shared\":{},\"len\":{}",
                    pair.set,
                    table.name,
                    pair.label,
                    pair.sure,
                    pair.weight,
                    pair.ids,
                    keys[0].iter().filter(|key| keys[1].contains(key)).count(),
                    pair.texts[0].chars().count().min(pair.texts[1].chars().count()),
                );
                for (name, value) in found {
                    print!(",\"{name}\":{value}");
                }
                println!("}}");
            }
        }
    }
    Ok(())
}

/// Finds the rows of a pair, if both are in the table.
fn find(table: &Table, pair: &Pair) -> Option<[u32; 2]> {
    if pair.set != pairs::Set::Hard && pair.table != table.name {
        return None;
    }
    let [a, b] = [0, 1].map(|at| table.find(&pair.ids[at], &pair.texts[at]));
    Some([a?, b?])
}
