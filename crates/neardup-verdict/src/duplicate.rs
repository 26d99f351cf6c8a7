//! The rule that guard, query and clean-up share: whether two texts are one message.
//!
//! The [overlap](Prepared::overlap) of the two comes first: it costs 1 to 2 ns a byte and rejects texts that share only a
//! quotation or a template. Then the verdict reads both ([`Pair::duplicate`](crate::Pair::duplicate)). [`replaces`] says which of
//! two such texts may be removed.

use crate::align::outline;
use crate::compare::prepared::{LONG, Prepared, SHORT, beginning};
use crate::read::reading::{letters_said, plain};
use crate::tried::Likeness;
use crate::verdict::Verdict;
use neardup_text::Result;

/// The least overlap of copies. `docs/candidates.md` says how these minimums were chosen.
pub const LEAST_OVERLAP: f64 = 0.6;

/// The least overlap of copies if either text is [short](crate::compare::prepared::SHORT): a changed character changes four 4-grams, so
/// three edits leave half of a title.
pub const LEAST_OVERLAP_OF_SHORT_COPIES: f64 = 0.4;

/// The least overlap of an excerpt with the text that contains it. It is about the share of the excerpt that the longer text
/// has.
pub const LEAST_OVERLAP_OF_EXCERPTS: f64 = 0.7;

/// The least overlap of long texts, of which both have at least [`LONG`](crate::compare::prepared::LONG) characters. Of the 74 labelled
/// copies and excerpts of such texts, in all tables, none has less than 0.83; two texts of one form often have 0.6 to 0.75.
pub const LEAST_OVERLAP_OF_LONG: f64 = 0.75;

/// Returns the least overlap of two texts of which either is short, or none.
#[must_use]
pub const fn least_overlap(is_short: bool) -> f64 {
    if is_short { LEAST_OVERLAP_OF_SHORT_COPIES } else { LEAST_OVERLAP }
}

/// Says whether either of two texts of these lengths is short.
fn is_short(characters: [usize; 2]) -> bool {
    characters.iter().any(|&characters| characters < SHORT)
}

/// Returns the least overlap of copies and of excerpts, for two texts of these lengths.
fn least_overlaps(characters: [usize; 2]) -> [f64; 2] {
    if is_short(characters) {
        [LEAST_OVERLAP_OF_SHORT_COPIES, LEAST_OVERLAP_OF_EXCERPTS]
    } else if characters.iter().all(|&characters| characters >= LONG) {
        [LEAST_OVERLAP_OF_LONG; 2]
    } else {
        [LEAST_OVERLAP, LEAST_OVERLAP_OF_EXCERPTS]
    }
}

/// What is kept of a text that is compared, to rule out most pairs without preparing it.
#[derive(Clone, Debug)]
pub struct Outline {
    characters: u32,
    grams: outline::Outline,
}

impl Outline {
    /// Reads a text as far as its outline needs it, which takes much less than preparing it.
    ///
    /// # Errors
    /// `LimitExceeded` for a text of 4 GB or more.
    pub fn of(text: &str) -> Result<Self> {
        let plain = plain(beginning(text))?;
        let characters = plain.chars().count();
        Ok(Self { grams: outline::Outline::of(&plain, characters), characters: characters as u32 })
    }

    /// Returns how much memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.grams.bytes()
    }

    /// Says whether one of two texts may be removed, as far as that is known without them. [`Pair::duplicate`](crate::Pair::duplicate) finds
    /// nothing where it says no.
    #[must_use]
    pub fn may_be_duplicate(&self, other: &Self) -> bool {
        let [copies, excerpts] = least_overlaps(self.characters(other));
        self.grams.may_overlap(&other.grams, copies.min(excerpts))
    }

    /// Returns the most that the two texts may have in common.
    #[must_use]
    pub fn likeness_at_most(&self, other: &Self) -> Likeness {
        if is_short(self.characters(other)) {
            return Likeness::ALWAYS;
        }
        let [overlap, resemblance] = self.grams.at_most(&other.grams);
        Likeness::new(overlap, resemblance)
    }

    fn characters(&self, other: &Self) -> [usize; 2] {
        [self.characters, other.characters].map(|characters| characters as usize)
    }
}

