//! The default steps (control, nfkc, casefold, punctuation and the treatment of space) in one fast pass.
//!
//! Nearly all text is plain characters, capitals, white space and common signs. A word of 64 bytes with nothing else is handled as a whole, by
//! masks of its [`Kinds`]: what is kept is appended without a branch for each sign. On the way the pass finds out whether the steps after it,
//! `simplified` and `spelling`, have anything to do, so that most texts are read once.
//!
//! In other words each character is looked up. Most can be handled without their neighbours. A table made at build time says what
//! happens to each: it stays (runs of these are copied as a whole), it is removed, it is space, or it becomes a given text. All other
//! characters, mostly combining marks, need context. Such a character is passed to the steps themselves
//! ([`stepwise`](super::stepwise)), which define the result, together with its base character and everything up to the next base
//! character. The same holds for a number whose signs are not evidently part of it.

use super::append::{Runs, append_runs};
use super::kinds::{Kinds, SEEN, judge};
use super::numbers::{Fate, REACH, fate};
use super::scan::{WORD, is_other};
use super::{Pair, Steps, classes, simplified, spelling, stepwise};

#[cfg(target_arch = "x86_64")]
mod x86;

mod table {
    include!(concat!(env!("OUT_DIR"), "/fold_table.rs"));
}

/// Bytes between two chances to cancel.
const UNCHECKED: usize = 1 << 16;

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

/// Says whether the character of a code below 2^16 becomes space, whatever is around it.
pub(super) const fn becomes_space(code: usize) -> bool {
    table::BLOCKS[(table::INDEX[code >> 6] as usize) << 6 | code & 63] == 2
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

/// What a pass has done and left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// The text is not its own result.
    pub(super) changed: bool,
    /// Steps of [`Steps::ONE_SPELLING`] that may change the result.
    pub(super) next: Steps,
}

/// Appends the folds of `text` to `out`; runs of space become one space where `keep_space` is on and nothing otherwise. Appends nothing if
/// `text` is its own result.
pub(super) fn apply(text: &str, keep_space: bool, out: &mut String, stretch: &mut Pair) -> Folded {
    apply_with(|pass| pass.all(), text, keep_space, out, stretch)
}

/// Does what [`apply`] does, without a kernel of the CPU.
#[cfg(test)]
pub(super) fn apply_portable(text: &str, keep_space: bool, out: &mut String, stretch: &mut Pair) -> Folded {
    apply_with(|pass| pass.all_portable(), text, keep_space, out, stretch)
}

/// Does what [`apply`] does, without AVX-512.
#[cfg(all(test, target_arch = "x86_64"))]
pub(super) fn apply_narrow(text: &str, keep_space: bool, out: &mut String, stretch: &mut Pair) -> Folded {
    let all = |pass: &mut Pass<'_, '_>| {
        if !x86::all_narrow(pass) {
            pass.all_portable();
        }
    };
    apply_with(all, text, keep_space, out, stretch)
}

fn apply_with(
    all: impl FnOnce(&mut Pass<'_, '_>),
    text: &str,
    keep_space: bool,
    out: &mut String,
    stretch: &mut Pair,
) -> Folded {
    let back = Back { written: out.len(), ..Back::default() };
    let mut pass = Pass {
        text,
        keep_space,
        out,
        stretch,
        run: 0,
        back,
        pending: false,
        end: 0,
        alone: true,
        class: 0,
        joins: false,
        capitals: false,
        simplified: false,
        spelling: false,
    };
    all(&mut pass);
    let changed = pass.run > 0;
    if changed {
        pass.flush(text.len());
        if pass.capitals {
            pass.out.make_ascii_lowercase();
        }
    }
    let next = |may: bool, step: Steps| if may { step } else { Steps::NONE };
    Folded { changed, next: next(pass.simplified, Steps::SIMPLIFIED).union(next(pass.spelling, Steps::SPELLING)) }
}

