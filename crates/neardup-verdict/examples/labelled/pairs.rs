//! The labelled pairs.

use std::path::Path;

use serde_json::Value;

use super::{Result, second, unpacked};

/// Pairs written for training, of kinds that the other sets lack: label, title, text, title, text.
const WRITTEN: &str = include_str!("written.tsv");

/// Where a pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Set {
    /// `natural_gold`: rows with their best earlier candidates.
    Natural,
    /// `natural_gold_2`: the same, from candidates of version 0.3.0.
    Natural2,
    /// `pairs_gold`: drawn evenly over levels of similarity.
    Hard,
    /// `tables/gold`: the same as natural, from tables on which nothing was tuned.
    Tables,
    /// Candidates about which an earlier model was unsure.
    Read,
    /// Rows that earlier rules removed.
    Removed,
    /// Rows that lists with table knowledge removed from the tables of `tables/gold`, spread evenly; read by one reader, and 13 by two,
    /// who agreed on 12.
    Gone,
    /// `tables/gold_4`: pairs of twenty-one tables of other kinds and languages.
    Fresh,
    /// The fifth reading.
    Fifth,
    /// The sixth: tables of other kinds again, read to test the model that was trained on the others.
    Sixth,
    /// The seventh: the same again, for the model that was trained on these.
    Seventh,
    /// The eighth: Chinese news, posts and notices, for the model that was trained on these.
    Eighth,
    /// The ninth: news, teasers, notices, forums, bug reports and adverts in nine languages, for the model that was trained on these.
    Ninth,
    /// The tenth: twelve tables with titles, for the model that was trained on the others.
    Tenth,
    /// Written for training.
    Written,
}

impl Set {
    const ALL: [Self; 15] = [
        Self::Natural,
        Self::Natural2,
        Self::Hard,
        Self::Tables,
        Self::Read,
        Self::Removed,
        Self::Gone,
        Self::Fresh,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
        Self::Ninth,
        Self::Tenth,
        Self::Written,
    ];

    /// Says whether it is one of those that were drawn from whole tables of many kinds, which the figures of tables that are held out are of.
    pub const fn is_of_many_kinds(self) -> bool {
        matches!(
            self,
            Self::Fresh | Self::Fifth | Self::Sixth | Self::Seventh | Self::Eighth | Self::Ninth | Self::Tenth
        )
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| format!("{set:?}") == name)
    }
}

/// A labelled pair.
#[derive(Clone, Debug)]
pub struct Pair {
    pub set: Set,
    /// Its table, or for the hard pairs the table that holds its rows, if one does.
    pub table: String,
    pub label: String,
    pub sure: bool,
    /// How many rows of its table it stands for.
    pub weight: f64,
    pub ids: [String; 2],
    pub titles: [String; 2],
    pub texts: [String; 2],
}

impl Pair {
    /// Whether one of the two can go; `None` where editors differ: rewritten texts among the hard pairs, and replies that quote.
    pub fn keeps_one(&self) -> Option<bool> {
        keeps_one(self.set, &self.label)
    }

    /// The pair as it counts after a second reading: not sure if the two readers disagree whether one can go.
    pub fn read_again(self) -> Self {
        let agrees = |label: &str| keeps_one(self.set, label) == self.keeps_one();
        Self { sure: self.sure && second::label(&self.ids).is_none_or(agrees), ..self }
    }
}

/// Whether one of two texts with a label can go.
pub fn keeps_one(set: Set, label: &str) -> Option<bool> {
    match (label, set) {
        ("D" | "P", _) => Some(true),
        ("R", Set::Hard) => None,
        _ => Some(false),
    }
}

/// Reads the pairs of files; those of `tsv` need the tables.
pub fn files(folder: &Path) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    let files = [
        ("natural_gold", Set::Natural),
        ("natural_gold_2", Set::Natural2),
        ("pairs_gold", Set::Hard),
        ("tables/gold", Set::Tables),
        ("tables/gold_4", Set::Fresh),
    ];
    for (name, set) in files {
        for line in unpacked(folder, name)?.lines() {
            let json: Value = serde_json::from_str(line)?;
            let field = |name: &str| json.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            pairs.push(Pair {
                set,
                table: field("corpus"),
                label: field("label"),
                sure: json.get("sure").and_then(Value::as_bool).unwrap_or(true),
                weight: json.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
                ids: [field("id1"), field("id2")],
                titles: [field("title1"), field("title2")],
                texts: [field("text1"), field("text2")],
            });
        }
    }
    for line in WRITTEN.lines() {
        let [label, a_title, a, b_title, b] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        pairs.push(Pair {
            set: Set::Written,
            table: "written".to_owned(),
            label: label.to_owned(),
            sure: true,
            weight: 1.0,
            ids: [String::new(), String::new()],
            titles: [a_title.to_owned(), b_title.to_owned()],
            texts: [a.to_owned(), b.to_owned()],
        });
    }
    Ok(pairs.into_iter().map(Pair::read_again).collect())
}
