//! The default steps (control, nfkc, casefold, punctuation and the treatment of space) in one fast pass.
//!
//! Most characters can be handled without their neighbours. A table made at build time says what happens to each: it stays (runs of
//! these are copied as a whole), it is removed, it is space, or it becomes a given text. All other characters, mostly combining
//! marks, need context. Such a character is passed to the steps themselves ([`stepwise`](super::stepwise)), which define the
//! result, together with its base character and everything up to the next base character. The same holds for a number whose signs
//! are not evidently part of it.

use super::numbers::{Fate, REACH, fate};
use super::scan::{WORD, is_other, others};
use super::{Pair, Steps, classes, stepwise};

mod table {
    include!(concat!(env!("OUT_DIR"), "/fold_table.rs"));
}

/// What becomes of a character, by `build/fold_table.rs`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Treatment {
    /// It stays.
    Copy,
    /// It goes without a trace.
    Drop,
    /// It becomes space.
    Space,
    /// It becomes a sign that may belong to a number, otherwise space.
    Sign { percent: bool },
    /// It depends on its neighbours.
    Slow,
    /// It is a mark of this combining class that composes with nothing: it stays, in canonical order, unless it stands alone.
    Mark(u8),
    /// It becomes the text of this number.
    Map(usize),
}

fn treatment(c: char) -> Treatment {
    let code = u32::from(c) as usize;
    let block = table::INDEX.get(code >> 6).copied().unwrap_or_default();
    match table::BLOCKS.get((usize::from(block) << 6) | (code & 63)).copied().unwrap_or_default() {
        0 => Treatment::Copy,
        1 => Treatment::Drop,
        2 => Treatment::Space,
        sign @ (4 | 5) => Treatment::Sign { percent: sign == 5 },
        entry @ 0x100..=0x1ff => Treatment::Mark(entry as u8),
        entry @ 0x200.. => Treatment::Map(usize::from(entry - 0x200)),
        _ => Treatment::Slow,
    }
}

/// Returns the text that a character of [`Treatment::Map`] becomes.
fn map_text(number: usize) -> &'static str {
    let end = |number: usize| table::MAP_ENDS.get(number).copied().map(usize::from);
    end(number).zip(end(number + 1)).and_then(|(start, end)| table::MAP_TEXT.get(start..end)).unwrap_or_default()
}

/// Says whether a text that a character becomes may be the end of a number, or the beginning.
fn touches_number(text: &str) -> bool {
    [text.as_bytes().first(), text.as_bytes().last()].iter().flatten().any(|byte| byte.is_ascii_digit())
}

/// Says whether what is before a character and what is after it have nothing to do with each other: it is visible, and no part of a number.
#[inline]
fn is_anchor(c: char) -> bool {
    matches!(c, 'a'..='z' | '\u{4e00}'..='\u{9fff}')
        || match treatment(c) {
            Treatment::Copy => !c.is_ascii_digit(),
            Treatment::Map(number) => !touches_number(map_text(number)),
            _ => false,
        }
}

/// Appends the folds of `text` to `out`; runs of space become one space where `keep_space` is on and nothing otherwise. Returns `false`, and
/// appends nothing, if `text` is its own result.
pub(super) fn apply(text: &str, keep_space: bool, out: &mut String, stretch: &mut Pair) -> bool {
    let back = Back { written: out.len(), ..Back::default() };
    let (run, end, pending, alone, class, joins) = (0, 0, false, true, 0, false);
    let mut pass = Pass { text, keep_space, out, stretch, run, back, pending, end, alone, class, joins };
    pass.all();
    let changed = pass.run > 0;
    if changed {
        pass.flush(text.len());
    }
    changed
}

struct Pass<'t, 'o> {
    text: &'t str,
    keep_space: bool,
    out: &'o mut String,
    stretch: &'o mut Pair,
    /// Where the run of characters that stay begins; it reaches to where the pass is, and is not yet written.
    run: usize,
    /// The way back to before what was written last.
    back: Back,
    /// A space is due before the next visible character.
    pending: bool,
    /// Where the last character that is not plain ends.
    end: usize,
    /// A mark at `end` would have no letter: before it is the start of the text or space.
    alone: bool,
    /// Combining class of the character before `end`, 0 if it is no mark.
    class: u8,
    /// What is before `end` may be the end of a number.
    joins: bool,
}

/// The state before the last character that belongs to no number was written, or before those in a row with it.
#[derive(Clone, Copy, Default)]
struct Back {
    /// Where they begin in the text.
    at: usize,
    /// Length of what was written before it.
    written: usize,
    /// Whether a space was due.
    pending: bool,
}

