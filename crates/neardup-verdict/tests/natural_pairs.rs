//! Completeness on natural texts: what index keys, grouping and brute force find of a complete list of near-duplicate pairs.
//!
//! The texts are third-party and not part of the project: the test looks for them in the folder that `NEARDUP_DATA`
//! names, and is skipped without it. `--nocapture` prints the figures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use neardup_core::banding::{self, candidate_chance, minhash_bands, overlap_keys, overlap_probes, token_key};
use neardup_core::document;
use neardup_core::grouping::{Linkage, group_by_bands, group_simhash};
use neardup_core::signature::minhash::{MinHash, MinHashRef, MinHasher, Parameters, Scheme, jaccard};
use neardup_core::similarity;
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};

struct Pair {
    a: usize,
    b: usize,
    jaccard: f64,
}

/// Texts by their id, and the pairs of Jaccard similarity 0.6 or more on 5 characters.
struct Natural {
    texts: Vec<String>,
    pairs: Vec<Pair>,
}

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("NEARDUP_DATA")?);
    folder.join("natural_pairs.tsv.xz").is_file().then_some(folder)
}

fn unpack(path: &Path) -> String {
    let output = Command::new("xz").arg("-dc").arg(path).output().expect("xz");
    assert!(output.status.success(), "xz -dc {}", path.display());
    String::from_utf8(output.stdout).unwrap()
}

fn load() -> Option<Natural> {
    let Some(folder) = folder() else {
        eprintln!("skipped: no folder of evaluation data; set NEARDUP_DATA");
        return None;
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let list = unpack(&folder.join("natural_pairs.tsv.xz"));
    let mut pairs = Vec::new();
    for line in list.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let mut place = |id: &str| {
            let next = places.len();
            *places.entry(id.to_owned()).or_insert(next)
        };
        pairs.push(Pair { a: place(fields[1]), b: place(fields[2]), jaccard: fields[3].parse().unwrap() });
    }
    let mut texts = vec![String::new(); places.len()];
    for name in ["news", "broadcast", "sports", "posts"] {
        for line in unpack(&folder.join(name).with_extension("jsonl.xz")).lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(&place) = record["id"].as_str().and_then(|id| places.get(id)) {
                texts[place] = record["text"].as_str().unwrap().to_owned();
            }
        }
    }
    assert!(texts.iter().all(|text| !text.is_empty()), "a text of the list is missing");
    Some(Natural { texts, pairs })
}

/// For each distance the index finds every pair that brute force finds, and the groups are those of the pairs.
fn check_simhash(natural: &Natural, analyzer: &str) {
    let analyzer: Analyzer = analyzer.parse().unwrap();
    let mut scratch = Scratch::default();
    let sign = |text| document::simhash(text, &analyzer, &mut scratch).unwrap().unwrap_or(0);
    let signatures: Vec<u64> = natural.texts.iter().map(String::as_str).map(sign).collect();
    let mut stored: HashMap<i32, Vec<usize>> = HashMap::new();
    for (place, &signature) in signatures.iter().enumerate() {
        banding::bands(signature, 4, |key| stored.entry(key).or_default().push(place)).unwrap();
    }
    for distance in [3, 7, 11] {
        let apart = |a: usize, b: usize| (signatures[a] ^ signatures[b]).count_ones();
        let mut by_force = HashSet::new();
        for a in 0..signatures.len() {
            by_force.extend((0..a).filter(|&b| apart(a, b) <= distance).map(|b| (b, a)));
        }
        let mut by_index = HashSet::new();
        for (a, &signature) in signatures.iter().enumerate() {
            banding::probes(signature, distance, 4, |key| {
                let candidates = stored.get(&key).map_or(&[][..], Vec::as_slice);
                by_index.extend(candidates.iter().filter(|&&b| b < a && apart(a, b) <= distance).map(|&b| (b, a)));
            })
            .unwrap();
        }
        assert!(by_index == by_force, "{} by index, {} by force", by_index.len(), by_force.len());
        let groups = group_simhash(&signatures, distance, Linkage::Components).unwrap();
        assert!(by_force.iter().all(|&(a, b)| groups[a] == groups[b]));
        let mut reached: Vec<u32> = (0..signatures.len() as u32).collect();
        let mut sorted: Vec<_> = by_force.iter().copied().collect();
        sorted.sort_unstable();
        loop {
            let mut changed = false;
            for &(a, b) in &sorted {
                let least = reached[a].min(reached[b]);
                changed |= reached[a] != least || reached[b] != least;
                (reached[a], reached[b]) = (least, least);
            }
            if !changed {
                break;
            }
        }
        assert!(groups == reached, "groups of distance {distance}");
        let listed = natural.pairs.iter().filter(|pair| apart(pair.a, pair.b) <= distance).count();
        let (all, found) = (natural.pairs.len(), by_force.len());
        println!(
            "simhash, distance {distance}: {found} pairs by force, by index and in groups alike; {listed} of the {all} listed"
        );
    }
}

