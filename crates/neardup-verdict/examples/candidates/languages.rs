//! prototype
use std::path::Path;

use neardup_text::hash::{mix, token_hash};
use neardup_text::{Analyzer, Scratch};

use super::Result;
use super::data;
use super::keys::{Index, Search};

const SEARCH: Search = Search { keys: usize::MAX - 1, width: 64, shared: 1, common: 300 };

fn class(c: char) -> usize {
    match c {
        '\u{3041}'..='\u{309f}' => 1,
        '\u{e00}'..='\u{e7f}' => 2,
        '\u{e80}'..='\u{eff}' => 2,
        '\u{1000}'..='\u{109f}' => 2,
        '\u{1780}'..='\u{17ff}' => 2,
        '\u{f00}'..='\u{fff}' => 3,
        '\u{ac00}'..='\u{d7a3}' => 4,
        _ => 0,
    }
}

fn hashes(texts: &[String], weights: &[u32; 5], least: u32) -> Result<Vec<Vec<u64>>> {
    let (analyzer, mut scratch): (Analyzer, _) = ("words".parse()?, Scratch::default());
    let mut all = Vec::new();
    for text in texts {
        let mut words: Vec<(String, u32)> = Vec::new();
        analyzer.tokens(text, &mut scratch, &mut |token| {
            words.push((token.to_owned(), weights[token.chars().next().map_or(0, class)]));
        })?;
        let mut found = Vec::new();
        let (mut end, mut sum) = (0, 0);
        for start in 0..words.len() {
            while end < words.len() && sum < least {
                sum += words[end].1;
                end += 1;
            }
            if sum < least && !found.is_empty() {
                break;
            }
            let joined: Vec<&str> = words[start..end].iter().map(|(w, _)| w.as_str()).collect();
            found.push(token_hash(&joined.join(" ")));
            if sum < least {
                break;
            }
            sum -= words[start].1;
        }
        all.push(found);
    }
    Ok(all)
}

fn sketches(texts: &[Vec<u64>], seed: u64) -> Vec<Vec<u64>> {
    let smallest = |hashes: &[u64], count: usize| {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(count);
        hashes
    };
    texts
        .iter()
        .map(|hashes| {
            let hashes: Vec<u64> = hashes.iter().map(|&hash| if seed == 0 { hash } else { mix(hash, seed) }).collect();
            let mut sketch = smallest(&hashes, 10);
            sketch.extend(smallest(hashes.get(..32).unwrap_or(&hashes), 1));
            sketch.sort_unstable();
            sketch.dedup();
            sketch
        })
        .collect()
}

fn edited(text: &str, seed: u64, edits: u64) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for edit in 0..edits {
        let at = (mix(seed, edit + 1) as usize) % chars.len().max(1);
        let mut gone = 0;
        while at < chars.len() && gone < 2 {
            if chars[at].is_alphanumeric() {
                gone += 1;
            }
            chars.remove(at);
        }
        if mix(seed, edit + 100) % 2 == 0 && chars.len() > 4 {
            let from = (mix(seed, edit + 200) as usize) % (chars.len() - 2);
            let put = [chars[from], chars[from + 1]];
            let at = at.min(chars.len());
            chars.splice(at..at, put);
        }
    }
    chars.into_iter().collect()
}

pub fn print(folder: &Path) -> Result<()> {
    let names: Vec<String> = std::env::args().skip(2).collect();
    let variants: Vec<([u32; 5], u32)> = std::env::var("VARIANTS")?
        .split_whitespace()
        .map(|v| {
            let n: Vec<u32> = v.split(',').map(|n| n.parse().unwrap_or(0)).collect();
            ([n[0], n[1], n[2], n[3], n[4]], n[5])
        })
        .collect();
    for name in names {
        let (name, most) =
            name.split_once(':').map_or((name.as_str(), usize::MAX), |(a, b)| (a, b.parse().unwrap_or(usize::MAX)));
        let texts = data::texts(folder, name, most)?;
        let mut line = format!("{name}\t{}", texts.len());
        for (weights, least) in &variants {
            let table = hashes(&texts, weights, *least)?;
            let sketched = sketches(&table, 0);
            line += &format!("\t{:?}/{least}", weights);
            line += &Index::new(&sketched, SEARCH).candidates(&sketched);
            let step = (texts.len() / 1000).max(1);
            let own: Vec<String> = texts.iter().step_by(step).cloned().collect();
            let of_own = hashes(&own, weights, *least)?;
            let mut found = [0.0; 2];
            for (at, edits) in [1, 3].into_iter().enumerate() {
                let bytes = |t: &String| t.chars().count() as u64;
                let copies: Vec<String> = (0..)
                    .zip(&own)
                    .map(|(i, t)| edited(t, i, edits * (1 + if at == 1 { bytes(t) / 400 } else { 0 })))
                    .collect();
                let of_copies = hashes(&copies, weights, *least)?;
                let mut hit = 0;
                for seed in 1..=20 {
                    let (a, b) = (sketches(&of_own, seed), sketches(&of_copies, seed));
                    hit += a.iter().zip(&b).filter(|(a, b)| a.iter().any(|k| b.contains(k))).count();
                }
                found[at] = hit as f64 / (20 * own.len()) as f64;
            }
            line += &format!(" R {:.3} {:.3}", found[0], found[1]);
        }
        println!("{line}");
    }
    Ok(())
}
