//! IK's three scanners, which read a stretch of text character by character, and the sorted list of the words they find.

use super::characters::{Class, class, is_numeral, regularize};
use super::{Kind, Lexeme, single};
use crate::lexicon::{State, Walker};

/// The scanners with the stretch they are in.
pub(super) struct Scanner<'a> {
    words: Walker<'a>,
    measures: Walker<'a>,
    /// Byte offset and class of each character of the stretch.
    chars: Vec<(usize, Class)>,
    /// What was found, by begin, the long ones first; never two of the same place, since the first one found stays.
    lexemes: Vec<Lexeme>,
    letters: Run,
    digits: Run,
    mixed: Run,
    numerals: Run,
    word_hits: Vec<(u32, State)>,
    measure_hits: Vec<(u32, State)>,
}

/// A run of characters in the making.
#[derive(Default)]
struct Run(Option<Span>);

struct Span {
    begin: u32,
    end: u32,
}

impl Run {
    fn extend(&mut self, at: u32) {
        self.0.get_or_insert(Span { begin: at, end: at }).end = at + 1;
    }

    fn finish(&mut self, kind: Kind) -> Option<Lexeme> {
        self.0.take().map(|Span { begin, end }| Lexeme { begin, end, kind })
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn new(words: Walker<'a>, measures: Walker<'a>) -> Self {
        Self {
            words,
            measures,
            chars: Vec::new(),
            lexemes: Vec::new(),
            letters: Run::default(),
            digits: Run::default(),
            mixed: Run::default(),
            numerals: Run::default(),
            word_hits: Vec::new(),
            measure_hits: Vec::new(),
        }
    }

    /// How many characters the stretch has so far.
    pub(super) fn chars(&self) -> usize {
        self.chars.len()
    }

    /// Byte offset of a character, if the stretch has it.
    pub(super) fn offset(&self, at: u32) -> Option<usize> {
        self.chars.get(at as usize).map(|&(offset, _)| offset)
    }

    /// A character as a lexeme of its own, if it can stand alone.
    pub(super) fn character(&self, at: u32) -> Option<Lexeme> {
        let (_, class) = self.chars.get(at as usize)?;
        single(*class).map(|kind| Lexeme { begin: at, end: at + 1, kind })
    }

    /// What was found.
    pub(super) fn lexemes(&self) -> &[Lexeme] {
        &self.lexemes
    }

    /// Forgets the stretch.
    pub(super) fn clear(&mut self) {
        self.chars.clear();
        self.lexemes.clear();
    }

    /// Tells whether the last character was a gap and nothing found later can begin before its end.
    pub(super) fn is_idle(&self) -> bool {
        self.chars.last().is_some_and(|&(_, class)| class == Class::Useless)
            && [&self.letters, &self.digits, &self.mixed, &self.numerals].iter().all(|run| run.0.is_none())
            && self.word_hits.is_empty()
            && self.measure_hits.is_empty()
    }

    /// Takes in the next character, which starts at byte `offset`; after the `last` one every run ends.
    ///
    /// The order of the scanners matters where they find the same place: letters, then measures, then words.
    pub(super) fn scan(&mut self, offset: usize, c: char, last: bool) {
        let c = regularize(c);
        let class = class(c);
        let at = self.chars.len() as u32;
        self.chars.push((offset, class));
        self.scan_letters(at, c, class, last);
        self.scan_numerals(at, c, class, last);
        self.scan_measures(at, c, class);
        self.scan_words(at, c, class);
        if last {
            self.measure_hits.clear();
            self.word_hits.clear();
        }
    }

    fn scan_letters(&mut self, at: u32, c: char, class: Class, last: bool) {
        let letter = class == Class::Letter;
        let digit = class == Class::Digit;
        let in_number = class == Class::Useless && matches!(c, ',' | '.');
        let in_mixed = class == Class::Useless && matches!(c, '#' | '&' | '+' | '-' | '.' | '@' | '_');
        let started = self.mixed.0.is_some();
        self.advance(|scanner| &mut scanner.letters, Kind::Letters, at, letter, false, last);
        self.advance(|scanner| &mut scanner.digits, Kind::Digits, at, digit, in_number, last);
        self.advance(
            |scanner| &mut scanner.mixed,
            Kind::Mixed,
            at,
            letter || digit || (in_mixed && started),
            false,
            last,
        );
    }

    /// Lets a run take the character in, pass over it, or end.
    fn advance(&mut self, run: fn(&mut Self) -> &mut Run, kind: Kind, at: u32, takes: bool, passes: bool, last: bool) {
        if takes {
            run(self).extend(at);
        }
        if last || !(takes || passes) {
            let found = run(self).finish(kind);
            self.add(found);
        }
    }

    fn scan_numerals(&mut self, at: u32, c: char, class: Class, last: bool) {
        let takes = class == Class::Han && is_numeral(c);
        self.advance(|scanner| &mut scanner.numerals, Kind::Number, at, takes, false, last);
    }

    /// Measure words start right after a number.
    fn scan_measures(&mut self, at: u32, c: char, class: Class) {
        if class != Class::Han {
            return self.measure_hits.clear();
        }
        let mut hits = std::mem::take(&mut self.measure_hits);
        self.step(&mut hits, at, c, self.measures, Kind::Measure);
        let after_number =
            self.lexemes.last().is_some_and(|last| last.end == at && matches!(last.kind, Kind::Number | Kind::Digits));
        if after_number || !hits.is_empty() {
            self.start(&mut hits, at, c, self.measures, Kind::Measure);
        }
        self.measure_hits = hits;
    }

    fn scan_words(&mut self, at: u32, c: char, class: Class) {
        if class == Class::Useless {
            return self.word_hits.clear();
        }
        let mut hits = std::mem::take(&mut self.word_hits);
        self.step(&mut hits, at, c, self.words, Kind::Word);
        self.start(&mut hits, at, c, self.words, Kind::Word);
        self.word_hits = hits;
    }

    /// Lets every begun word take the character in, or gives it up.
    fn step(&mut self, hits: &mut Vec<(u32, State)>, at: u32, c: char, walker: Walker<'_>, kind: Kind) {
        hits.retain_mut(|(begin, state)| match self.advance_word(*begin, *state, at, c, walker, kind) {
            Some(next) => {
                *state = next;
                true
            }
            None => false,
        });
    }

    /// Begins a word with the character.
    fn start(&mut self, hits: &mut Vec<(u32, State)>, at: u32, c: char, walker: Walker<'_>, kind: Kind) {
        hits.extend(self.advance_word(at, walker.root(), at, c, walker, kind).map(|state| (at, state)));
    }

    /// Adds the word that ends with the character, if one does; returns the state, if longer words go on from it.
    #[inline]
    fn advance_word(
        &mut self,
        begin: u32,
        state: State,
        at: u32,
        c: char,
        walker: Walker<'_>,
        kind: Kind,
    ) -> Option<State> {
        let next = walker.step(state, c)?;
        if walker.entry(next).is_some() {
            self.add(Some(Lexeme { begin, end: at + 1, kind }));
        }
        walker.goes_on(next).then_some(next)
    }

    /// Adds a lexeme at its place in the order, unless that place is taken.
    fn add(&mut self, lexeme: Option<Lexeme>) {
        let Some(lexeme) = lexeme else { return };
        let order = |other: &Lexeme| other.begin.cmp(&lexeme.begin).then(lexeme.end.cmp(&other.end));
        let place = self.lexemes.iter().rposition(|other| order(other).is_le()).map_or(0, |before| before + 1);
        let taken = place.checked_sub(1).and_then(|before| self.lexemes.get(before)).is_some_and(|b| order(b).is_eq());
        if !taken {
            self.lexemes.insert(place, lexeme);
        }
    }
}
