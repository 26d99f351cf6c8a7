//! Which rows of a table a verdict looks at to learn what the table repeats.

use neardup_verdict::BACKGROUND;

/// Of so many rows of a key, the last ones, a sample is taken.
pub const SAMPLED: usize = 300;

/// Gives evenly spread positions among `count`, at most `most`.
pub fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |at| at * count / taken)
}

/// Gives the pages of a table of so many pages of which rows are read to learn what the whole table repeats. They are spread evenly
/// up to a power of two, so that they are other ones only when the table has doubled.
pub fn background(pages: u32) -> impl Iterator<Item = u32> {
    let end = if pages == 0 { 0 } else { 1 << pages.ilog2() };
    spread(end as usize, BACKGROUND).map(|page| page as u32)
}
