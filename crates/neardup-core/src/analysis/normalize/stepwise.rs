//! All steps, one after the other, each as its own pass: the definition of what normalisation gives.

use super::{Pair, Steps, emoji, handles, html, links, simplified, unicode};

/// Bytes that a pass takes between two chances to cancel, where cutting the text there changes nothing.
const CHUNK: usize = 1 << 16;

/// Normalises `text` into `pair.text`.
///
/// The order is that of [`Steps::ALL`]: markup first, then what is told apart by its punctuation, then the folds, then punctuation
/// itself, at last space. Form KC is made again after the steps that can break it, folding and the removal of space.
pub(super) fn apply(text: &str, steps: Steps, pair: &mut Pair) {
    pair.text.clear();
    pair.text.push_str(text);
    let mut run = |step: Steps, pass: fn(&str, &mut String)| {
        if steps.contains(step) {
            pair.spare.clear();
            crate::interrupt::check();
            pass(&pair.text, &mut pair.spare);
            std::mem::swap(&mut pair.text, &mut pair.spare);
        }
    };
    run(Steps::HTML, html::apply);
    run(Steps::LINKS, links::apply);
    run(Steps::REPOSTS, handles::apply_reposts);
    run(Steps::HANDLES, handles::apply_handles);
    run(Steps::EMOJI, emoji::apply);
    run(Steps::CONTROL, |text, out| by_chunk(text, out, unicode::control));
    run(Steps::NFKC, unicode::nfkc);
    run(Steps::WIDTH, unicode::width);
    run(Steps::CASEFOLD, |text, out| by_chunk(text, out, unicode::casefold));
    run(Steps::CASEFOLD.union(Steps::NFKC), unicode::nfkc);
    run(Steps::SIMPLIFIED, |text, out| by_chunk(text, out, simplified::apply));
    run(Steps::PUNCTUATION, unicode::punctuation);
    run(Steps::SPACE, unicode::space);
    run(Steps::NOSPACE, |text, out| by_chunk(text, out, unicode::nospace));
    run(Steps::NOSPACE.union(Steps::NFKC), unicode::nfkc);
}

/// Runs a pass that treats each character by itself over pieces of the text, with a chance to cancel between them.
fn by_chunk(text: &str, out: &mut String, pass: fn(&str, &mut String)) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.floor_char_boundary(CHUNK));
        pass(piece, out);
        crate::interrupt::check();
        rest = more;
    }
}
