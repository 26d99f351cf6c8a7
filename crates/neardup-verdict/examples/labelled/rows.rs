//! The labelled pairs that are rows of a table.

use super::pairs::{Pair, Set};
use super::table::Table;

/// Labels without texts: table, ids, label, whether the reader was sure, and the rows that the pair stands for.
const LABELS: [(&str, Set); 9] = [
    (include_str!("read.tsv"), Set::Read),
    (include_str!("removed.tsv"), Set::Removed),
    (include_str!("gone.tsv"), Set::Gone),
    (include_str!("fifth.tsv"), Set::Fifth),
    (include_str!("sixth.tsv"), Set::Sixth),
    (include_str!("seventh.tsv"), Set::Seventh),
    (include_str!("eighth.tsv"), Set::Eighth),
    (include_str!("ninth.tsv"), Set::Ninth),
    (include_str!("tenth.tsv"), Set::Tenth),
];

/// Returns the pairs of the label files whose table this is.
pub fn labelled(table: &Table) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (labels, set) in LABELS {
        for line in labels.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, a, b, label, sure, ref rest @ ..] = fields[..] else { continue };
            let row = |id: &str| table.by_id.get(id).and_then(|&row| table.rows.get(row as usize));
            if name != table.name {
                continue;
            }
            let (Some(row_a), Some(row_b)) = (row(a), row(b)) else { continue };
            pairs.push(Pair {
                set,
                table: name.to_owned(),
                label: label.to_owned(),
                sure: sure == "sure",
                weight: rest.first().and_then(|weight| weight.parse().ok()).unwrap_or(1.0),
                ids: [a.to_owned(), b.to_owned()],
                titles: [row_a.title.clone(), row_b.title.clone()],
                texts: [row_a.text.clone(), row_b.text.clone()],
            });
        }
    }
    pairs.into_iter().map(Pair::read_again).collect()
}

/// Finds the rows of a pair, if this is its table, or for a hard pair if the table has both.
pub fn of_pair(table: &Table, pair: &Pair) -> Option<[u32; 2]> {
    if pair.set != Set::Hard && pair.table != table.name {
        return None;
    }
    let [a, b] = [0, 1].map(|at: usize| table.find(&pair.ids[at], &pair.texts[at]));
    let rows = [a?, b?];
    // Numbers are ids in many tables.
    let is_same = |at: usize| table.rows.get(rows[at] as usize).is_some_and(|row| row.text == pair.texts[at]);
    (pair.set != Set::Hard || (is_same(0) && is_same(1))).then_some(rows)
}

/// Says whether the label files have pairs of a table.
pub fn has_labels(table: &str) -> bool {
    LABELS.iter().any(|(labels, _)| labels.lines().any(|line| line.split('\t').next() == Some(table)))
}