/// Pairs that share a band are as many as the curve says; those of them that are similar enough are in one group.
fn check_minhash(natural: &Natural, bands: u32, rows: u32) {
    let analyzer: Analyzer = "chars:5".parse().unwrap();
    let mut scratch = Scratch::default();
    let mut hasher = MinHasher::new(Parameters::new(Scheme::ManyHash, 128, 32, 0).unwrap(), 0);
    let signatures: Vec<MinHash> = natural
        .texts
        .iter()
        .map(|text| document::minhash(text, &analyzer, &mut scratch, &mut hasher).unwrap().unwrap())
        .collect();
    let mut keys: Vec<i32> = Vec::new();
    for signature in &signatures {
        let values = MinHashRef::parse(signature.as_bytes()).unwrap().values();
        minhash_bands(values, bands, rows, |key| keys.push(key)).unwrap();
    }
    let of = |place: usize| &keys[place * bands as usize..][..bands as usize];
    let estimate = |a: usize, b: usize| jaccard(signatures[a].as_bytes(), signatures[b].as_bytes()).unwrap();
    for least in [0.6, 0.7, 0.8, 0.9] {
        let similar: Vec<&Pair> = natural.pairs.iter().filter(|pair| pair.jaccard >= least).collect();
        let shares = |pair: &&&Pair| of(pair.a).iter().zip(of(pair.b)).any(|(a, b)| a == b);
        let found = similar.iter().filter(shares).count();
        let expected: f64 = similar.iter().map(|pair| candidate_chance(pair.jaccard, bands, rows)).sum();
        let all = similar.len();
        println!(
            "minhash, {bands} bands of {rows}, Jaccard {least} and more: {found} of {all} pairs share a band, the curve says {expected:.0}"
        );
        // Pairs of one template are missed together, so that chance alone does not set the bound.
        assert!((found as f64 - expected).abs() <= 0.03 * all as f64 + 5.0, "{found} of {all}, not {expected}");
    }
    let least = 0.7;
    let groups = group_by_bands(&keys, bands as usize, |a, b| estimate(a as usize, b as usize) >= least).unwrap();
    let close =
        |pair: &&Pair| estimate(pair.a, pair.b) >= least && of(pair.a).iter().zip(of(pair.b)).any(|(a, b)| a == b);
    let (together, apart): (Vec<&Pair>, Vec<&Pair>) =
        natural.pairs.iter().filter(close).partition(|pair| groups[pair.a] == groups[pair.b]);
    println!("minhash, groups at {least}: {} of {} such pairs", together.len(), together.len() + apart.len());
    // In bands shared by more than 64 rows a row is compared with some of them only.
    assert!(apart.len() * 1000 <= together.len(), "{} apart", apart.len());
}

/// Every pair of the wanted overlap shares a key.
fn check_overlap(natural: &Natural) {
    let analyzer: Analyzer = "chars:5".parse().unwrap();
    let mut scratch = Scratch::default();
    let mut keys_of = |text: &str| {
        let mut keys = Vec::new();
        analyzer
            .tokens(text, &mut scratch, &mut |token| keys.push(token_key(token_hash(token), token.chars().count())))
            .unwrap();
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    let sets: Vec<Vec<i32>> = natural.texts.iter().map(|text| keys_of(text)).collect();
    let words = |set: &[i32]| -> Vec<u32> { set.iter().map(|&key| key.cast_unsigned()).collect() };
    let mut reached = 0;
    for pair in &natural.pairs {
        let (a, b) = (&sets[pair.a], &sets[pair.b]);
        if similarity::overlap(&words(a), &words(b)) >= 0.8 {
            let mut stored = HashSet::new();
            overlap_keys(a, 0.8, |key| _ = stored.insert(key)).unwrap();
            let mut met = false;
            overlap_probes(b, 0.8, |key| met |= stored.contains(&key)).unwrap();
            assert!(met, "{} {}", pair.a, pair.b);
            reached += 1;
        }
    }
    println!("overlap 0.8: all {reached} such pairs of the {} listed share a key", natural.pairs.len());
}

#[test]
fn natural_pairs_are_found() {
    let Some(natural) = load() else { return };
    println!("{} texts, {} pairs", natural.texts.len(), natural.pairs.len());
    check_simhash(&natural, "chars:3");
    check_minhash(&natural, 16, 8);
    check_minhash(&natural, 25, 5);
    check_overlap(&natural);
}
