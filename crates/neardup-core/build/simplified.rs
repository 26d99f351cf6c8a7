//! The table of the normalisation step `simplified`, asked once from the library that knows.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;

/// Writes `simplified.rs` into `out`.
pub fn generate(out: &Path) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(out.join("simplified.rs"), table()?)?)
}

/// Writes the single characters that OpenCC's `t2s` changes, with what they become in the end.
fn table() -> Result<String, Box<dyn Error>> {
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
