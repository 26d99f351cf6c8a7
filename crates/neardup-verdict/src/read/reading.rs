//! Reading a text into units: once over it, without what does not count.
//!
//! Numbers are read by value ([`super::numerals`]), words without case and in one spelling, Han characters in simplified form, so that two
//! writings of one thing are one unit. What a copy may change without a reader's noticing is left out: links, `@` handles, emoticons, repost
//! marks, punctuation and space. Two of these are units where they are the message: a link beside fewer than five words ("watch live: ..."),
//! and a handle in the middle of a sentence, which names somebody, or beside a single word ("cc @mary"). Where a text that was read before
//! begins or ends with the same sentences, these are not read again ([`super::shared`]).

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::characters;
use super::credits;
use super::hanset::HanSet;
use super::numerals;
use super::shared::Shared;
use super::units::{Break, Kind, MAX_QUOTE, Mark, Open, SHRUNK, Text, Unit, Units};
use neardup_text::hash::{mix, token_hash};
use neardup_text::lexicon::{is_han, is_word_char};
use neardup_text::message::{LinkKind, links, without_markup};
use neardup_text::normalize::{Buffer, Steps, normalize, simplified, spelling};
use neardup_text::{Error, ErrorKind, Result, interrupt};

/// The longest handle, in characters.
const MAX_HANDLE: usize = 30;

/// A text with fewer words than these beside its links is little without them; a character of a script without spaces counts as a word.
const FEW_WORDS: usize = 5;

/// The longest text whose links and handles may count for want of words, in bytes.
const LINKED: usize = 8192;

/// The longest emoticon in brackets, in characters.
const MAX_EMOTICON: usize = 6;

/// Characters that add no content: particles, auxiliaries, polite words.
static FILLERS: HanSet = HanSet::of(characters::FILLER);

/// The least number of units from one mark to the next, so that marks take less memory than units.
pub(crate) const APART: usize = 16;

impl Break {
    fn of(c: char) -> Self {
        match c {
            '。' | '！' | '？' | '；' | '!' | '?' | ';' | '\n' | '\r' | '…' | '｡' | '؟' | '۔' | '؛' | '।' | '॥'
            | '။' | '។' | '።' => Self::Stop,
            '，' | ',' | '、' | '،' | '：' | ':' | '）' | '（' | '(' | ')' | '】' | '【' | '《' | '》' | '“' | '”'
            | '「' | '」' | '#' | '|' | '｜' => Self::Clause,
            _ => Self::Space,
        }
    }
}

impl<'t> Text<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    #[cfg(test)]
    pub(crate) fn read(text: &'t str) -> Result<Self> {
        Ok(Self::without(plain(text)?, &[], None))
    }

    /// Reads what [`plain`] left of a text, without its boilerplate; the part that it shares with `known` is copied from there.
    pub(crate) fn without(text: Cow<'t, str>, boilerplate: &[Range<usize>], known: Option<&Text<'_>>) -> Self {
        let ignored = credits::ignored(&text, boilerplate);
        let links = own_links(&text);
        let has_own_handles = has_own_handles(&text);
        let linked = !links.is_empty() || has_own_handles;
        // A mark may lie within a link, and what is a link in one text may be none in the other.
        let shared = known.filter(|known| !linked && !known.linked);
        let shared = shared.map(|known| Shared::new(known, &text, &ignored));
        let mut found = units(&text, &ignored, (&links, has_own_handles), shared.as_ref());
        if text.len() > SHRUNK {
            found.shrink();
        }
        let Units { units, content, numbers, quotes, marks, unspaced } = found;
        let count = |kind: Kind| units.iter().filter(|unit| unit.kind == kind).count();
        let latin = count(Kind::Word) > count(Kind::Han);
        let keys = units.iter().map(|unit| unit.key).collect();
        let (languages, counted) = (OnceCell::new(), OnceCell::new());
        Self {
            text,
            units,
            content,
            numbers,
            quotes,
            unspaced,
            latin,
            linked,
            ignored,
            marks,
            keys,
            languages,
            counted,
        }
    }
}

/// Removes markup from a text, and links unless there is little else.
///
/// # Errors
/// `LimitExceeded` for a text of 4 GB or more.
pub(crate) fn plain(text: &str) -> Result<Cow<'_, str>> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::new(ErrorKind::LimitExceeded, "a text of 4 GB or more cannot be compared"));
    }
    // Its lines stay, so that quotations are found.
    let text = without_markup(text);
    if !may_have_links(&text) {
        return Ok(text);
    }
    let mut buffer = Buffer::default();
    let without = normalize(&text, Steps::LINKS, &mut buffer);
    Ok(if text.len() <= LINKED && has_fewer_words(without, FEW_WORDS) { text } else { Cow::Owned(without.to_owned()) })
}

