//! Labelled pairs with what the model is given of them.

use std::path::Path;

use neardup_verdict::context::Inputs;
use neardup_verdict::{Forms, Known, Prepared};

use super::labelled::Result;
use super::labelled::pairs::{self, Pair, Set};
use super::labelled::rows;
use super::labelled::table::{Before, TABLES, Table};

pub struct Case {
    pub pair: Pair,
    /// The table that holds the rows; for hard pairs whose rows no table holds, `other`.
    pub table: String,
    /// The texts alone: with titles and without.
    pub texts: [Inputs; 2],
    /// What is known beyond them, if a table has the rows: as a list knows it, as a guard does, and the time alone.
    pub known: Vec<Inputs>,
    /// The overlap of the texts, and whether their sketches share a key.
    pub overlap: f64,
    pub candidate: bool,
}

impl Case {
    fn alone(pair: Pair, table: &str) -> Result<Self> {
        let (a, b) = (Prepared::new(&pair.texts[0])?, Prepared::new(&pair.texts[1])?);
        let of = |a_title, b_title| neardup_verdict::Pair::new(&a, &b).titled(a_title, b_title).inputs();
        let texts = [of(&pair.titles[0], &pair.titles[1])?, of("", "")?];
        let overlap = a.overlap(&b);
        Ok(Self { table: table.to_owned(), texts, known: Vec::new(), overlap, candidate: true, pair })
    }

    fn of_rows(pair: Pair, table: &Table, rows: [u32; 2], of_list: &mut Forms) -> Result<Self> {
        let [a, b] = rows.map(|row| &table.rows[row as usize]);
        let mut case = Self::alone(Pair { texts: [a.text.clone(), b.text.clone()], ..pair }, &table.name)?;
        case.candidate = a.keys.iter().any(|key| b.keys.contains(key));
        if !case.candidate {
            return Ok(case);
        }
        let apart = table.apart(rows[0], rows[1]);
        let prepared = (Prepared::new(&a.text)?, Prepared::new(&b.text)?);
        let of_guard = &mut Forms::default();
        for (end, forms) in [(u32::MAX, of_list), (rows[0].max(rows[1]), of_guard)] {
            let known = Known {
                forms,
                rows: &mut Before { table, end },
                own: rows.map(|row| Some(row.into())),
                keys: [&|| Ok(a.keys.clone()), &|| Ok(b.keys.clone())],
            };
            let pair = neardup_verdict::Pair::new(&prepared.0, &prepared.1).apart(apart);
            case.known.push(pair.known(known).inputs()?);
        }
        case.known.push(neardup_verdict::Pair::new(&prepared.0, &prepared.1).apart(apart).inputs()?);
        Ok(case)
    }
}

/// Reads all labelled pairs.
pub fn read(folder: &Path) -> Result<Vec<Case>> {
    let mut left = pairs::files(folder)?;
    let mut cases = Vec::new();
    for file in TABLES {
        let table = Table::read(folder, file)?;
        let (mut others, mut forms) = (Vec::new(), Forms::default());
        for pair in left.into_iter().chain(rows::labelled(&table)) {
            match rows::of_pair(&table, &pair) {
                Some(rows) => cases.push(Case::of_rows(pair, &table, rows, &mut forms)?),
                None => others.push(pair),
            }
        }
        left = others;
    }
    for pair in left {
        if !matches!(pair.set, Set::Hard | Set::Written) {
            println!("no rows: {:?} {} {:?}", pair.set, pair.table, pair.ids);
        }
        cases.push(Case::alone(pair, "other")?);
    }
    Ok(cases)
}
