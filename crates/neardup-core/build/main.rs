//! Makes the table of jieba's idf weights at build time.

use std::path::Path;
use std::{env, error};

mod idf;
#[path = "../../neardup-text/build/package.rs"]
mod package;

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed=build");
    let jieba = package::source_dir("jieba-rs")?;
    idf::generate(&jieba.join("src/data/idf.txt"), Path::new(&env::var("OUT_DIR")?))
}
