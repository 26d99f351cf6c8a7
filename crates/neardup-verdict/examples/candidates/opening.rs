//! What keys of a text's opening find, beside the smallest hashes of the whole text: the shipped sketch has one, of the first 32
//! shingles. Other numbers and lengths are made here from the hashes of all shingles.

use std::path::Path;

use neardup_core::document::HashedTokens;
use neardup_text::hash::mix;
use neardup_text::{Analyzer, Scratch};

use super::Result;
use super::data::{self, Pair};
use super::keys::{Index, SEEDS, Search, recall};

/// How many of the smallest hashes of the whole text are keys; how many of the opening are; the length of the opening, in shingles.
type Variant = (usize, usize, usize);

const VARIANTS: [Variant; 9] =
    [(10, 0, 0), (12, 0, 0), (16, 0, 0), (8, 2, 32), (10, 1, 32), (10, 2, 32), (10, 4, 32), (10, 2, 16), (10, 2, 64)];

/// The corpora whose candidates are shown.
const SHOWN: [&str; 3] = ["news", "posts", "titles"];

/// A search by all keys of a sketch.
const SEARCH: Search = Search { keys: usize::MAX - 1, width: 64, shared: 1, common: 300 };

/// Prints a line for each variant: the keys per row in each shown corpus; the share of the copies that become candidates, in all and
/// by corpus, the mean over other hashes; and the candidates per row of each shown corpus.
pub fn print(folder: &Path) -> Result<()> {
    let gold: Vec<Pair> = data::pairs(folder, "natural_gold")?.into_iter().filter(|pair| pair.keeps_one).collect();
    let mut hashed = Vec::new();
    for name in SHOWN {
        let most = data::CORPORA.iter().find(|(corpus, _)| *corpus == name).map_or(usize::MAX, |(_, most)| *most);
        hashed.push(hashes(data::texts(folder, name, most)?.iter().map(String::as_str))?);
    }
    let of_gold = hashes(gold.iter().flat_map(|pair| pair.texts.iter().map(String::as_str)))?;
    println!(
        "keys,of the opening,opening,keys per row of {SHOWN:?},recall,by corpus,candidates of each: median/mean/p99"
    );
    for variant in VARIANTS {
        let tables: Vec<Vec<Vec<u64>>> = hashed.iter().map(|texts| sketches(texts, variant, 0)).collect();
        let keys = tables.iter().map(|table| table.iter().map(Vec::len).sum::<usize>() as f64 / table.len() as f64);
        let keys: Vec<String> = keys.map(|keys| format!("{keys:.1}")).collect();
        let seeded: Vec<Vec<Vec<u64>>> = (1..=SEEDS).map(|seed| sketches(&of_gold, variant, seed)).collect();
        let seeded: Vec<&[Vec<u64>]> = seeded.iter().map(Vec::as_slice).collect();
        let alone = Index::new(&[], SEARCH);
        let mut line = format!("{},{},{},{}", variant.0, variant.1, variant.2, keys.join(" "));
        line += &recall(&gold, &seeded, |_| Some(&alone));
        for table in &tables {
            line += &Index::new(table, SEARCH).candidates(table);
        }
        println!("{line}");
    }
    Ok(())
}

/// Returns the hashes of each text's shingles, in text order.
fn hashes<'t>(texts: impl Iterator<Item = &'t str>) -> Result<Vec<Vec<u64>>> {
    let (analyzer, mut scratch): (Analyzer, _) = ("shingles:5".parse()?, Scratch::default());
    let mut tokens = HashedTokens::default();
    texts
        .map(|text| {
            tokens.read(text, &analyzer, &mut scratch)?;
            Ok(tokens.hashes().to_vec())
        })
        .collect()
}

/// Makes the sketches of texts by their hashes, under another hash function for each seed but 0.
fn sketches(texts: &[Vec<u64>], (keys, of_opening, opening): Variant, seed: u64) -> Vec<Vec<u64>> {
    let sketch = |hashes: &Vec<u64>| {
        let hashes: Vec<u64> = hashes.iter().map(|&hash| if seed == 0 { hash } else { mix(hash, seed) }).collect();
        let mut sketch = smallest(&hashes, keys);
        sketch.extend(smallest(hashes.get(..opening).unwrap_or(&hashes), of_opening));
        sketch.sort_unstable();
        sketch.dedup();
        sketch
    };
    texts.iter().map(sketch).collect()
}

fn smallest(hashes: &[u64], count: usize) -> Vec<u64> {
    let mut hashes = hashes.to_vec();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(count);
    hashes
}
