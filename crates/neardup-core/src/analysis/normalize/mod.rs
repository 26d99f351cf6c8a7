//! Normalisation: what two writers would not call a difference goes before tokens are cut.
//!
//! [`normalize`] carries out a set of [`Steps`] on a text, into a [`Buffer`] that a caller uses again for each document. The steps
//! run in the order of [`Steps::ALL`], whatever order a user lists them in.
//!
//! Promised not to change: the normalised text is hashed, so for given steps it is part of the signature format
//! (Unicode 17; golden vectors in the tests). Every step takes time linear in the text and memory linear in it.

mod classes;
mod emoji;
mod handles;
mod html;
mod links;
mod simplified;
mod steps;
mod stepwise;
#[cfg(test)]
mod tests;
mod unicode;

pub(super) use classes::{is_letter_or_number, is_mark, is_white_space};
pub use steps::Steps;

/// Room that normalisation works in; one for many documents spares an allocation for each.
#[derive(Debug, Default)]
pub struct Buffer {
    text: String,
    spare: String,
}

/// Room kept from one document to the next, in bytes; what a longer one took is given back by the next shorter one.
const KEPT_BYTES: usize = 4 << 20;

/// Carries out `steps` on `text`; gives `text` itself where there is nothing to do.
pub fn normalize<'b>(text: &'b str, steps: Steps, buffer: &'b mut Buffer) -> &'b str {
    if steps == Steps::NONE {
        return text;
    }
    buffer.text.clear();
    buffer.spare.clear();
    if text.len() < KEPT_BYTES {
        buffer.text.shrink_to(KEPT_BYTES);
        buffer.spare.shrink_to(KEPT_BYTES);
    }
    stepwise::apply(text, steps, buffer);
    &buffer.text
}