/// Returns how many bytes of a word are whole characters; a few instructions on single bytes, since all else waits for it.
#[inline(always)]
fn whole_width(seen: &[u8; SEEN]) -> usize {
    let follows = |place: usize| seen[place] & 0xc0 == 0x80;
    let first = follows(WORD);
    let second = first & follows(WORD - 1);
    let third = second & follows(WORD - 2);
    WORD - usize::from(first) - usize::from(second) - usize::from(third)
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
    /// Capitals were written as they are.
    capitals: bool,
    /// The step `simplified` may change what was written.
    simplified: bool,
    /// The step `spelling` may.
    spelling: bool,
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
    /// Goes through the text with the best that the CPU has.
    #[inline]
    fn all(&mut self) {
        #[cfg(target_arch = "x86_64")]
        if x86::all(self) {
            return;
        }
        self.all_portable();
    }

    /// Goes through the text without a kernel of the CPU.
    #[inline(always)]
    fn all_portable(&mut self) {
        self.all_with(
            judge,
            append_runs,
            // A scan of its own is faster.
            |_, _| true,
        );
    }

    /// Goes through the text, a word of whole characters at a time, with kernels: `judge` says what a word has, `append` writes what is kept
    /// of it, `may_simplify` says whether the step `simplified` may change one of the characters that begin at the given bits.
    #[inline(always)]
    fn all_with(
        &mut self,
        judge: impl Fn(&[u8; SEEN]) -> Kinds,
        append: impl Fn(&mut String, Runs<'_>),
        may_simplify: impl Fn(&[u8; SEEN], u64) -> bool,
    ) {
        let (mut at, mut check) = (0, UNCHECKED);
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            if at >= check {
                crate::interrupt::check();
                check = at + UNCHECKED;
            }
            let bytes = rest.as_bytes();
            // Behind the end of the text are plain characters.
            let mut end = [b'a'; SEEN];
            let seen = bytes.first_chunk().unwrap_or_else(|| {
                end.iter_mut().zip(bytes).for_each(|(end, &byte)| *end = byte);
                &end
            });
            let kinds = judge(seen);
            let width = whole_width(seen).min(bytes.len());
            let within = u64::MAX >> (WORD - width);
            let others = kinds.others & within;
            self.simplified = self.simplified || kinds.far != 0 && may_simplify(seen, kinds.far);
            self.spelling |= kinds.near != 0;
            at += width;
            let is_copied = others == 0 && self.run == 0;
            if !is_copied && (kinds.rest() & within != 0 || !self.simple(&kinds, at - width, width, &append)) {
                self.each(others, at - width);
                at = at.max(self.end);
            }
        }
    }

    /// Treats the characters of a word that begin at the bits of `others`.
    fn each(&mut self, mut others: u64, word: usize) {
        while others != 0 {
            let at = word + others.trailing_zeros() as usize;
            others &= others - 1;
            // A slow stretch may have taken it already.
            if at >= self.end
                && let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next())
            {
                self.simplified |= c > '\u{ffff}';
                self.one(c, at);
            }
        }
    }

    /// Treats a word of the first `width` bytes at `at`, which has characters of the known kinds only; returns `false`, and does nothing, if
    /// a sign in it needs more than its neighbours.
    #[inline(always)]
    #[allow(unsafe_code, reason = "whether runs are whole characters is asked here, where it takes two instructions")]
    fn simple(&mut self, kinds: &Kinds, at: usize, width: usize, append: impl Fn(&mut String, Runs<'_>)) -> bool {
        let within = u64::MAX >> (WORD - width);
        let signs = kinds.signs & within;
        let percents = kinds.percents & within;
        // What is before the first sign is not known here.
        let mut in_question = signs & (kinds.digits << 1 | 1) | percents;
        let (mut spaces, mut staying, mut gone) = (kinds.spaces & within | signs & !in_question, 0, 0);
        while in_question != 0 {
            let sign = in_question & in_question.wrapping_neg();
            in_question ^= sign;
            let place = sign.trailing_zeros() as usize;
            let percent = percents & sign != 0;
            let next = at + place + kinds.whole(sign).count_ones() as usize;
            let fate = if place == 0 { self.fate(percent, at, next) } else { self.fate_at(percent, at + place, next) };
            match fate {
                Some(Fate::Stays) => staying |= sign,
                Some(Fate::Goes) => gone |= sign,
                Some(Fate::Space) => spaces |= sign,
                Some(Fate::Joins) | None => return false,
            }
        }
        let spaces = kinds.whole(spaces);
        let keep = !(spaces | gone) & within;
        // Never so, since all that does not stay are whole characters; but this alone shows that what is written is text.
        let is_cut = (keep ^ keep << 1) & within & kinds.followers != 0;
        if is_cut {
            return false;
        }
        if self.run < at {
            self.flush(at);
        }
        let mut spaced =
            if self.keep_space { (spaces << 1 | u64::from(self.pending)) & keep & !(keep << 1) } else { 0 };
        if self.out.is_empty() {
            spaced &= keep.wrapping_sub(1);
        }
        let written = self.out.len();
        // SAFETY: no run begins or ends before a byte that follows another of its character, as just asked, and the first `width` bytes,
        // all that runs may have, are whole characters. `spaced` has first bits of runs only.
        let runs = unsafe { Runs::new(self.text.get(at..).unwrap_or_default(), keep, spaced) };
        append(self.out, runs);
        self.capitals |= kinds.capitals & within != 0;
        let last = |mask: u64| mask.checked_ilog2();
        if let Some(anchor) = last(keep & !(kinds.digits | staying | kinds.followers)) {
            let upto = u64::MAX >> (63 - anchor);
            let before = (keep & upto >> 1).count_ones() + (spaced & upto).count_ones();
            self.back = Back { at: at + anchor as usize, written: written + before as usize, pending: false };
        }
        if let Some(end) = last(spaces | staying | gone | kinds.capitals & within) {
            self.end = at + end as usize + 1;
            self.alone = kinds.capitals >> end & 1 == 0;
            self.class = 0;
            self.joins = false;
        }
        self.pending = self.keep_space && spaces >> (width - 1) & 1 == 1;
        self.run = at + width;
        true
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
                self.took_in(text);
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
        // Nearly all signs come after a letter, or after another sign.
        if if at > self.end { !self.ends_with_digit(at) } else { !self.joins && !percent } {
            return Some(Fate::Space);
        }
        self.fate_at(percent, at, next)
    }

    /// Says whether the byte before `at` is a digit.
    #[inline]
    fn ends_with_digit(&self, at: usize) -> bool {
        at.checked_sub(1).and_then(|before| self.text.as_bytes().get(before)).is_some_and(u8::is_ascii_digit)
    }

    /// Says the same by what is around the sign alone.
    fn fate_at(&self, percent: bool, at: usize, next: usize) -> Option<Fate> {
        let bytes = self.text.as_bytes();
        let (first, last) = (at.saturating_sub(REACH), (next + REACH).min(bytes.len()));
        let around = self.text.get(self.text.floor_char_boundary(first)..self.text.ceil_char_boundary(last))?;
        // These stay, or become others; nothing else becomes of them a digit, a point, a percent sign or a space.
        let is_settled =
            |c| matches!(c, '\t'..='\r' | ' '..='~' | '\u{4e00}'..='\u{9fff}' | '、' | '。' | '，' | '“' | '”');
        if next == at + 1 && around.chars().all(is_settled) {
            return Some(fate(bytes, at));
        }
        let byte = |place: usize| bytes.get(place).copied();
        let after = byte(next).unwrap_or_default();
        let stays =
            next == at + 1 && self.ends_with_digit(at) && (percent || byte(at) == Some(b'.') && after.is_ascii_digit());
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

    /// Takes note of what a text that is written and not in the input has for the next steps.
    fn took_in(&mut self, text: &str) {
        self.simplified = self.simplified || !simplified::is_done(text);
        self.spelling = self.spelling || !spelling::is_done(text);
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
        self.took_in(&stretch.text);
        self.push(&stretch.text);
        *self.stretch = stretch;
        self.class = 0;
        end
    }
}
