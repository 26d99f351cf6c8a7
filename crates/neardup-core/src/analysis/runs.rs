//! Word shingles: every N consecutive words of a text, joined by one space.
//!
//! [`Room`] writes the words one after another, a space between them, so that a shingle is a slice of what it wrote and a
//! sketch can hash many at a time, as it does the shingles of [`chars`](super::chars). It works block by block: memory does not grow
//! with the text.
//!
//! Promised not to change: a text of at least one but fewer than N words is one shingle, all its words.

use crate::{Error, ErrorKind, Result};

/// Words between two calls of the sink; their bounds fit into the first-level cache.
const BLOCK_WORDS: usize = 2048;

/// The words of a text and where they start and end, kept from one document to the next.
#[derive(Debug, Default)]
pub struct Room {
    joined: String,
    starts: Vec<u32>,
    ends: Vec<u32>,
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
    let mut writer = Writer { n: n.max(1), room, sink, handed_out: false };
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
}

impl<S: FnMut(&str, &[u32], &[u32])> Writer<'_, S> {
    #[inline(always)]
    pub(super) fn push(&mut self, word: &str) {
        let Room { joined, starts, ends } = &mut *self.room;
        starts.push(joined.len() as u32);
        joined.push_str(word);
        ends.push(joined.len() as u32);
        joined.push(' ');
        if starts.len() >= BLOCK_WORDS {
            self.hand_out();
        }
    }

    /// Hands out the shingles that are whole and keeps the words that the next ones begin with.
    #[cold]
    fn hand_out(&mut self) {
        let Room { joined, starts, ends } = &mut *self.room;
        let shingles = (starts.len() + 1).saturating_sub(self.n);
        let (Some(whole), Some(last)) = (starts.get(..shingles), ends.get(self.n - 1..)) else { return };
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
        crate::interrupt::check();
    }

    fn finish(mut self) {
        self.hand_out();
        if let (false, [first, ..], [.., last]) = (self.handed_out, &self.room.starts[..], &self.room.ends[..]) {
            (self.sink)(&self.room.joined, &[*first], &[*last]);
        }
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
            words.iter().for_each(|word| writer.push(word));
            Ok(())
        })
        .unwrap();
        found
    }

    proptest! {
        #[test]
        fn every_run_of_words_joined(words in prop::collection::vec("[a-z一-龥]{1,3}", 0..40), n in 1_usize..17) {
            let expected: Vec<String> = if words.len() < n {
                Some(words.join(" ")).filter(|all| !all.is_empty()).into_iter().collect()
            } else {
                words.windows(n).map(|run| run.join(" ")).collect()
            };
            prop_assert_eq!(shingles(&words, n, &mut Room::default()), expected);
        }
    }

    #[test]
    fn blocks_join_without_a_seam_and_memory_is_bounded() {
        let words: Vec<String> = (0..3 * BLOCK_WORDS + 7).map(|i| i.to_string()).collect();
        let mut room = Room::default();
        for n in [1, 2, 5, 16] {
            let expected: Vec<String> = words.windows(n).map(|run| run.join(" ")).collect();
            assert_eq!(shingles(&words, n, &mut room), expected);
        }
        assert!(room.joined.capacity() < 100_000 && room.starts.capacity() <= 2 * BLOCK_WORDS);
    }
}
