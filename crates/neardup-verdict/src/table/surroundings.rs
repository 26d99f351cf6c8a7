//! Two texts among the rows around them: what of them is form, and whether their differences are found elsewhere.

use std::ops::Range;
use std::rc::Rc;

use super::forms::Sampled;
use crate::align::distinct::Distinct;
use crate::compare::passages::Passages;
use crate::compare::prepared::Prepared;

/// A row that shares less than this part of the shorter text's passages with each of the two texts has another message. Chosen
/// with [`OTHERS`] among 0.4 to 0.8, by the likelihood of the labels of held-out tables.
const ALIKE: f64 = 0.5;

/// A row that has this part of a text's passages contains the text.
const WHOLE: f64 = 0.95;

/// A row that contains the shorter text goes on with another text if it has this many times its passages, and at most this part of those that only the
/// longer text has.
const LONGER: f64 = 1.3;
const OTHER: f64 = 0.2;

/// How many marks are kept for each passage of the two texts. A passage of another row whose mark is not set is in neither.
const MARKS: usize = 8;

/// So many passages of another row have their marks read together: most are not set, and a processor reads several at a time.
const AT_ONCE: usize = 8;

/// This number of rows with other messages makes a passage form.
pub(crate) const OTHERS: usize = 2;

/// What the other rows of a table say about two texts.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// The form in each text, in bytes of the plain text.
    pub(crate) form: [Vec<Range<usize>>; 2],
    /// How many rows with other messages follow the form.
    pub(crate) followers: usize,
    /// How many rows share a key with one of the two, and how many of them are similar to one of the two.
    pub(crate) rows: usize,
    pub(crate) similar: usize,
    /// How varied similar rows are where the two texts differ: the mean share of what each has there that neither text has, 0 to 1.
    /// Other copies have what one of the two has; other fillings of a form do not.
    pub(crate) variety: f64,
    /// How many similar rows have mostly something else there.
    pub(crate) others: usize,
    /// Whether another row contains the shorter text.
    pub(crate) is_repeated: bool,
    /// How many rows have all passages that both texts have.
    pub(crate) holders: usize,
    /// How many rows have the shorter text, as the longer one does, and another text beside it.
    pub(crate) continued: usize,
    /// How many rows have the very text of one of the two.
    pub(crate) same: usize,
}

