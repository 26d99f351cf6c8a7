//! Turns the dictionary of the pinned jieba-rs into the automaton of the default lexicon, so that it lies in the program's
//! read-only data: shared by all processes, nothing to load.
//!
//! jieba-rs has its dictionary inside, but no way to ask for the words; its package, which cargo unpacks before anything is
//! compiled, has the file. It is looked for where cargo puts registry packages, then where `cargo metadata` says (vendored
//! and patched sources); `NEARDUP_JIEBA_DICT` may name it instead. A checksum makes sure that it is the one the signature
//! format is about.

#[path = "../src/analysis/lexicon/construct.rs"]
mod construct;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const PACKAGE: &str = "jieba-rs-0.11.0";
const FILE: &str = "src/data/dict.txt";
const CHECKSUM: u64 = 0x7942_e99e_5601_5da4;

/// Writes `lexicon.bin` and `lexicon_tags.txt` into the folder.
pub fn write(out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build/lexicon.rs");
    println!("cargo::rerun-if-changed=src/analysis/lexicon/construct.rs");
    println!("cargo::rerun-if-env-changed=NEARDUP_JIEBA_DICT");
    let path = find()?;
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path)?;
    let checksum = checksum(&text);
    if checksum != CHECKSUM {
        return Err(format!("{} is not the dictionary of {PACKAGE}: checksum {checksum:#x}", path.display()).into());
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

fn find() -> Result<PathBuf, Box<dyn Error>> {
    if let Some(path) = env::var_os("NEARDUP_JIEBA_DICT") {
        return Ok(path.into());
    }
    if let Some(path) = in_registry() {
        return Ok(path);
    }
    in_metadata()?.ok_or_else(|| {
        format!("the package {PACKAGE} is not where cargo keeps packages; set NEARDUP_JIEBA_DICT to its {FILE}").into()
    })
}

fn in_registry() -> Option<PathBuf> {
    let home =
        env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| env::home_dir().map(|home| home.join(".cargo")))?;
    let mut registries: Vec<_> =
        fs::read_dir(home.join("registry/src")).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    registries.sort();
    registries.into_iter().map(|registry| registry.join(PACKAGE).join(FILE)).find(|path| path.is_file())
}

/// Asks cargo, whose answer holds the path of the package's manifest.
fn in_metadata() -> Result<Option<PathBuf>, Box<dyn Error>> {
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("Cargo.toml");
    let answer = Command::new(env::var("CARGO")?)
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform"])
        .arg(env::var("TARGET")?)
        .arg("--manifest-path")
        .arg(manifest)
        .output()?;
    let answer = String::from_utf8(answer.stdout)?;
    let paths = answer.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let (name, _) = PACKAGE.rsplit_once('-').ok_or("no version")?;
    Ok(paths
        .filter_map(|path| Path::new(path).parent())
        .filter(|folder| folder.file_name().is_some_and(|last| last == PACKAGE || last == name))
        .map(|folder| folder.join(FILE))
        .find(|path| path.is_file()))
}

/// FNV-1a, 64 bits: enough against a mistaken file.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
