//! Makes the tables that are read where they lie, from the packages that know.

#[path = "build/lexicon.rs"]
mod lexicon;

use std::path::Path;
use std::{env, error};

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    lexicon::write(Path::new(&out))?;
    Ok(())
}
