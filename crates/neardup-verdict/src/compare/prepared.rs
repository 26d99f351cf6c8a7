//! A text prepared for comparison with many others.
//!
//! Everything is computed when first needed and kept: most candidates are rejected by their 4-grams, without being read. Of a very long text
//! only the beginning is read ([`READ`]), because what is read takes some twenty times the memory of the text.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use ahash::AHashSet;

use super::passages::Passages;
use crate::align::grams::Grams;
use crate::facts::{self, Fact};
use crate::read::credits::letters;
use crate::read::lines::lines;
use crate::read::reading::{letters_said, plain};
use crate::read::units::{SHRUNK, Text};
use neardup_text::Result;
use neardup_text::hash::token_hash;
use neardup_text::message::{Kind, Layout, LinkKind, links};

/// Texts with fewer characters are short.
pub const SHORT: usize = 64;

/// Texts with at least this number of characters are long.
pub const LONG: usize = 1000;

/// The most bytes of a text that a verdict reads: of a longer one, the beginning. What comes after it counts only as far as two texts are
/// the same, or one is much longer.
pub const READ: usize = 1 << 18;

/// A remark of at most this many letters before a repost is no message.
const REMARK: usize = 6;

/// A text prepared for comparison with many others.
#[derive(Debug)]
pub struct Prepared<'t> {
    text: Cow<'t, str>,
    /// The whole text, if this is only its beginning.
    whole: Option<Whole>,
    /// The text without markup and links, if they differ.
    plain: Option<String>,
    /// The number of characters.
    characters: usize,
    /// Whether its grams are made only if a part of it does not rule the pair out.
    is_candidate: bool,
    grams: OnceCell<Grams>,
    read: OnceCell<Rc<Reading>>,
    /// What of the plain text is not its own message.
    layout: OnceCell<Layout>,
    /// Where the links of the text lead.
    links: OnceCell<Vec<(LinkKind, u64)>>,
    /// The keys of its short lines, with their stretches in bytes.
    lines: OnceCell<Vec<(u64, Range<usize>)>>,
    /// Those of them that a table repeats, for the last table that asked.
    repeated: RefCell<Option<Repeated>>,
    /// The last reading without some stretches.
    bare: RefCell<Option<Bare>>,
    /// Its passages, by which it is compared with the rows around it.
    passages: OnceCell<Passages>,
}

/// What is known of a text that is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Whole {
    bytes: usize,
    characters: usize,
    hash: u64,
}

impl Whole {
    /// Describes a text, if it is not read to its end.
    fn of(text: &str) -> Option<Self> {
        let describe = || Self { bytes: text.len(), characters: text.chars().count(), hash: token_hash(text) };
        (text.len() > READ).then(describe)
    }
}

/// The stretches that were left out, in bytes, and what was read.
type Bare = (Vec<Range<usize>>, Rc<Reading>);

/// The lines that a table repeats, and where they are in a text.
type Repeated = (Rc<AHashSet<u64>>, Rc<[Range<usize>]>);

/// What is read of a text once.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) text: Rc<Text<'static>>,
    /// The facts that do not depend on the other text.
    pub(crate) facts: Rc<Vec<Fact>>,
}

impl Reading {
    fn new(plain: &str, without: &[Range<usize>], other: Option<&Self>) -> Rc<Self> {
        let text = Text::without(Cow::Owned(plain.to_owned()), without, other.map(|other| &*other.text));
        let mut facts = facts::read(&text);
        if plain.len() > SHRUNK {
            facts.shrink_to_fit();
        }
        Rc::new(Self { facts: Rc::new(facts), text: Rc::new(text) })
    }

    fn bytes(&self) -> usize {
        self.text.bytes() + self.facts.capacity() * size_of::<Fact>()
    }
}

/// Returns what is read of a text.
pub(crate) fn beginning(text: &str) -> &str {
    // A text of 4 GB or more is refused as it is.
    let end = if u32::try_from(text.len()).is_ok() { text.floor_char_boundary(READ) } else { text.len() };
    &text[..end]
}

