//! Labelled pairs with what the model is given of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use neardup_verdict::context::Inputs;
use neardup_verdict::{Forms, Known, Prepared};

use super::labelled::Result;
use super::labelled::pairs::{self, Pair, Set};
use super::labelled::rows;
use super::labelled::table::{self, Before, Table};

/// What is known of a pair beside its two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowing {
    /// Nothing.
    Texts,
    /// The table, as a list knows it.
    List,
    /// The rows before the later one, as a guard knows them.
    Guard,
    /// The table as a list knows it, and the titles.
    Titled,
}

impl Knowing {
    const ALL: [Self; 4] = [Self::Texts, Self::List, Self::Guard, Self::Titled];

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| format!("{of:?}") == name)
    }
}

pub struct Case {
    pub set: Set,
    /// The table that holds the rows, by which folds are made.
    pub table: String,
    pub ids: [String; 2],
    pub label: String,
    pub sure: bool,
    /// How many rows of its table the pair stands for.
    pub weight: f64,
    /// Whether guard and list would compare the two: they share a key, and enough text.
    pub candidate: bool,
    /// Whether both rows have the same title, if both have one.
    pub one_title: Option<bool>,
    pub numbers: Vec<(Knowing, Vec<f64>)>,
    /// The score, where the model is not asked.
    pub certain: Vec<(Knowing, f64)>,
}

impl Case {
    fn of(pair: &Pair, table: &str, candidate: bool) -> Result<Self> {
        let (a, b) = (Prepared::new(&pair.texts[0])?, Prepared::new(&pair.texts[1])?);
        let is_short = pair.texts.iter().any(|text| text.chars().count() < neardup_verdict::SHORT);
        let least = neardup_verdict::duplicate::least_overlap(is_short);
        let (inputs, certain) = neardup_verdict::Pair::new(&a, &b).inputs()?;
        Ok(Self {
            set: pair.set,
            table: table.to_owned(),
            ids: pair.ids.clone(),
            label: pair.label.clone(),
            sure: pair.sure,
            weight: pair.weight,
            candidate: candidate && a.overlap(&b) >= least,
            one_title: None,
            numbers: vec![(Knowing::Texts, inputs.values().to_vec())],
            certain: certain.map(|score| (Knowing::Texts, score)).into_iter().collect(),
        })
    }

    fn of_rows(pair: &Pair, table: &Table, rows: [u32; 2], of_list: &mut Forms) -> Result<Self> {
        let [a, b] = rows.map(|row| &table.rows[row as usize]);
        let pair = &Pair { texts: [a.text.clone(), b.text.clone()], ..pair.clone() };
        let mut case = Self::of(pair, &table.name, a.keys.iter().any(|key| b.keys.contains(key)))?;
        let titles = [a, b].map(|row| row.title.trim().to_lowercase());
        case.one_title = titles.iter().all(|title| !title.is_empty()).then(|| titles[0] == titles[1]);
        let prepared = (Prepared::new(&a.text)?, Prepared::new(&b.text)?);
        let apart = table.apart(rows[0], rows[1]);
        let of_guard = &mut Forms::default();
        let titled = pair.titles.iter().all(|title| !title.trim().is_empty());
        for (knowing, end) in
            [(Knowing::List, u32::MAX), (Knowing::Guard, rows[0].max(rows[1])), (Knowing::Titled, u32::MAX)]
        {
            if knowing == Knowing::Titled && !titled {
                continue;
            }
            let known = Known {
                forms: if knowing == Knowing::Guard { of_guard } else { of_list },
                rows: &mut Before { table, end },
                own: rows.map(|row| Some(row.into())),
                keys: [&|| Ok(a.keys.clone()), &|| Ok(b.keys.clone())],
            };
            let mut of = neardup_verdict::Pair::new(&prepared.0, &prepared.1).apart(apart).known(known);
            if knowing == Knowing::Titled {
                of = of.titled(&pair.titles[0], &pair.titles[1]);
            }
            let (inputs, certain) = of.inputs()?;
            case.numbers.push((knowing, inputs.values().to_vec()));
            case.certain.extend(certain.map(|score| (knowing, score)));
        }
        Ok(case)
    }