impl Surroundings {
    pub(crate) fn of(texts: [&Prepared<'_>; 2], rows: &[Rc<Sampled>]) -> Self {
        if rows.is_empty() {
            return Self::default();
        }
        let passages = texts.map(Prepared::passages);
        let all = Both::of(passages);
        let has_lone = (0..2).all(|at| all.lone[at] > 0);
        let least = all.sizes[0].min(all.sizes[1]);
        let mut other = Vec::new();
        // The passages of rows with other messages, one row after the other, and where each row ends.
        let (mut others, mut ends): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        let both = all.sizes[0] - all.lone[0];
        let shorter = usize::from(all.sizes[1] < all.sizes[0]);
        let contains = |of_shorter: f64| of_shorter >= WHOLE * least as f64;
        let is_longer = |passages: usize| passages as f64 >= LONGER * least as f64;
        let is_part = contains(both as f64) && is_longer(all.sizes[1 - shorter]);
        let (mut similar, mut holders, mut continued) = (0, 0, 0);
        let mut is_repeated = false;
        let mut rows_with = vec![0; all.keys.numbers().len()];
        for row in rows {
            let from = others.len();
            all.find(&row.passages, &mut others);
            let found = &others[from..];
            let [mut of_a, mut of_b, mut of_both] = [0_u32; 3];
            for &at in found {
                let [in_a, in_b] = all.texts[at];
                of_a += u32::from(in_a);
                of_b += u32::from(in_b);
                of_both += u32::from(in_a && in_b);
            }
            holders += usize::from(both > 0 && of_both as usize == both);
            let shared = [of_a, of_b].map(f64::from);
            let likeness = [0, 1].map(|at: usize| shared[at] / all.sizes[at].min(row.passages.len()).max(1) as f64);
            is_repeated |= (0..2).any(|at| all.sizes[at] == least && contains(shared[at]));
            let beside = shared[1 - shorter] - f64::from(of_both);
            continued += usize::from(
                is_part
                    && contains(shared[shorter])
                    && is_longer(row.passages.len())
                    && beside <= OTHER * all.lone[1 - shorter] as f64,
            );
            if likeness.iter().any(|likeness| *likeness >= ALIKE) {
                similar += 1;
                let has = [0, 1].map(|at: usize| f64::from([of_a, of_b][at] - of_both) / all.lone[at] as f64);
                others.truncate(from);
                other.extend(has_lone.then(|| 1.0 - has[0].max(has[1])));
            } else {
                found.iter().for_each(|&at| rows_with[at] += 1);
                ends.push(others.len());
            }
        }
        let is_form = |at: usize| rows_with[at] >= OTHERS;
        let form = [0, 1].map(|text: usize| passages[text].stretches(|at| is_form(all.places[text][at])));
        let follows =
            |row: &Range<usize>| others[row.clone()].iter().any(|&at| all.texts[at] == [true; 2] && is_form(at));
        let starts = std::iter::once(0).chain(ends.iter().copied());
        Self {
            form,
            rows: rows.len(),
            similar,
            followers: starts.zip(&ends).map(|(from, &end)| from..end).filter(follows).count(),
            variety: other.iter().sum::<f64>() / other.len().max(1) as f64,
            others: other.iter().filter(|&&share| share > 0.5).count(),
            is_repeated,
            holders,
            continued,
            same: 0,
        }
    }
}

/// Which of two texts have a passage.
type In = [bool; 2];

/// The passages of two texts together.
struct Both {
    keys: Distinct<u32>,
    /// Where each passage of each text is among the keys.
    places: [Vec<usize>; 2],
    /// 1 where a key may be, because most passages of other rows are in neither text; a power of two of them.
    marks: Vec<u8>,
    texts: Vec<In>,
    /// How many distinct passages each text has, and how many that the other one lacks.
    sizes: [usize; 2],
    lone: [usize; 2],
}

impl Both {
    fn of(passages: [&Passages; 2]) -> Self {
        let most = passages.iter().map(|passages| passages.keys.len()).sum();
        let mut keys = Distinct::with_capacity(most);
        let mut marks = vec![0; (MARKS * most).next_power_of_two()];
        let mut texts: Vec<In> = Vec::with_capacity(most);
        let mut insert = |key: u32, text: usize| {
            let at = keys.insert(key);
            if at == texts.len() {
                texts.push([false; 2]);
                let last = marks.len() - 1;
                marks[key as usize & last] = 1;
            }
            texts[at][text] = true;
            at
        };
        let places = [0, 1].map(|text: usize| passages[text].keys.iter().map(|key| insert(*key, text)).collect());
        let count = |wanted: fn(&In) -> bool| texts.iter().filter(|texts| wanted(texts)).count();
        let (sizes, both) = ([count(|texts| texts[0]), count(|texts| texts[1])], count(|texts| texts[0] && texts[1]));
        let lone = sizes.map(|size| size - both);
        Self { keys, places, marks, texts, sizes, lone }
    }

