//! Simplified forms of Han characters, from OpenCC.

use ferrous_opencc::OpenCC;
use ferrous_opencc::config::BuiltinConfig;

use super::{Result, array};

/// First and last character of the dense part: the unified ideographs of the Basic Multilingual Plane.
const DENSE: (u32, u32) = (0x3400, 0x9fff);

/// Writes `DENSE`, the simplified forms from U+3400 to U+9FFF (0 where nothing changes, 1 where `SPARSE` has the answer),
/// and `SPARSE`, pairs that begin or end in another plane.
pub fn make() -> Result<String> {
    let converter = OpenCC::from_config(BuiltinConfig::T2s)?;
    let mut dense = Vec::new();
    let mut sparse = Vec::new();
    for code in (DENSE.0..=DENSE.1).chain(0x20000..=0x3fffd) {
        let changed = simplified(&converter, code)?.filter(|&simplified| simplified != code);
        let in_plane = u16::try_from(changed.unwrap_or(0));
        if code <= DENSE.1 {
            dense.push(in_plane.unwrap_or(1));
        }
        if let Some(simplified) = changed
            && (code > DENSE.1 || in_plane.is_err())
        {
            sparse.push((code, simplified));
        }
    }
    Ok(array("DENSE", "u16", &dense) + &array("SPARSE", "(u32, u32)", &sparse))
}

/// Returns what a character becomes in the end.
fn simplified(converter: &OpenCC, code: u32) -> Result<Option<u32>> {
    let Some(traditional) = char::from_u32(code) else { return Ok(None) };
    let mut text = traditional.to_string();
    // One character (薴) becomes another that changes again.
    for _ in 0..3 {
        let converted = converter.convert(&text);
        if converted == text {
            break;
        }
        text = converted;
    }
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(simplified), None) => Ok(Some(simplified.into())),
        _ => Err(format!("{traditional} does not become one character").into()),
    }
}
