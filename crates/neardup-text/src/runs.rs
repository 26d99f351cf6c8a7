//! Word shingles: every run of N consecutive words of a text, joined.
//!
//! [`Room`] receives the words one after another and writes them into one buffer. So a shingle is a slice of that buffer, and a
//! sketch can hash many shingles at a time, as it does those of [`chars`](super::chars). It works block by block: memory does not
//! grow with the text.
//!
//! Two words are separated by one space. Where characters are words of their own, there is no space beside a Han character or a
//! [half word](words::is_half). So Chinese text is copied in stretches, and a shingle of five characters has 15 bytes, which hash in half
//! the time of 19.
//!
//! Two half words count as one word: five kana or Thai letters say little, and texts that share nothing else have them in common
//! (docs/languages.md). A shingle ends with the first word at which the words count N.
//!
//! Promised not to change: what is written between words, what counts half, and that a text whose words count less than N is one shingle
//! of all its words.

use super::Token;
use super::words;
use crate::{Error, ErrorKind, Result};

/// Words between two calls of the sink; their bounds fit into the first-level cache.
const BLOCK_WORDS: usize = 2048;

/// The words of a text and where they start and end, kept from one document to the next.
#[derive(Debug, Default)]
pub struct Room {
    joined: String,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// The numbers of the half words among them, in ascending order.
    halves: Vec<u32>,
    /// For each shingle that is whole, where it ends, if there are half words.
    lasts: Vec<u32>,
}

/// Bytes kept from one document to the next; what longer words took is given back.
const KEPT_BYTES: usize = 1 << 20;

/// Hands out the shingles of the words that `cut` pushes: the joined text and the byte offsets in it at which they start and
/// end, two slices of equal length a call. Without a word, nothing.
///
/// `text_bytes` is the length of the text that is cut.
///
/// # Errors
/// [`ErrorKind::LimitExceeded`] for a text of 4 GB or more; those of `cut`.
pub(super) fn runs<S: FnMut(&str, &[u32], &[u32])>(
    text_bytes: usize,
    n: usize,
    room: &mut Room,
    sink: &mut S,
    cut: impl FnOnce(&mut Writer<'_, S>) -> Result<()>,
) -> Result<()> {
    // A space after each word of a block comes on top of the text.
    if u32::try_from(text_bytes.saturating_add(2 * BLOCK_WORDS)).is_err() {
        return Err(Error::new(ErrorKind::LimitExceeded, format!("text of {text_bytes} bytes is too long")));
    }
    room.joined.clear();
    room.joined.shrink_to(KEPT_BYTES);
    room.starts.clear();
    room.ends.clear();
    room.halves.clear();
    let mut writer = Writer { n: n.max(1), room, sink, handed_out: false, open: false };
    cut(&mut writer)?;
    writer.finish();
    Ok(())
}

/// Takes the words one by one.
pub(super) struct Writer<'r, S> {
    n: usize,
    room: &'r mut Room,
    sink: &'r mut S,
    handed_out: bool,
    /// Whether the last word wants a space after it.
    open: bool,
}

impl<S: FnMut(&str, &[u32], &[u32])> Writer<'_, S> {
    /// Takes a word that wants a space between it and others of its like.
    #[inline(always)]
    pub(super) fn push(&mut self, word: &str) {
        let Room { joined, starts, ends, .. } = &mut *self.room;
        if self.open {
            joined.push(' ');
        }
        self.open = true;
        starts.push(joined.len() as u32);
        joined.push_str(word);
        ends.push(joined.len() as u32);
        if starts.len() >= BLOCK_WORDS {
            self.hand_out();
        }
    }

    /// Takes characters of three bytes that are words one by one and want no space.
    #[inline(always)]
    pub(super) fn push_each(&mut self, mut characters: &str) {
        self.open = false;
        while !characters.is_empty() {
            let Room { joined, starts, ends, .. } = &mut *self.room;
            let free = 3 * BLOCK_WORDS.saturating_sub(starts.len()).max(1);
            let (now, later) = characters.split_at_checked(free).unwrap_or((characters, ""));
            let from = joined.len() as u32;
            joined.push_str(now);
            let bounds = |first: u32| (0..now.len() as u32 / 3).map(move |i| first + 3 * i);
            starts.extend(bounds(from));
            ends.extend(bounds(from + 3));
            if starts.len() >= BLOCK_WORDS {
                self.hand_out();
            }
            characters = later;
        }
    }

    /// Takes a half word.
    #[inline]
    fn push_half(&mut self, word: &str) {
        let Room { joined, starts, ends, halves, .. } = &mut *self.room;
        self.open = false;
        halves.push(starts.len() as u32);
        starts.push(joined.len() as u32);
        joined.push_str(word);
        ends.push(joined.len() as u32);
        if starts.len() >= BLOCK_WORDS {
            self.hand_out();
        }
    }

    /// Hands out the shingles that are whole and keeps the words that the next ones begin with.
    #[cold]
    fn hand_out(&mut self) {
        let Room { joined, starts, ends, halves, lasts } = &mut *self.room;
        let last = if halves.is_empty() {
            ends.get(self.n - 1..).unwrap_or_default()
        } else {
            find_lasts(ends, halves, 2 * self.n, lasts);
            lasts
        };
        let shingles = last.len();
        let Some(whole) = starts.get(..shingles) else { return };
        if whole.is_empty() {
            return;
        }
        (self.sink)(joined, whole, last);
        self.handed_out = true;
        let written = starts.get(shingles).map_or(joined.len(), |&start| start as usize);
        joined.drain(..written);
        for bounds in [starts, ends] {
            bounds.drain(..shingles);
            bounds.iter_mut().for_each(|bound| *bound -= written as u32);
        }
        halves.drain(..halves.partition_point(|&half| (half as usize) < shingles));
        halves.iter_mut().for_each(|half| *half -= shingles as u32);
        crate::interrupt::check();
    }

    fn finish(mut self) {
        self.hand_out();
        if let (false, [first, ..], [.., last]) = (self.handed_out, &self.room.starts[..], &self.room.ends[..]) {
            (self.sink)(&self.room.joined, &[*first], &[*last]);
        }
    }
}

