//! The tokenizers `ik_max_word` and `ik_smart`: the IK Analyzer's published algorithm, over any lexicon.
//!
//! An [`Ik`] consists of a lexicon of words and one of measure words. [`segment`] passes on its tokens, [`segment_typed`] tokens
//! with their [`Kind`].
//!
//! Three scanners run over the text in parallel: one for letters and digits, one for Chinese numbers and the measure words after
//! them, one for dictionary words. `ik_max_word` emits everything they find. `ik_smart` resolves each tangle of overlapping words
//! by the best path (most text covered, fewest words, even lengths, long words late), and joins numbers with their measure words. A
//! Han character that no word covers is a token of its own; other uncovered text (punctuation, other scripts) is dropped.
//!
//! Matching ignores case and width, because IK converts letters to lower case and narrow form; tokens remain slices of the text. IK
//! itself also drops stop words; here the analyzer does. When IK compares lengths, it counts a character outside the basic plane as
//! two; this module counts it as one.
//!
//! Two bounds are part of the format, but no ordinary text reaches them: a text without any gap (punctuation, space) is cut after
//! [`MAX_STRETCH_CHARS`] characters, and a tangle after [`MAX_TANGLE`] words. IK behaves differently there. It reads 4,096
//! characters at a time and may then emit a character twice; recent versions split a tangle of more than 50 words (a cry of one
//! character again and again) into its first word and one piece for the rest.

mod characters;
mod scan;
mod tangle;

use std::sync::LazyLock;

use super::Token;
use super::lexicon::Lexicon;
use crate::{Result, interrupt};
use characters::Class;
use scan::Scanner;
pub use tangle::MAX_TANGLE;

/// The longest stretch of text without a gap that is looked at as a whole, in characters.
pub const MAX_STRETCH_CHARS: usize = 4096;

/// Which words IK hands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IkMode {
    /// Every word (`ik_max_word`).
    #[default]
    MaxWord,
    /// The best words side by side (`ik_smart`).
    Smart,
}

/// What a token is; IK's own names in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Latin letters (ENGLISH).
    Letters,
    /// Digits, with `.` and `,` between them (ARABIC).
    Digits,
    /// Letters and digits, with `#&+-.@_` among them (LETTER).
    Mixed,
    /// A word of the lexicon (CN_WORD).
    Word,
    /// A single Han character, or one outside the basic plane (CN_CHAR).
    Character,
    /// A single kana, Hangul or full-width character (OTHER_CJK).
    OtherCharacter,
    /// A Chinese number (TYPE_CNUM).
    Number,
    /// A measure word (COUNT).
    Measure,
    /// A number with its measure word (TYPE_CQUAN).
    Quantity,
}

/// The word lists of IK.
#[derive(Clone, Debug)]
pub struct Ik {
    words: Lexicon,
    measures: Lexicon,
}

static STANDARD: LazyLock<Result<Ik>> = LazyLock::new(|| Ik::over(Lexicon::standard().clone()));

impl Ik {
    /// IK over the standard lexicon and the measure words of this module.
    ///
    /// # Errors
    /// None in practice: the measure words keep every limit.
    pub fn standard() -> Result<&'static Self> {
        STANDARD.as_ref().map_err(Clone::clone)
    }

    /// IK over a lexicon, such as the standard one with house words, and the measure words of this module.
    ///
    /// # Errors
    /// None in practice: the measure words keep every limit.
    pub fn over(words: Lexicon) -> Result<Self> {
        let measures = characters::MEASURE_WORDS.split_whitespace().map(|word| (word, Some(1), None));
        Ok(Self::new(words, Lexicon::from_words(measures)?))
    }

    /// IK over a lexicon of words and one of measure words, both in lower case and half width.
    pub fn new(words: Lexicon, measures: Lexicon) -> Self {
        Self { words, measures }
    }
}

/// Hands every token of `text` to `sink`, in IK's order: by start, the long ones first.
pub fn segment<'t>(ik: &Ik, text: &'t str, mode: IkMode, sink: &mut impl FnMut(Token<'t>)) {
    segment_typed(ik, text, mode, &mut |token, _| sink(token));
}

