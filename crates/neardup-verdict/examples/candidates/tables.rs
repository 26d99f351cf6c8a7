//! What the rule for candidates makes of whole tables, and what other bounds would: `-- tables [NAME]`.
//!
//! For each table and rule: how many texts a row is compared with, and which copies are among these. Copies are the labelled pairs, and
//! edited copies of rows, made here and searched for behind the last row, so that all rows of their form come first. Identical texts
//! count once, as in a list.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;

use neardup_core::candidates::CandidateRule;
use neardup_verdict::Prepared;

use super::Result;
use super::labelled::table::{Table, files};
use super::labelled::{pairs, rows};
use super::languages::{edited, hashes, sketches};

/// Hash functions that shares are averaged over.
const HASHES: u64 = 4;

/// Rows of a table whose candidates are counted, and rows of which copies are made.
const COUNTED: usize = 4000;
const COPIED: usize = 1000;

/// The default rule, and the same with other bounds.
fn rules() -> Vec<(&'static str, CandidateRule)> {
    let (rule, most) = (CandidateRule::default(), usize::MAX);
    vec![
        ("default", rule),
        ("common: no bound", CandidateRule { commons: most, commons_of_long: most, ..rule }),
        ("common: 16 and 8", CandidateRule { commons: 16, commons_of_long: 8, ..rule }),
        ("common: 64 and 32", CandidateRule { commons: 64, commons_of_long: 32, ..rule }),
        ("rare: 16 rows", CandidateRule { rare: 16, ..rule }),
        ("rare: 64 rows", CandidateRule { rare: 64, ..rule }),
        ("only: 32 texts", CandidateRule { texts: 32, commons: most, commons_of_long: most, ..rule }),
        (
            "no bound",
            CandidateRule { texts: most, commons: most, commons_of_long: most, singles_of_long: most, ..rule },
        ),
    ]
}

/// Prints a line for each table and rule: texts that a row is compared with, mean and 99th percentile; the labelled copies, and the
/// shares of them that are among these texts, and that are, or of which a text at least as similar is; and the shares of the made copies,
/// with one edit and with several.
pub fn print(folder: &Path) -> Result<()> {
    let all = pairs::files(folder)?;
    let wanted = std::env::args().nth(2);
    println!("table,texts,rule,mean,p99,copies,found,or one as similar,one edit,several edits");
    for file in files(folder)?.iter().filter(|file| wanted.as_ref().is_none_or(|wanted| file.contains(wanted))) {
        let texts = Texts::new(Table::read(folder, file)?)?;
        let of_table = rows::labelled(&texts.table);
        let copies: Vec<[u32; 2]> = all.iter().chain(&of_table).filter_map(|pair| texts.copies(pair)).collect();
        let (counted, copied) = (texts.spread(COUNTED), texts.spread(COPIED));
        let made = [texts.edited(&copied, false)?, texts.edited(&copied, true)?];
        let indexes: Vec<Index> = (0..HASHES).map(|seed| Index::new(&texts, seed)).collect();
        for (name, rule) in rules() {
            let (mut found, mut as_like, mut found_made) = (0, 0, [0, 0]);
            for index in &indexes {
                for &[a, b] in &copies {
                    let compared = index.compared_of(&rule, b);
                    let is_found = compared.contains(&a);
                    found += usize::from(is_found);
                    as_like += usize::from(is_found || texts.has_as_like(&compared, a, b)?);
                }
                for (made, found) in made.iter().zip(&mut found_made) {
                    for (&row, copy) in copied.iter().zip(sketches(made, index.seed)) {
                        let compared = index.compared(&rule, &copy, texts.text(row).len(), u32::MAX);
                        *found += usize::from(compared.contains(&row));
                    }
                }
            }
            let mut counts: Vec<usize> = counted.iter().map(|&row| indexes[0].compared_of(&rule, row).len()).collect();
            counts.sort_unstable();
            let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
            let share = |found: usize, of: usize| found as f64 / (of * indexes.len()) as f64;
            println!(
                "{},{},{name},{mean:.1},{},{},{:.3},{:.3},{:.3},{:.3}",
                texts.table.name,
                texts.distinct.len(),
                counts[counts.len() * 99 / 100],
                copies.len(),
                share(found, copies.len()),
                share(as_like, copies.len()),
                share(found_made[0], copied.len()),
                share(found_made[1], copied.len()),
            );
        }
    }
    Ok(())
}

