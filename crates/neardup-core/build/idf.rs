//! Converts jieba's `idf.txt` ("word idf" per line) into `idf.bin`, which `weighting::idf` reads in place.
//!
//! Layout, little-endian: the distinct values (f64), the start of each bucket (u32, one more than there are buckets), the words'
//! hashes in ascending order (u64), the index of each word's value (u16). A word's bucket is the top `BUCKET_BITS` bits of its
//! hash. The table takes 3.0 MB, instead of 6.2 MB as text and 30 MB as a loaded hash map.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

/// Four words to a bucket, so that a look-up touches two cache lines.
const BUCKET_BITS: u32 = 16;

/// XXH3-64 of the `idf.txt` that the signature format is frozen to (jieba-rs 0.11.0).
const FROZEN: u64 = 0x68c5_902a_51ea_62db;

/// Writes `idf.bin` and `idf.rs` (its counts) into `out`.
pub fn generate(source: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", source.display());
    let text = fs::read_to_string(source)?;
    let digest = xxh3_64(text.as_bytes());
    if digest != FROZEN {
        let source = source.display();
        return Err(format!("{source} has digest {digest:#018x}, not {FROZEN:#018x}: signatures would change").into());
    }

    let mut words: BTreeMap<u64, (&str, f64)> = BTreeMap::new();
    for line in text.lines() {
        let (word, idf) = line.split_once(' ').ok_or_else(|| format!("no value in line {line:?}"))?;
        let idf: f64 = idf.trim().parse()?;
        if let Some((other, _)) = words.insert(xxh3_64(word.as_bytes()), (word, idf)) {
            return Err(format!("words {other:?} and {word:?} have one hash").into());
        }
    }

    let mut ascending: Vec<f64> = words.values().map(|&(_, idf)| idf).collect();
    ascending.sort_by(f64::total_cmp);
    // The lower median over all words, as jieba-rs and Python's jieba give it to words they do not know.
    let median = *ascending.get(ascending.len().saturating_sub(1) / 2).ok_or("the table is empty")?;
    let mut values = ascending;
    values.dedup();

    let mut table: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let hashes: Vec<u64> = words.keys().copied().collect();
    for bucket in 0..=1u64 << BUCKET_BITS {
        let start = hashes.partition_point(|hash| hash >> (64 - BUCKET_BITS) < bucket);
        table.extend(u32::try_from(start)?.to_le_bytes());
    }
    table.extend(hashes.iter().flat_map(|hash| hash.to_le_bytes()));
    for (_, idf) in words.values() {
        let value = values.partition_point(|value| value < idf);
        table.extend(u16::try_from(value)?.to_le_bytes());
    }
    fs::write(out.join("idf.bin"), &table)?;

    let mut counts = String::new();
    writeln!(counts, "const WORDS: usize = {};", hashes.len())?;
    writeln!(counts, "const VALUES: usize = {};", values.len())?;
    writeln!(counts, "const BUCKET_BITS: u32 = {BUCKET_BITS};")?;
    writeln!(counts, "const MEDIAN: f64 = {median:?};")?;
    fs::write(out.join("idf.rs"), counts)?;
    Ok(())
}
