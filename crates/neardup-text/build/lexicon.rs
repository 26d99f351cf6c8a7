//! Turns the dictionary of the pinned jieba-rs into the automaton of the default lexicon, so that it lies in the program's
//! read-only data: shared by all processes, nothing to load.
//!
//! jieba-rs has its dictionary inside, but no way to ask for the words; its package, which cargo unpacks before anything is
//! compiled, has the file. A checksum makes sure that it is the one the signature format is about.

#[path = "../src/lexicon/construct.rs"]
mod construct;

use std::error::Error;
use std::fs;
use std::path::Path;

const CHECKSUM: u64 = 0x7942_e99e_5601_5da4;

/// Writes `lexicon.bin` and `lexicon_tags.txt` into the folder.
pub fn generate(dictionary: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=src/lexicon/construct.rs");
    let text = fs::read_to_string(dictionary)?;
    let checksum = checksum(&text);
    if checksum != CHECKSUM {
        let path = dictionary.display();
        return Err(format!("{path} is not the dictionary of the pinned jieba-rs: checksum {checksum:#x}").into());
    }

    let mut tags: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    let mut total = 0;
    for line in text.lines() {
        let mut fields = line.split(' ');
        let (Some(word), Some(frequency), Some(tag)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("not a dictionary line: {line}").into());
        };
        let frequency: u64 = frequency.parse()?;
        let number = tags.iter().position(|&known| known == tag).unwrap_or_else(|| {
            tags.push(tag);
            tags.len() - 1
        });
        total += frequency;
        words.push((word, construct::value(frequency, u8::try_from(number)?)));
    }
    fs::write(out.join("lexicon.bin"), construct::construct(&words, total).ok_or("too many characters")?)?;
    fs::write(out.join("lexicon_tags.txt"), tags.join("\n"))?;
    Ok(())
}

/// FNV-1a, 64 bits: enough against a mistaken file.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