    /// Whether one of the two can go; `None` for pairs that count for neither.
    pub fn keeps_one(&self) -> Option<bool> {
        pairs::keeps_one(self.set, &self.label)
    }
}

/// Reads all labelled pairs and computes their numbers, table by table.
pub fn read(folder: &Path) -> Result<Vec<Case>> {
    let mut by_table: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for pair in pairs::files(folder)? {
        by_table.entry(pair.table.clone()).or_default().push(pair);
    }
    let mut cases = Vec::new();
    for file in table::files(folder)? {
        let name = file.rsplit('/').next().unwrap_or(&file);
        let own = by_table.remove(name).unwrap_or_default();
        let may_hold = |pair: &Pair| pair.set == Set::Hard;
        let others: Vec<Pair> = by_table.values().flatten().filter(|pair| may_hold(pair)).cloned().collect();
        if own.is_empty() && !rows::has_labels(name) {
            continue;
        }
        let table = Table::read(folder, &file)?;
        let (mut forms, mut found) = (Forms::default(), 0);
        for pair in own.iter().chain(&others).chain(&rows::labelled(&table)) {
            let Some(rows) = rows::of_pair(&table, pair) else { continue };
            found += 1;
            cases.push(Case::of_rows(pair, &table, rows, &mut forms)?);
            if let Some(of) = by_table.get_mut(&pair.table) {
                of.retain(|other| other.ids != pair.ids || other.set != pair.set);
            }
        }
        let missing: Vec<Pair> = own.into_iter().filter(|pair| rows::of_pair(&table, pair).is_none()).collect();
        println!("{name}: {} rows, {found} pairs", table.rows.len());
        by_table.insert(name.to_owned(), missing);
    }
    for pair in by_table.values().flatten() {
        cases.push(Case::of(pair, if pair.set == Set::Hard { "other" } else { &pair.table }, true)?);
    }
    Ok(cases)
}

/// Writes cases to a file, so that a model can be trained again without the tables.
pub fn save(cases: &[Case], path: &str) -> Result<()> {
    let mut out = format!(
        "set\ttable\tid\tid\tlabel\tsure\tweight\tcandidate\tone_title\tknowing\tcertain\t{}\n",
        Inputs::names().collect::<Vec<_>>().join("\t")
    );
    for case in cases {
        for (knowing, numbers) in &case.numbers {
            let [a, b] = &case.ids;
            let Case { set, table, label, sure, weight, candidate, one_title, .. } = case;
            let one_title = one_title.map_or("", |of| if of { "true" } else { "false" });
            let certain = case.certain.iter().find(|(of, _)| of == knowing).map(|(_, score)| score.to_string());
            write!(
                out,
                "{set:?}\t{table}\t{a}\t{b}\t{label}\t{sure}\t{weight}\t{candidate}\t{one_title}\t{knowing:?}\t{}",
                certain.unwrap_or_default()
            )?;
            numbers.iter().try_for_each(|number| write!(out, "\t{number}"))?;
            out.push('\n');
        }
    }
    Ok(std::fs::write(path, out)?)
}

/// Reads what [`save`] wrote.
pub fn load(path: &str) -> Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for line in std::fs::read_to_string(path)?.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [set, table, a, b, label, sure, weight, candidate, one_title, knowing, certain, ref numbers @ ..] =
            fields[..]
        else {
            continue;
        };
        let ids = [a.to_owned(), b.to_owned()];
        let set = Set::parse(set).ok_or("an unknown set")?;
        let knowing = Knowing::parse(knowing).ok_or("an unknown knowing")?;
        if knowing == Knowing::Texts {
            let (sure, candidate) = (sure == "true", candidate == "true");
            let (table, label, weight) = (table.to_owned(), label.to_owned(), weight.parse()?);
            let one_title = one_title.parse().ok();
            let (numbers, certain) = (Vec::new(), Vec::new());
            cases.push(Case { set, table, ids, label, sure, weight, candidate, one_title, numbers, certain });
        }
        let numbers = numbers.iter().map(|field| field.parse()).collect::<std::result::Result<_, _>>()?;
        let case = cases.last_mut().ok_or("no texts")?;
        case.numbers.push((knowing, numbers));
        if !certain.is_empty() {
            case.certain.push((knowing, certain.parse()?));
        }
    }
    Ok(cases)
}
