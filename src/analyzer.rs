//! Analyzers by their text, compiled once in each backend.

use std::cell::RefCell;
use std::rc::Rc;

use neardup_core::analysis::{Analyzer, Scratch};

use crate::error::{Result, report};

/// How many compiled analyzers a backend keeps; a query uses one or two.
const CACHED: usize = 16;

thread_local! {
    /// Most recently used last.
    static ANALYZERS: RefCell<Vec<(String, Rc<Analyzer>)>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

fn compiled(text: &str) -> Result<Rc<Analyzer>> {
    ANALYZERS.with_borrow_mut(|analyzers| {
        if let Some(at) = analyzers.iter().rposition(|(name, _)| name == text) {
            let last = analyzers.len() - 1;
            analyzers.swap(at, last);
            return Ok(Rc::clone(&analyzers[last].1));
        }
        let analyzer = Rc::new(text.parse::<Analyzer>().map_err(report)?);
        if analyzers.len() == CACHED {
            analyzers.remove(0);
        }
        analyzers.push((text.to_owned(), Rc::clone(&analyzer)));
        Ok(analyzer)
    })
}

/// Runs `work` with the analyzer that `text` stands for.
///
/// The scratch buffers are taken out for the call: an error inside `work` unwinds through here and may only cost them their capacity.
pub fn with<T>(text: &str, work: impl FnOnce(&Analyzer, &mut Scratch) -> T) -> Result<T> {
    let analyzer = compiled(text)?;
    let mut scratch = SCRATCH.take();
    let result = work(&analyzer, &mut scratch);
    SCRATCH.replace(scratch);
    Ok(result)
}
