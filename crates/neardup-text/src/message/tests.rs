//! The marks of programs in many languages, and what looks like them but is none.

#![allow(clippy::unwrap_used, reason = "tests")]

mod golden;
mod lookalikes;
mod properties;

use super::{Kind, Layout};

/// Returns the own words of a text, its stretches divided by ` / `.
fn own(text: &str) -> String {
    let stretches = Layout::of(text)
        .own()
        .map(|range| text[range].split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>();
    stretches.into_iter().filter(|words| words.contains(char::is_alphanumeric)).collect::<Vec<_>>().join(" / ")
}

/// Returns the parts of one kind, divided by ` / `.
fn of_kind(text: &str, kind: Kind) -> String {
    let layout = Layout::of(text);
    let parts = layout.parts().iter().filter(|part| part.kind == kind);
    parts
        .map(|part| text[part.range.clone()].split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join(" / ")
}