fn may_have_links(text: &str) -> bool {
    static LINKS: LazyLock<[Finder<'_>; 2]> = LazyLock::new(|| ["://", "www."].map(Finder::new));
    LINKS.iter().any(|mark| mark.find(text.as_bytes()).is_some())
}

/// Says whether the handles of a text are its message: beside them it has a single word. Without any, what else there is, such as emoji, may be it.
fn has_own_handles(text: &str) -> bool {
    text.len() <= LINKED && text.contains(['@', '＠']) && has_fewer_words(text, 2) && !has_fewer_words(text, 1)
}

/// Says whether a text has fewer words than `most`, handles aside.
fn has_fewer_words(text: &str, most: usize) -> bool {
    let (mut words, mut rest) = (0, text);
    while let Some(c) = rest.chars().next()
        && words < most
    {
        let is_one = |c: char| is_han(c) || unspaced(c);
        let (count, len) = match skipped(rest, c) {
            0 if is_one(c) || !is_word_char(c) => (usize::from(is_one(c)), c.len_utf8()),
            0 => (1, rest.find(|c| is_one(c) || !is_word_char(c)).unwrap_or(rest.len())),
            len => (0, len),
        };
        words += count;
        rest = rest.get(len..).unwrap_or_default();
    }
    words < most
}

/// Counts the letters and digits of a plain text, without handles and emoticons.
pub(crate) fn letters_said(text: &str) -> usize {
    let (mut letters, mut rest) = (0, text);
    while let Some(at) = rest.find(['@', '[']) {
        let (head, marked) = rest.split_at(at);
        let len = skipped(marked, if marked.starts_with('@') { '@' } else { '[' }).max(1);
        letters += credits::letters(head);
        rest = marked.get(len..).unwrap_or_default();
    }
    letters + credits::letters(rest)
}

/// Returns the links that [`plain`] has left in a text, in its order, with where they lead.
fn own_links(text: &str) -> Vec<(Range<usize>, u64)> {
    if text.len() > LINKED || !may_have_links(text) {
        return Vec::new();
    }
    links(text).filter(|link| link.kind != LinkKind::Address).map(|link| (link.range, link.key)).collect()
}

fn units(
    text: &str,
    ignored: &[Range<usize>],
    (mut links, has_own_handles): (&[(Range<usize>, u64)], bool),
    shared: Option<&Shared<'_>>,
) -> Units {
    let most = text.len() / 3;
    let mut found = Units { units: Vec::with_capacity(most), content: Vec::with_capacity(most), ..Units::default() };
    let Mark { mut at, ignored: mut passed, mut open, .. } =
        shared.map_or_else(Mark::default, |shared| shared.start(ignored, &mut found));
    let mut before = Break::Stop;
    let mut word = String::new();
    let mut steps = 0_u32;
    while let Some(rest) = text.get(at..)
        && let Some(raw) = rest.chars().next()
    {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(4096) {
            interrupt::check();
        }
        if let Some(range) = ignored.get(passed).filter(|range| range.start <= at) {
            passed += 1;
            at = range.end.max(at);
            before = before.max(Break::Clause);
            continue;
        }
        if raw == ' ' {
            before = before.max(Break::Space);
            at += 1;
            continue;
        }
        let numbers = found.numbers.len();
        let start = at;
        let until = ignored.get(passed).map_or(usize::MAX, |range| range.start);
        for c in rest.chars().take(STRETCH).take_while(|&c| is_plain(c)) {
            if at >= until {
                break;
            }
            let (start, end) = (at as u32, (at + c.len_utf8()) as u32);
            found.units.push(Unit { key: han_key(c), start, end, numbers: numbers as u32, kind: Kind::Han, before });
            found.content.push(!FILLERS.has(c));
            before = Break::None;
            at += c.len_utf8();
        }
        if at > start {
            continue;
        }
        let c = numerals::fold(raw);
        links = links.get(links.partition_point(|(range, _)| range.start < at)..).unwrap_or_default();
        let link = links.first().filter(|(range, _)| range.start == at);
        let (kind, key, len) = if let Some((range, key)) = link {
            (Kind::Word, *key, range.len())
        } else if !c.is_ascii_alphabetic()
            && numerals::may_start(c)
            && let Some(reading) = numerals::read(rest.chars())
            && (reading.sure || is_counted(rest, reading.len) || follows_ordinal(text, &found.units))
        {
            let len = rest.chars().take(reading.len).map(char::len_utf8).sum();
            let kind = Kind::Number { width: reading.width.min(255) as u8, arabic: reading.arabic };
            let (before, after) = (text.get(..at).unwrap_or_default(), rest.get(len..).unwrap_or_default());
            let minus = numerals::minus(before, after).filter(|_| reading.arabic);
            let number = if minus.is_some() { reading.number.negated() } else { reading.number };
            found.numbers.push(number);
            // As it is written, the number begins with its sign.
            at -= minus.unwrap_or(0);
            (kind, number.bits(), len + minus.unwrap_or(0))
        } else if c == '@'
            && let Some(len) = if has_own_handles {
                Some(skipped(rest, '@')).filter(|len| *len > 1)
            } else {
                named(text, at, before, links)
            }
        {
            (Kind::Word, token_hash(&rest.get(raw.len_utf8()..len).unwrap_or_default().to_lowercase()), len)
        } else if let Some(number) = numerals::fraction(raw) {
            found.numbers.push(number);
            (Kind::Number { width: 0, arabic: false }, number.bits(), raw.len_utf8())
        } else if is_han(c) || unspaced(c) {
            found.unspaced |= !is_han(c);
            (Kind::Han, han_key(c), c.len_utf8())
        } else if is_word_char(c) && !is_selector(c) {
            word.clear();
            // Most letters of most words.
            let mut len = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            word.push_str(rest.get(..len).unwrap_or_default());
            word.make_ascii_lowercase();
            for raw in rest.get(len..).unwrap_or_default().chars() {
                let c = numerals::fold(raw);
                if !(is_word_char(c) || is_joiner(c)) || is_han(c) || unspaced(c) || c.is_ascii_digit() {
                    break;
                }
                if !(is_selector(c) || is_joiner(c)) {
                    word.extend(c.to_lowercase());
                }
                len += raw.len_utf8();
            }
            let (kind, key) = match numerals::cardinal(&word, rest.get(len..).unwrap_or_default()) {
                Some((number, joined)) => {
                    len += joined;
                    found.numbers.push(number);
                    (Kind::Number { width: 0, arabic: false }, number.bits())
                }
                None => {
                    let key = word_key(&word);
                    match numerals::counted(key) {
                        Some(number) => {
                            found.numbers.push(number);
                            (Kind::Number { width: 0, arabic: false }, number.bits())
                        }
                        None => (Kind::Word, key),
                    }
                }
            };
            (kind, key, len.max(raw.len_utf8()))
        } else {
            let skipped = skipped(rest, c);
            if skipped == 0 {
                quote(c, &mut open, &mut found);
            }
            at += skipped.max(raw.len_utf8());
            let after = Break::of(c);
            if c == '.'
                && found.units.last().is_none_or(|last| !is_abbreviated(text, last, start))
                && starts_sentence(rest)
            {
                // Whether the sentence ends here depends on what follows, so this is no mark.
                before = Break::Stop;
            }
            before = before.max(after);
            if after == Break::Stop
                && !follows_ordinal(text, &found.units)
                && ignored.get(passed).is_none_or(|next| next.start >= at)
            {
                let (units, quotes) = (found.units.len(), found.quotes.len());
                let here = || Mark { at, units, numbers, quotes, ignored: passed, open: open.clone() };
                match shared {
                    Some(shared) if shared.finish(&here(), text.len() - at, ignored.len() - passed, &mut found) => {
                        break;
                    }
                    None if found.marks.last().map_or(0, |last| last.units) + APART <= units => {
                        found.marks.push(here())
                    }
                    _ => {}
                }
            }
            continue;
        };
        let end = at + len;
        found.units.push(Unit { key, start: at as u32, end: end as u32, numbers: numbers as u32, kind, before });
        found.content.push(kind != Kind::Han || !FILLERS.has(raw));
        before = Break::None;
        at = end;
    }
    found
}

/// Returns the key of a Han character, its simplified form.
pub(crate) fn han_key(c: char) -> u64 {
    mix(u64::from(u32::from(simplified(c))), 0)
}

/// Returns the key of a word in lower case, the same for all of its spellings.
pub(crate) fn word_key(word: &str) -> u64 {
    if word.is_ascii() {
        return token_hash(word);
    }
    let mut spelled = String::with_capacity(word.len());
    spelling(word, &mut spelled);
    token_hash(&spelled)
}

/// The most letters of an abbreviation that begins with a capital letter: Mr, Gen.
const ABBREVIATED: usize = 3;

/// Says whether a full stop at `at` may belong to the unit before it: to a lone letter, to a short word with a capital letter (`Mr.`), or
/// to a number of up to two digits (`3. Mai`, `1. First item`).
fn is_abbreviated(text: &str, last: &Unit, at: usize) -> bool {
    let written = text.get(last.start as usize..last.end as usize).unwrap_or_default();
    let mut letters = written.chars();
    last.end as usize == at
        && match (last.kind, letters.next(), letters.next()) {
            (Kind::Number { width, .. }, ..) => width <= 2,
            (Kind::Word, Some(_), None) => true,
            (Kind::Word, Some(first), Some(second)) => {
                first.is_uppercase() && second.is_lowercase() && letters.nth(ABBREVIATED - 2).is_none()
            }
            _ => false,
        }
}

/// Says whether a sentence may start behind the full stop with which `rest` begins: after space, and not with a small letter.
fn starts_sentence(rest: &str) -> bool {
    let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']');
    let opening =
        |c: char| matches!(c, '"' | '\'' | '“' | '‘' | '«' | '(' | '[' | '¿' | '¡' | '-' | '–' | '—' | '•' | ' ');
    let after = rest.get(1..).unwrap_or_default().trim_start_matches(closing);
    after.starts_with(' ') && after.trim_start_matches(opening).chars().next().is_some_and(|c| !c.is_lowercase())
}

