//! Which keys find the copies of a table, and how many rows they bring along.

use std::collections::HashMap;
use std::path::Path;

use neardup_core::document::minhash;
use neardup_core::signature::minhash::{MinHashRef, MinHasher, Parameters};
use neardup_text::hash::mix;
use neardup_text::{Analyzer, Error, Scratch};

use super::Result;
use super::data::{self, CORPORA, Pair};

const ANALYZERS: [&str; 7] = ["shingles:4", "shingles:5", "shingles:6", "shingles:8", "chars:4", "chars:5", "chars:8"];
const KEYS: [usize; 5] = [6, 8, 10, 12, 16];
const MOST_KEYS: usize = 16;
const WIDTHS: [u32; 3] = [64, 32, 20];

/// Bounds on how many rows may carry a key that is used, tried with the default.
const COMMON: [u32; 4] = [300, 100, 50, 30];

/// Which shingles have the smallest hashes is chance, and few pairs hang on it: recall is also averaged over as many other hashes.
pub const SEEDS: u64 = 50;

/// A way to search.
#[derive(Clone, Copy)]
pub struct Search {
    pub keys: usize,
    pub width: u32,
    /// Keys that must be shared.
    pub shared: u32,
    /// A key that more rows carry is left out where a text has another.
    pub common: u32,
}

/// Prints a line for each analyzer and way to search: the share of the copies that become candidates, by weight in all and in each corpus;
/// the same on average over other hashes, common keys not left out; the same of `pairs_gold`, unweighted; and the candidates a row in each
/// corpus: median, mean, 99th percentile.
pub fn print(folder: &Path) -> Result<()> {
    let gold: Vec<Pair> = data::pairs(folder, "natural_gold")?.into_iter().filter(|pair| pair.keeps_one).collect();
    let read: Vec<Pair> = data::pairs(folder, "pairs_gold")?.into_iter().filter(|pair| pair.keeps_one).collect();
    let corpora: Vec<Vec<String>> =
        CORPORA.iter().map(|(name, most)| data::texts(folder, name, *most)).collect::<Result<_>>()?;
    for ((name, _), texts) in CORPORA.iter().zip(&corpora) {
        println!("{name}: {} texts, {} MB", texts.len(), texts.iter().map(String::len).sum::<usize>() >> 20);
    }
    println!(
        "analyzer,keys,bits,shared,common,recall,by corpus,other hashes,by corpus,pairs_gold,then median/mean/p99 of each corpus"
    );
    let wanted = std::env::args().nth(2);
    for analyzer in ANALYZERS.iter().filter(|&&name| wanted.as_deref().is_none_or(|wanted| wanted == name)) {
        let mut sketcher = Sketcher::new(analyzer, 0)?;
        let tables: Vec<Vec<Vec<u64>>> =
            corpora.iter().map(|texts| sketcher.all(texts.iter().map(String::as_str))).collect::<Result<_>>()?;
        let pairs = |pairs: &[Pair], sketcher: &mut Sketcher| -> Result<Vec<Vec<u64>>> {
            sketcher.all(pairs.iter().flat_map(|pair| pair.texts.iter().map(String::as_str)))
        };
        let (of_gold, of_read) = (pairs(&gold, &mut sketcher)?, pairs(&read, &mut sketcher)?);
        let mut seeded = Vec::new();
        for seed in 1..=SEEDS {
            seeded.push(pairs(&gold, &mut Sketcher::new(analyzer, seed)?)?);
        }
        for width in WIDTHS.into_iter().filter(|&width| width == 64 || *analyzer == "shingles:5") {
            for search in searches(analyzer, width) {
                let Search { keys, shared, common, .. } = search;
                let mut line = format!("{analyzer},{keys},{width},{shared},{common}");
                let indexes: Vec<Index> = tables.iter().map(|table| Index::new(table, search)).collect();
                line += &recall(&gold, &[of_gold.as_slice()], |corpus| {
                    let place = CORPORA.iter().position(|(name, _)| *name == corpus);
                    place.and_then(|place| indexes.get(place))
                });
                let alone = Index::new(&[], search);
                let seeded: Vec<&[Vec<u64>]> = seeded.iter().map(Vec::as_slice).collect();
                line += &recall(&gold, &seeded, |_| Some(&alone));
                let found = of_read.as_chunks::<2>().0.iter().filter(|pair| alone.finds(pair)).count();
                line += &format!(",{:.3}", found as f64 / read.len().max(1) as f64);
                for (table, index) in tables.iter().zip(&indexes) {
                    line += &index.candidates(table);
                }
                println!("{line}");
            }
        }
    }
    Ok(())
}

/// The searches tried with an analyzer and a width.
fn searches(analyzer: &str, width: u32) -> Vec<Search> {
    let bounds = if analyzer == "shingles:5" && width == 64 { COMMON.as_slice() } else { &COMMON[..1] };
    let search = |keys, shared| move |&common: &u32| Search { keys, width, shared, common };
    KEYS.into_iter()
        .flat_map(|keys| [(keys, 1), (keys, 2)])
        .flat_map(|(keys, shared)| bounds.iter().map(search(keys, shared)))
        .collect()
}

