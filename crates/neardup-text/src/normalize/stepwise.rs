//! All steps one after the other, each as a pass of its own. This defines the result of normalisation.

use std::ops::Range;

use super::{Pair, Steps, emoji, handles, html, joined, links, scan, simplified, skeleton, spelling, unicode};

/// One pass over the text.
pub(super) struct Pass {
    /// The pass is made where all of these are asked for.
    pub(super) steps: Steps,
    /// Appends what the text becomes.
    pub(super) apply: fn(&str, &mut String),
    /// Which characters it may skip.
    pub(super) skips: Skips,
}

/// Characters that a pass leaves as they are, whatever is around them, and that shield what is after them from what is before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Skips {
    /// None.
    Nothing,
    /// Those that are plain (see [`scan`]).
    Plain,
    /// Those that are plain and no digits.
    PlainLetters,
}

const fn pass(steps: Steps, apply: fn(&str, &mut String), skips: Skips) -> Pass {
    Pass { steps, apply, skips }
}

/// All passes in the order of [`Steps::ALL`]: markup first, then what is told apart by its punctuation, then the folds, then
/// disguises, punctuation itself, then space, at last spellings. Form KC is made again after what can break it: folding, look-alikes and the
/// removal of space.
pub(super) const PASSES: [Pass; 19] = [
    pass(Steps::HTML, html::apply, Skips::Nothing),
    pass(Steps::LINKS, links::apply, Skips::Nothing),
    pass(Steps::REPOSTS, handles::apply_reposts, Skips::Nothing),
    pass(Steps::HANDLES, handles::apply_handles, Skips::Nothing),
    pass(Steps::EMOJI, emoji::apply, Skips::Plain),
    pass(Steps::CONTROL, unicode::control, Skips::Plain),
    pass(Steps::NFKC, unicode::nfkc, Skips::Plain),
    pass(Steps::WIDTH, unicode::width, Skips::Plain),
    pass(Steps::CASEFOLD, unicode::casefold, Skips::Plain),
    pass(Steps::CASEFOLD.union(Steps::NFKC), unicode::nfkc, Skips::Plain),
    pass(Steps::SIMPLIFIED, simplified::apply, Skips::Nothing),
    pass(Steps::JOINED, joined::apply, Skips::Nothing),
    pass(Steps::SKELETON, skeleton::apply, Skips::Nothing),
    pass(Steps::SKELETON.union(Steps::NFKC), unicode::nfkc, Skips::Plain),
    pass(Steps::PUNCTUATION, unicode::punctuation, Skips::PlainLetters),
    pass(Steps::SPACE, unicode::space, Skips::Nothing),
    pass(Steps::NOSPACE, unicode::nospace, Skips::Plain),
    pass(Steps::NOSPACE.union(Steps::NFKC), unicode::nfkc, Skips::Plain),
    pass(Steps::SPELLING, spelling::apply, Skips::Nothing),
];

/// Normalises `text` into `pair.text`.
pub(super) fn apply(text: &str, steps: Steps, pair: &mut Pair) {
    pair.text.clear();
    pair.text.push_str(text);
    apply_more(steps, pair);
}

/// Normalises what is in `pair.text`.
pub(super) fn apply_more(steps: Steps, pair: &mut Pair) {
    for pass in PASSES.iter().filter(|pass| steps.contains(pass.steps)) {
        pair.spare.clear();
        let (text, out) = (pair.text.as_str(), &mut pair.spare);
        match pass.skips {
            Skips::Nothing => (pass.apply)(text, out),
            Skips::Plain => around(text, out, pass.apply, scan::is_other),
            Skips::PlainLetters => {
                around(text, out, pass.apply, |byte, next| scan::is_other(byte, next) | byte.is_ascii_digit());
            }
        }
        std::mem::swap(&mut pair.text, &mut pair.spare);
    }
}

/// Makes a pass over the stretches that may not be skipped, each with the character before it, and copies the rest.
fn around(text: &str, out: &mut String, pass: fn(&str, &mut String), is_other: impl Fn(u8, u8) -> bool) {
    let mut done = 0;
    let mut stretch = 0..0;
    let mut write = |from: usize, stretch: Range<usize>| {
        out.push_str(text.get(from..stretch.start).unwrap_or_default());
        if !stretch.is_empty() {
            pass(text.get(stretch).unwrap_or_default(), out);
        }
    };
    for at in scan::find(text.as_bytes(), is_other) {
        let (before, after) = text.split_at(at);
        let base = at - before.chars().next_back().map_or(0, char::len_utf8);
        // Where one character is all that lies between two stretches, they are one: emoji may run on through a keycap.
        if base > stretch.end {
            write(done, stretch.clone());
            done = stretch.end;
            stretch.start = base;
        }
        stretch.end = at + after.chars().next().map_or(0, char::len_utf8);
    }
    write(done, stretch.clone());
    out.push_str(text.get(stretch.end..).unwrap_or_default());
}