/// Hands every token of `text` with its kind to `sink`.
pub fn segment_typed<'t>(ik: &Ik, text: &'t str, mode: IkMode, sink: &mut impl FnMut(Token<'t>, Kind)) {
    let mut scanner = Scanner::new(ik.words.walker(), ik.measures.walker());
    let mut output = Output { mode, text, results: Vec::new(), sink };
    let mut search = tangle::TangleSearch::default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let last = chars.peek().is_none() || scanner.chars() + 1 == MAX_STRETCH_CHARS;
        scanner.scan(at, c, last);
        if last || (scanner.is_idle() && scanner.chars() > 0) {
            interrupt::check();
            let end = chars.peek().map_or(text.len(), |&(at, _)| at);
            output.stretch(&mut scanner, &mut search, end);
        }
    }
}

/// What the scanners found: characters of the stretch, by number, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lexeme {
    begin: u32,
    end: u32,
    kind: Kind,
}

impl Lexeme {
    fn length(&self) -> u32 {
        self.end - self.begin
    }
}

/// The second half: from the lexemes of a stretch to tokens.
struct Output<'t, 's, S> {
    mode: IkMode,
    text: &'t str,
    results: Vec<Lexeme>,
    sink: &'s mut S,
}

impl<'t, S: FnMut(Token<'t>, Kind)> Output<'t, '_, S> {
    /// Hands out the stretch that the scanner holds, which ends before byte `end`, and empties the scanner.
    fn stretch(&mut self, scanner: &mut Scanner<'_>, search: &mut tangle::TangleSearch, end: usize) {
        let mut at = 0;
        match self.mode {
            IkMode::MaxWord => self.words(scanner, &mut at, scanner.lexemes()),
            IkMode::Smart => {
                let mut lexemes = scanner.lexemes();
                while let Some(tangle) = tangle::next(&mut lexemes, at) {
                    self.words(scanner, &mut at, search.best(tangle));
                }
            }
        }
        self.characters(scanner, &mut at, scanner.chars() as u32);
        self.emit(scanner, end);
        scanner.clear();
    }

    /// Adds words with the characters before them. Of overlapping words the last one may not be the one that ends last; as
    /// in IK, the characters go on from its end.
    fn words(&mut self, scanner: &Scanner<'_>, at: &mut u32, words: &[Lexeme]) {
        for word in words {
            self.characters(scanner, at, word.begin);
            self.results.push(*word);
            *at = word.end;
        }
    }

    /// Adds the characters from `at` up to `end` that stand alone.
    fn characters(&mut self, scanner: &Scanner<'_>, at: &mut u32, end: u32) {
        while *at < end {
            self.results.extend(scanner.character(*at));
            *at += 1;
        }
    }

    /// Hands the results out, numbers joined with what follows them.
    fn emit(&mut self, scanner: &Scanner<'_>, end: usize) {
        let mut results = self.results.drain(..).peekable();
        while let Some(mut lexeme) = results.next() {
            if self.mode == IkMode::Smart {
                let mut join = |kinds: [Kind; 2], joined: Kind| {
                    let fits = |next: &Lexeme| [lexeme.kind, next.kind] == kinds && lexeme.end == next.begin;
                    if let Some(next) = results.next_if(fits) {
                        lexeme = Lexeme { end: next.end, kind: joined, ..lexeme };
                    }
                };
                join([Kind::Digits, Kind::Number], Kind::Number);
                join([Kind::Digits, Kind::Measure], Kind::Quantity);
                join([Kind::Number, Kind::Measure], Kind::Quantity);
            }
            let start = scanner.offset(lexeme.begin).unwrap_or(end);
            let stop = scanner.offset(lexeme.end).unwrap_or(end);
            (self.sink)(Token { text: &self.text[start..stop], start }, lexeme.kind);
        }
    }
}

/// Tells what a character is to IK: letters and digits are no single tokens, nor is what IK has no use for.
fn single(class: Class) -> Option<Kind> {
    match class {
        Class::Han | Class::Supplementary => Some(Kind::Character),
        Class::OtherCjk => Some(Kind::OtherCharacter),
        Class::Digit | Class::Letter | Class::Useless => None,
    }
}

#[cfg(test)]
mod tests;