impl Pass<'_, '_> {
    fn all(&mut self) {
        let bytes = self.text.as_bytes();
        for word in (0..bytes.len()).step_by(WORD) {
            if word.is_multiple_of(1 << 16) {
                crate::interrupt::check();
            }
            let mut bits = others(bytes, word);
            while bits != 0 {
                let at = word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // A slow stretch may have taken it already.
                if at >= self.end
                    && let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next())
                {
                    self.one(c, at);
                }
            }
        }
    }

    /// Treats the character at `at`.
    #[inline]
    fn one(&mut self, c: char, at: usize) {
        let next = at + c.len_utf8();
        match treatment(c) {
            Treatment::Space => {
                self.flush(at);
                self.pending = self.keep_space;
                self.alone = true;
                self.class = 0;
                self.joins = false;
                self.run = next;
                self.end = next;
            }
            Treatment::Copy => {
                self.alone = false;
                self.class = 0;
                self.joins = false;
                self.end = next;
            }
            Treatment::Sign { percent } => self.sign(percent, at, next),
            treatment => self.rare(treatment, at, next),
        }
    }

    /// Treats the character from `at` to `next`, which is neither copied nor space.
    fn rare(&mut self, treatment: Treatment, at: usize, next: usize) {
        if at > self.end {
            self.alone = false;
            self.class = 0;
        }
        self.end = next;
        self.joins = true;
        match treatment {
            // A run begins with a letter, so that its marks can be taken back with it.
            Treatment::Mark(class) if !self.alone && at > self.run && (class == 0 || class >= self.class) => {
                self.class = class;
                return;
            }
            Treatment::Mark(_) if self.alone => self.flush(at),
            Treatment::Drop => self.flush(at),
            Treatment::Map(number) => {
                self.flush(at);
                let text = map_text(number);
                if !touches_number(text) {
                    self.back = Back { at, written: self.out.len(), pending: self.pending };
                }
                self.push(text);
                self.class = 0;
            }
            _ => self.end = self.slow(at),
        }
        self.run = self.end;
    }

    /// Treats the character from `at` to `next`, which becomes a sign of a number or space.
    fn sign(&mut self, percent: bool, at: usize, next: usize) {
        let Some(fate) = self.fate(percent, at, next) else {
            self.end = self.slow(at);
            self.run = self.end;
            return;
        };
        match fate {
            Fate::Stays => {}
            // The run begins with the sign, since the space before it ended one.
            Fate::Joins => self.pending = false,
            Fate::Goes | Fate::Space => {
                self.flush(at);
                self.pending |= self.keep_space && fate == Fate::Space;
                self.run = next;
            }
        }
        self.alone = true;
        self.class = 0;
        self.joins = false;
        self.end = next;
    }

    /// Says what becomes of the sign from `at` to `next`, if that shows without folding what is around it.
    #[inline]
    fn fate(&self, percent: bool, at: usize, next: usize) -> Option<Fate> {
        let bytes = self.text.as_bytes();
        let byte = |place: usize| bytes.get(place).copied();
        let before = at.checked_sub(1).and_then(byte);
        let digit_before = before.is_some_and(|before| before.is_ascii_digit());
        // Nearly all signs come after a letter, or after another sign.
        if if at > self.end { !digit_before } else { !self.joins && !percent } {
            return Some(Fate::Space);
        }
        let around = bytes.get(at.saturating_sub(REACH)..bytes.len().min(next + REACH))?;
        if around.iter().all(|byte| matches!(byte, b' '..=b'~')) {
            return Some(fate(bytes, at));
        }
        let after = byte(next).unwrap_or_default();
        let stays = next == at + 1 && digit_before && (percent || byte(at) == Some(b'.') && after.is_ascii_digit());
        if stays {
            return Some(Fate::Stays);
        }
        let plain_after = !is_other(after, byte(next + 1).unwrap_or_default());
        (!percent && plain_after && !after.is_ascii_digit()).then_some(Fate::Space)
    }

    /// Writes the run that ends at `end`.
    #[inline]
    fn flush(&mut self, end: usize) {
        let Some(run) = self.text.get(self.run..end).filter(|run| !run.is_empty()) else { return };
        self.space_if_due();
        if let Some(first) = run.find(is_anchor) {
            self.back = Back { at: self.run + first, written: self.out.len() + first, pending: false };
        }
        self.out.push_str(run);
    }

    #[inline]
    fn space_if_due(&mut self) {
        if self.pending && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.pending = false;
    }

    /// Writes a text that may hold spaces.
    #[inline]
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.alone = classes::is_white_space(c);
            if self.alone {
                self.pending = self.keep_space;
            } else {
                self.space_if_due();
                self.out.push(c);
            }
        }
    }

    /// Treats by the steps themselves what is around `at`, and returns where to go on.
    #[cold]
    fn slow(&mut self, at: usize) -> usize {
        let (before, after) = self.text.split_at(at);
        let start = before.char_indices().rfind(|&(_, c)| is_anchor(c)).map_or(0, |(start, _)| start);
        let end =
            after.char_indices().skip(1).find(|&(_, c)| is_anchor(c)).map_or(self.text.len(), |(len, _)| at + len);
        if start >= self.run {
            self.flush(start);
        } else {
            // What was written from here on is written anew.
            self.out.truncate(self.back.written + start.saturating_sub(self.back.at));
            self.pending = self.back.pending;
        }
        let steps = if self.keep_space { Steps::FOLDS } else { Steps::FOLDS.union(Steps::NOSPACE) };
        let mut stretch = std::mem::take(self.stretch);
        stepwise::apply(self.text.get(start..end).unwrap_or_default(), steps, &mut stretch);
        self.push(&stretch.text);
        *self.stretch = stretch;
        self.class = 0;
        end
    }
}
