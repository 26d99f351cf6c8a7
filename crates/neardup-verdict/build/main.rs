//! Makes tables at build time: the words of languages from `data/`, the names of months and weekdays from CLDR, and the zeros of Unicode's
//! decimal digits, from `unicode-properties`.

mod names;
mod words;

use std::path::Path;
use std::{env, error, fs};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build");
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    fs::write(out.join("names.rs"), names::tables()?)?;
    words::write(out)?;
    Ok(fs::write(out.join("zeros.rs"), zeros())?)
}

/// Writes the zeros of all scripts but ASCII; the digits 1 to 9 follow each, as Unicode promises.
fn zeros() -> String {
    let digits = ('\u{80}'..=char::MAX).filter(|c| c.general_category() == GeneralCategory::DecimalNumber);
    let zeros: Vec<u32> = digits.map(u32::from).step_by(10).collect();
    format!("pub(super) static ZEROS: [u32; {}] = {zeros:?};\n", zeros.len())
}