/// Fills `lasts` with the end of each shingle that is whole, where words count two and half words one.
fn find_lasts(ends: &[u32], halves: &[u32], least: usize, lasts: &mut Vec<u32>) {
    lasts.clear();
    // The next half word from the start of a shingle on, and from its end on.
    let (mut first_half, mut last_half) = (0, 0);
    let count = |word: usize, half: &mut usize| {
        let is_half = halves.get(*half).is_some_and(|&half| half as usize == word);
        *half += usize::from(is_half);
        2 - usize::from(is_half)
    };
    let (mut end, mut sum) = (0, 0);
    for start in 0..ends.len() {
        while sum < least && end < ends.len() {
            sum += count(end, &mut last_half);
            end += 1;
        }
        match ends.get(end.wrapping_sub(1)) {
            Some(&last) if sum >= least => lasts.push(last),
            _ => return,
        }
        sum -= count(start, &mut first_half);
    }
}

/// The words of the tokenizer `words`, Han characters one by one.
impl<'t, S: FnMut(&str, &[u32], &[u32])> words::Sink<'t> for Writer<'_, S> {
    #[inline(always)]
    fn word(&mut self, token: Token<'t>) {
        if words::is_han(token.text) {
            self.push_each(token.text);
        } else if words::is_half(token.text) {
            self.push_half(token.text);
        } else {
            self.push(token.text);
        }
    }

    #[inline(always)]
    fn characters(&mut self, characters: &'t str, _: usize) {
        self.push_each(characters);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn shingles(words: &[String], n: usize, room: &mut Room) -> Vec<String> {
        let mut found = Vec::new();
        let bytes = words.iter().map(String::len).sum();
        let mut sink = |text: &str, starts: &[u32], ends: &[u32]| {
            assert_eq!(starts.len(), ends.len());
            let pieces = starts.iter().zip(ends).map(|(&start, &end)| text[start as usize..end as usize].to_owned());
            found.extend(pieces);
        };
        runs(bytes, n, room, &mut sink, |writer| {
            // Han characters that follow each other, in one go.
            for words in words.chunk_by(|a, b| is_han(a) && is_han(b)) {
                if is_han(&words[0]) {
                    writer.push_each(&words.concat());
                } else {
                    words.iter().for_each(|word| words::Sink::word(writer, Token { text: word, start: 0 }));
                }
            }
            Ok(())
        })
        .unwrap();
        found
    }

    fn is_han(word: &str) -> bool {
        word.chars().all(|c| ('一'..='龥').contains(&c))
    }

    fn is_half(word: &str) -> bool {
        word.starts_with(
            |c| matches!(c, 'ぁ'..='ゟ' | '\u{e00}'..='\u{eff}' | 'က'..='႟' | 'ក'..='៿' | '\u{aa60}'..='\u{aadf}'),
        )
    }

    /// The definition.
    fn expected(words: &[String], n: usize) -> Vec<String> {
        let whole = |start: usize| {
            let mut count = 0;
            let end = words[start..].iter().position(|word| {
                count += if is_half(word) { 1 } else { 2 };
                count >= 2 * n
            });
            end.map(|end| joined(&words[start..=start + end]))
        };
        let found: Vec<String> = (0..words.len()).map_while(whole).collect();
        if found.is_empty() && !words.is_empty() { vec![joined(words)] } else { found }
    }

    fn joined(words: &[String]) -> String {
        let tight = |word: &str| is_han(word) || is_half(word);
        let mut joined = String::new();
        for (at, word) in words.iter().enumerate() {
            if at > 0 && !tight(word) && !tight(&words[at - 1]) {
                joined.push(' ');
            }
            joined.push_str(word);
        }
        joined
    }

    proptest! {
        #[test]
        fn every_run_of_words_joined(
            words in prop::collection::vec("[a-z]{1,3}|[一-龥]|[ぁ-ゟ]|[\u{e00}-\u{eff}]|[က-႟]|[ក-៿]|[ゟ-ヿ]|[ꩠ-ꫜ]", 0..40),
            n in 1_usize..17,
        ) {
            prop_assert_eq!(shingles(&words, n, &mut Room::default()), expected(&words, n));
        }
    }

    #[test]
    fn blocks_join_without_a_seam_and_memory_is_bounded() {
        let mut room = Room::default();
        for (first, count, others) in [(0x4e00, 20_000, 3000), (0, 0, 1), (0x3041, 86, 3000), (0x3041, 86, 7)] {
            let word = |i: u32| match i % others {
                0 => i.to_string(),
                _ => char::from_u32(first + i % count).unwrap().to_string(),
            };
            let words: Vec<String> = (0..3 * BLOCK_WORDS as u32 + 7).map(word).collect();
            for n in [1, 2, 5, 16] {
                assert_eq!(shingles(&words, n, &mut room), expected(&words, n));
            }
        }
        assert!(room.joined.capacity() < 100_000 && room.starts.capacity() <= 2 * BLOCK_WORDS);
    }
}
