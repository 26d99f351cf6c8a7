//! What the rule for duplicates makes of pairs that were read one by one: candidate, then overlap, then verdict.

use std::path::Path;

use neardup_core::document::minhash;
use neardup_core::signature::minhash::{MinHash, MinHasher, Parameters, shares_key};
use neardup_text::{Analyzer, Scratch};
use neardup_verdict::{Prepared, Verdict, kept_on};

use super::Result;
use super::data::{self, Pair};

/// The bounds that are tried, for copies and for excerpts.
const BOUNDS: [f64; 9] = [0.0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

/// What is known of a pair.
struct Known {
    pair: Pair,
    candidate: bool,
    overlap: f64,
    kept: Option<Verdict>,
    duplicate: bool,
}

/// Precision and recall by weight.
#[derive(Clone, Copy, Default)]
struct Score {
    right: f64,
    wrong: f64,
    missed: f64,
}

impl Score {
    fn of<'k>(known: impl Iterator<Item = &'k Known>, says: impl Fn(&Known) -> bool) -> Self {
        known.fold(Self::default(), |mut score, known| {
            match (known.pair.keeps_one, says(known)) {
                (true, true) => score.right += known.pair.weight,
                (false, true) => score.wrong += known.pair.weight,
                (true, false) => score.missed += known.pair.weight,
                (false, false) => {}
            }
            score
        })
    }

    fn shown(self) -> String {
        let Self { right, wrong, missed } = self;
        let f1 = 2.0 * right / (2.0 * right + wrong + missed);
        format!("P {:.3} R {:.3} F1 {f1:.3}", right / (right + wrong), right / (right + missed))
    }
}

/// Prints how the rule does on `natural_gold`, by weight, and on `pairs_gold`; and what other bounds on the overlap would do.
pub fn print(folder: &Path) -> Result<()> {
    let keys: usize = std::env::args().nth(2).map_or(Ok(10), |keys| keys.parse())?;
    for name in ["natural_gold", "pairs_gold"] {
        let known = known(data::pairs(folder, name)?, keys)?;
        println!("{name}, {} pairs, sketches of shingles:5 with {keys} keys", known.len());
        let mut corpora: Vec<&str> = known.iter().map(|known| known.pair.corpus.as_str()).collect();
        corpora.sort_unstable();
        corpora.dedup();
        for corpus in [""].into_iter().chain(corpora) {
            for sure in [false, true] {
                let of = || {
                    let wanted = |known: &&Known| {
                        (corpus.is_empty() || known.pair.corpus == corpus) && (!sure || known.pair.sure)
                    };
                    known.iter().filter(wanted)
                };
                let name = if corpus.is_empty() { "all corpora" } else { corpus };
                println!(
                    "{name:<16} {:<5} end to end {} | verdict alone {} | with overlap {}",
                    if sure { "sure" } else { "all" },
                    Score::of(of(), |known| known.candidate && known.duplicate).shown(),
                    Score::of(of(), |known| known.kept.is_some()).shown(),
                    Score::of(of(), |known| known.duplicate).shown(),
                );
            }
        }
        println!("bounds on the overlap, copies down, excerpts across; all pairs, candidates alone");
        for copies in BOUNDS {
            let row: Vec<String> = BOUNDS.iter().map(|&excerpts| bounded(&known, copies, excerpts)).collect();
            println!("{copies:.2}  {}", row.join("  "));
        }
    }
    Ok(())
}

fn bounded(known: &[Known], copies: f64, excerpts: f64) -> String {
    let score = Score::of(known.iter(), |known| {
        known.candidate
            && match known.kept {
                Some(Verdict::Copy) => known.overlap >= copies,
                Some(_) => known.overlap >= excerpts,
                None => false,
            }
    });
    score.shown().replace("P ", "").replace(" R ", "/").replace(" F1 ", "/")
}

fn known(pairs: Vec<Pair>, keys: usize) -> Result<Vec<Known>> {
    let analyzer: Analyzer = "shingles:5".parse()?;
    let mut scratch = Scratch::default();
    let mut hasher = MinHasher::new(Parameters::sketch(keys, 0)?, 0);
    let mut known = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let [a, b] = &pair.texts;
        let mut sketch = |text: &str| minhash(text, &analyzer, &mut scratch, &mut hasher);
        let candidate = match (sketch(a)?, sketch(b)?) {
            (Some(a), Some(b)) => shares_key(MinHash::as_bytes(&a), MinHash::as_bytes(&b))?,
            _ => false,
        };
        let prepared = Prepared::new(a)?;
        let (overlap, duplicate) = (prepared.overlap(&Prepared::new(b)?), prepared.duplicate(b)?.is_some());
        let kept = kept_on(a, b)?.map(|(verdict, _)| verdict);
        if std::env::args().any(|argument| argument == "--pairs") {
            println!(
                "PAIR\t{}\t{}\t{}\t{}\t{candidate}\t{overlap:.4}\t{kept:?}",
                pair.corpus, pair.keeps_one, pair.sure, pair.weight
            );
        }
        known.push(Known { candidate, overlap, kept, duplicate, pair });
    }
    Ok(known)
}
