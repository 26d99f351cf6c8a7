//! The rule for candidates: which rows a row is compared with, among those that share a key with it.
//!
//! Rows that share more keys come first. Of rows that share as many, those come first whose rarest shared key fewer rows have: it is a
//! text's own words more often than a phrase of the form. Then the later ones come first: copies come within days. Templates and
//! reposts put thousands of rows under one key, so the rule has bounds. A key that more than [`CandidateRule::hot`] earlier rows have
//! is hot. A row is no candidate if all that it shares is one hot key, unless the probe row has no other key. Of the earlier rows
//! of a key, the last [`CandidateRule::rows_of_key`] count. At most [`CandidateRule::texts`] texts are compared. Of these, at most
//! [`CandidateRule::commons`] share no key that is rare: the texts of a form share its keys, and a copy also shares some that hardly
//! another text has. Of a long text, whose copies nearly always share several keys, at most [`CandidateRule::singles_of_long`] share
//! only one.
//!
//! Guard, list and new-against-old follow this rule. A query with `near_duplicate` has no bounds, because an index scan must find what
//! a sequential scan finds.
//!
//! Promised: the result depends on the keys and the order of the rows alone.

use std::cmp::Reverse;

use ahash::AHashMap;

/// The weight of a shared key, and of a shared hot key.
const SHARED: u32 = 2;
const SHARED_HOT: u32 = 1;
/// The least weight that makes a candidate.
pub(super) const ENOUGH: u32 = 2;

/// The bounds of a search for candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateRule {
    /// A key that more earlier rows have is hot: the site's boilerplate and templates, most of whose rows are not copies
    /// (docs/candidates.md).
    pub hot: usize,
    /// The most earlier rows of a key that count; they are the last ones.
    pub rows_of_key: usize,
    /// The same where rows are compared only within a scope, for a search that does not know the scopes before it reads the rows: most
    /// of them may be in other scopes.
    pub rows_of_key_in_scopes: usize,
    /// The most texts that are compared with one text, not counting those that may be identical.
    pub texts: usize,
    /// A key is rare if at most this number of earlier rows have it.
    pub rare: usize,
    /// The most texts sharing no rare key that are compared with a short text: of its few keys, none may be rare.
    pub commons: usize,
    /// The same for a long text.
    pub commons_of_long: usize,
    /// A text of at least this number of bytes is long. Two or more shared keys find 0.989 of the copies among news, but 0.734 among titles
    /// (docs/candidates.md).
    pub long: usize,
    /// The most texts sharing only one key that are compared with a long text.
    pub singles_of_long: usize,
}

impl Default for CandidateRule {
    fn default() -> Self {
        Self {
            hot: 300,
            rows_of_key: 2048,
            rows_of_key_in_scopes: 65_536,
            texts: 64,
            rare: 32,
            commons: 32,
            commons_of_long: 16,
            long: 600,
            singles_of_long: 8,
        }
    }
}

/// A candidate of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked<I> {
    /// The caller's identifier of the row.
    pub row: I,
    /// The weight of the keys that both have: 2 for each, 1 for each hot one.
    pub weight: u32,
    /// How many earlier rows have the rarest of these keys; the greatest number if all are hot.
    pub rarest: u32,
    /// How little it shares.
    pub lack: Lack,
}

/// What the keys that a candidate shares lack; it bounds how many such candidates are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lack {
    /// It shares no more than one key, or two hot ones.
    pub is_single: bool,
    /// It shares no rare key.
    pub is_common: bool,
}

/// What a row shares with the probe row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub weight: u32,
    /// How many earlier rows have the rarest key.
    pub rarest: u32,
}

/// Stands for the number of rows that have a hot key.
pub(super) const COMMON: u32 = u32::MAX;

impl std::ops::AddAssign for Shared {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.rarest = self.rarest.min(other.rarest);
    }
}

impl<I: Ord> Ranked<I> {
    /// Compares two candidates: the greater one comes first.
    pub(super) fn cmp_rank(&self, other: &Self) -> std::cmp::Ordering {
        (self.weight, Reverse(self.rarest), &self.row).cmp(&(other.weight, Reverse(other.rarest), &other.row))
    }
}

/// The candidates of one row, in the order in which they are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking<I> {
    /// The rows that share enough keys, the best first.
    pub candidates: Vec<Ranked<I>>,
    /// The weight of a row that has all keys of the probe row: its text may be identical.
    pub all: u32,
}

impl CandidateRule {
    /// Says whether a key of `earlier` earlier rows is hot.
    #[must_use]
    pub const fn is_hot(&self, earlier: usize) -> bool {
        earlier > self.hot
    }

    /// Returns what rows share by a key of `earlier` earlier rows.
    pub(super) const fn shared(&self, earlier: usize) -> Shared {
        let is_hot = self.is_hot(earlier);
        Shared { weight: weight(is_hot), rarest: if is_hot { COMMON } else { earlier as u32 } }
    }

    /// Makes a candidate.
    pub(super) const fn ranked<I>(&self, row: I, Shared { weight, rarest }: Shared) -> Ranked<I> {
        let lack = Lack { is_single: weight <= SHARED, is_common: rarest as usize > self.rare };
        Ranked { row, weight, rarest, lack }
    }