/// The most plain characters that are processed at once.
const STRETCH: usize = 4096;

/// Says whether `c` is a Han character with which no number starts, as most of a Chinese text.
fn is_plain(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}') && !numerals::may_start(c)
}

/// Records where a quotation opens or closes.
fn quote(c: char, open: &mut Vec<Open>, found: &mut Units) {
    // The sign that opens a quotation in English closes one in German.
    let closes = c == '“' && open.last().is_some_and(|&(close, _)| close == c);
    let close = match c {
        _ if closes => '\0',
        '«' => '»',
        '„' => '“',
        '《' => '》',
        '「' => '」',
        '『' => '』',
        '“' => '”',
        '〈' => '〉',
        _ => '\0',
    };
    let here = found.units.len();
    if close != '\0' {
        open.push((close, here));
        if open.len() > 8 {
            open.remove(0);
        }
    } else if let Some(at) = open.iter().rposition(|&(close, _)| close == c) {
        let start = open[at].1;
        open.truncate(at);
        if start < here && here - start <= MAX_QUOTE {
            found.quotes.push(start..here);
        }
    }
}

/// Says whether the last unit is the 第 of an ordinal.
fn follows_ordinal(text: &str, units: &[Unit]) -> bool {
    units.last().is_some_and(|last| text.get(last.start as usize..last.end as usize) == Some("第"))
}

