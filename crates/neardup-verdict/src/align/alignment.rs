//! The shape of the difference: which units of two texts stand for each other, in order.
//!
//! [`align`] returns [`Block`]s of equal units, ascending in both texts. What lies between two blocks is a [`Gap`]: an insertion
//! where one side is empty, a replacement where neither is.
//!
//! Common ends go first. Then anchors, runs of units that occur once on each side, split the rest, long runs before short
//! ones (after Cohen's patience diff). What is small enough is aligned exactly, by dynamic programming in which starting a
//! run costs something, so that a lone particle in the middle of a rewritten sentence is no agreement. What is large and
//! without anchors counts as replaced. Time and memory are linear in the texts, whatever they hold.

use std::cell::Cell;
use std::ops::Range;

use super::distinct::Distinct;
use crate::read::shared::{common_end, common_start};
use neardup_text::interrupt;

/// A run of equal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) len: usize,
}

/// The stretch between two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) a: Range<usize>,
    pub(crate) b: Range<usize>,
}

/// Lengths of anchors, in units, tried in this order.
const ANCHORS: [usize; 4] = [12, 5, 3, 2];

/// The most cells of one exact alignment.
const MAX_CELLS: usize = 1 << 12;

/// Aligns two sequences of keys; `weight` says how much a matched unit of the first is worth (1 for a character).
pub(crate) fn align(a: &[u64], b: &[u64], weight: &dyn Fn(usize) -> i32) -> Vec<Block> {
    thread_local! {
        /// The cells of the last alignment; one that ended early has taken them.
        static CELLS: Cell<Vec<Score>> = const { Cell::new(Vec::new()) };
    }
    let mut alignment = Alignment { a, b, weight, blocks: Vec::new(), cells: CELLS.take() };
    alignment.region(0..a.len(), 0..b.len(), 0);
    CELLS.set(alignment.cells);
    let mut blocks = alignment.blocks;
    blocks.dedup_by(|block, last| {
        let goes_on = last.a + last.len == block.a && last.b + last.len == block.b;
        last.len += if goes_on { block.len } else { 0 };
        goes_on
    });
    blocks
}

/// Returns the gaps before, between and after blocks.
pub(crate) fn gaps(blocks: &[Block], a: usize, b: usize) -> Vec<Gap> {
    let end = Block { a, b, len: 0 };
    let mut from = (0, 0);
    let mut gaps = Vec::new();
    for block in blocks.iter().chain([&end]) {
        let gap = Gap { a: from.0..block.a, b: from.1..block.b };
        if !gap.a.is_empty() || !gap.b.is_empty() {
            gaps.push(gap);
        }
        from = (block.a + block.len, block.b + block.len);
    }
    gaps
}

struct Alignment<'t> {
    a: &'t [u64],
    b: &'t [u64],
    weight: &'t dyn Fn(usize) -> i32,
    blocks: Vec<Block>,
    cells: Vec<Score>,
}

/// Best scores of an alignment that ends at a cell: with these two units matched, or in any way.
#[derive(Clone, Copy, Default)]
struct Score {
    run: i32,
    best: i32,
}

/// The cost of starting a run, in halves of a unit: for a single character it does not pay, for two it does.
const START: i32 = 3;

/// The score of an impossible alignment.
const NEVER: i32 = i32::MIN / 2;