/// The share of the copies' weight that is found, in all and by corpus.
pub fn recall<'i>(gold: &[Pair], hashes: &[&[Vec<u64>]], index: impl Fn(&str) -> Option<&'i Index>) -> String {
    let mut sums: HashMap<&str, (f64, f64)> = HashMap::new();
    for (pair, sketches) in hashes.iter().flat_map(|sketches| gold.iter().zip(sketches.as_chunks::<2>().0)) {
        let found = index(&pair.corpus).is_some_and(|index| index.finds(sketches));
        for name in ["all", &pair.corpus] {
            let sum = sums.entry(name).or_default();
            sum.0 += if found { pair.weight } else { 0.0 };
            sum.1 += pair.weight;
        }
    }
    let share = |name: &str| sums.get(name).map_or(f64::NAN, |(found, all)| found / all);
    let by_corpus: Vec<String> = CORPORA.iter().take(5).map(|(name, _)| format!("{:.3}", share(name))).collect();
    format!(",{:.3},{}", share("all"), by_corpus.join(" "))
}

/// Makes sketches of as many keys as any search uses, the value of the opening first: sketches of fewer keys are their beginnings.
struct Sketcher {
    analyzer: Analyzer,
    scratch: Scratch,
    hasher: MinHasher,
    /// Of one key: its last value is that of the opening.
    opening: MinHasher,
}

impl Sketcher {
    fn new(analyzer: &str, seed: u64) -> Result<Self> {
        let hasher = |keys| Ok::<_, Error>(MinHasher::new(Parameters::sketch(keys, seed)?, seed));
        let (hasher, opening) = (hasher(MOST_KEYS)?, hasher(1)?);
        Ok(Self { analyzer: analyzer.parse()?, scratch: Scratch::default(), hasher, opening })
    }

    fn all<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Result<Vec<Vec<u64>>> {
        let mut sketches = Vec::new();
        for text in texts {
            let mut values = Vec::new();
            for (hasher, skipped) in [(&mut self.opening, 1), (&mut self.hasher, 0)] {
                if let Some(sketch) = minhash(text, &self.analyzer, &mut self.scratch, hasher)? {
                    let sketch = MinHashRef::parse(sketch.as_bytes())?;
                    let skipped = skipped.min(sketch.values().len() - 1);
                    values.extend(sketch.values().skip(skipped).take(MOST_KEYS).map(|value| mix(value, 1)));
                }
            }
            sketches.push(values);
        }
        Ok(sketches)
    }
}

/// The rows of a table by their keys.
pub struct Index {
    search: Search,
    rows: HashMap<u64, Vec<u32>>,
}

impl Index {
    pub fn new(table: &[Vec<u64>], search: Search) -> Self {
        let mut index = Self { search, rows: HashMap::new() };
        for (row, sketch) in (0..).zip(table) {
            for key in index.keys(sketch) {
                index.rows.entry(key).or_default().push(row);
            }
        }
        index
    }

    /// The distinct keys of a sketch, with that of the opening, as wide as they are stored.
    fn keys(&self, sketch: &[u64]) -> Vec<u64> {
        let mut keys: Vec<u64> =
            sketch.iter().take(self.search.keys + 1).map(|key| key >> (64 - self.search.width)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn carriers(&self, key: u64) -> u32 {
        self.rows.get(&key).map_or(0, |rows| rows.len() as u32)
    }

    /// The keys by which the rows near a sketch are looked for, and how many of them must be shared.
    fn probes(&self, sketch: &[u64]) -> (Vec<u64>, u32) {
        let keys = self.keys(sketch);
        let rare: Vec<u64> = keys.iter().copied().filter(|&key| self.carriers(key) <= self.search.common).collect();
        let rarest = || keys.iter().copied().min_by_key(|&key| self.carriers(key)).into_iter().collect();
        let probes: Vec<u64> = if rare.is_empty() { rarest() } else { rare };
        // A text that has fewer keys than must be shared is found by all it has.
        let shared = self.search.shared.min(probes.len() as u32);
        (probes, shared)
    }

    /// Whether one of two texts is found by the other.
    fn finds(&self, [a, b]: &[Vec<u64>; 2]) -> bool {
        [(a, b), (b, a)].into_iter().any(|(text, other)| {
            let ((probes, shared), carried) = (self.probes(text), self.keys(other));
            shared > 0 && probes.iter().filter(|&key| carried.contains(key)).count() as u32 >= shared
        })
    }

    /// The candidates of each row: median, mean, 99th percentile.
    pub fn candidates(&self, table: &[Vec<u64>]) -> String {
        let mut counts: Vec<u32> = Vec::with_capacity(table.len());
        let mut met = vec![0_u32; table.len()];
        let mut touched: Vec<u32> = Vec::new();
        for sketch in table {
            let (probes, shared) = self.probes(sketch);
            for row in probes.iter().filter_map(|key| self.rows.get(key)).flatten() {
                if let Some(met) = met.get_mut(*row as usize) {
                    if *met == 0 {
                        touched.push(*row);
                    }
                    *met += 1;
                }
            }
            let mut found = 0_u32;
            for row in touched.drain(..) {
                if let Some(met) = met.get_mut(row as usize) {
                    found += u32::from(*met >= shared);
                    *met = 0;
                }
            }
            // Itself.
            counts.push(found.saturating_sub(1));
        }
        counts.sort_unstable();
        let at = |share: f64| counts.get((counts.len() as f64 * share) as usize).copied().unwrap_or_default();
        let mean = counts.iter().map(|&count| f64::from(count)).sum::<f64>() / counts.len().max(1) as f64;
        format!(",{}/{mean:.1}/{}", at(0.5), at(0.99))
    }
}
