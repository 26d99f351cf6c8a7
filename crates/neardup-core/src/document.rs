//! The whole way of a document to a signature: analysis, then sketch.

use crate::Result;
use crate::analysis::{Analyzer, Cut, Scratch};
use crate::sketch::hash::token_hash;
use crate::sketch::shingle;
use crate::sketch::simhash::SimHashCounter;

/// Gives the SimHash of a document's tokens, each weighing as often as it occurs; `None` where it has no token.
///
/// Source: methods.md Z, SimHash; methods.md N for the weight.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub fn simhash(document: &str, analyzer: &Analyzer, scratch: &mut Scratch) -> Result<Option<u64>> {
    let mut counter = SimHashCounter::new();
    match analyzer.cut(document, scratch)? {
        Cut::Shingles { text, bounds, size } => {
            shingle::for_each_batch(text.as_bytes(), bounds, size, |hashes| counter.add_all(hashes));
        }
        Cut::Words(text) => analyzer.features(text, &mut |token| counter.add(token_hash(token)))?,
    }
    Ok(counter.finish())
}