/// The distinct texts of a table.
struct Texts {
    table: Table,
    /// The first row with each text.
    distinct: Vec<u32>,
    /// The hashes of each row's shingles; none of a row whose text an earlier one has.
    hashes: Vec<Vec<u64>>,
}

impl Texts {
    fn new(table: Table) -> Result<Self> {
        let is_first = |&row: &u32| table.by_text[&table.rows[row as usize].text] == row;
        let distinct: Vec<u32> = (0..table.rows.len() as u32).filter(is_first).collect();
        let mut all = vec![Vec::new(); table.rows.len()];
        let texts = distinct.iter().map(|&row| table.rows[row as usize].text.as_str());
        for (&row, hashes) in distinct.iter().zip(hashes(texts, 2)?) {
            all[row as usize] = hashes;
        }
        Ok(Self { table, distinct, hashes: all })
    }

    fn text(&self, row: u32) -> &str {
        &self.table.rows[row as usize].text
    }

    /// Returns the first rows with the texts of a pair, the earlier one first, if one of the pair may go.
    fn copies(&self, pair: &pairs::Pair) -> Option<[u32; 2]> {
        let [a, b] = rows::of_pair(&self.table, pair)?.map(|row| self.table.by_text[self.text(row)]);
        (pair.keeps_one() == Some(true) && a != b).then_some([a.min(b), a.max(b)])
    }

    /// Returns `most` rows at most, spread evenly.
    fn spread(&self, most: usize) -> Vec<u32> {
        self.distinct.iter().copied().step_by((self.distinct.len() / most).max(1)).collect()
    }

    /// Returns the hashes of edited copies of rows.
    fn edited(&self, rows: &[u32], is_several: bool) -> Result<Vec<Vec<u64>>> {
        let edits = |text: &str| if is_several { 3 + 3 * (text.chars().count() as u64 / 400) } else { 1 };
        let copy = |&row: &u32| edited(self.text(row), row.into(), edits(self.text(row)));
        let copies: Vec<String> = rows.iter().map(copy).collect();
        hashes(copies.iter().map(String::as_str), 2)
    }

    /// Says whether one of the compared rows is at least as similar to `b` as `a` is.
    fn has_as_like(&self, compared: &[u32], a: u32, b: u32) -> Result<bool> {
        let b = Prepared::new(self.text(b))?;
        let like = b.overlap(&Prepared::new(self.text(a))?);
        for &row in compared {
            if b.overlap(&Prepared::new(self.text(row))?) >= like {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The rows of a table by their keys, by one hash function.
struct Index<'t> {
    texts: &'t Texts,
    seed: u64,
    sketches: Vec<Vec<u64>>,
    by_key: HashMap<u64, Vec<u32>>,
}

impl<'t> Index<'t> {
    fn new(texts: &'t Texts, seed: u64) -> Self {
        let sketches = sketches(&texts.hashes, seed);
        let mut by_key: HashMap<u64, Vec<u32>> = HashMap::new();
        for &row in &texts.distinct {
            sketches[row as usize].iter().for_each(|key| by_key.entry(*key).or_default().push(row));
        }
        Self { texts, seed, sketches, by_key }
    }

    /// Returns the rows before `end` that a text of `bytes` bytes with this sketch is compared with.
    fn compared(&self, rule: &CandidateRule, sketch: &[u64], bytes: usize, end: u32) -> Vec<u32> {
        let earlier = |key: &u64| {
            let rows = self.by_key.get(key).map_or(&[][..], Vec::as_slice);
            let rows = &rows[..rows.partition_point(|&row| row < end)];
            Ok::<_, Infallible>(rows[rows.len().saturating_sub(rule.rows_of_key)..].to_vec())
        };
        let Ok(ranking) = rule.rank(sketch.iter(), earlier);
        let mut budget = rule.budget(bytes);
        let mut compared = Vec::new();
        for ranked in ranking.candidates {
            if budget.allows(ranked.lack) {
                budget.spend(ranked.lack);
                compared.push(ranked.row);
            }
        }
        compared
    }

    /// Returns the rows that a row is compared with.
    fn compared_of(&self, rule: &CandidateRule, row: u32) -> Vec<u32> {
        self.compared(rule, &self.sketches[row as usize], self.texts.text(row).len(), row)
    }
}
