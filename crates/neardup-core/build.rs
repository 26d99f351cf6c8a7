//! Compiles libraries' data into tables that need no loading: a backend that forks finds them mapped and shared.

#[path = "build/idf.rs"]
mod idf;
#[path = "build/lexicon.rs"]
mod lexicon;
#[path = "build/package.rs"]
mod package;
#[path = "build/simplified.rs"]
mod simplified;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let jieba = package::source_dir("jieba-rs")?;
    idf::generate(&jieba.join("src/data/idf.txt"), &out)?;
    lexicon::generate(&jieba.join("src/data/dict.txt"), &out)?;
    simplified::generate(&out)
}
