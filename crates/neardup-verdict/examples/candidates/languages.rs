//! How many letters of a script without spaces make a unit.
//!
//! `-- languages NAME...` reads files of the folder, `NAME.jsonl.xz`, and tries 1 to 4 letters a unit. Copies are made here: some texts
//! of each file with one edit, and with three for every 400 characters; an edit takes two letters away, or puts two in their place.

use std::path::Path;

use neardup_text::hash::{mix, token_hash};
use neardup_text::{Analyzer, Scratch};

use super::keys::{Index, Search};
use super::{Result, data};

/// A search by all keys of a sketch.
const SEARCH: Search = Search { keys: usize::MAX - 1, width: 64, shared: 1, common: 300 };

/// Texts of a file that are read, spread evenly.
const MOST: usize = 6000;

/// Other hash functions that recall is averaged over.
const SEEDS: u64 = 20;

/// Units in a shingle.
const UNITS: u32 = 5;

/// Prints a line for each file and number of letters: candidates per row (median, mean, 99th percentile), and the share of the copies
/// with one edit and with several that share a key, over other hash functions.
pub fn print(folder: &Path) -> Result<()> {
    println!("file,texts,letters,median/mean/p99,one edit,several");
    for name in std::env::args().skip(2) {
        let texts = data::texts(folder, &name, MOST)?;
        let own: Vec<&str> = texts.iter().step_by((texts.len() / 1000).max(1)).map(String::as_str).collect();
        for letters in 1..=4 {
            let table = sketches(&hashes(texts.iter().map(String::as_str), letters)?, 0);
            let mut line = format!("{name},{},{letters}{}", texts.len(), Index::new(&table, SEARCH).candidates(&table));
            let of_own = hashes(own.iter().copied(), letters)?;
            for several in [false, true] {
                let edits = |text: &str| if several { 3 + 3 * (text.chars().count() as u64 / 400) } else { 1 };
                let copies: Vec<String> = (0..).zip(&own).map(|(seed, text)| edited(text, seed, edits(text))).collect();
                let of_copies = hashes(copies.iter().map(String::as_str), letters)?;
                let found: usize = (1..=SEEDS)
                    .map(|seed| {
                        let (own, copies) = (sketches(&of_own, seed), sketches(&of_copies, seed));
                        own.iter().zip(&copies).filter(|(a, b)| a.iter().any(|key| b.contains(key))).count()
                    })
                    .sum();
                line += &format!(",{:.3}", found as f64 / (SEEDS as usize * own.len()) as f64);
            }
            println!("{line}");
        }
    }
    Ok(())
}

/// Says whether a word is a letter of a script without spaces.
fn is_letter(word: &str) -> bool {
    word.starts_with(|c| {
        matches!(c, '\u{3041}'..='\u{309f}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
    })
}

/// Returns the hashes of each text's shingles, in text order, with `letters` letters a unit.
pub fn hashes<'t>(texts: impl Iterator<Item = &'t str>, letters: u32) -> Result<Vec<Vec<u64>>> {
    let (analyzer, mut scratch): (Analyzer, _) = ("words".parse()?, Scratch::default());
    let mut all = Vec::new();
    for text in texts {
        let mut words: Vec<(String, u32)> = Vec::new();
        analyzer.tokens(text, &mut scratch, &mut |word| {
            words.push((word.to_owned(), if is_letter(word) { 1 } else { letters }));
        })?;
        let joined = |words: &[(String, u32)]| {
            token_hash(&words.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" "))
        };
        let (mut found, mut end, mut sum) = (Vec::new(), 0, 0);
        for start in 0..words.len() {
            while end < words.len() && sum < letters * UNITS {
                sum += words[end].1;
                end += 1;
            }
            if sum < letters * UNITS {
                break;
            }
            found.push(joined(&words[start..end]));
            sum -= words[start].1;
        }
        if found.is_empty() && !words.is_empty() {
            found.push(joined(&words));
        }
        all.push(found);
    }
    Ok(all)
}

/// Makes sketches of ten keys and that of the opening, under another hash function for each seed but 0.
pub fn sketches(texts: &[Vec<u64>], seed: u64) -> Vec<Vec<u64>> {
    let sketch = |hashes: &Vec<u64>| {
        let mut hashes: Vec<u64> = hashes.iter().map(|&hash| if seed == 0 { hash } else { mix(hash, seed) }).collect();
        let opening = hashes.iter().take(32).min().copied();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(10);
        hashes.extend(opening);
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    };
    texts.iter().map(sketch).collect()
}

/// Makes edits at places of chance: two letters go, and half of the times two others come.
pub fn edited(text: &str, seed: u64, edits: u64) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for edit in 0..edits {
        let at = mix(seed, edit + 1) as usize % chars.len().max(1);
        let mut gone = 0;
        while at < chars.len() && gone < 2 {
            gone += usize::from(chars.remove(at).is_alphanumeric());
        }
        if mix(seed, edit + 100).is_multiple_of(2) && chars.len() > 4 {
            let from = mix(seed, edit + 200) as usize % (chars.len() - 2);
            let put = [chars[from], chars[from + 1]];
            let at = at.min(chars.len());
            chars.splice(at..at, put);
        }
    }
    chars.into_iter().collect()
}