/// Characters after which a lone Chinese numeral is a number: measures, parts of a date, parts of a series.
static MEASURES: HanSet = HanSet::of(characters::MEASURE);

/// Says whether a measure follows the first `len` characters.
fn is_counted(rest: &str, len: usize) -> bool {
    rest.chars().nth(len).is_some_and(|next| MEASURES.has(next))
}

/// Says whether `c` only selects how the character before it is drawn, as after an emoji.
pub(crate) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// Says whether `c` joins or parts letters without being seen, as in Persian words.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// Says whether `c` belongs to a script other than Han that is written without spaces.
pub(crate) fn unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Returns the length, in bytes, of the handle at `at` if it names somebody: if it stands in a sentence, after a word and before another,
/// which is none of the links that follow. The first ones of a sentence address or quote, those before a colon or after a slash are quoted, the
/// last ones are called in.
fn named(text: &str, at: usize, before: Break, links: &[(Range<usize>, u64)]) -> Option<usize> {
    let (head, rest) = text.split_at_checked(at)?;
    let len = skipped(rest, '@');
    let is_beside = |c: char| matches!(c, ' ' | ',' | '，' | '、' | '\'' | '’');
    let last = head.trim_end_matches(is_beside).chars().next_back()?;
    let after = rest.get(len..)?.trim_start_matches(is_beside);
    let is_link = links.first().is_some_and(|(range, _)| range.start == text.len() - after.len());
    let is_followed = is_word_char(after.chars().next()?) && !is_link;
    (len > 0 && before != Break::Stop && is_word_char(last) && is_followed).then_some(len)
}

/// Returns the length, in bytes, of the handle or the emoticon that `rest` starts with.
fn skipped(rest: &str, first: char) -> usize {
    match first {
        '@' => {
            let name = |c: char| is_word_char(c) || matches!(c, '_' | '-');
            let mut after = rest.char_indices().skip(1).skip_while(|&(_, c)| name(c));
            let end = after.next().map_or(rest.len(), |(end, _)| end);
            if rest.get(..end).is_some_and(|handle| handle.chars().nth(MAX_HANDLE + 1).is_none()) { end } else { 0 }
        }
        '[' => {
            let mut inside = rest.char_indices().skip(1).take(MAX_EMOTICON + 1);
            let end = inside.find(|&(_, c)| !is_han(c)).filter(|&(_, c)| c == ']').map_or(0, |(end, _)| end + 1);
            let denies =
                || credits::DENIAL.iter().any(|word| rest.get(..end).is_some_and(|inside| inside.contains(word)));
            if end > 0 && denies() { 0 } else { end }
        }
        _ => 0,
    }
}
