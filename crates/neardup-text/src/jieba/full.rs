//! jieba's full mode: every dictionary word, overlapping, as `cut_all` of the Python original returns them.
//!
//! jieba-rs's own full mode differs deliberately: it adds every single character that is a word, drops characters that are not, and
//! has no words that mix letters and Han. So this is a new implementation over the [`Lexicon`], and needs no model.

use super::chunks::{MAX_BLOCK_CHARS, is_block_char};
use crate::Token;
use crate::interrupt;
use crate::lexicon::{Entry, Lexicon, Walker};

/// Hands every dictionary word to `sink`, in order of their starts, with its entry; what is between them comes without.
pub(super) fn segment<'t>(lexicon: &Lexicon, text: &'t str, sink: &mut impl FnMut(Token<'t>, Option<Entry>)) {
    let walker = lexicon.walker();
    let mut block = Block::default();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        interrupt::check();
        let kind = Kind::of(first);
        let same = |&(n, (_, c)): &(usize, (usize, char))| n < MAX_BLOCK_CHARS && Kind::of(c) == kind;
        let run = text[at..].char_indices().enumerate().take_while(same);
        let length = match kind {
            Kind::Space => first.len_utf8() + usize::from(text[at..].starts_with("\r\n")),
            _ => run.last().map_or(0, |(_, (last, c))| last + c.len_utf8()),
        };
        let token = Token { text: &text[at..at + length], start: at };
        if kind == Kind::Block {
            block.segment(&walker, token, sink)
        } else {
            sink(token, None)
        }
        at += length;
    }
}

/// Words lie in blocks; a space is a token, and so is whatever else stands between blocks and spaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Block,
    Space,
    Other,
}

impl Kind {
    #[inline]
    fn of(c: char) -> Self {
        if is_block_char(c) {
            Self::Block
        } else if c.is_whitespace() || ('\x1c'..='\x1f').contains(&c) {
            Self::Space
        } else {
            Self::Other
        }
    }
}

/// Buffers for one block.
#[derive(Default)]
struct Block {
    words: Vec<(usize, Entry)>,
}

impl Block {
    /// A character with one word that starts there gives that word, unless an earlier word covers it; one with several
    /// gives all but the single character. Letters and digits in a row that are no words are one token.
    fn segment<'t>(&mut self, walker: &Walker<'_>, block: Token<'t>, sink: &mut impl FnMut(Token<'t>, Option<Entry>)) {
        let token = |from: usize, to: usize| Token { text: &block.text[from..to], start: block.start + from };
        // Ends of the last word handed out and of the row of letters not yet handed out.
        let mut covered = 0;
        let mut row: Option<(usize, usize)> = None;
        for (at, c) in block.text.char_indices() {
            if !c.is_ascii_alphanumeric()
                && let Some((from, to)) = row.take()
            {
                sink(token(from, to), None);
            }
            self.words.clear();
            walker.prefixes(&block.text[at..], &mut |length, entry| self.words.push((length, entry)));
            let single = match self.words[..] {
                [] => Some((c.len_utf8(), None)),
                [(length, entry)] => Some((length, Some(entry))),
                _ => None,
            };
            match single {
                Some((length, entry)) if at >= covered => {
                    covered = at + length;
                    if !c.is_ascii_alphanumeric() {
                        sink(token(at, covered), entry);
                    } else if let Some((_, to)) = row.as_mut().filter(|(_, to)| *to == at) {
                        *to = covered;
                    } else {
                        row.replace((at, covered)).into_iter().for_each(|(from, to)| sink(token(from, to), None));
                    }
                }
                _ => {
                    for &(length, entry) in self.words.iter().filter(|&&(length, _)| length > c.len_utf8()) {
                        sink(token(at, at + length), Some(entry));
                        covered = at + length;
                    }
                }
            }
        }
        if let Some((from, to)) = row {
            sink(token(from, to), None);
        }
    }
}
