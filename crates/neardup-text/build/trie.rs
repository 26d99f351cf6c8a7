//! A table of all code points in two stages, equal blocks stored once.

use std::collections::BTreeMap;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Code points a block.
const BLOCK: usize = 64;

/// Writes a table of what `value` gives for each character; unassigned and private characters are alike, and asked for once.
pub fn of_characters(value: fn(char) -> u16) -> String {
    let (unassigned, private) = (value('\u{378}'), value('\u{e000}'));
    let values = (0..=u32::from(char::MAX)).map(|code| {
        char::from_u32(code).map_or(unassigned, |c| match c.general_category() {
            GeneralCategory::Unassigned => unassigned,
            GeneralCategory::PrivateUse => private,
            _ => value(c),
        })
    });
    write(&values.collect::<Vec<_>>())
}

/// Writes the arrays `INDEX` (number of the block of each 64 code points) and `BLOCKS` for one value per code point.
pub fn write(values: &[u16]) -> String {
    let mut numbers = BTreeMap::new();
    let mut index = Vec::new();
    let mut blocks = Vec::<u16>::new();
    for block in values.chunks(BLOCK) {
        let number = *numbers.entry(block).or_insert_with(|| {
            blocks.extend(block);
            blocks.len() / BLOCK - 1
        });
        index.push(number);
    }
    super::array("INDEX", "u16", &index) + &super::array("BLOCKS", "u16", &blocks)
}