impl Alignment<'_> {
    /// Aligns a region, with anchors of `ANCHORS[level..]`; blocks are appended in order.
    fn region(&mut self, a: Range<usize>, b: Range<usize>, level: usize) {
        interrupt::check();
        let (keys_a, keys_b) = (&self.a[a.clone()], &self.b[b.clone()]);
        let head = common_start(keys_a, keys_b);
        let tail = common_end(&keys_a[head..], &keys_b[head..]);
        if head > 0 {
            self.blocks.push(Block { a: a.start, b: b.start, len: head });
        }
        let (inner_a, inner_b) = (a.start + head..a.end - tail, b.start + head..b.end - tail);
        if !inner_a.is_empty() && !inner_b.is_empty() {
            self.inner(inner_a.clone(), inner_b.clone(), level);
        }
        if tail > 0 {
            self.blocks.push(Block { a: inner_a.end, b: inner_b.end, len: tail });
        }
    }

    fn inner(&mut self, a: Range<usize>, b: Range<usize>, level: usize) {
        if (a.len() + 1).saturating_mul(b.len() + 1) <= MAX_CELLS {
            return self.exact(a, b);
        }
        let Some(&size) = ANCHORS.get(level) else { return };
        let anchors = anchors(&self.a[a.clone()], &self.b[b.clone()], size);
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (at_a, at_b) in anchors {
            let (at_a, at_b) = (a.start + at_a, b.start + at_b);
            if at_a < from_a || at_b < from_b {
                continue;
            }
            self.region(from_a..at_a, from_b..at_b, level + 1);
            let len = common_start(&self.a[at_a..a.end], &self.b[at_b..b.end]);
            self.blocks.push(Block { a: at_a, b: at_b, len });
            (from_a, from_b) = (at_a + len, at_b + len);
        }
        if from_a < a.end && from_b < b.end {
            self.region(from_a..a.end, from_b..b.end, level + 1);
        }
    }

    /// Finds the best alignment of a small region.
    fn exact(&mut self, a: Range<usize>, b: Range<usize>) {
        let (keys_a, keys_b) = (&self.a[a.clone()], &self.b[b.clone()]);
        let width = keys_b.len() + 1;
        self.cells.clear();
        self.cells.resize((keys_a.len() + 1) * width, Score { run: NEVER, best: 0 });
        for (i, &key_a) in keys_a.iter().enumerate() {
            let worth = 2 * (self.weight)(a.start + i);
            let (above, row) = self.cells[i * width..(i + 2) * width].split_at_mut(width);
            let mut left = 0;
            for (j, &key_b) in keys_b.iter().enumerate() {
                let run = if key_a == key_b { worth + above[j].run.max(above[j].best - START) } else { NEVER };
                left = run.max(above[j + 1].best).max(left);
                row[j + 1] = Score { run, best: left };
            }
        }
        let (mut i, mut j) = (keys_a.len(), keys_b.len());
        let first = self.blocks.len();
        while i > 0 && j > 0 {
            let here = self.cells[i * width + j];
            if here.best == self.cells[(i - 1) * width + j].best {
                i -= 1;
            } else if here.best == self.cells[i * width + j - 1].best {
                j -= 1;
            } else {
                // A run ends here: it reaches back as long as continuing was better than starting.
                let mut len = 0;
                loop {
                    (i, j, len) = (i - 1, j - 1, len + 1);
                    let before = self.cells[i * width + j];
                    if before.run < before.best - START || before.run <= NEVER / 2 {
                        break;
                    }
                }
                self.blocks.push(Block { a: a.start + i, b: b.start + j, len });
            }
        }
        self.blocks[first..].reverse();
    }
}

/// Finds the runs of `size` units that occur once on each side; their positions ascend on both.
fn anchors(a: &[u64], b: &[u64], size: usize) -> Vec<(usize, usize)> {
    /// Where a run occurs on one side: not at all, or more than once, or its position.
    const NEVER: u32 = u32::MAX;
    const SEVERAL: u32 = u32::MAX - 1;
    if a.len() < size || b.len() < size {
        return Vec::new();
    }
    let mut distinct = Distinct::with_capacity(a.len());
    let mut places: Vec<(u32, u32)> = Vec::with_capacity(a.len());
    for (at, run) in (0..).zip(runs(a, size)) {
        match places.get_mut(distinct.insert(run)) {
            Some(place) => place.0 = SEVERAL,
            None => places.push((at, NEVER)),
        }
    }
    for (at, run) in (0..).zip(runs(b, size)) {
        if let Some(place) = distinct.find(run).and_then(|known| places.get_mut(known)) {
            place.1 = if place.1 == NEVER { at } else { SEVERAL };
        }
    }
    // In the order in which the runs first occur, so ascending.
    places.retain(|&(at_a, at_b)| at_a < SEVERAL && at_b < SEVERAL);
    longest_ascent(&places)
}

/// Hashes every run of `size` units, in order: the keys of a run are the digits of a number, of which 64 bits are kept.
pub(crate) fn runs(keys: &[u64], size: usize) -> impl Iterator<Item = u64> + '_ {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let push = |hash: u64, key: u64| hash.wrapping_mul(BASE).wrapping_add(key);
    let (first, rest) = keys.split_at(keys.len().min(size.saturating_sub(1)));
    let mut hash = first.iter().fold(0, |hash, &key| push(hash, key));
    let highest = (1..size).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    rest.iter().zip(keys).enumerate().map(move |(at, (&last, &first))| {
        if at & 0xfff == 0 {
            interrupt::check();
        }
        let run = push(hash, last);
        hash = run.wrapping_sub(first.wrapping_mul(highest));
        run
    })
}

