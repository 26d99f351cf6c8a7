//! Table `accuracy`: how many of the copies in real tables a guard finds, and how many rows it takes for copies wrongly, beside other
//! methods on the same pairs in the same run; and how many rows a guard looks at in whole tables.
//!
//! [`pairs`] has pairs that were read one by one, [`tables`] whole corpora. The texts lie outside the repository: see
//! [`super::corpora`].

mod listing;
mod pairs;
mod tables;

use super::Bench;
use super::corpora::{self, ABSENT};
use super::report::Section;
use crate::error::Result;
use crate::say;

/// Measures the table.
pub fn measure(bench: &Bench) -> Result<Section> {
    let mut section = Section::new(bench.key("accuracy"), "What a guard finds");
    if corpora::folder().is_none() {
        say::note(ABSENT);
        section.words(ABSENT);
        return Ok(section);
    }
    if bench.wants("pairs") {
        pairs::measure(bench, &mut section)?;
    }
    if bench.wants("tables") {
        tables::measure(bench, &mut section)?;
    }
    Ok(section)
}
