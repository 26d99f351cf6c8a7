//! All steps, one after the other, each as its own pass: the definition of what normalisation gives.

use std::ops::Range;

use super::{Pair, Steps, emoji, handles, html, links, scan, simplified, unicode};

/// One pass over the text.
pub(super) struct Pass {
    /// The pass is made where all of these are asked for.
    pub(super) steps: Steps,
    /// Appends what the text becomes.
    pub(super) apply: fn(&str, &mut String),
    /// Whether a plain character (see [`scan`]) stays as it is, whatever is before it, and shields what is after it.
    pub(super) skips_plain: bool,
}

const fn pass(steps: Steps, apply: fn(&str, &mut String), skips_plain: bool) -> Pass {
    Pass { steps, apply, skips_plain }
}

/// All passes in the order of [`Steps::ALL`]: markup first, then what is told apart by its punctuation, then the folds, then
/// punctuation itself, at last space. Form KC is made again after what can break it, folding and the removal of space.
pub(super) const PASSES: [Pass; 15] = [
    pass(Steps::HTML, html::apply, false),
    pass(Steps::LINKS, links::apply, false),
    pass(Steps::REPOSTS, handles::apply_reposts, false),
    pass(Steps::HANDLES, handles::apply_handles, false),
    pass(Steps::EMOJI, emoji::apply, true),
    pass(Steps::CONTROL, unicode::control, true),
    pass(Steps::NFKC, unicode::nfkc, true),
    pass(Steps::WIDTH, unicode::width, true),
    pass(Steps::CASEFOLD, unicode::casefold, true),
    pass(Steps::CASEFOLD.union(Steps::NFKC), unicode::nfkc, true),
    pass(Steps::SIMPLIFIED, simplified::apply, false),
    pass(Steps::PUNCTUATION, unicode::punctuation, true),
    pass(Steps::SPACE, unicode::space, false),
    pass(Steps::NOSPACE, unicode::nospace, true),
    pass(Steps::NOSPACE.union(Steps::NFKC), unicode::nfkc, true),
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
        if pass.skips_plain {
            around_plain(&pair.text, &mut pair.spare, pass.apply);
        } else {
            (pass.apply)(&pair.text, &mut pair.spare);
        }
        std::mem::swap(&mut pair.text, &mut pair.spare);
    }
}

/// Makes a pass over the stretches that are not plain, each with the plain character before it, and copies the rest.
fn around_plain(text: &str, out: &mut String, pass: fn(&str, &mut String)) {
    let mut done = 0;
    let mut stretch = 0..0;
    let mut write = |from: usize, stretch: Range<usize>| {
        out.push_str(text.get(from..stretch.start).unwrap_or_default());
        if !stretch.is_empty() {
            pass(text.get(stretch).unwrap_or_default(), out);
        }
    };
    for at in scan::find(text.as_bytes(), scan::is_other) {
        let (before, after) = text.split_at(at);
        let base = at - before.chars().next_back().map_or(0, char::len_utf8);
        // Where the plain character is all that lies between two stretches, they are one: emoji may run on through a keycap.
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