    /// Adds the positions of those of some passages that either text has.
    fn find(&self, passages: &[u32], found: &mut Vec<usize>) {
        let (marks, last) = (&self.marks[..], self.marks.len() - 1);
        let (all, rest) = passages.as_chunks::<AT_ONCE>();
        for some in all {
            let mut may_be = (0..AT_ONCE).fold(0_u32, |all, at| all | u32::from(marks[some[at] as usize & last]) << at);
            while may_be != 0 {
                found.extend(self.keys.find(some[may_be.trailing_zeros() as usize]));
                may_be &= may_be - 1;
            }
        }
        found.extend(rest.iter().filter_map(|key| self.keys.find(*key)));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// The definition.
    fn naive(texts: [&Prepared<'_>; 2], rows: &[Rc<Sampled>]) -> Surroundings {
        if rows.is_empty() {
            return Surroundings::default();
        }
        let passages = texts.map(|text| Passages::of(text.plain()));
        let sets = [0, 1].map(|at: usize| passages[at].keys.iter().copied().collect::<HashSet<u32>>());
        let shared =
            |row: &Sampled, set: &HashSet<u32>| set.iter().filter(|key| row.passages.contains(key)).count() as f64;
        let likeness =
            |row: &Sampled, set: &HashSet<u32>| shared(row, set) / set.len().min(row.passages.len()).max(1) as f64;
        let least = sets[0].len().min(sets[1].len());
        let contains =
            |row: &Sampled| sets.iter().any(|set| set.len() == least && shared(row, set) >= WHOLE * least as f64);
        let (similar, others): (Vec<&Rc<Sampled>>, Vec<&Rc<Sampled>>) =
            rows.iter().partition(|row| sets.iter().any(|set| likeness(row, set) >= ALIKE));
        let lone = [0, 1].map(|at: usize| sets[at].difference(&sets[1 - at]).copied().collect::<Vec<u32>>());
        let has = |row: &Sampled, lone: &[u32]| {
            lone.iter().filter(|key| row.passages.contains(key)).count() as f64 / lone.len() as f64
        };
        let other: Vec<f64> = if lone.iter().any(Vec::is_empty) {
            Vec::new()
        } else {
            similar.iter().map(|row| 1.0 - has(row, &lone[0]).max(has(row, &lone[1]))).collect()
        };
        let is_form = |key: u32| others.iter().filter(|row| row.passages.contains(&key)).count() >= OTHERS;
        let form = [0, 1].map(|text: usize| passages[text].stretches(|at| is_form(passages[text].keys[at])));
        let both: HashSet<u32> = sets[0].intersection(&sets[1]).copied().collect();
        let (short, long) = if sets[1].len() < sets[0].len() { (&sets[1], &sets[0]) } else { (&sets[0], &sets[1]) };
        let rest: HashSet<u32> = long.difference(short).copied().collect();
        let is_longer = |count: usize| count as f64 >= LONGER * least as f64;
        let continues = |row: &Sampled| {
            both.len() as f64 >= WHOLE * least as f64
                && is_longer(long.len())
                && shared(row, short) >= WHOLE * least as f64
                && is_longer(row.passages.len())
                && shared(row, &rest) <= OTHER * rest.len() as f64
        };
        let form_of_both: HashSet<u32> = both.iter().copied().filter(|&key| is_form(key)).collect();
        let followers = others.iter().filter(|row| form_of_both.iter().any(|key| row.passages.contains(key))).count();
        Surroundings {
            form,
            rows: rows.len(),
            similar: similar.len(),
            followers,
            variety: other.iter().sum::<f64>() / other.len().max(1) as f64,
            others: other.iter().filter(|&&share| share > 0.5).count(),
            is_repeated: rows.iter().any(|row| contains(row)),
            holders: rows
                .iter()
                .filter(|row| !both.is_empty() && both.iter().all(|key| row.passages.contains(key)))
                .count(),
            continued: rows.iter().filter(|row| continues(row)).count(),
            same: 0,
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            passages in prop::collection::vec("[一-九]{4,9}", 6),
            texts in prop::collection::vec(prop::collection::vec(0_usize..6, 0..7), 2..12),
        ) {
            let texts: Vec<String> =
                texts.iter().map(|parts| parts.iter().map(|&at| passages[at].as_str()).collect()).collect();
            let prepared: Vec<Prepared<'_>> = texts.iter().map(|text| Prepared::new(text).unwrap()).collect();
            let rows: Vec<Rc<Sampled>> =
                texts[2..].iter().map(|text| Rc::new(Sampled::of(text).unwrap())).collect();
            let found = Surroundings::of([&prepared[0], &prepared[1]], &rows);
            prop_assert_eq!(found, naive([&prepared[0], &prepared[1]], &rows));
        }
    }
}