/// The overlap of two texts that may be enough for a verdict.
#[derive(Clone, Copy)]
pub(super) struct Gate {
    overlap: f64,
    least_of_copies: f64,
    least_of_excerpts: f64,
}

impl Gate {
    /// Rules out two texts whose overlap is too low for any verdict.
    pub(super) fn of([a, b]: [&Prepared<'_>; 2]) -> Option<Self> {
        let [least_of_copies, least_of_excerpts] = least_overlaps([a.characters(), b.characters()]);
        let least = least_of_copies.min(least_of_excerpts);
        if !a.may_overlap(b, least) {
            return None;
        }
        Some(Self { overlap: a.overlap_from(b, least)?, least_of_copies, least_of_excerpts })
    }

    /// Returns what the two texts have in common.
    pub(super) fn likeness(self, [a, b]: [&Prepared<'_>; 2]) -> Likeness {
        if is_short([a.characters(), b.characters()]) {
            return Likeness::ALWAYS;
        }
        Likeness::of(a.grams(), b.grams(), self.overlap)
    }

    /// Says whether the overlap is enough for a verdict.
    pub(super) fn allows(self, verdict: Verdict) -> bool {
        self.overlap >= if verdict == Verdict::Copy { self.least_of_copies } else { self.least_of_excerpts }
    }
}

/// Says whether, by the verdict on two texts, `gone` may be removed while `kept` stays: of a copy, either text; of an excerpt,
/// only if it does not say more ([`says_more`]). A text that contains another and more is not a duplicate of it; removing it would
/// lose content.
#[must_use]
pub fn replaces(verdict: Verdict, kept: &str, gone: &str) -> bool {
    match verdict {
        Verdict::Copy => true,
        Verdict::Excerpt => !says_more(gone, kept),
        Verdict::Update | Verdict::Rewrite | Verdict::Different => false,
    }
}

/// Says whether a text says more than another: has more letters and digits, without markup, links, handles and emoticons. If only the beginning
/// of either is compared, all characters count.
#[must_use]
pub fn says_more(a: &str, b: &str) -> bool {
    let said = |text: &str| {
        let is_whole = beginning(text).len() == text.len();
        plain(text).ok().filter(|_| is_whole).map(|plain| letters_said(&plain))
    };
    match (said(a), said(b)) {
        (Some(a), Some(b)) => a > b,
        _ => a.chars().count() > b.chars().count(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;
    use crate::compare::prepared::READ;
    use crate::pair::{Pair, kept_on};

    const NEWS: &str = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    const MORE: &str = "比赛从上午九时开始，沿江两岸站满了看热闹的乡亲，锣鼓队也来助阵，散场时天已经黑了。";
    const OTHER: &str = "上游村的小学昨天收到一笔捐款，校长说要用来修缮操场，并给每个班级添置新的图书。";

    fn verdict(a: &str, b: &str) -> Option<Verdict> {
        Prepared::new(a).unwrap().duplicate(b).unwrap().map(|(verdict, _)| verdict)
    }

    #[test]
    fn copies_and_excerpts_are_duplicates_and_updates_are_not() {
        let longer = format!("{NEWS}{MORE}");
        assert_eq!(Prepared::new(NEWS).unwrap().duplicate(NEWS).unwrap(), Some((Verdict::Copy, 1.0)));
        assert_eq!(verdict(NEWS, &NEWS.replace('，', " ")), Some(Verdict::Copy));
        assert_eq!(verdict(NEWS, &longer), Some(Verdict::Excerpt));
        assert_eq!(verdict(NEWS, &NEWS.replace("第十届", "第十一届").replace("二十四", "三十")), None);
        assert_eq!(verdict(NEWS, OTHER), None);
        assert_eq!(verdict("", ""), Some(Verdict::Copy), "identical");
        assert_eq!(verdict("。", "！"), None);
    }

    #[test]
    fn a_longer_text_does_not_go() {
        let longer = format!("{NEWS}{MORE}");
        assert!(replaces(Verdict::Excerpt, &longer, NEWS));
        assert!(!replaces(Verdict::Excerpt, NEWS, &longer));
        assert!(replaces(Verdict::Copy, NEWS, &longer));
        let adorned = format!("<b>{NEWS}</b>[失望][失望][失望]🙏🙏 @江口 https://example.org/a/long/link/to/nowhere");
        assert!(replaces(Verdict::Excerpt, &format!("{NEWS}赢了！"), &adorned), "what adorns a text says nothing");
        assert!(!replaces(Verdict::Update, NEWS, NEWS));
    }

    #[test]
    fn links_and_markup_do_not_count() {
        let prepared = Prepared::new(NEWS).unwrap();
        let marked_up = format!("<p>{NEWS}</p> https://example.org/some/long/path?with=arguments");
        assert_eq!(prepared.overlap(&Prepared::new(&marked_up).unwrap()), 1.0);
        assert_eq!(prepared.duplicate(&marked_up).unwrap().map(|(verdict, _)| verdict), Some(Verdict::Copy));
    }

    #[test]
    fn long_texts_take_linear_time() {
        // As many grams as a verdict reads, all distinct or all the same: seconds if it were not so.
        let digits: String = (0..48_000).map(|i: u32| i.to_string()).collect();
        let same = "一".repeat(80_000);
        let prepared = Prepared::new(&digits).unwrap();
        assert!(digits.len().min(same.len()) > READ / 10 * 8 && !prepared.is_beginning());
        assert_eq!(prepared.overlap(&Prepared::new(&same).unwrap()), 0.0);
        assert_eq!(prepared.overlap(&Prepared::new(&digits[100_000..]).unwrap()), 1.0);
        assert_eq!(prepared.duplicate(&same).unwrap(), None);
    }

    #[test]
    fn very_long_texts_are_compared_by_their_beginnings() {
        let line = |i: u32| format!("{NEWS}第{i}段{MORE}\n");
        let long: String = (0..2000).map(line).collect();
        assert!(long.len() > 2 * READ);
        let kept = |a: &str, b: &str| Prepared::new(a).unwrap().duplicate(b).unwrap();
        let is_copy = |found: Option<(Verdict, f64)>| found.is_some_and(|(verdict, _)| verdict == Verdict::Copy);
        assert_eq!(kept(&long, &long), Some((Verdict::Copy, 1.0)), "the same to their ends");
        // Another ending does not count, but the two are not the same.
        let other = format!("{}{OTHER}", &long[..long.len() - MORE.len() - 1]);
        let found = kept(&long, &other);
        assert!(is_copy(found) && found.is_some_and(|(_, score)| score < 1.0), "{found:?}");
        // Much more after the beginning does: the longer one has to stay.
        let half = &long[..long.floor_char_boundary(READ + 1000)];
        assert!(kept(&long, half).is_some_and(|(verdict, _)| verdict == Verdict::Excerpt));
        assert!(!is_copy(kept(&long, &(0..2000).map(|_| OTHER).collect::<String>())));
    }

    proptest! {
        #[test]
        fn the_gate_is_all_there_is_before_the_verdict(
            words in prop::collection::vec("[一-三]{2,6}|龙舟|比赛|第[一二三]届|[0-9]{1,3}", 1..30),
            from in 0_usize..20,
            more in "[一-十]{0,30}",
        ) {
            let a = words.concat();
            let b = words.iter().skip(from.min(words.len() / 2)).cloned().collect::<String>() + &more;
            let prepared = Prepared::new(&a).unwrap();
            let overlap = prepared.overlap(&Prepared::new(&b).unwrap());
            let may_be = Outline::of(&a).unwrap().may_be_duplicate(&Outline::of(&b).unwrap());
            let short = [&a, &b].iter().any(|text| text.chars().count() < 64);
            let expected = kept_on(&a, &b).unwrap().filter(|(verdict, _)| a == b || match verdict {
                Verdict::Copy => overlap >= if short { 0.4 } else { 0.6 },
                _ => overlap >= 0.7,
            });
            prop_assert_eq!(prepared.duplicate(&b).unwrap(), expected);
            prop_assert!(may_be || expected.is_none(), "outlines rule out no duplicate");
            prop_assert_eq!(Prepared::new(&b).unwrap().duplicate(&a).unwrap(), expected, "symmetric");
            let once = Prepared::new(&b).unwrap().as_candidate();
            prop_assert_eq!(Pair::new(&prepared, &once).duplicate().unwrap(), expected, "compared once");
            prop_assert_eq!(Pair::new(&once, &prepared).duplicate().unwrap(), expected, "compared once, symmetric");
        }
    }
}
