//! A list of a whole table.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use neardup_verdict::{Forms, Known, Pair, Prepared, Rows, differences, replaces};

use super::labelled::Result;
use super::labelled::table::{Before, HOT, Table};

/// The most candidates that a row is compared with.
const MOST: usize = 64;

pub struct List {
    /// For each row, the row that stays.
    stays: Vec<u32>,
    pub identical: usize,
    /// Rows that go and are not identical to the row that stays, with their scores.
    pub gone: Vec<(u32, f64)>,
    pub verdicts: usize,
    /// How often the table was asked for the rows of a key.
    pub asked: usize,
}

struct Counted<'t>(Before<'t>, &'t Cell<usize>);

impl Rows for Counted<'_> {
    fn with_key(&mut self, key: u64) -> neardup_text::Result<Vec<u64>> {
        self.1.set(self.1.get() + 1);
        self.0.with_key(key)
    }

    fn texts(&mut self, rows: &[u64]) -> neardup_text::Result<Vec<(u64, String)>> {
        self.0.texts(rows)
    }

    fn spread(&mut self) -> neardup_text::Result<Vec<String>> {
        self.0.spread()
    }
}

impl List {
    pub fn of(table: &Table, alone: bool) -> Result<Self> {
        let mut list = Self { stays: Vec::new(), identical: 0, gone: Vec::new(), verdicts: 0, asked: 0 };
        let asked = Cell::new(0);
        let mut rows = Counted(Before { table, end: u32::MAX }, &asked);
        let (mut forms, mut first): (Forms, HashMap<&str, u32>) = Default::default();
        let mut prepared: HashMap<u32, Prepared<'_>> = HashMap::new();
        for (row, of) in (0_u32..).zip(&table.rows) {
            list.stays.push(row);
            if let Some(&same) = first.get(of.text.as_str()) {
                list.stays[row as usize] = list.stays[same as usize];
                list.identical += 1;
                continue;
            }
            first.insert(&of.text, row);
            if prepared.len() > 4096 {
                prepared.clear();
            }
            let own = Prepared::new(&of.text)?;
            for other in candidates(table, &list.stays, row) {
                let text = &table.rows[other as usize].text;
                let kept = &*match prepared.entry(other) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(unknown) => unknown.insert(Prepared::new(text)?),
                };
                list.verdicts += 1;
                let keys_of_kept = || Ok(table.rows[other as usize].keys.clone());
                let keys_of_own = || Ok(of.keys.clone());
                let mut pair = Pair::new(kept, &own);
                if !alone {
                    pair = pair.apart(table.apart(other, row));
                    pair = pair.known(Known {
                        forms: &mut forms,
                        rows: &mut rows,
                        own: [Some(other.into()), Some(row.into())],
                        keys: [&keys_of_kept, &keys_of_own],
                    });
                }
                if let Some((verdict, score)) = pair.duplicate()?
                    && replaces(verdict, text, &of.text)
                {
                    list.stays[row as usize] = other;
                    list.gone.push((row, score));
                    break;
                }
            }
        }
        list.asked = asked.get();
        Ok(list)
    }

    pub fn are_together(&self, [a, b]: [u32; 2]) -> bool {
        self.stays[a as usize] == self.stays[b as usize]
    }

    pub fn print_gone(&self, table: &Table, most: usize) {
        let most = most.min(self.gone.len());
        for at in 0..most {
            let (row, score) = self.gone[at * self.gone.len() / most];
            let stays = self.stays[row as usize];
            let text = |row: u32| &table.rows[row as usize].text;
            let id = |row: u32| table.by_id.iter().find(|(_, at)| **at == row).map_or("", |(id, _)| id);
            let days = table.apart(stays, row).map_or(-1, |apart| (apart.as_secs() / 86_400).cast_signed());
            println!("GONE\t{}\t{}\t{}\t{score:.2}\t{days} days", table.name, id(stays), id(row));
            let (Ok(a), Ok(b)) = (Prepared::new(text(stays)), Prepared::new(text(row))) else { continue };
            for [a, b] in differences(&a, &b, 4) {
                println!("    {a}\n  / {b}");
            }
        }
    }
}

/// Returns the earlier rows that stay and share a key that is not common, or two that are, those that share most first.
fn candidates(table: &Table, stays: &[u32], row: u32) -> Vec<u32> {
    let mut shared: HashMap<u32, (u32, u32)> = HashMap::new();
    for key in &table.rows[row as usize].keys {
        let rows = &table.by_key[key];
        let hot = rows.len() > HOT;
        for &other in rows.iter().take_while(|&&other| other < row).take(2048) {
            let count = shared.entry(other).or_default();
            count.0 += if hot { 1 } else { 2 };
            count.1 += 1;
        }
    }
    let mut found: Vec<(u32, u32)> = shared
        .into_iter()
        .filter(|(other, (sum, _))| *sum >= 2 && stays[*other as usize] == *other)
        .map(|(other, (_, count))| (u32::MAX - count, other))
        .collect();
    found.sort_unstable();
    found.into_iter().take(MOST).map(|(_, other)| other).collect()
}

/// Explains the verdict on two rows.
pub fn show(table: &Table, a: &str, b: &str) -> Result<()> {
    let (Some(&a), Some(&b)) = (table.by_id.get(a), table.by_id.get(b)) else { return Ok(()) };
    let [of_a, of_b] = [a, b].map(|row| &table.rows[row as usize]);
    let (text_a, text_b) = (Prepared::new(&of_a.text)?, Prepared::new(&of_b.text)?);
    let (mut forms, mut rows) = (Forms::default(), Before { table, end: u32::MAX });
    let known = Known {
        forms: &mut forms,
        rows: &mut rows,
        own: [Some(a.into()), Some(b.into())],
        keys: [&|| Ok(of_a.keys.clone()), &|| Ok(of_b.keys.clone())],
    };
    println!("{}\n--------\n{}\n--------", of_a.text, of_b.text);
    let (inputs, _) = Pair::new(&text_a, &text_b).apart(table.apart(a, b)).known(known).inputs()?;
    println!("{inputs:#?}");
    let known = Known {
        forms: &mut forms,
        rows: &mut rows,
        own: [Some(a.into()), Some(b.into())],
        keys: [&|| Ok(of_a.keys.clone()), &|| Ok(of_b.keys.clone())],
    };
    println!("{:#?}", Pair::new(&text_a, &text_b).apart(table.apart(a, b)).known(known).message()?);
    Ok(())
}
