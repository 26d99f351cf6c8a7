//! Which characters always are a unit of their own beside others of the same kind.

use unicode_segmentation::UnicodeSegmentation;

use super::trie;

/// Writes a table of 1 where a character neither joins what is before it, nor what is after it, nor its own like.
pub fn make() -> String {
    trie::of_characters(|c| u16::from(is_simple(c)))
}

fn is_simple(c: char) -> bool {
    // U+000D joins only U+000A, which is not tried.
    c != '\r' && [['a', c], [c, 'a'], [c, c]].iter().all(|pair| String::from_iter(pair).graphemes(true).count() == 2)
}
