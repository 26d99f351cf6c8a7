//! A cache of analyzers: each analyzer text is compiled once in each backend.

use std::cell::RefCell;
use std::rc::Rc;

use neardup_text::{Analyzer, Scratch, Spec};
use neardup_text::{Error, ErrorKind};

use crate::error::{Result, report};

/// How the text of an analyzer begins that is a profile, which lies in a table: [`crate::profile`] reads it.
pub const PROFILE_PREFIX: &str = "profile:";

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

fn compile(text: &str) -> neardup_text::Result<Compiled> {
    Ok(Compiled { analyzer: text.parse()?, description: text.parse::<Spec>()?.to_json()? })
}

/// Refuses a profile: callers are IMMUTABLE, and a profile is read from a table.
fn not_a_profile(text: &str) -> Result<()> {
    if !text.trim_start().starts_with(PROFILE_PREFIX) {
        return Ok(());
    }
    let message = format!("analyzer \"{text}\" is a profile, which an IMMUTABLE function cannot use");
    let error = Error::new(ErrorKind::InvalidParameter, message)
        .with_detail("A profile is stored in a table.")
        .with_hint("Use neardup.profile_simhash, neardup.profile_tokens or another of the profile functions, which are STABLE.");
    Err(report(error))
}

fn compiled(text: &str) -> Result<Rc<Compiled>> {
    ANALYZERS.with_borrow_mut(|analyzers| {
        if let Some(at) = analyzers.iter().rposition(|(name, _)| name == text) {
            let last = analyzers.len() - 1;
            analyzers.swap(at, last);
            return Ok(Rc::clone(&analyzers[last].1));
        }
        not_a_profile(text)?;
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
///
/// # Errors
/// For a text that is no analyzer, and for a profile: a caller may be IMMUTABLE.
pub fn with<T>(text: &str, work: impl FnOnce(&Analyzer, &mut Scratch) -> T) -> Result<T> {
    with_description(text, |analyzer, _, scratch| work(analyzer, scratch))
}

/// Runs `work` with the analyzer that `text` stands for and its description, complete JSON.
///
/// # Errors
/// As [`with`].
pub fn with_description<T>(text: &str, work: impl FnOnce(&Analyzer, &str, &mut Scratch) -> T) -> Result<T> {
    let compiled = compiled(text)?;
    Ok(with_scratch(|scratch| work(&compiled.analyzer, &compiled.description, scratch)))
}

/// Runs `work` with the backend's scratch buffers.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    let mut scratch = SCRATCH.take();
    let result = work(&mut scratch);
    SCRATCH.replace(scratch);
    result
}
