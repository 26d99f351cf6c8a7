//! A table of all code points in two stages, equal blocks stored once.

use std::collections::BTreeMap;

/// Code points a block.
const BLOCK: usize = 64;

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
