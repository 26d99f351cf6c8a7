//! Normalisation: removes differences of form, such as case, width and punctuation, before tokens are cut.
//!
//! [`normalize`] applies a set of [`Steps`] to a text and writes into a [`Buffer`] that the caller reuses for each document. The
//! steps run in the order of [`Steps::ALL`], whatever order a user lists them in.
//!
//! Promised not to change: the normalised text is hashed, so for given steps it is part of the signature format (Unicode 17; golden
//! vectors in the tests). Every step takes time and memory linear in the text.

mod append;
mod classes;
mod emoji;
mod fused;
mod handles;
mod html;
mod joined;
mod kinds;
mod links;
mod numbers;
pub(super) mod scan;
mod simplified;
mod skeleton;
mod spelling;
mod steps;
mod stepwise;
#[cfg(test)]
mod tests;
mod unicode;

use fused::Folded;

pub(super) use classes::{is_letter_or_number, is_mark, is_white_space};
pub(crate) use html::{extract, is_block};
pub(crate) use links::address_end;
pub use simplified::simplified;
pub use spelling::apply as spelling;
pub use steps::Steps;

/// Room that normalisation works in; one for many documents spares an allocation for each.
#[derive(Debug, Default)]
pub struct Buffer {
    whole: Pair,
    stretch: Pair,
}

/// A text, and room for the next one.
#[derive(Debug, Default)]
struct Pair {
    text: String,
    spare: String,
}

/// Room kept from one document to the next, in bytes; what a longer one took is given back for the next.
const KEPT_BYTES: usize = 4 << 20;

impl Buffer {
    fn clear(&mut self, keep: usize) {
        for pair in [&mut self.whole, &mut self.stretch] {
            for text in [&mut pair.text, &mut pair.spare] {
                text.clear();
                text.shrink_to(keep);
            }
        }
    }
}

/// Carries out `steps` on `text`; returns `text` itself where the default steps find nothing to do.
pub fn normalize<'b>(text: &'b str, steps: Steps, buffer: &'b mut Buffer) -> &'b str {
    normalize_with(fused::apply, text, steps, buffer)
}

/// The way of [`fused::apply`].
type Fold = fn(&str, bool, &mut String, &mut Pair) -> Folded;

fn normalize_with<'b>(fold: Fold, text: &'b str, steps: Steps, buffer: &'b mut Buffer) -> &'b str {
    buffer.clear(KEPT_BYTES.max(text.len()));
    let Buffer { whole, stretch } = buffer;
    // The fused pass takes the place of the folds and of the steps on space; `width` has nothing to do after nfkc. Disguises lie between the folds.
    let spaces = steps.contains(Steps::SPACE) || steps.contains(Steps::NOSPACE);
    if steps.contains(Steps::FOLDS) && spaces && steps.intersection(Steps::DISGUISES) == Steps::NONE {
        let before = steps.without(Steps::AFTER_MARKUP);
        let marked_up = before != Steps::NONE;
        if marked_up {
            stepwise::apply(text, before, whole);
        }
        whole.spare.clear();
        let input = if marked_up { whole.text.as_str() } else { text };
        let folded = fold(input, !steps.contains(Steps::NOSPACE), &mut whole.spare, stretch);
        // Han characters stay Han characters, so `simplified` may come after the fused pass.
        let next = steps.intersection(folded.next);
        if folded.changed {
            std::mem::swap(&mut whole.text, &mut whole.spare);
        } else if !marked_up {
            let is_done = (!next.contains(Steps::SIMPLIFIED) || simplified::is_done(text))
                && (!next.contains(Steps::SPELLING) || spelling::is_done(text));
            if is_done {
                return text;
            }
            whole.text.push_str(text);
        }
        if next.contains(Steps::SIMPLIFIED) {
            simplified::apply_in(whole);
        }
        if next.contains(Steps::SPELLING) {
            spelling::apply_in(whole);
        }
    } else {
        stepwise::apply(text, steps, whole);
    }
    &whole.text
}
