//! Makes the tables of this crate at build time, from the libraries that know and from the steps that the tables must equal.

use std::path::Path;
use std::{env, error, fmt, fs};

mod fold_table;
mod lexicon;
mod message_table;
mod package;
mod simplified_table;
mod skeleton_table;
mod spelling_table;
mod trie;
mod unit_table;
mod word_table;

#[allow(dead_code, reason = "not every class matters to a table")]
#[path = "../src/normalize/classes.rs"]
mod classes;
#[allow(dead_code, reason = "only what a step asks for")]
#[path = "../src/normalize/numbers.rs"]
mod numbers;
#[path = "../src/normalize/spelling/rules.rs"]
mod spelling_rules;
#[allow(dead_code, reason = "not every step has a table")]
#[path = "../src/normalize/unicode.rs"]
mod unicode;
/// No host can cancel a build; the steps ask all the same.
mod interrupt {
    pub fn check() {}
}

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    for source in [
        "build",
        "src/message/words/starts.rs",
        "src/normalize/classes.rs",
        "src/normalize/numbers.rs",
        "src/normalize/unicode.rs",
        "src/normalize/spelling/rules.rs",
    ] {
        println!("cargo::rerun-if-changed={source}");
    }
    let out = env::var("OUT_DIR")?;
    for (file, table) in [
        ("fold_table.rs", fold_table::make()?),
        ("message_table.rs", message_table::make()?),
        ("simplified_table.rs", simplified_table::make()?),
        ("skeleton_table.rs", skeleton_table::make()),
        ("spelling_table.rs", spelling_table::make()),
        ("unit_table.rs", unit_table::make()),
        ("word_table.rs", word_table::make()),
    ] {
        fs::write(Path::new(&out).join(file), table)?;
    }
    let jieba = package::source_dir("jieba-rs")?;
    lexicon::generate(&jieba.join("src/data/dict.txt"), Path::new(&out))
}

/// Writes one static array.
fn array<T: fmt::Debug>(name: &str, kind: &str, values: &[T]) -> String {
    format!("pub static {name}: [{kind}; {}] = {values:?};\n", values.len())
}
