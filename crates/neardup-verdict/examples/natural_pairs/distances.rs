//! What Hamming distances of SimHashes find, by analyzer.

use neardup_core::document::simhash;
use neardup_core::signature::simhash::hamming_distance;
use neardup_core::similarity::overlap;
use neardup_text::hash::token_hash;
use neardup_text::{Analyzer, Scratch};

use super::Result;
use super::data::Corpora;

/// The farthest distance that is looked at.
const FARTHEST: u32 = 11;

/// How many pairs of a distance are read.
const SAMPLE: usize = 200;

/// Prints, for the pairs of distinct news within each distance, how many there are, what share of the listed pairs of
/// different addresses is among them, and how many are bad: those with an overlap coefficient of character 5-grams below 0.5,
/// estimated on 200 pairs spread evenly over them.
pub fn print(corpora: &Corpora, analyzers: &[String]) -> Result<()> {
    let standard = ["jieba", "chars:2", "chars:3", "chars:4", "chars:5"].map(str::to_owned);
    let analyzers = if analyzers.is_empty() { &standard } else { analyzers };
    let news: Vec<usize> = (0..corpora.texts.len()).filter(|&text| corpora.texts[text].corpus == "news").collect();
    let place = |text: usize| news.binary_search(&text).ok();
    let listed = corpora.pairs.iter().filter(|pair| !pair.same_url);
    let near: Vec<(usize, usize)> = listed.filter_map(|pair| place(pair.a).zip(place(pair.b))).collect();
    let documents: Vec<&str> = news.iter().map(|&text| corpora.texts[text].text.as_str()).collect();
    println!("{} distinct texts, {} listed pairs", documents.len(), near.len());
    println!("{:<10} {:>8} {:>12} {:>8} {:>12}", "analyzer", "distance", "pairs", "recall", "bad, about");
    for analyzer in analyzers {
        measure(analyzer, &documents, &near)?;
    }
    Ok(())
}

fn measure(analyzer: &str, documents: &[&str], near: &[(usize, usize)]) -> Result<()> {
    let compiled: Analyzer = analyzer.parse()?;
    let mut scratch = Scratch::default();
    let mut signatures = Vec::with_capacity(documents.len());
    for document in documents {
        signatures.push(simhash(document, &compiled, &mut scratch)?);
    }
    // By distance: how many pairs, and which.
    let mut found: Vec<Vec<(u32, u32)>> = vec![Vec::new(); FARTHEST as usize + 1];
    for (i, a) in signatures.iter().enumerate() {
        let Some(a) = a else { continue };
        for (j, b) in signatures.iter().enumerate().take(i) {
            let distance = b.map_or(u32::MAX, |b| hamming_distance(*a, b));
            if let Some(found) = found.get_mut(distance as usize) {
                found.push((u32::try_from(i)?, u32::try_from(j)?));
            }
        }
    }
    let grams: Analyzer = "chars:5".parse()?;
    let mut within = Vec::new();
    for (distance, found) in (0..).zip(found) {
        within.extend(found);
        if distance % 2 == 0 {
            continue;
        }
        let is_near = |&&(a, b): &&(usize, usize)| match (signatures.get(a), signatures.get(b)) {
            (Some(Some(a)), Some(Some(b))) => hamming_distance(*a, *b) <= distance,
            _ => false,
        };
        let recall = near.iter().filter(is_near).count() as f64 / near.len() as f64;
        let mut bad = 0;
        let sample = within.len().min(SAMPLE);
        for n in 0..sample {
            let Some(&(a, b)) = within.get(n * within.len() / sample) else { continue };
            let mut set = |place: u32| set(documents[place as usize], &grams, &mut scratch);
            bad += usize::from(overlap(&set(a)?, &set(b)?) < 0.5);
        }
        let bad = bad as f64 / sample.max(1) as f64 * within.len() as f64;
        println!("{analyzer:<10} {distance:>8} {:>12} {recall:>8.3} {bad:>12.0}", within.len());
    }
    Ok(())
}

fn set(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Vec<u64>> {
    let mut set = Vec::new();
    analyzer.tokens(document, scratch, &mut |token| set.push(token_hash(token)))?;
    set.sort_unstable();
    set.dedup();
    Ok(set)
}