    /// Ranks the earlier rows of each key of a row; `rows` gives them for one key after another, in ascending order and without
    /// repetition.
    ///
    /// # Errors
    /// Those of `rows`.
    pub fn rank<I, R, E>(
        &self,
        keys: impl ExactSizeIterator<Item = R>,
        mut rows: impl FnMut(R) -> Result<Vec<I>, E>,
    ) -> Result<Ranking<I>, E>
    where
        I: Copy + Ord + std::hash::Hash,
    {
        let enough = enough(keys.len());
        let (mut all, mut found) = (0, AHashMap::new());
        for key in keys {
            let earlier = rows(key)?;
            let shared = self.shared(earlier.len());
            all += shared.weight;
            for row in earlier {
                *found.entry(row).or_insert(Shared { weight: 0, rarest: COMMON }) += shared;
            }
        }
        let found = found.into_iter().filter(|(_, shared)| shared.weight >= enough);
        let mut candidates: Vec<Ranked<I>> = found.map(|(row, shared)| self.ranked(row, shared)).collect();
        candidates.sort_unstable_by(|a, b| b.cmp_rank(a));
        Ok(Ranking { candidates, all })
    }

    /// Returns the most texts sharing no rare key that are compared with a text of `bytes` bytes.
    pub(super) const fn most_commons(&self, bytes: usize) -> usize {
        if bytes < self.long { self.commons } else { self.commons_of_long }
    }

    /// Begins the comparisons of a text of `bytes` bytes.
    #[must_use]
    pub const fn budget(&self, bytes: usize) -> Budget {
        let singles = if bytes < self.long { self.texts } else { self.singles_of_long };
        Budget { texts: self.texts, commons: self.most_commons(bytes), singles }
    }
}

/// Returns the least weight of a candidate of a row with `keys` keys.
pub(super) const fn enough(keys: usize) -> u32 {
    if keys == 1 { 1 } else { ENOUGH }
}

/// Returns the weight of a shared key.
pub(super) const fn weight(is_hot: bool) -> u32 {
    if is_hot { SHARED_HOT } else { SHARED }
}

/// How many texts may yet be compared with one text.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    texts: usize,
    commons: usize,
    singles: usize,
}

impl Budget {
    /// Says whether a candidate's text may still be compared.
    #[must_use]
    pub const fn allows(&self, lack: Lack) -> bool {
        self.texts > 0 && (!lack.is_single || self.singles > 0) && (!lack.is_common || self.commons > 0)
    }

    /// Takes one comparison.
    pub const fn spend(&mut self, lack: Lack) {
        self.texts = self.texts.saturating_sub(1);
        self.singles = self.singles.saturating_sub(lack.is_single as usize);
        self.commons = self.commons.saturating_sub(lack.is_common as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(keys: &[Vec<u32>]) -> Vec<(u32, u32)> {
        let rule = CandidateRule { hot: 3, ..CandidateRule::default() };
        let Ok(ranked) = rule.rank(keys.iter(), |rows| Ok::<_, ()>(rows.clone())) else { return Vec::new() };
        ranked.candidates.iter().map(|ranked| (ranked.row, ranked.weight)).collect()
    }

    #[test]
    fn more_keys_come_first_then_rarer_ones_and_then_later_rows() {
        assert_eq!(rank(&[vec![1, 2, 3], vec![2, 5], vec![]]), [(2, 4), (5, 2), (3, 2), (1, 2)]);
        assert_eq!(rank(&[vec![3, 4, 5], vec![1]]), [(1, 2), (5, 2), (4, 2), (3, 2)]);
        assert_eq!(rank(&[vec![1, 2, 3, 4], vec![3, 5], vec![4, 1, 6, 7, 8]])[..2], [(3, 3), (5, 2)]);
    }

    #[test]
    fn one_hot_key_is_not_enough() {
        assert_eq!(rank(&[vec![1, 2, 3, 4], vec![]]), []);
        assert_eq!(rank(&[vec![1, 2, 3, 4], vec![1, 4, 5, 6]]), [(4, 2), (1, 2)]);
        assert_eq!(rank(&[vec![1, 2, 3, 4], vec![1]]), [(1, 3)]);
        assert_eq!(rank(&[vec![1, 2, 3, 4]]), [(4, 1), (3, 1), (2, 1), (1, 1)], "it has no other key");
    }

    #[test]
    fn a_row_that_shares_no_rare_key_is_common() {
        let rule = CandidateRule { rare: 2, ..CandidateRule::default() };
        let Ok(ranked) = rule.rank([vec![1, 2, 3], vec![2, 3]].into_iter(), Ok::<_, ()>) else { return };
        let common: Vec<(u32, bool)> =
            ranked.candidates.iter().map(|ranked| (ranked.row, ranked.lack.is_common)).collect();
        assert_eq!(common, [(3, false), (2, false), (1, true)]);
    }

    #[test]
    fn a_budget_ends() {
        let [nothing, single, common] =
            [(false, false), (true, false), (false, true)].map(|(is_single, is_common)| Lack { is_single, is_common });
        let rule = CandidateRule {
            texts: 3,
            commons: 2,
            commons_of_long: 1,
            singles_of_long: 1,
            long: 10,
            ..CandidateRule::default()
        };
        let mut long = rule.budget(10);
        assert!(long.allows(single));
        long.spend(single);
        assert!(!long.allows(single) && long.allows(common));
        long.spend(common);
        assert!(!long.allows(common) && long.allows(nothing));
        let mut short = rule.budget(9);
        (0..2).for_each(|_| short.spend(common));
        assert!(!short.allows(common) && short.allows(single));
        short.spend(single);
        assert!(!short.allows(nothing));
    }
}
