//! Analyzers by their text, compiled once in each backend.

use std::cell::RefCell;
use std::rc::Rc;

use neardup_core::analysis::{Analyzer, Scratch, Spec};

use crate::error::{Result, report};

/// How many compiled analyzers a backend keeps; a query uses one or two.
const CACHED: usize = 16;

thread_local! {
    /// Most recently used last.
    static ANALYZERS: RefCell<Vec<(String, Rc<Compiled>)>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::default());
}

struct Compiled {
    analyzer: Analyzer,
    /// The analyzer as complete JSON: what signatures are stamped with, whatever short name was used for it.
    description: String,
}

fn compile(text: &str) -> neardup_core::Result<Compiled> {
    Ok(Compiled { analyzer: text.parse()?, description: text.parse::<Spec>()?.to_json()? })
}

fn compiled(text: &str) -> Result<Rc<Compiled>> {
    ANALYZERS.with_borrow_mut(|analyzers| {
        if let Some(at) = analyzers.iter().rposition(|(name, _)| name == text) {
            let last = analyzers.len() - 1;
            analyzers.swap(at, last);
            return Ok(Rc::clone(&analyzers[last].1));
        }
        let analyzer = Rc::new(compile(text).map_err(report)?);
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
    with_description(text, |analyzer, _, scratch| work(analyzer, scratch))
}

/// Runs `work` with the analyzer that `text` stands for and its description, complete JSON.
pub fn with_description<T>(text: &str, work: impl FnOnce(&Analyzer, &str, &mut Scratch) -> T) -> Result<T> {
    let compiled = compiled(text)?;
    let mut scratch = SCRATCH.take();
    let result = work(&compiled.analyzer, &compiled.description, &mut scratch);
    SCRATCH.replace(scratch);
    Ok(result)
}
