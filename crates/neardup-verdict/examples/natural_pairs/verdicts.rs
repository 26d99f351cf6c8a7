//! How verdicts are spread over unlabelled pairs.

use std::collections::BTreeMap;

use neardup_text::hash::mix;
use neardup_verdict::{Verdict, same_message};

use super::Result;
use super::data::Corpora;

const VERDICTS: [Verdict; 5] = [Verdict::Copy, Verdict::Excerpt, Verdict::Update, Verdict::Rewrite, Verdict::Different];

/// How many pairs are drawn of a kind, evenly over the list.
const DRAWN: usize = 300;

/// Prints the verdicts of pairs at random, and of listed pairs by corpus, address and similarity; titles are left out.
pub fn print(corpora: &Corpora) -> Result<()> {
    let texts = &corpora.texts;
    let mut kinds: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for pair in &corpora.pairs {
        let band = match pair.jaccard {
            jaccard if jaccard >= 0.95 => "0.95 and more",
            jaccard if jaccard >= 0.8 => "0.8 to 0.95",
            _ => "0.6 to 0.8",
        };
        let (a, b) = (texts[pair.a].corpus, texts[pair.b].corpus);
        let corpus = if a == b { a.to_owned() } else { format!("{a} and {b}") };
        let address = if pair.same_url { ", one address" } else { "" };
        kinds.entry(format!("{corpus}{address}, {band}")).or_default().push((pair.a, pair.b));
    }
    let at_random = |corpus: &str| -> Vec<(usize, usize)> {
        let of: Vec<usize> = (0..texts.len()).filter(|&text| texts[text].corpus == corpus).collect();
        let draw = |n: u64| of[(mix(n, 1) % of.len() as u64) as usize];
        (0..DRAWN as u64).map(|n| (draw(2 * n), draw(2 * n + 1))).filter(|(a, b)| a != b).collect()
    };
    let random = ["news", "broadcast", "sports", "posts"].into_iter().flat_map(at_random).collect();
    println!("{:<38} {:>6}{}", "", "pairs", VERDICTS.map(|verdict| format!("{:>10}", verdict.name())).concat());
    show("at random", corpora, random)?;
    for (kind, pairs) in kinds {
        let drawn = pairs.len().min(DRAWN);
        show(&kind, corpora, (0..drawn).map(|n| pairs[n * pairs.len() / drawn]).collect())?;
    }
    Ok(())
}

fn show(kind: &str, corpora: &Corpora, pairs: Vec<(usize, usize)>) -> Result<()> {
    let mut counts = [0; VERDICTS.len()];
    for &(a, b) in &pairs {
        let verdict = same_message(&corpora.texts[a].text, &corpora.texts[b].text)?.verdict;
        counts[VERDICTS.iter().position(|&known| known == verdict).unwrap_or_default()] += 1;
    }
    println!("{kind:<38} {:>6}{}", pairs.len(), counts.map(|count: usize| format!("{count:>10}")).concat());
    Ok(())
}