/// Finds the longest subsequence of pairs, sorted by the first, in which the second ascends too.
fn longest_ascent(pairs: &[(u32, u32)]) -> Vec<(usize, usize)> {
    // For each length, the ascent with the smallest end; for each pair, its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, &(_, b)) in pairs.iter().enumerate() {
        // Mostly it is later than all before it.
        let is_last = ends.last().is_none_or(|&end| pairs[end].1 < b);
        let length = if is_last { ends.len() } else { ends.partition_point(|&end| pairs[end].1 < b) };
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut ascent = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        ascent.push((pairs[at].0 as usize, pairs[at].1 as usize));
        next = before[at];
    }
    ascent.reverse();
    ascent
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<u64> {
        text.chars().map(u64::from).collect()
    }

    fn shown(a: &str, b: &str) -> String {
        let blocks = align(&keys(a), &keys(b), &|_| 1);
        let (chars_a, chars_b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut gaps = gaps(&blocks, chars_a.len(), chars_b.len()).into_iter().peekable();
        let mut out = String::new();
        let mut show = |out: &mut String, until: usize| {
            while let Some(gap) = gaps.next_if(|gap| gap.a.end <= until) {
                let (a, b): (String, String) = (chars_a[gap.a].iter().collect(), chars_b[gap.b].iter().collect());
                out.push_str(&format!("[{a}|{b}]"));
            }
        };
        for block in blocks {
            show(&mut out, block.a);
            out.extend(&chars_a[block.a..block.a + block.len]);
        }
        show(&mut out, usize::MAX);
        out
    }

    #[test]
    fn shows_the_difference() {
        assert_eq!(shown("今天下雨", "今天下雨"), "今天下雨");
        assert_eq!(shown("今天下雨", "明天下雨"), "[今|明]天下雨");
        assert_eq!(shown("老师用它点名", "语文老师用它点名册"), "[|语文]老师用它点名[|册]");
        assert_eq!(shown("甲乙丙丁", "子丑寅卯"), "[甲乙丙丁|子丑寅卯]");
    }

    #[test]
    fn a_lone_particle_is_no_agreement() {
        assert_eq!(shown("头红色的车尾", "头我来的时尾"), "头[红色的车|我来的时]尾");
        assert_eq!(shown("头红色的车尾", "头色的尾"), "头[红|]色的[车|]尾");
    }

    #[test]
    fn runs_are_told_apart() {
        let keys: Vec<u64> = (0..500_u64).map(|i| i * i % 7).collect();
        for size in [1, 2, 6, 12] {
            let hashes: Vec<u64> = runs(&keys, size).collect();
            let windows: Vec<&[u64]> = keys.windows(size).collect();
            assert_eq!(hashes.len(), windows.len());
            for (hash, window) in hashes.iter().zip(&windows) {
                let same = hashes.iter().zip(&windows).filter(|(other, _)| *other == hash);
                assert!(same.into_iter().all(|(_, other)| other == window));
                assert_eq!(
                    hashes.iter().filter(|other| *other == hash).count(),
                    windows.iter().filter(|w| *w == window).count()
                );
            }
        }
        assert_eq!(runs(&keys[..3], 5).count(), 0);
    }

    /// No anchors, or nothing but repetition: it ends soon, with blocks that hold.
    #[test]
    fn hostile_texts_end() {
        let ones = vec![1_u64; 40_000];
        let other: Vec<u64> = (0..40_000).map(|i| i % 7).collect();
        assert!(align(&ones, &other, &|_| 1).iter().all(|block| block.len > 0));
        let far: Vec<u64> = (100..40_100).collect();
        assert_eq!(align(&ones, &far, &|_| 1), []);
        let backwards: Vec<u64> = far.iter().rev().copied().collect();
        assert!(align(&far, &backwards, &|_| 1).len() <= 1);
    }

    proptest! {
        #[test]
        fn blocks_are_equal_and_ascend(
            a in prop::collection::vec(0_u64..12, 0..300),
            b in prop::collection::vec(0_u64..12, 0..300),
        ) {
            let blocks = align(&a, &b, &|_| 1);
            let mut from = (0, 0);
            for block in &blocks {
                prop_assert!(block.a >= from.0 && block.b >= from.1 && block.len > 0);
                prop_assert_eq!(&a[block.a..block.a + block.len], &b[block.b..block.b + block.len]);
                from = (block.a + block.len, block.b + block.len);
            }
            prop_assert!(from.0 <= a.len() && from.1 <= b.len());
            let matched: usize = blocks.iter().map(|block| block.len).sum();
            let gaps = gaps(&blocks, a.len(), b.len());
            prop_assert_eq!(gaps.iter().map(|gap| gap.a.len()).sum::<usize>(), a.len() - matched);
            prop_assert_eq!(gaps.iter().map(|gap| gap.b.len()).sum::<usize>(), b.len() - matched);
        }

        #[test]
        fn an_edited_text_is_aligned_around_the_edit(
            text in prop::collection::vec(any::<u64>(), 600..1500),
            edit in prop::collection::vec(any::<u64>(), 1..20),
            at in 0_usize..600,
        ) {
            let mut other = text.clone();
            other.splice(at..at, edit.clone());
            let matched: usize = align(&text, &other, &|_| 1).iter().map(|block| block.len).sum();
            prop_assert_eq!(matched, text.len());
        }
    }
}