impl<'t> Prepared<'t> {
    /// Prepares a text.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn new(text: &'t str) -> Result<Self> {
        Self::of(Cow::Borrowed(beginning(text)), Whole::of(text))
    }

    /// Prepares a text and owns what is read of it, so that it can be kept from call to call.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn owned(text: &str) -> Result<Prepared<'static>> {
        Prepared::of(Cow::Owned(beginning(text).to_owned()), Whole::of(text))
    }

    /// Makes the text one of many that another is compared with: if the two share little, that is found without reading all of this one.
    #[must_use]
    pub fn as_candidate(self) -> Self {
        Self { is_candidate: true, ..self }
    }

    fn of(text: Cow<'t, str>, whole: Option<Whole>) -> Result<Self> {
        let plain = match plain(&text)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(plain) => Some(plain),
        };
        let characters = plain.as_deref().unwrap_or(&text).chars().count();
        Ok(Self {
            text,
            whole,
            plain,
            characters,
            is_candidate: false,
            grams: OnceCell::new(),
            read: OnceCell::new(),
            layout: OnceCell::new(),
            links: OnceCell::new(),
            lines: OnceCell::new(),
            repeated: RefCell::new(None),
            bare: RefCell::new(None),
            passages: OnceCell::new(),
        })
    }

    /// Returns the text, or of a very long one the beginning that is read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Says whether this is only the beginning of a text.
    #[must_use]
    pub const fn is_beginning(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns how much memory it takes, in bytes, about: what is read of it takes most, and of most texts nothing is.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let read = self.read.get().map_or(0, |read| read.bytes());
        // Without stretches that do not count, a reading shares nothing with the whole one.
        let bare = self.bare.borrow().as_ref().map_or(0, |(_, bare)| bare.bytes());
        let grams = self.grams.get().map_or(0, Grams::bytes);
        let passages = self.passages.get().map_or(0, Passages::bytes);
        let plain = self.plain.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.text.len() + plain + read + bare + grams + passages
    }

    /// Says whether its 4-grams are known: if it is [`Self::as_candidate`], a part of it did not rule the pair out.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.grams.get().is_some()
    }

    /// Says whether two texts are the same, to their ends.
    #[must_use]
    pub fn is_same(&self, other: &Prepared<'_>) -> bool {
        self.whole == other.whole && self.text == other.text
    }

    /// Returns the length of the whole text in bytes.
    pub(crate) fn len(&self) -> usize {
        self.whole.map_or(self.text.len(), |whole| whole.bytes)
    }

    /// Says whether the text says more than another, as [`says_more`](crate::says_more) does.
    #[must_use]
    pub fn says_more(&self, other: &Prepared<'_>) -> bool {
        let all = |of: &Prepared<'_>| of.whole.map_or_else(|| of.text.chars().count(), |whole| whole.characters);
        match self.whole.or(other.whole) {
            Some(_) => all(self) > all(other),
            None => letters_said(self.plain()) > letters_said(other.plain()),
        }
    }

    /// Returns the text without markup and links.
    pub(crate) fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.text)
    }

    /// Reads the text. What it shares with `other`, if that has been read, is copied from there.
    pub(crate) fn read(&self, other: Option<&Reading>) -> Rc<Reading> {
        Rc::clone(self.read.get_or_init(|| Reading::new(self.plain(), &[], other)))
    }

    /// Reads the text without some stretches, in bytes.
    pub(crate) fn read_without(&self, out: &[Range<usize>], other: Option<&Reading>) -> Rc<Reading> {
        if out.is_empty() {
            return self.read(other);
        }
        if let Some((of, reading)) = &*self.bare.borrow()
            && of == out
        {
            return Rc::clone(reading);
        }
        let reading = Reading::new(self.plain(), out, other);
        *self.bare.borrow_mut() = Some((out.to_vec(), Rc::clone(&reading)));
        reading
    }

    /// Returns the stretches of the short lines that a table repeats, in bytes of the plain text.
    pub(crate) fn repeated(&self, by_table: &Rc<AHashSet<u64>>) -> Rc<[Range<usize>]> {
        if let Some((of, repeated)) = &*self.repeated.borrow()
            && Rc::ptr_eq(of, by_table)
        {
            return Rc::clone(repeated);
        }
        let all = if by_table.is_empty() { &[][..] } else { self.lines() };
        let lines = all.iter().filter(|(key, _)| by_table.contains(key));
        let repeated: Rc<[Range<usize>]> = lines.map(|(_, range)| range.clone()).collect();
        *self.repeated.borrow_mut() = Some((Rc::clone(by_table), Rc::clone(&repeated)));
        repeated
    }

    /// Returns where the links of the text lead.
    pub(crate) fn links(&self) -> &[(LinkKind, u64)] {
        self.links.get_or_init(|| links(&self.text).map(|link| (link.kind, link.key)).collect())
    }

    /// Returns the stretches of the plain text that are not its own message, in bytes: what it quotes, its signature, its greeting. A text
    /// that has nothing else, such as a bare forward, is its own message as a whole.
    pub(crate) fn not_own(&self) -> Vec<Range<usize>> {
        let layout = self.layout();
        if !self.has_own_words() {
            return Vec::new();
        }
        layout.parts().iter().map(|part| part.range.clone()).collect()
    }

    /// Returns the share of the text that quotes another one, if it has own words beside it.
    pub(crate) fn quoted(&self) -> f64 {
        if !self.has_own_words() {
            return 0.0;
        }
        let quoted = self.layout().parts().iter().filter(|part| part.kind == Kind::Quotation);
        quoted.map(|part| part.range.len()).sum::<usize>() as f64 / self.plain().len().max(1) as f64
    }

    fn has_own_words(&self) -> bool {
        let layout = self.layout();
        let is_repost =
            |range: &Range<usize>| self.plain().get(range.clone()).is_some_and(|text| text.starts_with("//@"));
        layout.has_own_words()
            && !(layout.parts().iter().any(|part| is_repost(&part.range))
                && layout.own().map(|range| letters(self.plain().get(range).unwrap_or_default())).sum::<usize>()
                    <= REMARK)
    }

    fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::of(self.plain()))
    }

    /// Returns the keys of the short lines of the plain text, with their stretches in bytes.
    pub(crate) fn lines(&self) -> &[(u64, Range<usize>)] {
        self.lines.get_or_init(|| lines(self.plain()).collect())
    }

    pub(crate) fn passages(&self) -> &Passages {
        self.passages.get_or_init(|| Passages::of(self.plain()))
    }

    /// Returns the overlap coefficient |A∩B| / min(|A|, |B|) of the distinct 4-grams of two texts, 0 to 1: how much of the text
    /// with fewer 4-grams the other one has (Zhang 2016, eq. 6). Markup, links, punctuation, space, case and width do not
    /// count, and traditional characters equal simplified ones. A text of one to three letters, digits or Han characters is a
    /// single gram; a text of none has overlap 0.
    #[must_use]
    pub fn overlap(&self, other: &Prepared<'_>) -> f64 {
        self.overlap_from(other, 0.0).unwrap_or_default()
    }

    /// Returns the overlap if it is at least `least`.
    pub(crate) fn overlap_from(&self, other: &Prepared<'_>, least: f64) -> Option<f64> {
        self.grams().overlap(other.grams(), least)
    }

    /// Says whether the overlap may be at least `least`, by reading a part of a text that is [`Self::as_candidate`]; of others, nothing is
    /// read.
    pub(crate) fn may_overlap(&self, other: &Prepared<'_>, least: f64) -> bool {
        let is_unread = |of: &Prepared<'_>| of.is_candidate && !of.is_read();
        match (is_unread(self), is_unread(other)) {
            (false, true) => self.grams().may_overlap_text(other.plain(), other.characters, least),
            (true, false) => other.may_overlap(self, least),
            _ => true,
        }
    }

    /// Returns the number of characters of the plain text.
    pub(crate) const fn characters(&self) -> usize {
        self.characters
    }

    pub(crate) fn grams(&self) -> &Grams {
        self.grams.get_or_init(|| Grams::of(self.plain(), self.characters))
    }
}
