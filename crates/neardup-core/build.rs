//! Makes the tables of `analysis::normalize` at build time, from the libraries that know.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, error, fs};

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("simplified.rs"), simplified()?)?;
    Ok(())
}

/// Writes the single characters that OpenCC's `t2s` changes, with what they become in the end.
fn simplified() -> Result<String, Box<dyn error::Error>> {
    let converter = OpenCC::from_config(BuiltinConfig::T2s)?;
    let mut table = String::from("static TO_SIMPLIFIED: &[(u32, u32)] = &[\n");
    for code in (0x3400..=0x9fff_u32).chain(0x20000..=0x3fffd) {
        let Some(traditional) = char::from_u32(code) else { continue };
        let mut simplified = traditional.to_string();
        // One character (薴) becomes another that changes again.
        for _ in 0..3 {
            simplified = converter.convert(&simplified);
        }
        let mut chars = simplified.chars();
        let (Some(simplified), None) = (chars.next(), chars.next()) else {
            return Err(format!("{traditional} does not become one character").into());
        };
        if simplified != traditional {
            writeln!(table, "({code:#x}, {:#x}),", u32::from(simplified))?;
        }
    }
    table.push_str("];\n");
    Ok(table)
}
