//! Reuses the units of the beginning and end that a text shares with one that has been read.
//!
//! Near-duplicates are mostly the same text. After the end of a sentence, only the open quotations decide how reading continues, and
//! no earlier unit depends on what follows. Such a position is a [`Mark`]. If a text begins like the one read before, reading starts at
//! the last common mark; if it also ends like it, reading stops at the first common mark of the end.

use std::ops::Range;

use super::units::{Mark, Text, Units};

/// How many bytes or keys are compared at once.
const CHUNK: usize = 32;

/// Counts the equal elements at the start of two slices.
pub(crate) fn common_start<T: Eq>(a: &[T], b: &[T]) -> usize {
    let chunks = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(a, b)| a == b);
    let whole = chunks.count() * CHUNK;
    whole + a[whole..].iter().zip(&b[whole..]).take_while(|(a, b)| a == b).count()
}

/// Counts the equal elements at the end of two slices.
pub(crate) fn common_end<T: Eq>(a: &[T], b: &[T]) -> usize {
    let chunks = a.rchunks_exact(CHUNK).zip(b.rchunks_exact(CHUNK)).take_while(|(a, b)| a == b);
    let whole = chunks.count() * CHUNK;
    let (a, b) = (&a[..a.len() - whole], &b[..b.len() - whole]);
    whole + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// What a text that is being read has in common with a known one.
pub(crate) struct Shared<'k> {
    known: &'k Text<'k>,
    /// Number of equal bytes at the start, and at the end.
    head: usize,
    tail: usize,
    /// Number of stretches that both ignore, at the start and at the end.
    ignored_head: usize,
    ignored_tail: usize,
}

impl<'k> Shared<'k> {
    pub(crate) fn new(known: &'k Text<'k>, text: &str, ignored: &[Range<usize>]) -> Self {
        let (a, b) = (known.text.as_bytes(), text.as_bytes());
        let heads = known.ignored.iter().zip(ignored).take_while(|(a, b)| a == b);
        let from_end = |len: usize, range: &Range<usize>| (len.wrapping_sub(range.start), len.wrapping_sub(range.end));
        let tails = known.ignored.iter().rev().zip(ignored.iter().rev());
        let tails = tails.take_while(|(of_a, of_b)| from_end(a.len(), of_a) == from_end(b.len(), of_b));
        let (head, tail) = (common_start(a, b), common_end(a, b));
        Self { known, head, tail, ignored_head: heads.count(), ignored_tail: tails.count() }
    }

    /// Adds the known text's units up to the last mark in the common start, and returns the mark.
    pub(crate) fn start(&self, ignored: &[Range<usize>], found: &mut Units) -> Mark {
        let known = self.known;
        let marks = &known.marks[..known.marks.partition_point(|mark| mark.at <= self.head)];
        let fits = |mark: &&Mark| {
            mark.ignored <= self.ignored_head && ignored.get(mark.ignored).is_none_or(|next| next.start >= mark.at)
        };
        let mark = marks.iter().rev().find(fits).cloned().unwrap_or_default();
        found.take(known, &Mark::default(), &mark, 0);
        mark
    }

    /// Adds the known text's units from here to its end, if the other text, which is at `here`, continues in the same way.
    pub(crate) fn finish(&self, here: &Mark, bytes: usize, ignored: usize, found: &mut Units) -> bool {
        let known = self.known;
        if bytes > self.tail || ignored > self.ignored_tail {
            return false;
        }
        let at = known.text.len().checked_sub(bytes);
        let mark =
            at.and_then(|at| known.marks.binary_search_by_key(&at, |mark| mark.at).ok()).map(|at| &known.marks[at]);
        match mark {
            Some(mark) if known.ignored.len() - mark.ignored == ignored && mark.opens(here) => {
                found.take(known, mark, &known.end(), here.at.wrapping_sub(mark.at));
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn both_ends_are_taken_over() {
        let sentence = "江口镇今日举办第十届“龙舟赛”，二十四支队伍参加，最终上游村队夺得冠军。";
        let (a, b) = (sentence.repeat(6), format!("{0}{0}散场时天已经黑了。{0}{0}{0}", sentence));
        let known = Text::read(&a).unwrap();
        let shared = Shared::new(&known, &b, &[]);
        let mut found = Units::default();
        let start = shared.start(&[], &mut found);
        assert_eq!(start.at, 2 * sentence.len());
        let here = Mark { at: b.len() - 2 * sentence.len(), ..start };
        assert!(!shared.finish(&here, b.len(), 0, &mut found));
        assert!(!shared.finish(&here, 2 * sentence.len(), 1, &mut found));
        assert!(shared.finish(&here, 2 * sentence.len(), 0, &mut found));
    }

    #[test]
    fn common_ends_are_counted() {
        let a: Vec<u32> = (0..200).collect();
        for at in 0..200 {
            let mut b = a.clone();
            b[at] = 1000;
            assert_eq!((common_start(&a, &b), common_end(&a, &b)), (at, 199 - at));
            assert_eq!((common_start(&a, &a[..at]), common_end(&a, &a[at..])), (at, 200 - at));
        }
    }
}
